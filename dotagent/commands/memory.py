"""Search and show an agent's notes and conversations.

`memory search WORDS` searches the agent's notes and everything that the agent ever read, said and saw. `memory get
FILE[:LINES]` shows a file of notes, or some lines of the file. `memory from NAME` lists every line that rests on the
words of one source, such as a file, a web host or a person, with its places; `forget "everything from NAME"` deletes
these lines. `memory status` shows the size of the agent's memory;
with --deep, the command also checks every file and index. `memory reindex` (or `memory rebuild`) builds the search
indexes again from the files. With --project, the command works on a project's `.agent/memory/` instead of an agent's
notes.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from dotagent import commands, embedding, installed
from dotagent.commands import reindex
from dotagent.erasure import matches, requests, resting
from dotagent.errors import Misuse
from dotagent.life import facts, replay
from dotagent.life.context import MEMORY
from dotagent.project import place
from dotagent.search import note_search, results
from dotagent.search.feed import Feed
from dotagent.search.index import Hit, Index
from dotagent.search.note_search import SPEAKER, Written
from dotagent.store import disk, home
from dotagent.store.home import Home, Settings
from dotagent.text import escape, secrets, source_marks, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

GROUP = "daily"

ANEW = ("reindex", "rebuild")
VERBS = ("search", "get", "from", "status", *ANEW)
WORDED = VERBS[:3]  # the verbs that take words
PROVIDER = "words"  # how matches are found: words, their forms and the structure of talk

SHOWN = 8  # sources that an empty list names
_LINES = re.compile(r"(.+?):(\d{1,7})(?:-(\d{1,7}))?\Z")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and the agent."""
    parser.add_argument("verb", nargs="?", choices=VERBS, default="status", help="what to do (default: status)")
    commands.life_argument(parser, "8 or more digits of the agent's id (default: the only agent)")
    told = "for `search`: the words; for `get`: FILE[:LINES]; for `from`: a file, web host or person"
    parser.add_argument("words", nargs="*", metavar="WORDS", help=told)
    parser.add_argument(
        "-k", type=commands.many, default=10, metavar="N", help="the number of results of each kind (default: 10)"
    )
    parser.add_argument("--deep", action="store_true", help="for `status`: read every file and check the indexes")
    told = (
        "use a project's memory, not an agent's (default DIR: the nearest project, here or above); put this option last"
    )
    parser.add_argument("--project", metavar="DIR", nargs="?", const=commands.UPWARD, help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action. Raise Misuse."""
    where = commands.home_of(asked) if asked.project is None else None
    first = where is not None and commands.first_is_life(asked, where)
    if asked.self and not first and (where is None or asked.words or asked.verb in WORDED):
        asked.self, asked.words = None, [asked.self, *asked.words]
    if asked.words and asked.verb not in WORDED:
        raise Misuse(
            f"`memory {asked.verb}` does not take words; to search, use `{installed.program('memory')} search WORDS`"
        )
    if asked.verb == "from" and where is None:
        raise Misuse("`memory from` searches an agent's notes; leave out --project")
    if not asked.words and asked.verb in WORDED:
        wanted = {"search": "WORDS", "from": "NAME"}.get(asked.verb, "FILE[:LINES], e.g. MEMORY.md:1-5")
        raise Misuse(f"an argument is missing: {installed.program('memory')} {asked.verb} {wanted}")
    if where is None:
        asked.project = None if asked.project == commands.UPWARD else asked.project
        project = place.find(asked.project)
        return _done(asked, project.agent, None, Written(project.agent, run=project.memory / "working" / ".run"))
    path = where.agent(commands.life_of(asked, where))
    if asked.verb == "from":
        return _from(asked, where, path.name)
    settings = home.settings(where)
    feed = Feed(path, where.store(), home.owner(settings))
    notes = Written(path)
    ours = note_search.open_shared(where, path.name, replay.standing(where, path.name).audience)
    for one in (feed, notes, ours):
        one.like = embedding.make_comparison(where, settings, one.index.path)
    if asked.verb == "status":
        _meaning(asked, where, settings, feed, notes)
    try:
        done = _done(asked, path, feed, notes, ours)
        left, more = 0, bool(feed.like) and asked.verb in ANEW
        while more:  # a line each time: a long life takes minutes
            before, left = left, _meaning(asked, where, settings, feed, notes)
            more = left > 0 and (before == 0 or left < before)
        return done
    finally:
        ours.close()
        feed.close()


def _done(asked: argparse.Namespace, path: Path, feed: Feed | None, notes: Written, ours: Written | None = None) -> int:
    """Run the action with these indexes. A project has no index of conversations and no shared notes."""
    try:
        if asked.verb == "get":
            return _get(path, " ".join(asked.words))
        if asked.verb == "search":
            return _search(asked, feed, notes, ours)
        return _status(asked, path, feed, notes) if asked.verb == "status" else _reindex(asked, feed, notes)
    finally:
        notes.close()
        if feed:
            feed.close()


def _search(asked: argparse.Namespace, feed: Feed | None, notes: Written, ours: Written | None) -> int:
    """Print one row per match, from conversations and notes in turn, because the scores of two indexes cannot be
    compared. Conversations come first: many notes repeat them and would hide them."""
    query, most = " ".join(asked.words), asked.k
    said = results.ranked(feed.search(query, most), query) if feed else []
    pairs = zip_longest(said, notes.search(query, most), ours.search(query, most) if ours else [])
    hits = [one for one in chain.from_iterable(pairs) if one is not None]
    empty = escape.one_line(f"no match for {query!r} in the notes{' and conversations' if feed else ''}", 120)
    commands.print_list(asked, ">score where at who gist", [_row(one) for one in hits], empty, wrap=True)
    return 0


def _from(asked: argparse.Namespace, where: Home, self_id: str) -> int:
    """Print one row for each sentence of the agent's, and of its reminders, that rests on the source."""
    words, rows, told = " ".join(asked.words), list[commands.Row](), list(matches.texts(where))
    name = requests.source(words) or requests.source(f"everything from {words}")
    mine = (f" of {short(self_id)}", f"agents/{self_id}/", "jobs/", "blob ")  # a summary may be a blob without an event
    for one in matches.rest_on(told, name, resting.find_resting(where, name)):
        places = [place for place in one.places if any(part in place for part in mine)]
        if places and not one.doubt:
            rows.append(({"sentence": one.words, "places": places}, (", ".join(places[:2]), one.words)))
    own = (text for place, text in told if any(part in place for part in mine))
    known = list(dict.fromkeys(mark for text in own for mark, _ in source_marks.list_marked(text)))[:SHOWN]
    none = f"no line of the agent's notes comes from {escape.one_line(words, 80)}"
    none += f"; their marks name {', '.join(known)}" if known else ""
    commands.print_list(asked, "where sentence", rows, none, wrap=True)
    return 0


def _row(hit: Hit) -> commands.Row:
    turn, note = hit.turn, hit.turn.speaker == SPEAKER
    file, _, line = turn.id.rpartition(":") if note else ("", "", "")
    gist = escape.one_line(turn.text, 200)
    told = {"score": round(hit.score, 4), "file": file, "line": int(line or 0), "id": "" if note else turn.id}
    told |= {"room": "" if note else turn.room, "who": turn.speaker, "at": turn.at, "provider": PROVIDER, "gist": gist}
    where = turn.id if note else short(turn.id)
    words = results.words(hit)
    return told, (f"{hit.score:.2f}", where, times.format_stamp(turn.at), turn.speaker, words)


def _get(path: Path, asked: str) -> int:
    """Print the file or its lines. Raise Misuse if it is not a file of this memory or has no such line."""
    found = _LINES.fullmatch(asked)
    name, first, last = (found[1], int(found[2]), int(found[3] or found[2])) if found else (asked, 1, 0)
    there = note_search.names(path)
    if name not in there:
        known = ", ".join(there[:8]) + (", …" if len(there) > 8 else "")
        raise Misuse(f"no memory file {escape.one_line(name, 100)}; the files are: {known or 'none yet'}")
    data = disk.read(path / name, note_search.MOST)
    lines = data.decode("utf-8", "replace").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if found and not 1 <= first <= min(last, len(lines)):
        raise Misuse(f"{name} has {plural(len(lines), 'line')}; give a range within them as FIRST-LAST")
    commands.give("".join(f"{line}\n" for line in lines[first - 1 : last or None]).encode("utf-8", "replace"))
    return 0


def _status(asked: argparse.Namespace, path: Path, feed: Feed | None, notes: Written) -> int:
    """Print one line per file and index. With --deep they are read. Return 1 if an index is damaged."""
    status = 0
    for name in note_search.names(path):
        size, wrong = (path / name).stat().st_size, _flaws(path, name) if asked.deep else ""
        words = f"{name}: {amount(size)}" + (f": {wrong}" if wrong else "")
        commands.tell({"file": name, "bytes": size, "wrong": wrong}, words, asked)
    notes.catch_up()
    indexes: list[tuple[str, Index, int | None]] = [("notes", notes.index, notes.pieces())]
    if feed:
        feed.catch_up()
        indexes.insert(0, ("the conversations", feed.index, None))
    for what, index, many in indexes:
        damage = _damage(index.path) if asked.deep else ""
        size = index.path.stat().st_size if index.path.exists() else 0
        count = f", {plural(many, 'piece')}" if many is not None else ""
        inner = index.path.relative_to(path)
        words = f"search index of {what}: up to date, in {inner}, {amount(size)}{count}, method {PROVIDER}"
        again = f": {damage}; rebuild it with `{installed.program('memory')} reindex`" if damage else ""
        commands.tell(
            {"index": index.path.name, "bytes": size, "provider": PROVIDER, "wrong": damage}, words + again, asked
        )
        status |= bool(damage)
    return status


def _meaning(asked: argparse.Namespace, where: Home, settings: Settings, feed: Feed, notes: Written) -> int:
    """Print a line about search by meaning. Return the number of texts without a vector."""
    provider = embedding.provider(where, settings)
    told, unknown, refused = dict[str, Any](), 0, list[str]()
    for one in (feed, notes) if provider != "none" else ():
        one.catch_up()
        told = embedding.ask(where, one.index.path, "")
        unknown += int(told.get("left", 0))
        refused += told.get("refused", [])
        if "model" not in told:
            break
    if provider == "none":
        lacks = embedding.missing(where, settings)
        words, state = f"search by meaning: off{f' ({lacks})' if lacks else ''}", ""
    else:
        state = "" if "model" in told else str(told.get("error") or "the index did not answer in time")
        left = f", {plural(unknown, 'text')} not in the index yet" if unknown else ""
        left += f"; the server refused {plural(len(refused), 'text')}: {refused[-1]}" if refused else ""
        words = f"search by meaning: {provider}, {state or told['model']}{left}"
    commands.tell({"meaning": provider, "model": told.get("model", ""), "wrong": state}, words, asked)
    return unknown


def _flaws(path: Path, name: str) -> str:
    text = disk.read(path / name, note_search.MOST).decode("utf-8", "surrogateescape")
    found = [f"the file seems to contain a {kind}" for kind in secrets.kinds(text)]
    if any("\udc80" <= one <= "\udcff" for one in text):
        found.append("the file is not UTF-8 text")
    if name == MEMORY and len(text) > facts.FULL:
        found.append(f"the file has {len(text):,} characters; above {facts.FULL:,} the agent cannot add to it")
    return ", ".join(found)


def _damage(path: Path) -> str:
    """Return SQLite's complaint about the file, or ""."""
    try:
        db = sqlite3.connect(path)
        try:
            told = str(db.execute("PRAGMA quick_check").fetchone()[0])
        finally:
            db.close()
    except sqlite3.Error as error:
        told = str(error)
    return "" if told == "ok" else told


def _reindex(asked: argparse.Namespace, feed: Feed | None, notes: Written) -> int:
    if feed is None:
        reindex.run(asked)
    else:
        feed.index.make_anew()
        feed.catch_up()
    many, files = notes.anew(), len(notes.files())
    told = {"notes": many, "files": files}
    also = ", and the conversations" if feed else ""
    commands.tell(told, f"rebuilt the index: {plural(many, 'piece')} of {plural(files, 'file')}{also}", asked)
    return 0

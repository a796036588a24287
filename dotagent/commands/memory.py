"""Search and show what an agent wrote down and what it heard: search, get, status, reindex.

`memory search WORDS` looks in its notes and in all that it ever heard, said and saw; `memory get FILE[:LINES]` shows
one of its files, or some lines; `memory status` says what there is, with --deep also whether it is sound; `memory
reindex` (or rebuild) makes the indexes anew from the files. With --project it is a project's `.agent/memory/`.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
from itertools import chain, zip_longest
from pathlib import Path

from dotagent import commands, embedding, installed
from dotagent.commands import reindex
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.project import place
from dotagent.search import shown, written
from dotagent.search.feed import Feed
from dotagent.search.index import Hit, Index
from dotagent.search.written import SPEAKER, Written
from dotagent.store import disk, home
from dotagent.store.home import Home, Settings
from dotagent.store.workspace import MEMORY, MOST
from dotagent.text import escape, secrets
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

ANEW = ("reindex", "rebuild")
VERBS = ("search", "get", "status", *ANEW)
PROVIDER = "words"  # by what is found: the words, their forms and the structure of talk

_LINES = re.compile(r"(.+?):(\d{1,7})(?:-(\d{1,7}))?\Z")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, of which agent."""
    parser.add_argument("verb", nargs="?", choices=VERBS, default="status", help="what to do (default: status)")
    commands.life_argument(parser, "the agent: 8 or more digits of its id (default: the only one there is)")
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to search for; the file to get, FILE[:LINES]")
    parser.add_argument("-k", type=commands.many, default=10, metavar="N", help="how many of each kind (default: 10)")
    parser.add_argument("--deep", action="store_true", help="status: read every file and look through the indexes")
    told = "a project's memory instead of an agent's (default: the nearest one upward); stands last"
    parser.add_argument("--project", metavar="DIR", nargs="?", const=commands.UPWARD, help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Do it. Raises Misuse."""
    where = commands.home_of(asked) if asked.project is None else None
    first = where is not None and commands.first_is_life(asked, where)
    if asked.self and not first and (where is None or asked.words or asked.verb in ("search", "get")):
        asked.self, asked.words = None, [asked.self, *asked.words]
    if asked.words and asked.verb not in ("search", "get"):
        raise Misuse(f"memory {asked.verb} takes no words: {installed.typed('memory')} search WORDS looks for some")
    if not asked.words and asked.verb in ("search", "get"):
        raise Misuse(f"{asked.verb} what? {installed.typed('memory')} {asked.verb} "
                     + ("WORDS" if asked.verb == "search" else "FILE[:LINES], e.g. MEMORY.md:1-5"))  # fmt: skip
    if where is None:
        asked.project = None if asked.project == commands.UPWARD else asked.project
        project = place.find(asked.project)
        return _done(asked, project.agent, None, Written(project.agent, run=project.memory / "working" / ".run"))
    path = where.agent(commands.life_of(asked, where))
    settings = home.settings(where)
    feed = Feed(path, where.store(), home.owner(settings))
    feed.like = embedding.of(where, settings, feed.index.path)
    if asked.verb == "status":
        _meaning(asked, where, settings, feed)
    ours = written.shared(where, path.name, replay.standing(where, path.name).audience)
    try:
        done = _done(asked, path, feed, Written(path), ours)
        left, more = 0, bool(feed.like) and asked.verb in ANEW
        while more:  # a line each time: a long life takes minutes
            before, left = left, _meaning(asked, where, settings, feed)
            more = left > 0 and (before == 0 or left < before)
        return done
    finally:
        ours.close()
        feed.close()


def _done(asked: argparse.Namespace, path: Path, feed: Feed | None, notes: Written, ours: Written | None = None) -> int:
    """Do it, by these indexes; a project has none of what was said, and none that lives of an audience share."""
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
    """A row a find: what was said and what was written by turns, each by its own rank, for scores of two indexes do not
    compare. What was said is first: notes that repeat it are many and would hide it."""
    query, most = " ".join(asked.words), asked.k
    said = shown.ranked(feed.search(query, most), query) if feed else []
    pairs = zip_longest(said, notes.search(query, most), ours.search(query, most) if ours else [])
    hits = [one for one in chain.from_iterable(pairs) if one is not None]
    empty = escape.one_line(
        f"nothing that {'it wrote, heard, said or saw' if feed else 'it knows'} is like {query!r}", 120
    )
    commands.listed(asked, ">score where at who gist", [_row(one) for one in hits], empty, wrap=True)
    return 0


def _row(hit: Hit) -> commands.Row:
    turn, note = hit.turn, hit.turn.speaker == SPEAKER
    file, _, line = turn.id.rpartition(":") if note else ("", "", "")
    gist = escape.one_line(turn.text, 200)
    told = {"score": round(hit.score, 4), "file": file, "line": int(line or 0), "id": "" if note else turn.id}
    told |= {"room": "" if note else turn.room, "who": turn.speaker, "at": turn.at, "provider": PROVIDER, "gist": gist}
    where = turn.id if note else short(turn.id)
    words = shown.words(hit) + shown.newer(hit, short)
    return told, (f"{hit.score:.2f}", where, turn.at[:16], turn.speaker, words)


def _get(path: Path, asked: str) -> int:
    """The file, or its lines. Raises Misuse for what is no memory of it, or has no such line."""
    found = _LINES.fullmatch(asked)
    name, first, last = (found[1], int(found[2]), int(found[3] or found[2])) if found else (asked, 1, 0)
    there = written.names(path)
    if name not in there:
        known = ", ".join(there[:8]) + (", …" if len(there) > 8 else "")
        raise Misuse(f"{escape.one_line(name, 100)} is none of its files: there are {known or 'none yet'}")
    data = disk.read(path / name, written.MOST)
    lines = data.decode("utf-8", "replace").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if found and not 1 <= first <= min(last, len(lines)):
        raise Misuse(f"{name} has {plural(len(lines), 'line')}: name some of these, first-last")
    commands.give("".join(f"{line}\n" for line in lines[first - 1 : last or None]).encode("utf-8", "replace"))
    return 0


def _status(asked: argparse.Namespace, path: Path, feed: Feed | None, notes: Written) -> int:
    """A line a file, and a line an index; --deep reads them. Status 1 where an index is damaged."""
    status = 0
    for name in written.names(path):
        size, wrong = (path / name).stat().st_size, _flaws(path, name) if asked.deep else ""
        words = f"{name}: {amount(size)}" + (f": {wrong}" if wrong else "")
        commands.tell({"file": name, "bytes": size, "wrong": wrong}, words, asked)
    notes.catch_up()
    indexes: list[tuple[str, Index, int | None]] = [("notes", notes.index, notes.pieces())]
    if feed:
        feed.catch_up()
        indexes.insert(0, ("all that was said", feed.index, None))
    for what, index, many in indexes:
        damage = _damage(index.path) if asked.deep else ""
        size = index.path.stat().st_size if index.path.exists() else 0
        count = f", {plural(many, 'piece')}" if many is not None else ""
        inner = index.path.relative_to(path)
        words = f"index of {what}: {inner}, {amount(size)}{count}, up to date, searched by {PROVIDER}"
        again = f": {damage}: `{installed.typed('memory')} reindex` makes it anew" if damage else ""
        commands.tell(
            {"index": index.path.name, "bytes": size, "provider": PROVIDER, "wrong": damage}, words + again, asked
        )
        status |= bool(damage)
    return status


def _meaning(asked: argparse.Namespace, where: Home, settings: Settings, feed: Feed) -> int:
    """A line on what knows turns by their meaning; how many it does not know yet, and can."""
    provider = embedding.provider(where, settings)
    feed.catch_up()
    told = {} if provider == "none" else embedding.ask(where, feed.index.path, "")
    if provider == "none":
        lacks = embedding.missing(where, settings)
        words, state = f"meaning: none{f' ({lacks})' if lacks else ''}", ""
    else:
        state = "" if "model" in told else str(told.get("error") or "it gave no answer in time")
        left = f", {plural(int(told['left']), 'turn')} left to file" if told.get("left") else ""
        words = f"meaning: {provider}, {state or told['model']}{left}"
    commands.tell({"meaning": provider, "model": told.get("model", ""), "wrong": state}, words, asked)
    return int(told.get("left", 0))


def _flaws(path: Path, name: str) -> str:
    """What is wrong with the file, in words."""
    text = disk.read(path / name, written.MOST).decode("utf-8", "surrogateescape")
    found = [f"it holds what looks like a {kind}" for kind in secrets.kinds(text)]
    if any("\udc80" <= one <= "\udcff" for one in text):
        found.append("it is no UTF-8 text")
    if name == MEMORY and len(text) > MOST:
        found.append(f"it has {len(text):,} characters, and {MOST:,} are shown")
    return ", ".join(found)


def _damage(path: Path) -> str:
    """What SQLite says of the file, if that is not ok."""
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
    """Make the indexes anew, and say how much they hold."""
    if feed is None:
        reindex.run(asked)
    else:
        feed.index.make_anew()
        feed.catch_up()
    many, files = notes.anew(), len(notes.files())
    told = {"notes": many, "files": files}
    also = ", and all that was said" if feed else ""
    commands.tell(told, f"made anew: {plural(many, 'piece')} of {plural(files, 'file')}{also}", asked)
    return 0

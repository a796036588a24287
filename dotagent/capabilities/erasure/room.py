"""`forget that …`, or `/forget …`, by the owner in a private room of the owner: dotagent itself lists the matching
sentences, and a yes removes them.

The list shows sentences of all rooms, and the removal changes all rooms, so no one else gets a list or removes
anything. Anyone else gets the advice to ask the owner, in the same words whether a sentence matches or not.

No model is asked. After a yes, the removal is announced and the agent restarts in the same process, because its context
contains the sentences. The start removes them, and then the room gets the result. Owns two files in the agent's
directory: `run/forget` (the list that waits for an answer; each deletion removes it) and `run/forgotten` (the room that
gets the result). Removes `run/anew`, another process's request for a restart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from dotagent.life import questions
from dotagent.life.events import NEXT, Tell
from dotagent.life.session import Session
from dotagent.store import disk, lives, rooms
from dotagent.store.rooms import Message
from dotagent.text import escape, lazy
from dotagent.text.reference import short
from dotagent.text.sizes import plural

if TYPE_CHECKING:  # most starts of an agent need no record
    from dotagent.erasure.ledger import Done

SHOWN, LONG = 10, 1000  # sentences, and characters, after which the list ends: LIFE cuts a line at 2,000
NUMBERS = "Answer with the numbers of the sentences to remove permanently, everywhere; any other answer removes nothing"
TELL = "run/forgotten"
REFUSED = (
    "(only the owner can remove text permanently: with /forget under the owner's own name in a private room of the "
    "owner, or with the command `forget`. If you are another person, ask the owner)"
)
HOW = "Answer yes to remove this permanently, everywhere, or give the numbers; any other answer removes nothing"

_PLAIN = lazy.compile(
    r"(?is)(?:please,? )?forget (?:that|what (?:i|you) said about) \S.*|vergiss(?: bitte)?,? dass \S.*"
)
_SLASH = lazy.compile(r"(?is)/forget\b\s*(.*)")
_NUMBERS = lazy.compile(r"\d{1,4}(?:[\s,]+(?:and\s+)?\d{1,4})*")
_YES, _NO = ("yes", "y", "ja"), ("no", "n", "nein")


def wished(session: Session) -> bool:
    """Return True if another process asked for a restart of this agent, and prepare it."""
    if not disk.remove(session.path / "run" / lives.ANEW):
        return False
    session.leaving = session.anew = True
    return True


def answer(session: Session, room: str, who: str, said: str) -> str:
    """Return the answer to a person's message, or "" if the message is for the agent."""
    waiting = session.path / "run" / "forget"
    asked = _SLASH.fullmatch(said.strip())
    words = asked[1].strip() if asked else said.strip()
    told = json.loads(disk.read(waiting)) if disk.is_file(waiting) else None
    place = _find_place(session, room, told) if told else -1
    if told and place is None:  # the message was written before the list
        disk.replace(waiting, json.dumps({**told, "early": True}).encode())
    elif (
        told
        and session.is_owner_alone(who)
        and (_is_unclear(said) if place == 0 else place == 1 and _is_ambiguous(session, room, told, words))
    ):
        return str(told["list"]).replace("\n", NEXT)  # again, so that the next yes is right below it
    elif told:
        disk.remove(waiting)  # also after another person's message, because a later yes may mean that message
    if not session.is_owner_alone(who):
        return REFUSED if asked else ""
    if told and place == 0 and (answered := _act_on_reply(session, told, words.lower().strip(" .!"))):
        return f"({answered})"
    if not words or not (asked or _PLAIN.fullmatch(words)):
        return "(say what to forget, for example: /forget that my PIN at the bank is 4711)" if asked else ""
    return _find(session, room, words, plain=not asked)


def _find_place(session: Session, room: str, told: Mapping[str, Any]) -> int | None:
    """Return 0 if the list is right above the message just read, and 1 if another message is between them: a yes may
    mean that one, also one of this agent. Return None if the list is below the message, and -1 if it is in another
    room."""
    if told["room"] != room or "list" not in told:
        return -1
    path, offset = session.home.room(room), session.state.heard.rooms[room].offset
    below = takewhile(lambda one: one.end > offset, rooms.back(path, path.stat().st_size))
    if any(_is_list(session, one, told) for one in below):
        return None
    return int(not any(_is_list(session, one, told) for one in rooms.last(path, 2, offset)[:-1]))


def _is_unclear(said: str) -> bool:
    """Return True for an answer of one word that is neither yes nor no nor a number. It may be a yes in another
    language, after which a person must not believe that the sentences are gone."""
    from dotagent.text import words as compared

    word = said.lower().strip(" .!\n")
    if word in (*_YES, *_NO) or word.startswith("/") or _NUMBERS.fullmatch(word):
        return False
    found = compared.raw(word)
    return bool(found) and compared.count(found) <= 1


def _is_ambiguous(session: Session, room: str, told: Mapping[str, Any], words: str) -> bool:
    """Return whether the message just read can answer the list as well as an open question of this agent: only such
    questions are between them."""
    said = words.lower().strip(" .!")
    if said not in (*_YES, *_NO) and not _NUMBERS.fullmatch(said):
        return False
    path, offset = session.home.room(room), session.state.heard.rooms[room].offset
    open_at = {one.at for one in questions.standing(session.state) if one.room == room}
    above = islice(rooms.back(path, offset), 1, None)
    listed = next((one for one in above if one.name != short(session.id) or one.at not in open_at), None)
    return listed is not None and _is_list(session, listed, told)


def find_pending(session: Session, room: str) -> str:
    """Return the list that waits for an answer in this room, or ""."""
    waiting = session.path / "run" / "forget"
    told = json.loads(disk.read(waiting)) if disk.is_file(waiting) else {}
    return str(told.get("list", "")) if told.get("room") == room else ""


def _is_list(session: Session, one: Message, told: Mapping[str, Any]) -> bool:
    return (one.kind, one.name, one.text) == ("AGENT", short(session.id), told.get("list"))


def show_again(session: Session) -> bool:
    """Show the list once more if this agent answered earlier messages below it, because a yes would not be right below
    the list. Return True if it did."""
    waiting = session.path / "run" / "forget"
    told = json.loads(disk.read(waiting)) if disk.is_file(waiting) else {}
    room = told.get("room", "")
    if not told.get("early") or room not in session.state.heard.rooms:
        return False
    path = session.home.room(room)
    found = rooms.read(path, session.state.heard.rooms[room]) if path.exists() else None
    below = found[0] if found else []
    if any((one.kind, one.name) != ("AGENT", short(session.id)) for one in below):
        return False  # these are read first
    if not below or _is_list(session, below[-1], told):
        return False
    disk.replace(waiting, json.dumps({**told, "early": False}).encode())
    session.record(Tell(room, text=told["list"].replace("\n", NEXT)))
    return True


def _find(session: Session, room: str, words: str, *, plain: bool) -> str:
    """Return a list of matches for the person to choose from, or "" if the message is for the agent."""
    from dotagent.erasure import matches
    from dotagent.text import passages

    request = words if plain else f"/forget {words}"
    own, asked = passages.Passages([request]), passages.words(request)  # a short request has no passages to compare
    there = matches.find_choices(session.home, words)
    rows = [one for one in there.listed() if not own.tell(one.words) and passages.words(one.words) != asked]
    found = [f"{one.places[0]}: {one.words}" if one.score == matches.DELETED else one.words for one in rows]
    sure = sum(not one.doubt for one in rows)
    if not found or (plain and not sure):
        return "" if plain else f"({'no sentence matches' if passages.words(words) else matches.NO_WORD})"
    doubts = [f" (perhaps you do not mean this: {one.doubt})" if one.doubt else "" for one in rows]
    lines, left = list[str](), LONG
    for number, (one, row, doubt) in enumerate(zip(found, rows, doubts, strict=True), 1):
        lines.append(f"{number}: {escape.one_line(one, 200)}{escape.one_line(row.hidden, 300)}{doubt}")
        left -= len(lines[-1])
        if len(lines) == SHOWN or left < 0:
            break
    more = (
        [f"and {len(found) - len(lines)} more; to see the others, ask again after your answer"]
        if len(found) > len(lines)
        else []
    )
    stay = escape.one_line(", ".join(there.stay), 300)
    closed = [f"dotagent cannot search or change: {stay}"] if stay else []
    shown, rows, sure = found[: len(lines)], rows[: len(lines)], min(sure, len(lines))
    things = {told: one.places[0] for told, one in zip(shown, rows, strict=True) if one.score == matches.DELETED}
    how = HOW.replace("this", f"1 to {sure}" if sure > 1 else "number 1") if sure < len(rows) or more else HOW
    listed = f"({NEXT.join([*lines, *more, *closed, how if sure else NUMBERS])})"
    waiting = {"room": room, "found": shown, "asked": request, "things": things, "sure": sure}
    waiting["list"] = listed.replace(NEXT, "\n")
    disk.replace(session.path / "run" / "forget", json.dumps(waiting).encode())
    return listed


def _act_on_reply(session: Session, told: Mapping[str, Any], said: str) -> str:
    """Act on a person's reply to the list. Return the answer for the room, or "" if the message was another one."""
    from dotagent.erasure import sweep

    found = [str(one) for one in told["found"]]
    if said in _NO:
        return "nothing was deleted"
    if said not in _YES and not _NUMBERS.fullmatch(said):
        return ""
    meant = range(1, int(told.get("sure", len(found))) + 1) if said in _YES else map(int, re.findall(r"\d+", said))
    chosen = [found[number - 1] for number in meant if 0 < number <= len(found)]
    if not chosen:
        return "nothing was deleted, because the list has no sentence with this number"
    things = told.get("things", {})
    wished, deleted = [one for one in chosen if one not in things], [things[one] for one in chosen if one in things]
    id = sweep.announce(session.home, [*wished, str(told["asked"])], session.owner, deleted)
    disk.replace(session.path / TELL, json.dumps({"room": told["room"], "id": id}).encode())
    session.leaving = session.anew = True
    files = f" and {plural(len(deleted), 'file')}" if deleted else ""
    return f"removing {plural(len(wished), 'sentence')}{files}; I write here when this is done"


def tell(session: Session) -> None:
    """Report the result of a finished removal to the room."""
    waiting = session.path / TELL
    if not disk.is_file(waiting):
        return
    from dotagent.erasure import ledger

    if ledger.is_unfinished(session.home):
        return
    told = json.loads(disk.read(waiting))
    done = next((one for one in ledger.read(session.home.root) if one.id == told["id"]), None)
    if done and told["room"] in session.state.heard.rooms:
        session.record(Tell(told["room"], text=f"({NEXT.join([_became(done), *done.list_exceptions()])})"))
    disk.remove(waiting)


def _became(done: Done) -> str:
    """Return the result of a removal, with the numbers of changed blobs and other files."""
    if done.remains:
        still = plural(len(done.remains), "file still contains", "files still contain")
        told = f"the deletion is not complete, because {still} text that you chose"
        return f"{told}: {escape.one_line(', '.join(done.remains), LONG)}"
    if not (done.blobs or done.changed):
        return "nothing was removed: no file has these words"
    return f"permanently deleted; {plural(len(done.blobs), 'blob')} and {plural(done.changed, 'other file')} changed"

"""Shared code of the file tools: which file a name means, and how to announce, make and complete a change.

A relative name means a document of the agent, otherwise a file in `files/`, where commands run. An absolute path means
a file below the roots in settings. No link below these is followed (store/safe_paths.py). Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from dotagent.life import approvals
from dotagent.life.events import Effect, parse
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, log_search, reserved_names, roots, safe_paths
from dotagent.store.blobs import content_id
from dotagent.store.home import PARTS, PROMPTS
from dotagent.store.reserved_names import WORK
from dotagent.text import encoding, escape, names, secrets
from dotagent.text.encoding import NotText, TextForm
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass, replace
from dotagent.tools import ToolError, copy_before_change

FILES, DOCUMENT, ROOT, ROOM, OUTSIDE = "files", "document", "root", "room", "outside"
"""The kinds of places. The commands' sandbox contains only FILES."""
MANY = 5  # lines listed when MEMORY.md is full
MOST = 1 << 24  # bytes: the largest file for a file tool
SHARED = ("SEGMENT.md", "SUMMARISE.md")  # an agent gets its own copy at its first write
KEPT = ("memory/", "bank/", "skills/")  # folders of documents
LATELY = 2000  # recent events searched for the agent's own writes
CHANGES = ("WRITE_FILE", "EDIT_FILE", "ADD_TO_FILE")  # the tools that change files
PROSE = (".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".org", ".adoc")  # documents with lines of words
_ADDED = re.compile(r"\(added (\d{4}-\d\d-\d\d)\)", re.ASCII)
NOTHING = "-"  # the id of a missing file


@dataclass(frozen=True)
class Location:
    """The place of a file: its kind, the directory below which no link is followed, and the path below it."""

    kind: str
    top: Path
    name: str

    @property
    def path(self) -> Path:
        """Return the path, valid if no link is on the way."""
        return self.top / self.name

    own: str = ""
    """For a document, its path in the agent's directory."""


def place(session: Session, name: str) -> Location:
    """Return the file that a name means. Raises ToolError for an invalid name."""
    if not name or "\0" in name or len(name) > 1000:
        raise ToolError("the file's path is missing, e.g. notes/plan.md")
    own = _real(session.path)
    try:
        path = Path(os.path.normpath(own / Path(name).expanduser()))
    except RuntimeError:
        raise ToolError(f"{name}: there is no such user") from None
    tops = {own: DOCUMENT, _real(session.home.chats): ROOM} | {root: ROOT for root in _roots(session) if root != own}
    for prefix in (*reversed(path.parents), path):
        if (top := _real(prefix)) in tops:
            return _locate(session, tops[top], top, path.relative_to(prefix), _is_whole(name))
    return Location(OUTSIDE, path.parent, path.name)


def _locate(session: Session, kind: str, top: Path, inner: Path, is_whole: bool) -> Location:
    """Return the place of a path below a root. A root may contain the home, so the agent's directory and rooms are
    recognised."""
    whole, own, chats = top / inner, _real(session.path), _real(session.home.chats)
    if whole.is_relative_to(own):
        return _locate_own(session, own, str(whole.relative_to(own)), is_whole)
    if whole.is_relative_to(chats):
        return Location(ROOM, chats, str(whole.relative_to(chats)))
    if inner == Path() and not top.is_dir():  # the root is a file
        return Location(kind, top.parent, top.name)
    return Location(kind, top, str(inner))


def _locate_own(session: Session, own: Path, name: str, is_whole: bool) -> Location:
    first, _, rest = name.partition("/")
    if first == WORK:  # a folder of that name in `files/` belongs to the commands
        theirs = rest and not is_whole and _exists(own, f"{WORK}/{WORK}")
        return Location(FILES, own, f"{WORK}/{name}" if theirs else name)
    if first == "subs" and rest:
        return Location(ROOM, _real(session.home.chats), rest)
    if name == "." or reserved_names.is_paper(name) or (not _exists(own, f"{WORK}/{name}") and _exists(own, name)):
        return Location(DOCUMENT, own, name, name)
    return Location(FILES, own, f"{WORK}/{name}")


def _is_whole(name: str) -> bool:
    return name.startswith(("/", "~"))


def command_name(session: Session, name: str) -> str:
    """Return the name that commands use for the file, if they can see it. Raises ToolError."""
    there = _resolve(session, name := strip_quotes(name))
    short = str(there.path) if _is_whole(name) else there.name.removeprefix(f"{WORK}/")
    return short if there.kind == FILES and place(session, short) == there else name


def stands(there: Location) -> bool:
    """Return True if the path exists."""
    return _exists(there.top, there.name)


def _exists(top: Path, name: str) -> bool:
    try:
        return safe_paths.stat_path(top, name) is not None
    except OSError:
        return False


def _resolve(session: Session, name: str) -> Location:
    """Return the file that a name means; if it is missing, the only file whose name looks alike. Raises ToolError."""
    there = place(session, name)
    if there.kind not in (FILES, DOCUMENT, ROOT) or stands(there):
        return there
    places = [there]
    if there.name.startswith(f"{WORK}/{WORK}/") and not _is_whole(name):
        other = replace(there, name=there.name.removeprefix(f"{WORK}/"))
        return other if stands(other) else there
    if there.kind == FILES and not name.startswith(f"{WORK}/"):
        own = there.name.removeprefix(f"{WORK}/")
        places.append(Location(DOCUMENT, there.top, own, own))
    found = [
        replace(one, name=path, own=one.own and path) for one in places for path in _find_similar(one.top, one.name)
    ]
    if len(found) > 1:
        named = ", ".join(repr(one.name) for one in found)
        raise ToolError(f"{name} could be one of {named}; write the exact name", "file")
    return found[0] if found else there


def _find_similar(top: Path, name: str) -> list[str]:
    """Return the paths below `top` that look like this one."""
    found = [""]
    for part in name.split("/"):
        found = [os.path.join(inner, one) for inner in found for one in _parts(top, inner, part)]
    return found


def _parts(top: Path, inner: str, part: str) -> list[str]:
    """Return this name if the folder contains it, otherwise names that look like it."""
    try:
        names_there = [os.path.basename(one.name) for one in safe_paths.entries(top, inner)]
    except OSError:
        return []
    return (
        [part] if part in names_there else [one for one in names_there if names.normalise(one) == names.normalise(part)]
    )


def readable(session: Session, name: str) -> Location:
    """Return the place of a file that the agent may read. Raises ToolError."""
    there = _resolve(session, name)
    if there.kind == ROOM:
        if there.path.suffix == ".md" and "/" not in there.name and there.path.stem in session.state.heard.rooms:
            return there
        raise ToolError(_reach(session, name))
    if there.own in SHARED and not os.path.lexists(there.path):
        return Location(DOCUMENT, session.home.root, name)
    if there.kind == OUTSIDE or (there.kind == ROOT and _is_in_parts(session, there.path, PARTS)):
        raise ToolError(_reach(session, name))
    if bootstrap.is_hidden(session.state.audience, there.own):
        raise ToolError(f"you cannot read {name}; only the owner's private agent can")
    return _behind(there, name)


def strip_quotes(name: str) -> str:
    """Return a path without the quotes that some models add."""
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def writable(session: Session, name: str) -> Location:
    """Return the place of a file that the agent may write. Raises ToolError."""
    if strip_quotes(name).endswith("/"):
        raise ToolError(f"{name} names a directory; write the name of a file after it")
    there = _resolve(session, name)
    if there.kind == OUTSIDE:
        raise ToolError(_reach(session, name))
    kept = there.kind == ROOM or (there.kind == ROOT and _is_in_parts(session, there.path, (*PARTS, *PROMPTS)))
    harness = there.own and (there.own == "." or reserved_names.is_harness(there.own.partition("/")[0]))
    alternate = there.path.parent == _real(session.home.root) and there.path.name.upper().startswith("SOUL_")
    if kept or harness or alternate:
        raise ToolError(f"you cannot write {name}: only dotagent itself writes it")
    if bootstrap.is_persons(session.state.audience, there.own):
        raise ToolError(f"you cannot write {name}: your owner writes it with an editor")
    if session.settings.persona_sync == "disabled" and there.own in bootstrap.PERSONA:
        raise ToolError(f"you cannot write {name}: the settings allow only your owner to write it")
    return _behind(there, name)


def _behind(there: Location, name: str) -> Location:
    """Return the place of a document behind a person's link."""
    if there.kind != DOCUMENT:
        return there
    try:
        top, inner = reserved_names.standing(there.top, there.name)
    except OSError as error:
        raise ToolError(f"{name} is {error.strerror}") from None
    return there if top == there.top else Location(DOCUMENT, top, inner, there.own)


def _is_in_parts(session: Session, path: Path, parts: tuple[str, ...]) -> bool:
    """Return True if the path is in one of these parts of the home."""
    return any(path.is_relative_to(_real(session.home.root / part)) for part in parts)


def read(there: Location, name: str) -> bytes:
    """Return the file's bytes. Raises ToolError for a special or very large file."""
    try:
        return disk.read_below(there.top, there.name, MOST)
    except FileNotFoundError:
        there_is = there.own and _exists(there.top, f"{WORK}/{there.own}")
        raise ToolError(f"there is no file {name}" + f"; {WORK}/{there.own} is there" * bool(there_is)) from None
    except OSError as error:
        raise ToolError(_explain_error(name, error)) from None


def text(name: str, data: bytes) -> tuple[str, TextForm]:
    """Return the text of a file to be changed, and its form. Raises ToolError."""
    try:
        return encoding.decode(data)
    except NotText as why:
        raise ToolError(
            f"{name} {why}; nothing was changed; use RUN to change it, or WRITE_FILE to replace it"
        ) from None


def encoded(name: str, text: str, form: TextForm) -> bytes:
    """Return the text in a file's form. Raises ToolError."""
    try:
        return encoding.encode(text, form)
    except NotText as why:
        raise ToolError(f"{name} {why}; nothing was changed") from None


def list_directory(there: Location, name: str) -> list[str] | None:
    """Return the names in a directory, with a `/` after directories, or None if it is not a directory. Raises
    ToolError."""
    try:
        if not _is_dir(there):
            return None
        return sorted(
            os.path.basename(one.name) + "/" * one.is_dir for one in safe_paths.entries(there.top, there.name)
        )
    except OSError as error:
        raise ToolError(_explain_error(name, error)) from None


def _is_dir(there: Location) -> bool:
    found = safe_paths.stat_path(there.top, there.name)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _explain_error(name: str, error: OSError) -> str:
    """Return why a file cannot be read or written, and what to do."""
    if error.errno == errno.ELOOP:
        return f"{name} leads through a link, which file tools do not follow; use RUN cat {name}"
    if isinstance(error, disk.NoFile):
        return f"{name} is not a regular file"
    if isinstance(error, NotADirectoryError | FileExistsError):
        return f"{name}: a part of its path is a file, not a directory"
    return f"{name}: {error.strerror}{'; use RUN with head, tail or sed' if error.errno == errno.EFBIG else ''}"


def is_own(session: Session, data: bytes) -> bool:
    """Return True if the agent itself recently wrote the whole content of the file."""
    sought, own = content_id(data), {NOTHING}
    path = session.path / "LIFE.md"
    for line in log_search.picked(path, (Effect.WORD,), log_search.lately(path, LATELY)):
        event = parse(line)
        if isinstance(event, Effect) and event.tool in CHANGES:
            before, after, _ = (*event.what.split(" ", 2), "", "")[:3]
            if event.tool == "WRITE_FILE" or before in own:
                own.add(after)
    return sought in own


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the writing of a document or of a file in a root. Changes in `files/` are sandboxed and have no effect."""
    there = _resolve(session, strip_quotes(call.args))
    return None if there.kind == FILES else Act("write", there.own or str(there.path))


def change(session: Session, call: ToolCall, new: Callable[[bytes | None], bytes]) -> bytes:
    """Announce and write new content for the call's file, made by `new` from the present content (None: no file).
    Return a message to add to the result.

    Raises ToolError.
    """
    name = strip_quotes(call.args)
    there = writable(session, name)
    before = _current(session, there, command_name(session, name))
    after, approved = new(before), approvals.is_approved(session, call)
    if there.own in ("MEMORY.md", *bootstrap.ALL) or there.own.startswith(KEPT):
        after = _check_document(session, there.own, name, before or b"", after, approved)
    after, more = (after, b"") if approved else _judge(session, there.own, before or b"", after)
    was = content_id(before) if before is not None and stands(there) else NOTHING
    if there.kind == FILES:
        copy_before_change(session)
    session.announce(call, f"{was} {content_id(after)} {name}")
    put(there, name, after)
    return more


def _check_document(session: Session, own: str, name: str, before: bytes, after: bytes, approved: bool) -> bytes:
    """Return the new content of a document, without secrets, and with marks unless a person approved it. A claim in a
    persona file has a quotation instead of a mark. Raises ToolError if MEMORY.md would be too long."""
    from dotagent.life import facts, marks  # loaded only for a document
    from dotagent.text import source_marks

    (text, form), (was_text, _) = _decode(after), _decode(before)
    clear = secrets.masked(text, was_text)
    ending = os.path.splitext(own)[1].lower()
    a_program = not ending and own.startswith("skills/")  # it may be one
    prose = ending in ("", *PROSE, *source_marks.YAML) and not a_program
    if prose and own not in bootstrap.PERSONA:
        marked = marks.mark(session, clear, was_text, yaml=ending in source_marks.YAML)
        clear = clear if approved else marked
    if own == "MEMORY.md" and len(clear) > facts.FULL:
        raise ToolError(full(clear))
    return after if clear == text else encoded(name, clear, form)


def put(there: Location, name: str, data: bytes) -> None:
    """Replace the file's content atomically. Raises ToolError."""
    try:
        safe_paths.replace(there.top, there.name, data)
    except OSError as error:
        raise ToolError(_explain_error(name, error)) from None


def _judge(session: Session, name: str, before: bytes, after: bytes) -> tuple[bytes, bytes]:
    """Return the content that may be written, and a message about the rest. The policy decides on persona files."""
    if name not in bootstrap.PERSONA or after == before:
        return after, b""
    from dotagent.life import identity_edits  # loaded only for such an edit

    words, form = [_decode(one)[0] for one in (before, after)], _decode(after)[1]
    text, waits = identity_edits.judge_change(session, name, *words)
    told = "\n".join(waits)
    if waits and text.split() == words[0].split():
        raise ToolError(f"{name} is unchanged. {told}")
    return encoded(name, text, form) if waits or text != words[1] else after, f"\n{told}".encode() * bool(waits)


def _decode(data: bytes) -> tuple[str, TextForm]:
    """Return the text and its form. Text in an unknown encoding is decoded as UTF-8 with replacements."""
    try:
        return encoding.decode(data)
    except NotText:
        return data.decode("utf-8", "replace"), TextForm()


def full(text: str) -> str:
    """Return the message about notes that would be too long, with the oldest lines that could be removed."""
    from dotagent.life import facts  # loaded only for a document

    over, could = len(text) - facts.FULL, list[str]()
    lines = [one for one in text.split("\n")[:-2] if one.startswith(("- ", "* "))]
    for one in sorted(lines, key=lambda one: found[-1] if (found := _ADDED.findall(one)) else "~"):
        if over <= 0 or len(could) == MANY:
            break
        could.append(f"“{escape.one_line(one[2:], 60)}”")
        over -= len(one) + 1
    oldest = f", such as its oldest lines: {', '.join(could)}" if could else ""
    most = f"{facts.FULL:,} characters fit; remove what matters least{oldest}"
    return f"MEMORY.md would have {len(text):,} characters, but only {most}"


def recover(
    session: Session, call: ToolCall, what: str, again: Callable[[], bytes], done: Callable[[bytes], bytes]
) -> bytes:
    """Resolve an announced change. If it was made, return `done`; if not, make it with `again`; otherwise raise
    ToolError."""
    before, after, _ = what.split(" ", 2)
    name = strip_quotes(call.args)
    place = writable(session, name)
    try:
        data: bytes | None = read(place, name)
    except ToolError:
        data = None
    there = content_id(data) if data is not None else NOTHING
    if there == after and data is not None:
        told = done(data)
    elif there == before:
        told = again()
    else:
        raise ToolError(
            f"I was interrupted while I wrote {name}, and the file now has neither the old nor the new content; read it"
        )
    safe_paths.settle(place.top, place.name)
    return told


def _current(session: Session, there: Location, name: str) -> bytes | None:
    try:
        found = safe_paths.stat_path(there.top, there.name)
    except OSError as error:
        raise ToolError(_explain_error(name, error)) from None
    if found:
        return read(there, name)
    if there.own in SHARED:
        return read(Location(DOCUMENT, session.home.root, there.own), name)
    return None


def _roots(session: Session) -> list[Path]:
    return roots.find_roots(session.home, session.settings, session.state.audience, session.id)


def _reach(session: Session, name: str) -> str:
    roots = ", ".join(map(str, _roots(session)))
    return f"you cannot reach {name}: you can use your own directory" + (f", and {roots}" if roots else "")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path, strict=False))

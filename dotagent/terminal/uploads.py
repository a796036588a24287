"""Give a file to the agents of a room. A short text becomes a message; any other file is put where the agents can read
it. A picture, PDF or sound also becomes a blob of the room, which is shown to its agents.

Writes `agents/<id>/files/` of each agent in the room; the file then belongs to the agent.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dotagent.errors import Trouble
from dotagent.store import attachments, disk, lives, safe_paths, work_folder
from dotagent.terminal.talk import Talk
from dotagent.text import encoding, escape, media, names
from dotagent.text.encoding import NotText
from dotagent.text.sizes import amount, plural

SAID = 16_000  # bytes of a text that becomes a message unchanged
LONGEST = 200  # words of a line that may belong to a path
_END = re.compile(r"[,;:.?!…]*\s+|[，；：。？！、]")  # what may end a path
_BEHIND = re.compile(r"\A(?:[,;:.?!…，；：。？！、]*(?:\s+|\Z)|[，；：。？！、]+)")  # punctuation of no words
_QUOTED = re.compile(r"\A[“„‘«‹`<\"'](.+)[”“’»›`>\"']\Z")
_WHOLE = re.compile(r"[\"'“„‘«‹`<]?(?:/|~|file:/)", re.IGNORECASE)  # a path that is not relative
MOST = 1 << 24  # bytes of any other file: the limit of READ_FILE


def give(talk: Talk, name: str) -> str:
    """Give the file of this path, and more files after it, and send the text after them. Return a message for the
    person. Raises Trouble."""
    path, words = _split_path(name)
    given = [(path.name, _data(path))]
    while _WHOLE.match(words) and (more := _split_path(words))[0].is_file():
        given, words = [*given, (more[0].name, _data(more[0]))], more[1]
    for named, data in given:
        hand(talk, named, data)
    if words:
        talk.say(words)
    return ""


def _data(path: Path) -> bytes:
    try:
        return disk.read(path, MOST, follow=True)
    except OSError as error:
        large = f": larger than {amount(MOST)}; give a part of it" if path.is_file() else ""
        raise Trouble(f"{path}: {error.strerror or error}{large}") from None


def hand(talk: Talk, name: str, data: bytes) -> None:
    """Give a file with this name and content to the agents of the room. Raises Trouble."""
    found = media.recognise(data)
    if not found and (text := _text(data)) is not None:  # a PDF may consist of letters only
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        rows = f"{fence}\n{text}\n{fence}".split("\n")  # quoted, because the sender may not have written them
        label = f"(the file {escape.one_line(name, 200)}, {plural(len(rows) - 2, 'line')})"
        talk.say("\n".join([label, *(f"> {row}" for row in rows)]))
        return
    there = lives.find_agents(talk.home, talk.room)
    if not there:
        raise Trouble(f"no agent has joined {talk.room}, so no one can read {name}")
    kept = _keep([talk.home.agent(one) / "files" for one in there], name, data)
    what = media.words(found) if found else "a file"
    line = "\n" + attachments.keep(talk.home.store(), talk.room, name, data) if found else ""
    # quoted, because others may have chosen the name
    talk.say(f"(I put {what} of {amount(len(data))} into your directory)\n> files/{kept}{line}")


def paths(begun: str) -> list[str]:
    """Return the paths with this prefix, directories with a final /."""
    folder, _, start = begun.rpartition("/")
    place = Path(os.path.expanduser(f"{folder}/" if "/" in begun else "."))
    try:
        found = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(place))
    except OSError:
        return []
    shown = [one for one in found if one.startswith(start) and (start or not one.startswith("."))]
    return [f"{folder}/{one}" if "/" in begun else one for one in shown]


def is_path(text: str) -> bool:
    """Return True if the whole text is an existing path, as a terminal pastes a dropped file."""
    with suppress(OSError, ValueError):
        return any(path.exists() for path in _readings(text))
    return False


def _split_path(typed: str) -> tuple[Path, str]:
    """Return the longest existing path at the beginning of the line, and the text after it.

    A path may be quoted, or a `file://…` address, as terminals and file managers paste it. If no path exists, a file
    whose name looks alike is used.
    """
    typed = typed.strip()
    begins = {at for found in _END.finditer(f"{typed} ") for at in range(found.start(), found.end())}
    ends = sorted((at for at in begins if at <= len(typed)), reverse=True)
    for look in (Path.exists, lambda path: bool(_find_similar(path))):
        for end in ends[:LONGEST]:
            for path in _readings(typed[:end]):
                with suppress(OSError, ValueError):
                    if look(path):
                        return path if path.exists() else _find_similar(path)[0], _BEHIND.sub("", typed[end:])
    return Path(os.path.expanduser(typed)), ""


def _readings(text: str) -> list[Path]:
    """Return the possible paths of a text: unchanged, without quotation marks, as a shell would parse it, and from an
    address."""
    found = [text, *_QUOTED.findall(text)]
    with suppress(ValueError):
        if len(words := shlex.split(text)) == 1:
            found += words
    with suppress(ValueError):
        found += [unquote(urlsplit(one).path) for one in found if one.lower().startswith("file:/")]
    return [Path(os.path.expanduser(one)) for one in found]


def _find_similar(path: Path) -> list[Path]:
    """Return the only file in the folder whose name looks like this one, or nothing if there are several."""
    found = [one for one in path.parent.iterdir() if names.normalise(one.name) == names.normalise(path.name)]
    return found if len(found) == 1 else []


def _text(data: bytes) -> str | None:
    """Return the text of a file that is short enough for a message, or None."""
    with suppress(NotText):
        text = "\n".join(encoding.lines(encoding.decode(data)[0])) if len(data) <= SAID else "\0"
        return None if "\0" in text else text.strip("\n")
    return None


def _keep(folders: list[Path], name: str, data: bytes) -> str:
    """Store the file in each folder under its name, or under the next name that is free in all of them. Return that
    name."""
    clean = re.sub(r"[^\w.-]+", "_", name).lstrip(".")[-100:] or "file"
    stem, end = os.path.splitext(clean)
    for number in itertools.count(2):
        if all(_is_free(folder / clean, data) for folder in folders):
            break
        clean = f"{stem}-{number}{end}"
    for folder in folders:
        safe_paths.replace(work_folder.workspace(folder.parent), clean, data)
    return clean


def _is_free(path: Path, data: bytes) -> bool:
    """Return True if the path is free or has the same content."""
    return not os.path.lexists(path) or (disk.is_file(path) and disk.read(path) == data)

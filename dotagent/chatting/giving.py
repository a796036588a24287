"""Giving a file to the agents of a room: a short text is said there, any other file is put where they can read it, and
a picture, PDF or sound is a blob of the room besides, which who hears the room is shown.

Writes `agents/<id>/files/`, in the directory of each agent that hears the room; what lies there is the agent's then.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from contextlib import suppress
from pathlib import Path

from dotagent.chatting.talk import Talk
from dotagent.errors import Trouble
from dotagent.store import attachments, disk, lives
from dotagent.text import media
from dotagent.text.sizes import amount, plural

SAID = 16_000  # bytes of a text that is said in the room as it is
MOST = 1 << 24  # bytes of any other: what READ_FILE takes


def give(talk: Talk, name: str) -> str:
    """Give the file of this path; what became of it, for the person. Raises Trouble."""
    path = _meant(name)
    try:
        data = disk.read(path, MOST, follow=True)
    except OSError as error:
        large = f": larger than {amount(MOST)}; give a part of it" if path.is_file() else ""
        raise Trouble(f"{path}: {error.strerror or error}{large}") from None
    found = media.look(data)
    if not found and (text := _text(data)) is not None:  # a PDF may be all letters
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        talk.say(f"{path.name}, {plural(text.count(chr(10)) + 1, 'line')}:\n{fence}\n{text}\n{fence}")
        return ""
    there = lives.of(talk.home, talk.room)
    if not there:
        raise Trouble(f"nobody hears {talk.room} who could read {path.name}")
    kept = _keep([talk.home.agent(one) / "files" for one in there], path.name, data)
    what = media.words(found) if found else "a file"
    line = "\n" + attachments.keep(talk.home.store(), talk.room, path.name, data) if found else ""
    talk.say(f"I put {what} of {amount(len(data))} into your directory: files/{kept}{line}")
    return ""


def paths(begun: str) -> list[str]:
    """The paths that begin so, directories with a / behind them."""
    folder, _, start = begun.rpartition("/")
    place = Path(os.path.expanduser(f"{folder}/" if "/" in begun else "."))
    try:
        found = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(place))
    except OSError:
        return []
    shown = [one for one in found if one.startswith(start) and (start or not one.startswith("."))]
    return [f"{folder}/{one}" if "/" in begun else one for one in shown]


def _meant(name: str) -> Path:
    """The path as it was typed, or, where nothing is there, as a shell would read it: what a terminal pastes for a file
    that is dropped on it is quoted."""
    path = Path(os.path.expanduser(name))
    with suppress(ValueError):
        if not path.exists() and len(words := shlex.split(name)) == 1:
            return Path(os.path.expanduser(words[0]))
    return path


def _text(data: bytes) -> str | None:
    """The words of a file that is short enough to be said; None for any other."""
    if len(data) > SAID or b"\0" in data:
        return None
    try:
        return data.decode("utf-8").strip("\n")
    except UnicodeDecodeError:
        return None


def _keep(folders: list[Path], name: str, data: bytes) -> str:
    """Put it into each of these under its name, or the next one that is free in all; that name."""
    clean = re.sub(r"[^\w.-]+", "_", name).lstrip(".")[-100:] or "file"
    stem, end = os.path.splitext(clean)
    for number in itertools.count(2):
        if all(_same(folder / clean, data) for folder in folders):
            break
        clean = f"{stem}-{number}{end}"
    for folder in folders:
        disk.make_dir(folder)
        disk.replace(folder / clean, data)
    return clean


def _same(path: Path, data: bytes) -> bool:
    """Whether nothing else than this is there."""
    return not os.path.lexists(path) or (disk.is_file(path) and disk.read(path) == data)

"""An earlier home, 0f9e00d's, unpacked; what it holds, read by hand; and a scripted model that its lives resume with.

All that is used of today's code stands in a few small functions at the top: what follows them asks it nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from blake3 import blake3
from support import PATIENCE, spawn, until

import agent
from dotagent.compaction import check
from dotagent.life import context, replay
from dotagent.life.replay import View
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store import queue, request_rebuilding, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.text import tokens

HERE = Path(__file__).resolve().parent
ARCHIVE = HERE / "home-0f9e00d.tar.gz"
EXPECTED: dict[str, Any] = json.loads((HERE / "expected.json").read_text("utf-8"))
LIVES: dict[str, dict[str, Any]] = EXPECTED["lives"]
IMPATIENT = Patience(look=0.0, unsigned=0.0)
SETTING = round(tokens.OVERFULL * EXPECTED["context_limit"]) + tokens.HEAD
"""The setting with which entries fade where they faded then, when it did not count the part before the entries."""


# --- today's code


def lived(root: Path, letter: str) -> AbstractContextManager[Agent]:
    """The life, resumed in this process, as `python agent.py <id>` does."""
    return boot.life_of(["--home", str(root), "--provider", "scripted", LIVES[letter]["id"]], IMPATIENT)


def to_rest(me: Agent, model: Model) -> None:
    """Live until nothing is left to do."""
    for _ in range(1000):
        if not agent.step(me) and not model.serve():
            assert not me.calls.waits(), f"{me.session.id} waits for an answer that nobody gives"
            return agent.rest(me)
    raise AssertionError(f"{me.session.id} did not come to rest")


def take(root: Path) -> Call | None:
    """The next call for the scripted model."""
    return queue.take(Home(root), "scripted")


def answer(root: Path, call: Call, text: str) -> None:
    where = Home(root)
    assert queue.answer(where, where.store(), call, text, Outcome(finish="stop"))


def prompt_of(root: Path, call: str) -> bytes:
    """The prompt of a request, rebuilt: what `python -m dotagent prompt --call` prints."""
    return requests.as_text(request_rebuilding.Rebuilder(Home(root).store()).request(call).parts)


def asked_last(root: Path, call: str) -> str:
    """The content of the last message of a request."""
    return requests.messages(request_rebuilding.Rebuilder(Home(root).store()).request(call).parts)[-1]["content"]


def view_of(root: Path, letter: str) -> View:
    """What is derived from LIFE and blobs."""
    return replay.derive(Home(root), LIVES[letter]["id"], SETTING)


def context_of(root: Path, letter: str) -> bytes:
    """context.md, as it is made when it is missing."""
    return b"".join(map(context.render, view_of(root, letter).entries))


def differences(was: bytes, now: bytes) -> list[bytes]:
    """The entries of a context that are not what they were. One that is cut now may show less: that version gave an
    entry a share in bytes, this one gives it a share in tokens."""
    pairs = zip(*(re.split(rb"(?m)^(?=\S)", one) for one in (was, now)), strict=False)
    return [new for old, new in pairs if not (old == new or is_cut(old, new))]


def is_cut(old: bytes, new: bytes) -> bool:
    """Whether the new text is the head and the tail of the old one."""
    head, note, tail = new.partition(b"\n  [\xe2\x80\xa6 the first and the last of ")
    tail = tail.partition(b"\xe2\x80\xa6] ")[2].strip()
    return bool(note) and old.startswith(head) and old.rstrip().endswith(tail)


def unreachable(root: Path, letter: str) -> list[str]:
    """What is wrong with the promise that every entry is visible, or covered by exactly one summary."""
    return list(check.reach(Home(root).store(), view_of(root, letter)).problems)


FORMER = {  # what fields of the state are called today, and were in the one flat table of 0f9e00d
    "documents": "papers",
    "unanswered": "owed",
    "provider": "served",
    "effect": "announced",
    "unread": "again",
    "untold": "tell",
    "compaction": "fading",
}


NEW = ("deaths", "slept", "told", "ended", "ends", "passed", "away", "by", "used", "guessed",
       "back", "unsaid", "standing", "stood", "woken", "alerts", "beat",
       "judged", "notes", "flush", "flushed", "head", "spawned", "made",
       "agents", "origins", "whose", "question", "allowed", "always",
       "asked", "instead", "look", "looked", "looker", "message", "plain", "questions",
       "since", "quiet", "slices", "shared", "fixed", "frame", "refused", "plan")  # not in 0f9e00d's state  # fmt: skip


def state_of(root: Path, letter: str) -> dict[str, Any]:
    """Where the life stands, in the words of 0f9e00d."""
    told = asdict(view_of(root, letter).state)
    for part in ("heard", "turn", "model", "forgetting"):
        told |= told.pop(part)
    told = {FORMER.get(name, name): value for name, value in told.items() if name not in NEW}
    if told["fading"]:
        del told["fading"]["frame"], told["fading"]["lasts"]
    told["announced"] = list(told["announced"].values()) if told["announced"] else None
    return dict(json.loads(json.dumps(told)))


# --- the old formats, by hand


def unpack(where: Path) -> Path:
    """The home: directories 0700, files 0600, links as links."""
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(where, filter="tar")
    settings = where / "home" / "dotagent.toml"
    former = f"context_limit = {EXPECTED['context_limit']}"
    assert former in settings.read_text("utf-8")
    settings.write_text(settings.read_text("utf-8").replace(former, f"context_limit = {SETTING}"), "utf-8")
    return where / "home"


@dataclass(frozen=True)
class Line:
    """An event of LIFE."""

    at: str
    event: str
    detail: str
    id: str


LINE = re.compile(r"(\S+Z) ([A-Z]+)(?: (.*?))??(?: ◱hash=([0-9a-f]{32}) gist=[^◱◲\n]*◲)?")


def folder(root: Path, letter: str) -> Path:
    return root / "agents" / LIVES[letter]["id"]


def life(root: Path, letter: str) -> bytes:
    return (folder(root, letter) / "LIFE.md").read_bytes()


def whole(data: bytes) -> bytes:
    """The bytes without a line that is torn."""
    return data[: data.rfind(b"\n") + 1]


def lines(data: bytes) -> list[Line]:
    """LIFE's lines. Each must be one: nothing else is in a LIFE that resumed."""
    assert data.endswith(b"\n")
    found = [LINE.fullmatch(raw.decode()) for raw in data.split(b"\n")[:-1]]
    assert all(found)
    return [Line(one[1], one[2], one[3] or "", one[4] or "") for one in found if one]


def blob(root: Path, id: str) -> bytes:
    """A blob's body; its bytes hash to its name."""
    data = (root / "blobs" / id[:2] / id).read_bytes()
    assert blake3(data).hexdigest()[:32] == id
    return data.partition(b"\n---\n")[2]


def parent_of(root: Path, id: str) -> str:
    found = re.search(rb"^parent: ([0-9a-f]*)$", (root / "blobs" / id[:2] / id).read_bytes(), re.M)
    assert found
    return found[1].decode()


def rooms_of(root: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (root / "chats").glob("*.md")}


def its_room(letter: str) -> str:
    """The name of the life's first room."""
    return str(LIVES[letter]["subs"][0]).removesuffix(".md")


def said_by(letter: str, data: bytes) -> list[str]:
    """What the life says in these bytes of a room, each message by itself."""
    tag = rf"^\[AGENT:{LIVES[letter]['id'][:12]} \S+Z\] ((?:.*\n)(?:  .*\n)*)"
    return [re.sub(r"\n  ", "\n", one).rstrip("\n") for one in re.findall(tag, data.decode("utf-8", "replace"), re.M)]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- a model, and resuming with it

ASKED = re.compile(r"\b(SEGMENT|SUMMARISE) the entries #(\d+) to #(\d+)")
GOES_ON = "I go on."


@dataclass
class Model:
    """A scripted model: it says that it goes on, and compacts as it is asked to. `served` are the calls it took."""

    root: Path
    says: list[str] = field(default_factory=list)
    served: list[Call] = field(default_factory=list)

    def serve(self) -> bool:
        """Answer one call; False when there is none."""
        call = take(self.root)
        if call is None:
            return False
        self.served.append(call)
        if call.kind == "live":
            text = self.says.pop(0) if self.says else GOES_ON
        else:
            what, first, last = ASKED.findall(asked_last(self.root, call.id))[-1]
            life = whole((self.root / "agents" / call.agent / "LIFE.md").read_bytes())
            heard = [blob(self.root, line.id).decode() for line in lines(life) if line.event == "HEAR"]
            summary = f"relevance: 3\ngist: all\n\n{heard[0].partition('] ')[2]}"
            text = f"{first}-{last} 3 all" if what == "SEGMENT" else summary
        answer(self.root, call, text)
        return True


@dataclass(frozen=True)
class Resumed:
    """What came of resuming: LIFE's new lines, the calls that the life made a model serve."""

    new: list[Line]
    served: list[str]

    def of(self, *events: str) -> list[Line]:
        """The new lines of these events."""
        return [line for line in self.new if line.event in events]


Resumer = Callable[[Path, str], Resumed]


def resume(root: Path, letter: str, *says: str, hear: str = "") -> Resumed:
    """Resume the life until nothing is left to do, in this process; then what all lives have in common must hold."""
    others_wait(root, letter)
    model, before = Model(root, list(says)), life(root, letter)
    with lived(root, letter) as me:
        if hear:
            with open(root / "chats" / f"{its_room(letter)}.md", "a") as file:
                file.write(hear)
        to_rest(me, model)
    return common(root, letter, before, model)


def by_process(root: Path, letter: str) -> Resumed:
    """The same by a real process, `python agent.py <hash>`."""
    others_wait(root, letter)
    model, before = Model(root), life(root, letter)
    words = ["agent.py", LIVES[letter]["id"][:12], "--provider", "scripted", "--until-idle"]
    process = spawn(Home(root), *words)
    try:
        until(lambda: not model.serve() and process.poll() is not None, root / "calls" / "new" / "scripted")
    finally:
        process.kill()
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out.split("\n")[0], err.count("Traceback")) == (0, LIVES[letter]["id"], 0), err
    return common(root, letter, before, model)


def others_wait(root: Path, letter: str) -> None:
    """Let the model serve this life only: the calls of the others leave the spool."""
    for path in [*root.glob("calls/new/*/*"), *root.glob("calls/taken/*")]:
        if json.loads(path.read_bytes())["agent"] != LIVES[letter]["id"]:
            path.unlink()


def common(root: Path, letter: str, before: bytes, model: Model) -> Resumed:
    """LIFE only grew, in order; the promise of forgetting holds; the spool is empty; nobody else's call was made."""
    after = life(root, letter)
    assert after.startswith(whole(before)), "LIFE lost lines"
    found, new = lines(after), lines(after[len(whole(before)) :])
    assert all(a.at < b.at for a, b in pairwise(found)), "LIFE's times do not increase"
    assert (new[0].event, new[-1].event) == ("RESUME", "SLEEP")
    for line in found:
        if line.id:
            blob(root, line.id)
    assert unreachable(root, letter) == []
    assert (folder(root, letter) / "context.md").read_bytes() == context_of(root, letter)
    asked = tuple(line.id for line in found if line.event in ("ASK", "SEGMENT", "SUMMARISE"))
    spool = ("new/scripted", "taken", f"done/{LIVES[letter]['id']}", "stream")
    left = [path for place in spool for path in (root / "calls" / place).glob("*") if path.name.startswith(asked)]
    assert left == []
    assert {call.agent for call in model.served} <= {LIVES[letter]["id"]}
    return Resumed(new, [call.id for call in model.served])


def only(root: Path, before: dict[str, bytes], name: str, letter: str) -> list[str]:
    """What the life said since: it only appended, to one room; all else is as it was."""
    after = rooms_of(root)
    assert {**after, name: b""} == {**before, name: b""}
    assert after[name].startswith(before[name])
    tags = re.findall(rb"^\[AGENT:\w+ \S+Z\]", after[name], re.M)
    assert len(tags) == len(set(tags)), "a message is there twice"
    return said_by(letter, after[name])[len(said_by(letter, whole(before[name]))) :]

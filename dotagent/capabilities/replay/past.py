"""Past requests of an agent with their answers, and the same requests with another prompt. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dotagent import contract, tools
from dotagent.errors import Trouble
from dotagent.life import events, prompt, replay
from dotagent.life.compaction_events import Segment, Summarise
from dotagent.life.events import Ask, Document, Hear, Reply, Spent
from dotagent.life.look_events import LookAnswer
from dotagent.store import lineage, log, requests
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.bootstrap import SOUL
from dotagent.store.home import Home, Settings
from dotagent.store.lineage import Stretch
from dotagent.store.log import Line
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import Part
from dotagent.text import times

ANSWERS = (Reply.WORD, Spent.WORD, LookAnswer.WORD)
KINDS: Mapping[str, tuple[str, ...]] = {
    "SOUL": (Ask.WORD,),
    "SEGMENT": (Segment.WORD,),
    "SUMMARISE": (Summarise.WORD, Segment.WORD),
}
"""The prompts that can be replaced, and the requests that contain each."""


@dataclass(frozen=True)
class Past:
    """A past request and its result: the agent and the byte offset of its LIFE at which it was sent, its id, time and
    kind, the message before it, the answer, whether a limit cut it off, the seconds until then, and the usage as in
    LIFE."""

    agent: str
    begin: int
    id: str
    at: str
    kind: str
    about: str
    answer: str
    cut: bool
    seconds: float
    told: Mapping[str, str]


def last(where: Home, self_id: str, kinds: Collection[str], most: int) -> list[Past]:
    """Return the last answered requests of these kinds, oldest first."""
    store, found, answers = where.store(), list[Past](), dict[str, Line]()
    for part, line in _backwards(where, self_id):
        if line.event in ANSWERS and line.id:
            with suppress(BlobMissing, BlobCorrupt):  # a lost answer cannot be compared
                answers[store.get(line.id).parent] = line
        elif line.event == Hear.WORD:  # the message that the requests after it are about
            found = [one if one.about else replace(one, about=line.gist) for one in found]
        elif len(found) < most and line.event in kinds and (answer := answers.pop(line.id, None)):
            found.append(_make_past(store, part, line, answer))
        if len(found) == most and found[-1].about:
            break
    return found[::-1]


def _backwards(where: Home, self_id: str) -> Iterator[tuple[Stretch, Line]]:
    """Yield the events of the agent's whole life from the last one back, each with the part of the life."""
    for part in reversed(lineage.parts(where.store(), where.agent(self_id))):
        yield from ((part, line) for line in log.backwards(part.path) if part.end is None or line.end <= part.end)


def _make_past(store: Blobs, part: Stretch, asked: Line, answer: Line) -> Past:
    event = events.parse(answer)
    told = event.told if isinstance(event, Reply | Spent) else {}
    text = store.get(answer.id).body.decode("utf-8", "replace")
    seconds = (times.parse(answer.at) - times.parse(asked.at)).total_seconds()
    about = "" if asked.event == Ask.WORD else asked.gist
    cut, begin = told.get("finish") == "length", log.begin(part.path, asked)
    return Past(part.agent, begin, asked.id, asked.at, asked.event, about, text, cut, seconds, told)


def rebuild(where: Home, settings: Settings, one: Past) -> list[Part]:
    """Return the parts of a request of the conversation as this version of dotagent builds them, or nothing if they are
    the same. Raises Trouble if a part is lost."""
    old = Rebuilder(where.store()).request(one.id).parts
    view = replay.derive(where, one.agent, settings.context_limit, until=one.begin)
    life = tools.make_life(where, one.agent, settings, view.state)
    usage, schemas = tools.describe_tools(life)
    new = contract.next_prompt(where, one.agent, life.settings, view, usage)
    if any(part.role == requests.TOOLS for part in old):
        new.insert(0, Part(requests.TOOLS, schemas()))
    return new if _as_bytes(new) != _as_bytes(old) else []


def _as_bytes(parts: Sequence[Part]) -> tuple[str, bytes]:
    return requests.tools(parts), requests.as_text([part for part in parts if part.role != requests.TOOLS])


def versions(where: Home, self_id: str, name: str) -> list[str]:
    """Return the texts that this document had, newest first, in the form of a prompt."""
    store, found = where.store(), list[str]()
    for line in lineage.picked(store, where.agent(self_id), (Document.WORD,)):
        event = events.parse(line)
        if isinstance(event, Document) and event.name == f"{name}.md":
            with suppress(BlobMissing, BlobCorrupt):
                found.append(prompt.instruction(store.get(line.id).body.strip()))
    return list(dict.fromkeys(reversed(found)))


def instead(rebuild: Rebuilder, one: Past, name: str, text: str, known: Collection[str]) -> list[Part]:
    """Return the parts of the request with this text instead of the prompt's `known` ones. Raises Trouble if the
    request does not contain any of them."""
    parts, new = list(rebuild.request(one.id).parts), prompt.instruction(text.strip().encode("utf-8", "replace"))
    if f"{name}.md" == SOUL:
        at = next((at for at, part in enumerate(parts) if part.role == "system"), -1)
        known = [parts[at].text] if at >= 0 else []
    else:
        at = len(parts) - 1
    before = next((old for old in known if old and old in parts[at].text), "")
    if not before:
        raise Trouble(f"dotagent no longer knows which text of {name}.md this request contained")
    parts[at] = replace(parts[at], text=parts[at].text.replace(before, new, 1))
    return parts

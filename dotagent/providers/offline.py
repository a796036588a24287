"""offline: no network and no model, only rules, so that everything runs with nothing installed and no key.

It is silent unless it is asked something, where people talk to each other by its name. Then it keeps and drops lines
of MEMORY.md, reads files, and answers by quoting what it can see, or can RECALL; it says of itself what it is. The same
prompt always gets the same answer. It keeps no state: what it has begun it finds again in the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dotagent.providers import Config, Emit, Prompt, ProviderError, Reply, Usage
from dotagent.providers.offline_wits import asks, compaction, know, notes, prompt, words
from dotagent.providers.offline_wits.prompt import Entry, Said
from dotagent.store.requests import Message

KEYS: tuple[str, ...] = ()
BASE = ""
MODEL = "offline"
WINDOW = 1_000_000
BACKGROUND = 2

UNKNOWN = (
    "I do not know: neither my notes nor what I have of our rooms says it. "
    "I am the offline provider: no model thinks here, I can only quote what I have."
)
SHOWN = 1500  # characters of a file or result that are said in a room
HELP = """I am the offline provider: no model and no network, only a few rules. I understand:
- remember that … and note that … (I keep it in MEMORY.md)
- forget … (I take the matching lines out again)
- what do you know about …, and other questions: I quote my notes and what was said here
- read the file notes/plan.md
- list rooms
Where several people talk, call me by name (agent, …). I am silent otherwise.
For a model set a provider's key, for example DEEPSEEK_API_KEY, and start me again."""


@dataclass(frozen=True)
class Step:
    """A tool's call that was asked for, and what to say in which rooms once its result is there."""

    tool: str
    args: str
    rooms: tuple[str, ...]
    body: str | None = None
    done: tuple[tuple[str, str], ...] = ()
    asked: Said | None = None
    """The question, with `text` only that, which a RECALL shall help to answer."""


@dataclass
class Plan:
    """What to say, room by room, and what to do."""

    says: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def why_not(config: Config) -> str | None:
    """It needs nothing."""
    return None


def answer(request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """See Provider.answer; it raises nothing but `cancelled`."""
    if stop():
        raise ProviderError("cancelled", "the call was cancelled")
    text = compaction.answer(request.messages)
    if text is None:
        text = reply(request.messages)
    emit("text", text)
    asked = sum(len(message["content"].encode("utf-8", "replace")) for message in request.messages)
    said = len(text.encode("utf-8", "replace"))
    return Reply(text, usage=Usage(input=-(-asked // 4), output=-(-said // 4)))


def reply(messages: Sequence[Message]) -> str:
    """The agent's next reply: calls, or WAIT."""
    view, me = prompt.entries(messages), prompt.myself(messages)
    mine = [at for at, entry in enumerate(view) if entry.event == prompt.ANSWER]
    last = mine[-1] if mine else -1
    before = mine[-2] if len(mine) > 1 else -1
    fresh = _plan(view, last + 1, me)
    if mine:
        begun = _plan(view[:last], before + 1, me).steps
        wrote = view[last].body
        results = [entry for entry in view[last + 1 :] if entry.event == "TOOL"]
        fresh.says[:0] = _results([step for step in begun if _call(step) in wrote], results, view)
    return _written(fresh)


def _plan(view: list[Entry], start: int, me: str) -> Plan:
    """What the messages from the entry at `start` on ask of the agent `me`."""
    plan = Plan()
    kept = notes.lines(view)
    after, told = list(kept), list[tuple[str, str]]()
    for at, entry in enumerate(view[start:], start):
        if entry.event != "HEAR":
            continue
        known = view[:at] + [one for one in view[at:] if one.event == "FAINT"]
        for said in _meant(view, entry, me):
            for ask in asks.asks(said.text, said.agent):
                if ask.kind in ("remember", "forget"):
                    changed, word = _revise(after, ask, said)
                    (told if changed else plan.says).append((said.room, word))
                elif ask.kind == "read":
                    plan.steps.append(Step("READ_FILE", ask.text, (said.room,)))
                elif words := _say(known, ask, said):
                    plan.says.append((said.room, words))
                elif recall := _recall(view, ask.text):
                    asked = replace(said, text=ask.text)
                    plan.steps.append(Step("RECALL", recall, (said.room,), asked=asked))
                else:
                    plan.says.append((said.room, UNKNOWN))
    if after != kept:
        tool, body = notes.edit(kept, after)
        rooms = tuple(dict.fromkeys(room for room, _ in told))
        plan.steps.insert(0, Step(tool, notes.PAPER, rooms, body, tuple(told)))
    else:
        plan.says += told
    return plan


def _meant(view: list[Entry], entry: Entry, me: str) -> list[Said]:
    """The messages of an entry that are for the agent, without its name: what people ask each other is not."""
    found = []
    for said in prompt.heard(entry, prompt.owner(view)):
        called, text = asks.addressed(said.text, me)
        if called or not prompt.crowded(view, said.room):
            found.append(replace(said, text=text))
    return found


def _recall(view: list[Entry], question: str) -> str:
    """What to search for, where something has faded; else, or where the question has no words for it, nothing."""
    faded = any(entry.event == "FADED" for entry in view)
    return " ".join(question.replace("<<", " ").split())[:300] if faded and words.content(question) else ""


def _say(view: list[Entry], ask: asks.Ask, said: Said) -> str:
    if ask.kind == "help":
        return HELP
    if ask.kind == "rooms":
        return f"I am in: {', '.join(_rooms(view, said.room))}."
    if ask.kind == "notes":
        kept = "\n".join(notes.lines(view)).strip()
        return f"My notes (MEMORY.md):\n{kept}" if kept else "My notes are empty."
    return know.answer(view, said, ask.text)


def _revise(after: list[str], ask: asks.Ask, said: Said) -> tuple[bool, str]:
    """Change the lines as asked; return whether they changed, and what to say once that is written."""
    if not ask.text:
        return False, f"Say what I shall {ask.kind}, for example: {ask.kind} that the door code is 4711."
    if ask.kind == "remember":
        line = notes.line_of(ask.text, said)
        shown = know.quoted(line.removeprefix("- "))
        if line in after:
            return False, f"I have that in my notes already: {shown}"
        size = notes.size([*after, line])
        if size > notes.MOST:
            return (
                False,
                f"That does not fit: MEMORY.md would have {size:,} characters and {notes.MOST:,} are the most.",
            )
        after.append(line)
        return True, f"Noted: {shown}"
    gone = notes.matching(after, ask.text)
    if not gone:
        return False, f"Nothing in my notes matches {know.quoted(ask.text)}, so nothing is forgotten."
    after[:] = [line for line in after if line not in gone]
    names = "\n".join(know.quoted(line.removeprefix("- ")) for line in gone)
    return True, f"Forgotten, and out of my notes:\n{names}"


def _results(steps: list[Step], results: list[Entry], view: list[Entry]) -> list[tuple[str, str]]:
    """What to say of results: of those that were asked for, in the rooms that asked; of others, where we talk."""
    says: list[tuple[str, str]] = []
    heard = [said.room for entry in view if entry.event == "HEAR" for said in prompt.heard(entry, "")]
    for entry in results:
        tool, _, how = entry.detail.partition(" ")
        step = next((one for one in steps if one.tool == tool), None)
        if step is not None:
            steps.remove(step)
        elif tool in ("SAY", "WAIT", "RECALL", "UNCOMPACT"):
            continue  # what could not be said will not be said louder, and what another model looked up is no answer
        rooms = step.rooms if step else tuple(heard[-1:])
        if how == "error":
            about = f" {step.args}" if step else ""
            says += [(room, f"{tool}{about} failed: {_cut(entry.body)}") for room in rooms]
        elif step and step.asked:
            says += [(room, know.answer(view, step.asked, step.asked.text, know.FAINT) or UNKNOWN) for room in rooms]
        elif step and step.done:
            says += step.done
        else:
            says += [(room, f"{'I read' if tool == 'READ_FILE' else tool} {_cut(entry.body)}") for room in rooms]
    return says


def _rooms(view: list[Entry], here: str) -> list[str]:
    rooms: dict[str, None] = {}
    for entry in view:
        if entry.event == "LEAVE":
            rooms.pop(entry.detail, None)
        elif entry.event in ("JOIN", "HEAR"):
            rooms[entry.detail] = None
    return sorted({*rooms, here})


def _cut(text: str) -> str:
    text = text.strip("\n")
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()}\n(and {len(text) - SHOWN:,} characters more)"


def _written(plan: Plan) -> str:
    """The plan as a reply: each room's words in one SAY, then the calls."""
    rooms = dict.fromkeys(room for room, _ in plan.says)
    said = [_document(f"SAY {room}", "\n\n".join(text for where, text in plan.says if where == room)) for room in rooms]
    return "\n".join([*said, *dict.fromkeys(map(_call, plan.steps))]) or "WAIT"


def _call(step: Step) -> str:
    line = f"{step.tool} {step.args}"
    return line if step.body is None else _document(line, step.body.removesuffix("\n"))


def _document(line: str, body: str) -> str:
    """A call with its here-document, whose closing word stands nowhere in the body: nothing quoted can end it."""
    word, number = "END", 1
    while word in body:
        word, number = f"END{number}", number + 1
    return f"{line} <<{word}\n{body}\n{word}" if body else f"{line} <<{word}\n{word}"

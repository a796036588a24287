"""offline: no network and no model, only rules, so that everything runs with nothing installed and no key.

It answers whatever is said to it (among several people, by its name): it keeps notes, reads files, quotes what it can
see or RECALL, and says what takes a model. It keeps no state: what it has begun it finds again in the prompt.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Usage
from dotagent.providers.offline_rules import view
from dotagent.providers.offline_rules.asks import NAMED, asks
from dotagent.providers.offline_rules.view import Entry, Said, quoted
from dotagent.store.requests import ChatMessage
from dotagent.text import escape, when
from dotagent.text.words import STOP, raw

KEYS: tuple[str, ...] = ()
BASE = ""
MODEL = "offline"
WINDOW = 1_000_000
BACKGROUND = 2
COMPACTS = False

BEGIN = {"READ_FILE": "I read", "REMIND": "I will remind you,"}  # what stands before a result that is said
ADDED = 24  # characters that a note has beside its words
MOST, SHOWN = 4000, 1500  # characters of MEMORY.md; of a file or result that are said in a room
ME = "I am the offline provider"
HELP = f"""{ME}: no model is set up. By rules I “remember …” and “forget …”, “show notes”, answer by quoting, \
“read the file notes/plan.md”, “remind me on Friday at 9 to …” and “list rooms”; among several people call me agent.
For a model put a provider's key, such as DEEPSEEK_API_KEY=…, into the file .env of my home and start me again."""
REMIND = "For example: “remind me on Friday at 9 to call mum”, “remind me in 10 minutes of the tea”."
GONE = "Out of my notes; our rooms still hold what was said (in private, “forget that …” removes it from everything):"
UNKNOWN = (
    "I do not know: neither my notes nor what I have of our rooms says it. No model thinks here: I can only quote."
)
SMALL = {  # what is said to small talk, and to what rules cannot do
    "greet": "{text}, {name}!",
    "thanks": "You are welcome, {name}.",
    "bye": "Goodbye, {name}. What was said stays in this room.",
    "who": "You are {name}; your messages here carry the name {who}.",
    "ping": "I am here, I run and I hear you, {name}.",
    "nod": "All right, {name}.",
    "what": "{text} what, for example: “{text} that the door code is 4711”.",
    "sign": "I see {quote}, {name}, but my rules need words.",
    "model": "{quote}: that takes a model, and none is set up.",
    "tell": "Heard, {name}. Ask me about {topic} and I quote it; “remember that …” puts it in my notes.",
}

Says = list[tuple[str, str]]  # rooms, and what to say there
Work = tuple[str, str, str | Said]  # a call, the room that asked, what to say there then: this, to this, or the result


def why_not(config: Config) -> str | None:
    """It needs nothing."""
    return None


def answer(request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """See Provider.answer; it raises nothing but `cancelled`."""
    if stop():
        raise ProviderError("cancelled", "the call was cancelled")
    text = reply(request.messages)
    emit("text", text)
    asked = sum(len(message["content"].encode("utf-8", "replace")) for message in request.messages)
    return Completion(text, usage=Usage(input=-(-asked // 4), output=-(-len(text.encode("utf-8", "replace")) // 4)))


def reply(messages: Sequence[ChatMessage]) -> str:
    """The agent's next reply: calls, or WAIT."""
    seen = view.entries(messages)
    before, last = [-1, -1, *(at for at, (_, event, _) in enumerate(seen) if event == "ANSWER")][-2:]
    says, works = _plan(seen, last + 1)
    if last >= 0:
        begun = [work for work in _plan(seen[:last], before + 1)[1] if work[0] in seen[last][2]]
        says = _results(begun, seen, last + 1) + says
    rooms = {room: dict.fromkeys(text for where, text in says if where == room) for room, _ in says}
    said = [_call(f"SAY {room}", "\n\n".join(texts)) for room, texts in rooms.items()]
    return "\n".join([*said, *dict.fromkeys(call for call, _, _ in works)]) or "WAIT"


def _plan(seen: list[Entry], start: int) -> tuple[Says, list[Work]]:
    """What to say and to do about the messages from the entry at `start` on."""
    says, noted, works, kept = Says(), Says(), list[Work](), view.notes(seen)
    after, added, hinted = list(kept), list[Work](), any(event == "ANSWER" and ME in body for _, event, body in seen)
    faded = any(event.startswith("FADED ") for _, event, _ in seen)
    says += view.woken(seen[start:])
    for said in view.meant(seen, start):
        for kind, text in asks(said.text, not said.person):
            asked = replace(said, text=f"remind me {text}" if kind == "remind" else text)
            if kind == "forget":
                changed, word = _forget(after, added, asked)
                (noted if changed else says).append((said.room, word))
            elif kind == "remember":
                line, word = _remember([*after, *(one for one, _, _ in added)], asked)
                if line:
                    added.append((line, said.room, word))
                else:
                    says.append((said.room, word))
            elif kind == "remind" and when.said(text, datetime.now().astimezone()):
                works.append((f"REMIND {text.rstrip('.!?')}", said.room, ""))
            elif kind == "remind" and not re.match("(?i)(?:of|about) ", text):
                says.append((said.room, f"When shall I remind you? {REMIND}"))
            elif kind == "read":
                works.append((f"READ_FILE {text}", said.room, ""))
            elif not (word := _word(seen, kind, asked)) and faded and view.content(text):
                works.append((f"RECALL {' '.join(text.replace('<<', ' ').split())[:300]}", said.room, asked))
            else:
                says.append((said.room, word or UNKNOWN))
                if not hinted and (kind in SMALL or not word):
                    says.append((said.room, HELP))
    works += ((_call("REMEMBER", line), room, word) for line, room, word in added)
    if after == kept:
        return says + noted, works
    return says, [*((_edit(kept, after), room, word) for room, word in noted), *works]


def _word(seen: list[Entry], kind: str, asked: Said) -> str:
    """What to say at once; nothing to a question that the context does not answer."""
    if kind in ("question", "remind"):
        return view.answer(seen, asked)
    if kind == "rooms":
        last = {event.partition(" ")[2]: event for _, event, _ in seen if re.match("(?:JOIN|HEAR|LEAVE) ", event)}
        return f"I am in: {', '.join(sorted(room for room, event in last.items() if event[:5] != 'LEAVE'))}."
    if kind == "notes":
        return "\n".join(["My notes (MEMORY.md):", *view.notes(seen)]).strip()
    words = [word for word in raw(asked.text) if word not in STOP]
    topic = " or ".join(dict.fromkeys(f"“{word}”" for word in (*words[:1], *words[-1:])))
    known = [view.plain(line) for line in view.notes(seen)[::-1]]
    mine = (NAMED.search(line) for line in known if line.endswith(f"(said by {asked.who})"))
    name = next((found[1] for found in mine if found), asked.who.rpartition("/")[2])
    told = {"who": asked.who, "name": name, "text": asked.text.capitalize(), "quote": quoted(asked.text, 60)}
    return HELP if kind == "help" else SMALL[kind if words or kind != "tell" else "nod"].format(**told, topic=topic)


def _forget(after: list[str], added: list[Work], asked: Said) -> tuple[bool, str]:
    """Take out the lines that are meant; return whether there are such, and what to say once that is written."""
    gone = view.matching([*after, *(f"- {line}" for line, _, _ in added)], asked.text)
    after[:] = [one for one in after if one not in gone]
    added[:] = [one for one in added if f"- {one[0]}" not in gone]
    told = "\n".join([GONE, *(quoted(view.plain(one)) for one in gone)])
    return bool(gone), told if gone else f"No note matches {quoted(asked.text)}, so nothing is forgotten."


def _remember(known: list[str], asked: Said) -> tuple[str, str]:
    """What to note, or nothing, and what to say once that is written."""
    mine = f" (said by {asked.who})" if view.FIRST & set(raw(asked.text)) or NAMED.search(asked.text) else ""
    line = f"{' '.join(asked.text.split())}{mine}"
    if line in map(view.plain, known):
        return "", f"I have that in my notes already: {quoted(line)}"
    if len("\n".join([*known, line])) + ADDED >= MOST:
        return "", f"That does not fit in {MOST:,} characters of notes: {quoted(line)}"
    return line, f"Noted: {quoted(line)}"


def _edit(before: list[str], after: list[str]) -> str:
    """The smallest edit of MEMORY.md: it names what it replaces, so it fails where a person changed that meanwhile."""
    whole = "".join(f"{line}\n" for line in before)
    changed = [one for one in SequenceMatcher(None, before, after, False).get_opcodes() if one[0] != "equal"]
    end = len(before) - changed[-1][2]
    for start in range(changed[0][1], -1, -1):
        old, new = ("".join(f"{line}\n" for line in lines[start : len(lines) - end]) for lines in (before, after))
        clear = old.strip() and not re.search(r"(?m)^(?:<{5}|={5}|>{5})", old + new)
        if clear and whole.find(old) == whole.rfind(old):  # count() would miss what overlaps
            return _call("EDIT_FILE MEMORY.md", f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE")
    return _call("WRITE_FILE MEMORY.md", "\n".join(after))


def _results(works: list[Work], seen: list[Entry], start: int) -> Says:
    """What to say of results: of what was begun, in the rooms that asked; of other calls, where we talk."""
    says, here = Says(), [event[5:] for _, event, _ in seen if event.startswith("HEAR ")][-1:]
    for event, body in ((event, body) for _, event, body in seen[start:] if event.startswith("TOOL ")):
        tool, _, how = event[5:].partition(" ")
        call = next((call for call, _, _ in works if call.startswith(f"{tool} ")), tool)
        mine = [work for work in works if work[0] == call]
        works = [work for work in works if work[0] != call]
        # What could not be said will not be said louder, and what another model looked up is no answer.
        others = [(call, room, "") for room in here if tool not in ("SAY", "WAIT", "RECALL", "UNCOMPACT")]
        result = escape.head_and_tail(body.strip("\n"), SHOWN, f"(… {len(body) - SHOWN:,} characters more …)")
        for _, room, then in mine or others:
            word = f"{BEGIN.get(tool, tool)} {result}"
            if how == "error":
                word = f"{call.partition(' <<')[0]} failed: {result}"
            elif then:
                word = then if isinstance(then, str) else view.answer(seen, then, view.FAINT) or UNKNOWN
            says.append((room, word))
    return says


def _call(line: str, body: str) -> str:
    """A call with its here-document, whose closing word stands nowhere in the body: nothing quoted can end it."""
    word = "END"
    while word in body:
        word += "D"
    return f"{line} <<{word}\n{body}\n{word}" if body else f"{line} <<{word}\n{word}"

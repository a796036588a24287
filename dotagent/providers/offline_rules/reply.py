"""The replies of the offline provider, by rules: it answers every message (among several people, only those with its
name), keeps notes, reads files, quotes its context or RECALL, and says which requests need a model.

It has no state, and finds its unfinished work in the prompt. Owns nothing on disk.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from dotagent import installed
from dotagent.providers.offline_rules import reminders, view
from dotagent.providers.offline_rules.asks import NAMED, RINGS, asks
from dotagent.providers.offline_rules.view import Entry, Said, quote
from dotagent.store.requests import ChatMessage
from dotagent.text import escape, languages, reminder_times
from dotagent.text.words import STOP, raw, spelled

BEGIN = {"READ_FILE": "I read"}  # introduces a result sent to a room
ADDED = 24  # characters of a note in addition to its text
MOST, SHOWN = 4000, 1500  # characters of MEMORY.md, and of a file or result sent to a room
ME = "I am the offline provider"
HINT = f"""Without a model I only follow fixed rules. Write “remember …”, “forget …”, “show notes”, “list files”, \
“read the file notes/plan.md”, “fetch https://…”, “run ls -l”, “remind me on Friday at 9 to …”, “list reminders” \
or “list rooms”. I answer a question by quoting our messages. If several people write in this room, begin with “agent”.
To use a model, run `{installed.program("onboard")}`, which asks for a provider's key (such as DEEPSEEK_API_KEY) and \
tests it."""
HELP = f"{ME}: no model is set up. {HINT}"
CONNECT = f"""Run `{installed.program("onboard")}`: the command asks for a provider and its key, tests the \
key and saves it. Or put a line such as DEEPSEEK_API_KEY=… into the file .env in dotagent's data \
directory, stop me, and run `{installed.program("agent")} --last`.
A model server on this computer, such as Ollama, needs no key: I find it when I start."""
REMIND = "For example: “remind me on Friday at 9 to call mum”, “remind me in 10 minutes of the tea”."
ERASE = "To delete text permanently, everywhere, the owner writes “/forget …” in a private room of the owner."
GONE = """Removed from my notes. The rooms still contain it (if the owner writes “forget that …” in a private room of \
the owner, it is removed everywhere):"""
UNKNOWN = f"""I do not know. {ME}; I can only quote, and I found no message and no note with the words of your \
question. “show notes” lists my notes."""
SMALL = {  # answers to small talk, and to requests that rules cannot handle
    "greet": "{text}, {name}!",
    "thanks": "You are welcome, {name}.",
    "bye": "Goodbye, {name}. Our messages stay in this room.",
    "who": "You are {name}; your messages here carry the name {who}.",
    "ping": "I am here, I run and I hear you, {name}.",
    "nod": "All right, {name}.",
    "erase": f"I deleted nothing. {ERASE} dotagent then lists what it found, and deletes it after a yes.",
    "what": "What do you mean? Write, for example: “{text} that the door code is 4711”.",
    "half": "{quote} does not say enough, so I did nothing. Write, for example: “read the file notes/plan.md”, "
    "“fetch https://…”, “run ls -l”, “list files”, “list reminders” or “cancel reminder 1”.",
    "idle": "I am doing nothing now, {name}. While I work, “/stop” stops me.",
    "sign": "I see {quote}, {name}, but I only understand words.",
    "model": "{quote}: I cannot do that without a model, and no model is set up.",
    "tell": "Heard, {name}. If you ask me about {topic}, I quote this message. To save something in my notes, write "
    "“remember that …”.",
}

UNREAD = """ I set no reminder; to be reminded, write “remind me on Friday at 9 to …”. I also changed none of my \
notes; to change them, write “remember …” or “forget …”."""
UNCLEAR = f"{UNREAD} I deleted nothing. {ERASE}"

Says = list[tuple[str, str]]  # rooms, and the texts to send
Work = tuple[str, str, str | Said]  # a call, the room that asked, what to say there then: this, to this, or the result


def reply(messages: Sequence[ChatMessage]) -> str:
    """Return the agent's next reply: calls, or WAIT."""
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
    """Return what to say and do about the messages from the entry at `start` on."""
    says, noted, works, kept = Says(), Says(), list[Work](), view.notes(seen)
    after, added, hinted = list(kept), list[Work](), any(event == "ANSWER" and HINT in body for _, event, body in seen)
    faded = any(event.startswith("FADED ") for _, event, _ in seen)
    says += view.woken(seen[start:])
    for said in view.own_messages(seen, start):
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
            elif kind in ("reminders", "cancel"):
                works.append(_reminders(kind, text, said))
            elif kind == "timer":
                call = _timer(text)
                if call:
                    works.append((call, said.room, ""))
                else:
                    says.append((said.room, _ask_more(said.text, "", 4)))
            elif kind == "remind" and reminder_times.is_time(text.rstrip(".!?")):
                says.append((said.room, _ask_more(said.text, text, 3)))
            elif kind == "remind" and reminder_times.find(text):
                works.append((f"REMIND {text.rstrip('!?')}", said.room, ""))
            elif kind == "when" or (kind == "remind" and not re.match("(?i)(?:of|about) ", text)):
                says.append((said.room, _ask_more(said.text, "", 4)))
            elif kind in ("read", "files"):
                works.append((f"READ_FILE {text or 'files'}", said.room, ""))
            elif kind in ("run", "fetch"):
                works.append((f"{kind.upper()} {text}", said.room, ""))
            elif not (word := _word(seen, kind, asked)) and faded and view.content(text):
                works.append((f"RECALL {' '.join(text.replace('<<', ' ').split())[:300]}", said.room, asked))
            else:
                other = SMALL["model"].format(quote=quote(text, 60)) if kind == "ask" else UNKNOWN
                says.append((said.room, word or other))
                if not hinted and (kind in SMALL or not word):
                    says.append((said.room, HINT if other == UNKNOWN and not word else HELP))
                    hinted = True
    works += ((_call("REMEMBER", line), room, word) for line, room, word in added)
    if after == kept:
        return says + noted, works
    return says, [*((_edit(kept, after), room, word) for room, word in noted), *works]


def _reminders(kind: str, number: str, said: Said) -> Work:
    """Return the call to list or to cancel reminders, and the request, in whose language to answer."""
    if kind == "cancel":
        return f"REMIND cancel {number}", said.room, said
    language = reminders.find_language(said.text)
    return "REMIND list" if language == "en" else f"REMIND list {language}", said.room, ""


def _ask_more(request: str, time: str, which: int) -> str:
    """Return the question for what is missing in a request, in the language of the time or of the request."""
    language = reminder_times.find_language(time) if time else "en"
    language = reminders.find_language(request) if language == "en" else language
    answers = reminders.ANSWERS[language]
    return f"{answers[which]} {REMIND}" if language == "en" else f"{answers[which]} “{answers[5]}”"


def _timer(text: str) -> str:
    """Return the call for “timer 10 minutes”, “alarm 7:30 tomorrow” or “at 7”, or "" without a time."""
    name, _, when = text.partition(" ")
    name, when = (name, when) if name.lower() in RINGS.split("|") else ("wake up", text)
    for phrase in (when.rstrip(".!?"), f"in {when}", f"at {when}"):
        found = reminder_times.find(phrase.rstrip(".!?"))
        if isinstance(found, reminder_times.FoundTime):
            return f"REMIND {found.phrase}: {found.rest or name}"
    return ""


def _word(seen: list[Entry], kind: str, asked: Said) -> str:
    """Return an immediate answer, or "" if the context does not answer the question."""
    if kind in ("question", "remind", "ask"):
        return view.answer(seen, asked)
    if kind == "clock":
        return next((f"It is {now}." for _, event, now in seen if event == "NOW"), "")
    if kind == "connect":
        return CONNECT
    if kind == "me":
        me = next((f"agent {self_id}" for _, event, self_id in seen if event == "SELF"), "an agent")
        name = "".join(f"{name}, " for _, event, name in seen if event == "NAME")
        return f"I am {name}{me}. {HELP}"
    if kind == "rooms":
        last = {event.partition(" ")[2]: event for _, event, _ in seen if re.match("(?:JOIN|HEAR|LEAVE) ", event)}
        return f"I am in: {', '.join(sorted(room for room, event in last.items() if event[:5] != 'LEAVE'))}."
    if kind == "notes":
        return "\n".join(["My notes (MEMORY.md):", *(view.notes(seen) or ["(nothing yet)"])]).strip()
    words = [word for word in spelled(asked.text) if not STOP.issuperset(raw(word))]
    named = _longest(words) if _is_unread(raw(asked.text)) else [*words[:1], *words[-1:]]
    topic = " or ".join(dict.fromkeys(quote(word, 40) for word in named))
    known = [view.strip_mark(line) for line in view.notes(seen)[::-1]]
    mine = (NAMED.search(line) for line in known if line.endswith(f"(said by {asked.who})"))
    name = next((found[1] for found in mine if found), asked.who.rpartition("/")[2])
    told = {"who": asked.who, "name": name, "text": asked.text.capitalize(), "quote": quote(asked.text, 60)}
    if kind == "help":
        return HELP
    answer = SMALL[kind if words or kind != "tell" else "nod"].format(**told, topic=topic)
    if kind == "tell" and _is_unread(raw(asked.text)):
        return answer + UNCLEAR
    return answer + UNREAD if kind == "tell" and reminder_times.mentions_time(asked.text) else answer


def _longest(words: list[str]) -> list[str]:
    """Return the two longest words, in order. In other languages than English, the first and the last word are often
    as common as “my” and “is”."""
    two = sorted(dict.fromkeys(words), key=len, reverse=True)[:2]
    return sorted(two, key=words.index)


def _is_unread(words: list[str]) -> bool:
    """Return True if a statement has nearly no common English words, so that it may be a request in another
    language."""
    return len(words) > 2 and 5 * sum(word in STOP for word in words) <= len(words)


def _forget(after: list[str], added: list[Work], asked: Said) -> tuple[bool, str]:
    """Remove the matching lines. Return whether there are any, and the message to send afterwards."""
    gone = view.matching([*after, *(f"- {line}" for line, _, _ in added)], asked.text)
    after[:] = [one for one in after if one not in gone]
    added[:] = [one for one in added if f"- {one[0]}" not in gone]
    told = "\n".join([GONE, *(quote(view.strip_mark(one)) for one in gone)])
    return bool(gone), told if gone else f"No note matches {quote(asked.text)}, so I forgot nothing. {ERASE}"


def _remember(known: list[str], asked: Said) -> tuple[str, str]:
    """Return the line to note, or "", and the message to send afterwards."""
    mine = f" (said by {asked.who})" if view.FIRST & set(raw(asked.text)) or NAMED.search(asked.text) else ""
    line = f"{' '.join(asked.text.split())}{mine}"
    if line in map(view.strip_mark, known):
        return "", f"I have that in my notes already: {quote(line)}"
    if len(line) + ADDED >= MOST:  # for a shorter line, REMEMBER makes room
        return "", f"This is longer than my notes may be ({MOST:,} characters): {quote(line)}"
    return line, f"Noted: {quote(line)}"


def _edit(before: list[str], after: list[str]) -> str:
    """Return the smallest edit of MEMORY.md. It quotes the replaced text, so it fails if a person changed that
    meanwhile."""
    whole = "".join(f"{line}\n" for line in before)
    changed = [one for one in SequenceMatcher(None, before, after, False).get_opcodes() if one[0] != "equal"]
    end = len(before) - changed[-1][2]
    for start in range(changed[0][1], -1, -1):
        old, new = ("".join(f"{line}\n" for line in lines[start : len(lines) - end]) for lines in (before, after))
        clear = old.strip() and not re.search(r"(?m)^(?:<{5}|={5}|>{5})", old + new)
        if clear and whole.find(old) == whole.rfind(old):  # count() would miss overlapping matches
            return _call("EDIT_FILE MEMORY.md", f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE")
    return _call("WRITE_FILE MEMORY.md", "\n".join(after))


def _results(works: list[Work], seen: list[Entry], start: int) -> Says:
    """Return messages about results: in the room that asked for the call, or otherwise in the current room."""
    says, here = Says(), [event[5:] for _, event, _ in seen if event.startswith("HEAR ")][-1:]
    for event, body in ((event, body) for _, event, body in seen[start:] if event.startswith("TOOL ")):
        tool, _, how = event[5:].partition(" ")
        call = next((call for call, _, _ in works if call.startswith(f"{tool} ")), tool)
        mine = [work for work in works if work[0] == call]
        works = [work for work in works if work[0] != call]
        if how == "asked":  # nothing is done: the question to the owner is the answer
            continue
        # A message that failed cannot be reported by a message, and another model's lookups are not an answer.
        others = [(call, room, "") for room in here if tool not in ("SAY", "WAIT", "RECALL", "UNCOMPACT")]
        result = escape.head_and_tail(body.strip("\n"), SHOWN, f"(… {len(body) - SHOWN:,} characters more …)")
        for _, room, then in mine or others:
            word = _format_result(call, result) if mine else f"{tool} {result}"
            if isinstance(then, Said) and tool == "REMIND":
                word = _format_cancel(then, call, how, result)
            elif how == "error":
                word = (
                    result.replace("REMIND list", "“list reminders”")
                    if tool == "REMIND"
                    else f"{call.partition(' <<')[0]} failed: {result}"
                )
            elif tool == "REMEMBER" and ", " in result:  # the note differs from the message
                word = f"{result[:1].upper()}{result[1:]}"
            elif then:
                word = then if isinstance(then, str) else view.answer(seen, then, view.FAINT) or UNKNOWN
            says.append((room, word))
    return says


def _format_cancel(request: Said, call: str, how: str, result: str) -> str:
    """Return what became of “cancel reminder 1”, in the language of the request."""
    if how == "error" and "no reminder" not in result:
        return result.replace("REMIND list", "“list reminders”")
    answers = reminders.ANSWERS[reminders.find_language(request.text)]
    return answers[6 if how == "error" else 2].format(call.rpartition(" ")[2])


def _format_result(call: str, result: str) -> str:
    """Return the result of a requested call for a person."""
    tool = call.partition(" ")[0]
    if call.startswith("REMIND list"):
        told = "\n".join(f"- {line}" for line in result.split("\n") if line[:7] == "remind-")
        heading, none, *_ = reminders.ANSWERS[call.removeprefix("REMIND list").strip() or "en"]
        return f"{heading}\n{told}" if told else none
    listed = re.match(r"(.+) is a directory of (\d+):", result)
    if tool == "READ_FILE" and listed:
        told = f"holds {listed[2]}:{result[listed.end() :]}" if listed[2] != "0" else "is empty."
        return f"My folder {listed[1]} {told}"
    if tool == "RUN":
        return result.removeprefix("exit status 0").strip("\n") or "The command printed nothing."
    if tool == "REMIND":
        language = reminder_times.find_language(call.removeprefix("REMIND ").partition(" <<")[0])
        return f"{languages.answers(language)[0]}, {result}"
    return f"{BEGIN.get(tool, tool)} {result}"


def _call(line: str, body: str) -> str:
    """Return a call with a here-document whose closing word is not in the body, so that quoted text cannot end it."""
    word = "END"
    while word in body:
        word += "D"
    return f"{line} <<{word}\n{body}\n{word}" if body else f"{line} <<{word}\n{word}"

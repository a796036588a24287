"""The simulation's model: it does what orders and jobs ask by tools with effects, and compacts when asked to.

It keeps nothing: what a prompt holds since its own last reply is what it has to do, so a call that is asked again is
answered alike. It runs in the real process of the provider `offline`, in the place of that provider's rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from forget_model import compacted

from dotagent.life import second_look
from dotagent.providers.offline_rules.view import Entry, entries
from dotagent.store.requests import ChatMessage

CALLS = {  # what an order takes: its number, and the room that asked
    "SAY": "SAY {1} answer {0}.",
    "WRITE_FILE": "WRITE_FILE notes/{0}.md <<END\n{0}\nEND",
    "EDIT_FILE": "EDIT_FILE list.md <<END\n<<<<<<< SEARCH\nthe end\n=======\n- {0}\nthe end\n>>>>>>> REPLACE\nEND",
    "REMIND": "REMIND in 3 minutes: reminder {0}.",
    "mail": "READ_FILE mail/{0}.txt",
    "spawn": "SPAWN please report on task {0}.",
    "errand": "REMIND in 3 minutes: errand {0}.",
}
MADE = re.compile(r"(?m)^(?:(?P<SAY>SAY) (?:\S+) answer |(?P<WRITE_FILE>WRITE_FILE) notes/|"
                  r"(?P<EDIT_FILE>EDIT_FILE)(?:.*\n){4}- |(?P<REMIND>REMIND) in 3 minutes: reminder |"
                  r"(?P<mail>READ_FILE) mail/|(?P<spawn>SPAWN) please report on task |"
                  r"(?P<errand>REMIND) in 3 minutes: errand )(?P<number>\d+)")  # fmt: skip
TASK = re.compile(r"\blet a helper do task (\d+)\.")
REPORT = re.compile(r"\bplease report on task (\d+)\.")  # said to the helper
REPORTED = re.compile(r"\breport (\d+)\.")  # the helper's answer
MAIL = re.compile(r"\bread mail (\d+)\.")
ERRAND = re.compile(r"\berrand (\d+)\.")
ORDER = re.compile(r"\border (\d+)\.")
KEEP = re.compile(r"\blocker number (\d+) opens with the word (\w+)\. Please keep it\.")
JOB = re.compile(r"\b(job \w+|reminder \d+)\.")
WHEN = re.compile(r"asked for at (\w+ [^\s;,]+ [^\s;,]+ [^\s;,]+)")
DEADLY = "times during this call, so I do not try it again"  # of a call that was due at two crashes and had not begun


def tools_of(number: int) -> list[str]:
    """The tools that an order takes."""
    return [*CALLS][: (1, 2, 3, 3, 4)[number % 5]]


def reply(messages: Sequence[ChatMessage]) -> str:
    """What the model says to a prompt: what was not tried, once more, and what came since its last reply."""
    compact = compacted(messages)
    if compact is not None:
        return compact
    if messages[-1]["content"].rstrip().endswith(second_look.ASK):
        return "WAIT"  # no person asked for what only a stranger's text asks for
    view = entries(messages)
    last = max((at for at, (_, event, _) in enumerate(view) if event == "ANSWER"), default=-1)
    new = view[last + 1 :]
    results = [(event.split(" ")[1:], body) for _, event, body in new if event.startswith("TOOL ")]
    todo = [] if last < 0 else [CALLS[tool].format(number, room_of(view)) for tool, number in _untried(view, results)]
    for _, event, body in new:
        todo += _asked(event, body)
    todo.sort(key=lambda call: ": errand " in call)  # what follows a question in a reply is not done
    return "\n".join(todo) or "WAIT"


def room_of(view: Sequence[Entry]) -> str:
    """The room that was last heard."""
    return next((event.split()[1] for _, event, _ in reversed(view) if event.startswith("HEAR ")), "dev")


def _asked(event: str, body: str) -> Iterator[str]:
    """What one entry asks for."""
    if event.startswith("HEAR "):
        room = event.split()[1]
        for number, word in KEEP.findall(body):
            yield f"WRITE_FILE lockers/{number}.md <<END\nLocker number {number} opens with the word {word}.\nEND"
        for number in MAIL.findall(body):
            yield CALLS["mail"].format(number)
        yield from (CALLS["spawn"].format(number) for number in TASK.findall(body))
        yield from (f"SAY {room} report {number}." for number in REPORT.findall(body))
        for number in ORDER.findall(body):
            yield from (CALLS[tool].format(number, room) for tool in tools_of(int(number)))
    elif event.startswith("RETURNED "):
        yield from (f"SAY {event.split()[1]} reported {number}." for number in REPORTED.findall(body))
    elif event == "TOOL READ_FILE ok":
        yield from (CALLS["errand"].format(number) for number in ERRAND.findall(body))
    elif event.startswith("WAKE "):
        name, when = JOB.search(body), WHEN.search(body)
        if name and when:
            room = event.split()[2] if len(event.split()) > 2 else "dev"
            yield f"SAY {room} rung {name[1]}, {when[1]}."


def _untried(view: Sequence[Entry], results: list[tuple[list[str], str]]) -> Iterator[tuple[str, str]]:
    """The calls of the last reply that the agent died over and did not try again; SAY shows nothing when it is done."""
    mine = next(body for _, event, body in reversed(view) if event == "ANSWER")
    for made in MADE.finditer(mine):
        kind = next(name for name in CALLS if made[name])
        tool = CALLS[kind].split(" ")[0]
        if results and results[0][0][0] == tool and DEADLY in results.pop(0)[1]:
            yield kind, made["number"]

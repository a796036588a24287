"""Who talks with agents in a simulated home: its people, and the model.

Each person tries until dotagent did what this person wants, and starts again after a power cut. The model does what
orders and jobs ask by tools with effects, and compacts when asked to. It keeps nothing: what a prompt holds since its
own last reply is what it has to do, so a call that is asked again is answered alike. It runs in the real process of the
provider `offline`, in the place of that provider's rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from common import environment
from forget_model import compacted, whole

from dotagent import __main__
from dotagent.life import second_look
from dotagent.providers.offline_rules.view import Entry, entries
from dotagent.store import rooms
from dotagent.store.requests import ChatMessage
from dotagent.text import times

if TYPE_CHECKING:
    from simulate_world import Plan, World

OFTEN = 40  # times that a person tries
AGAIN = 20.0  # virtual seconds between two tries
LISTED, DONE = 120.0, 600.0  # virtual seconds for which a person waits in a room: for the list, and for the removal
ANSWERED = ("permanently deleted", "nothing was", "the deletion is not complete", "(no sentence matches)")
QUESTION = re.compile(r"(?m)^\[AGENT:\S+ \S+\] (\[(\d+)\] Before I do this.*(?:\n .*|\n)*)")
CALL = re.compile(r"(?m)^ +(\d+)\. REMIND .*errand (\d+)\.")  # in a question
NOTHING = (  # what unfade and forget say where there is nothing to undo or to delete
    "has nothing to bring back", "would bring back nothing", "because these sentences match only partly",
)  # fmt: skip
BUSY = "another permanent deletion is running"  # what the command may say though no disk failed


def secret(number: int) -> str:
    """The word that opens a locker: no digest and no time contains it."""
    return "zebu" + "".join(chr(ord("g") + int(digit)) for digit in str(number))


def told(number: int, keep: bool) -> str:
    """What somebody says of a locker."""
    return f"My locker number {number} opens with the word {secret(number)}.{' Please keep it.' * keep}"


def surroundings(plan: Plan) -> dict[str, str]:
    """The environment of every program. Agents ask before an effect if strangers write mails in this world."""
    env = {**environment(), "DOTAGENT_CONTEXT_LIMIT": str(plan.limit), "TZ": "UTC"}
    if any(item.what == "mail" for item in plan.items):
        del env["DOTAGENT_POLICY"]
    return env


def run(world: World, command: str, *words: str) -> int:
    """Run a command of dotagent as a person does, and return its exit status."""
    env = surroundings(world.plan)
    one = world.spawn(command, ["dotagent", command, *words, "--home", str(world.where.root)], __main__.main, env)
    return one.wait()


def forget(world: World, room: str, number: int, in_room: bool) -> int:
    """Have a locker's word forgotten: perhaps in the room, which removes the sentences that it lists, and then by the
    command, which removes every sentence with the word."""
    for _ in range(OFTEN):
        with suppress(OSError):  # the disk is full
            if in_room and _in_room(world, room, number):
                world.gone[number] = told(number, keep=False)
            in_room = False  # else the list that waited for an answer was lost
            if run(world, "forget", f'"{secret(number)}"', "--yes") == 0:
                break
        world.kernel.sleep(AGAIN)
    else:
        world.kernel.problems.append(f"locker {number} cannot be forgotten: {OFTEN} tries failed")
    world.gone[number] = secret(number)
    del world.wishes[number]
    return 0


def _in_room(world: World, room: str, number: int) -> bool:
    """Ask for it in the room, and say yes to the list. Return whether it is done."""
    begin = _say(world, room, f'/forget "{secret(number)}"')
    if "Answer yes to remove" not in _waited(world, room, begin, LISTED, lambda text: "\n[AGENT:" in text):
        return False
    begin = _say(world, room, "yes")
    done = _waited(world, room, begin, DONE, lambda text: any(one in text for one in ANSWERED))
    return ANSWERED[0] in done


def _say(world: World, room: str, text: str) -> int:
    """Write a message, and return where it ends."""
    path = world.where.room(room)
    rooms.append(path, rooms.line_of("USER", "ana", times.now(), text))
    return path.stat().st_size - 1


def _waited(world: World, room: str, begin: int, seconds: float, there: Callable[[str], bool]) -> str:
    """What the room holds from a place on, once it is there, or when the time is over."""
    end = world.kernel.mono + int(seconds * 1e9)
    while True:
        text = world.where.room(room).read_bytes()[begin:].decode()
        if there(text) or world.kernel.mono > end:
            return text
        world.kernel.sleep(1.0)


def errands(question: str) -> dict[int, int]:
    """The errands that a question asks about: the numbers of its calls, and those of the errands."""
    return {int(call): int(number) for call, number in CALL.findall(question)}


def answer(world: World) -> int:
    """Answer what agents ask, by what each errand's person thinks of it, or do not."""
    seen = dict[tuple[str, str], int]()
    while not world.leaving:
        for room in world.plan.rooms:
            for text, number in QUESTION.findall(world.where.room(room).read_bytes().decode()):
                asked, key = errands(text), (room, number)
                begun = seen.setdefault(key, world.kernel.mono)
                wanted = [world.mails[one] for one in asked.values() if one in world.mails]
                if (
                    key in world.answered
                    or not wanted
                    or world.kernel.mono < begun + max(one[1] for one in wanted) * 1e9
                ):
                    continue
                agreed = [str(call) for call, one in asked.items() if world.mails[one][0] == "yes"]
                said = f"yes {number} {' '.join(agreed)}" if agreed else f"no {number}"
                with suppress(OSError):  # the disk is full
                    if agreed or any(one[0] == "no" for one in wanted):
                        _say(world, room, said)
                    world.answered[key] = said
        world.kernel.sleep(2.0)
    return 0


# --- the model

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


def reply(messages: Sequence[ChatMessage], said: Sequence[str]) -> str:
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
    untried = _untried(whole(view[last][2], said), results) if last >= 0 else ()
    todo = [CALLS[tool].format(number, room_of(view)) for tool, number in untried]
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


def _untried(mine: str, results: list[tuple[list[str], str]]) -> Iterator[tuple[str, str]]:
    """The calls of a reply that the agent died over and did not try again; SAY shows nothing when it is done."""
    for made in MADE.finditer(mine):
        kind = next(name for name in CALLS if made[name])
        tool = CALLS[kind].split(" ")[0]
        if results and results[0][0][0] == tool and DEADLY in results.pop(0)[1]:
            yield kind, made["number"]

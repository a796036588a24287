"""The people of a simulated home who want something of dotagent, and try until they have it.

Each of them acts beside the others, and starts again after a power cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from common import environment

from dotagent import __main__
from dotagent.store import rooms
from dotagent.text import times

if TYPE_CHECKING:
    from simulate_world import Plan, World

OFTEN = 40  # times that a person tries
AGAIN = 20.0  # virtual seconds between two tries
LISTED, DONE = 120.0, 600.0  # virtual seconds for which a person waits in a room: for the list, and for the removal
ANSWERED = ("permanently deleted", "nothing was", "the deletion is not complete", "(no sentence matches)")
QUESTION = re.compile(r"(?m)^\[AGENT:\S+ \S+\] (\[(\d+)\] Before I do this.*(?:\n .*|\n)*)")
CALL = re.compile(r"(?m)^ +(\d+)\. REMIND .*errand (\d+)\.")  # in a question
NOTHING = ("has nothing to bring back", "would bring back nothing")  # what unfade says where there is nothing to undo
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
    if "answer yes to remove" not in _waited(world, room, begin, LISTED, lambda text: "\n[AGENT:" in text):
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

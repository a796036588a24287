"""The simulation of a whole home: it repeats itself, and what it found once stays mended.

Each plan here is one that a failure printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from support import ROOT

if not os.access("/dev/shm", os.W_OK):
    pytest.skip("the simulation needs a file system in memory", allow_module_level=True)

pytest.importorskip("greenlet", reason="pip install -r requirements-dev.txt")

FOUND = {
    "a kill, then a power cut: the message that the killed process heard is there": (
        (2, False, ("dev",), 64000, False, "America/New_York"),
        ((52.0, "kill", ("agent", 11, False)), (77.8, "say", ("dev", 7, 19)),
         (1222.1, "power", (8, False)), (1372.0, "say", ("dev", 6, 68))),
    ),
    "a kill before a folder's name is synced, then a power cut: the file that the next process wrote there is there": (
        (7, False, ("dev",), 64000, True, "UTC"),
        ((1.0, "kill", ("agent", 38, False)), (1.0, "say", ("dev", 1, 0)),
         (100.0, "power", (3, False)), (110.0, "say", ("dev", 5, 0))),
    ),
    "a kill before a file's name is synced, then a power cut: the file is there": (
        (7, False, ("dev",), 64000, True, "UTC"),
        ((1.0, "kill", ("agent", 43, False)), (1.0, "say", ("dev", 1, 0)),
         (100.0, "power", (3, False)), (110.0, "say", ("dev", 5, 0))),
    ),
    "a private room linked among those of an older agent of a group: its messages and jobs go to its own agent": (
        (1, False, ("team", "dev"), 64000, False, "UTC"),
        ((1.0, "link", ("dev", "team")), (10.0, "job", ("often", 'every = "2m"', "dev")), (20.0, "say", ("dev", 5, 0))),
    ),
    "an agent writes in other words what a person has just had forgotten: that is removed, too": (
        (5005, False, ("dev", "team"), 64000, True, "America/New_York"),
        ((16.6, "secret", ("team", 101, True)), (16.6, "forget", ("team", 101, False))),
    ),
    "a person asks in a room to have a word forgotten that nobody said: the request itself can be removed": (
        (8014, True, ("dev",), 64000, True, "America/New_York"), ((891.3, "forget", ("dev", 102, True)),),
    ),
    "an agent starts while its log is rewritten without forgotten words: it writes into the new file": (
        (30011, True, ("dev",), 6000, True, "UTC"),
        ((1.4, "secret", ("dev", 102, False)), (1.4, "forget", ("dev", 102, False)), (8.8, "say", ("dev", 6, 62))),
    ),
    "a word is forgotten that a model got within quotes: its request keeps none of it": (
        (40001, False, ("dev",), 6000, True, "America/New_York"),
        ((6.1, "secret", ("dev", 102, False)), (6.1, "forget", ("dev", 102, True)), (25.8, "say", ("dev", 3, 68))),
    ),
    "a word is forgotten while a list in a room waits for an answer: the list goes, too": (
        (10, True, ("dev",), 4000, True, "UTC"),
        ((22.0, "secret", ("dev", 102, False)), (31.8, "mail", ("dev", 202, "yes", 200)),
         (32.9, "secret", ("dev", 101, False)), (33.4, "forget", ("dev", 101, True)), (33.4, "model", ("network", 2)),
         (33.7, "job", ("morning", 'cron = "0 7 * * *"', "dev")), (39.6, "mail", ("dev", 201, "none", 5)),
         (49.0, "say", ("dev", 10, 47)), (52.0, "forget", ("dev", 102, False)), (189.5, "say", ("dev", 16, 39))),
    ),
    "a person says yes to what a stranger's mail asks for: it is done once": (
        (8001, False, ("dev", "team"), 6000, True, "Europe/Berlin"),
        ((44.6, "mail", ("dev", 203, "yes", 0)), (60.0, "say", ("dev", 3, 0)), (90.0, "fade", ("dev",)),
         (95.0, "unfade", ("dev",))),
    ),
    "a kill after blobs were emptied, before their folders are synced: the next process syncs them": (
        (2337624303, False, ("dev",), 64000, False, "Europe/Berlin"),
        ((24.1, "say", ("dev", 2, 19)), (33.3, "secret", ("dev", 101, False)),
         (63.3, "forget", ("dev", 101, False)), (63.3, "kill", ("forget", 18, False))),
    ),
    "a model replies after the word in its prompt was forgotten: the reply is not stored": (
        (2, False, ("dev",), 64000, False, "UTC"),
        ((8.2, "secret", ("dev", 101, True)), (8.2, "forget", ("dev", 101, False)), (8.7, "ask to leave", ("agent",))),
    ),
    "a request brings no answer, and the power fails: the request that its usage names is there": (
        (540, True, ("dev",), 7600, False, "UTC"),
        ((19.8, "mail", ("dev", 202, "no", 0)), (20.3, "disk", ("broken", 30, "provider")),
         (43.7, "power", (25, False))),
    ),
    "a clock is set back by an hour, and `up` looks each second all the while: no circle": (
        (9088, True, ("dev", "team"), 64000, True, "America/New_York"),
        ((13.1, "disk", ("full", 30, "provider")), (13.1, "disk", ("broken", 30, "")), (23.7, "say", ("dev", 8, 6)),
         (23.7, "kill", ("forget", 373, False)), (795.2, "mail", ("dev", 202, "yes", 5)), (891.0, "set back", (3600,))),
    ),
    "a kill after a failure is recorded, then a power cut: the text of the failure is there": (
        (12058, False, ("dev",), 10400, True, "America/New_York"),
        ((32.4, "say", ("dev", 2, 62)), (32.4, "kill", ("agent", 34, False)), (35.4, "kill", ("agent", 6, True)),
         (35.4, "model", ("network", 6)), (318.7, "say", ("dev", 3, 73)), (318.7, "power", (13, True))),
    ),
    "an agent that must not read a room runs: the room's own agent wakes at once": (
        (700021, True, ("dev", "team"), 7600, False, "Europe/Berlin"),
        ((3.6, "link", ("dev", "team")), (11.5, "say", ("dev", 6, 30))),
    ),
    "the model refuses the request of a reminder: the room names it": (
        (4229678632, False, ("dev",), 10400, True, "Europe/Berlin"),
        ((82.7, "say", ("dev", 9, 53)), (144.4, "model", ("bad_request", 6)), (483.7, "unfade", ("dev",))),
    ),
}  # fmt: skip

CIRCLES = {
    "look": "does not come to rest: 30",
    "start": "steps and 2",
}  # what a process does without end, and its finding
KERNEL = """
import sys
import simulate_kernel
kernel = simulate_kernel.Kernel(1, "/nowhere")
def look():
    while True:
        kernel.point("stat", "list.md")
def start():
    while True:
        kernel.spawn("clock", int, [], {})
        kernel.point("stat", "list.md")
kernel.spawn("agent", globals()[sys.argv[1]], [], {})
try:
    kernel.step(1e9)
except simulate_kernel.Stuck as stuck:
    print(stuck)
"""


def simulate(*words: str) -> str:
    """What the program prints; it must find nothing wrong."""
    program = [sys.executable, "bench/simulate.py", *words]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_fault_can_still_be_planted() -> None:
    simulate("--planted", "--only", "no fault has this name")


@pytest.mark.night
@pytest.mark.parametrize("name", FOUND)
def test_what_it_found_stays_mended(name: str) -> None:
    head, items = FOUND[name]
    simulate("--plan", repr((*head, items)))


@pytest.mark.night
def test_the_same_seed_gives_the_same_trace() -> None:
    """To the byte, also in another process."""
    traces = [re.findall(r"hash of all traces +(\w+)", simulate("--seed", "3", "--worlds", "2")) for _ in range(2)]
    assert len(traces[0]) == 1
    assert traces[0] == traces[1]


@pytest.mark.night
@pytest.mark.parametrize("what", CIRCLES)
def test_a_process_that_goes_round_in_circles_is_a_finding(what: str) -> None:
    """After a number of steps and processes, however fast the machine is."""
    words = [sys.executable, "-c", KERNEL, what]
    done = subprocess.run(words, cwd=ROOT / "bench", capture_output=True, text=True, check=False)
    assert CIRCLES[what] in done.stdout, done.stderr

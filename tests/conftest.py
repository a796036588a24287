"""Every test is sealed: nothing of the machine's own settings, no network but loopback, homes in memory that vanish."""

from __future__ import annotations

import errno
import gc
import ipaddress
import os
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import scratch
import warm
from deaths import ANY_ORDER, POWER
from hypothesis import HealthCheck, settings
from support import make_home

from dotagent.store.home import Home
from dotagent.text import times

OURS = ("DOTAGENT_",)
THEIRS = ("_API_KEY", "_API_BASE", "_PROXY")

CUTS = ("test_crash.py", "test_compactor_crash.py", "test_crash_effects.py")
WAY = ("dotagent.providers.formats.connections", "Way")
SCRATCH, LEFT = pytest.StashKey[Path](), pytest.StashKey[list[str]]()

for profile, examples in {"dotagent": 50, "long": 1000}.items():
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        derandomize=profile == "dotagent",  # a change is held against the same examples as the one before it
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
settings.load_profile("dotagent")  # `--hypothesis-profile=long` tries twenty times as many new examples


def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: nearly half of the tests' time is waiting for processes and for the kernel."""
    return (os.cpu_count() or 1) + 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--night` runs the tests of the night too; CONTRIBUTING.md says which test belongs there."""
    parser.addoption("--night", action="store_true", help="also run the tests that are marked night")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the night, unless they are asked for or named.

    xdist gives each worker as many tests, in this order. So a file goes whole to one worker, which makes what its tests
    share once, and files with slow tests come first, so that no worker is left with one when the others have ended.
    """
    if not config.getoption("--night"):
        cases = defaultdict[str, Iterator[int]](count)
        night = {item for item in items if _of_the_night(item, next(cases[item.nodeid.partition("[")[0]]))}
        config.hook.pytest_deselected(items=list(night))
        items[:] = [item for item in items if item not in night]
    files = dict[Path, list[pytest.Item]]()
    for item in items:
        files.setdefault(item.path, []).append(item)
    shares: list[list[list[pytest.Item]]] = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))]
    for tests in sorted(files.values(), key=len, reverse=True):
        min(shares, key=lambda share: sum(map(len, share))).append(tests)
    items[:] = [item for share in shares for tests in sorted(share, key=_is_quick) for item in tests]


def _is_quick(tests: list[pytest.Item]) -> bool:
    """Whether none of a file's tests is slow."""
    return not any(item.get_closest_marker(one) for item in tests for one in ("slow", "night", "alone"))


def _of_the_night(item: pytest.Item, case: int) -> bool:
    """Whether it is marked night or alone, is one of seven in eight cases of a wide test, or is a power cut. The gate
    kills in each of the crash tests, and cuts the power, in any order, in three of them."""
    power = spec.params.get("power") if (spec := getattr(item, "callspec", None)) else None
    cut = power in POWER[1:] and (power != ANY_ORDER or item.path.name not in CUTS)
    marked = any(map(item.get_closest_marker, ("night", "alone")))
    return cut or marked or bool(item.get_closest_marker("wide") and case % 8)


def pytest_configure(config: pytest.Config) -> None:
    """One folder for all that a run makes, so that what is left of it is seen."""
    if not hasattr(config, "workerinput"):
        config.stash[SCRATCH] = scratch.begin()
        if config.getoption("--night"):
            os.environ[scratch.NIGHT] = "yes"  # for the workers, and for the processes that they start


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that leaves processes or files behind has failed, and says which."""
    gc.disable()  # what is let go of is seen, too
    gc.unfreeze()  # and what was there when a test froze it
    folder: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    scratch.stop(folder)  # of homes that several tests share
    if connections := sys.modules.get(WAY[0]):
        connections.way("").close()
    for one in gc.get_objects():
        if (type(one).__module__, type(one).__name__) == WAY:  # by name: some tests import a module anew
            one.close()  # the connections that the next request to the same server would use
    warm.end()
    if tracker := sys.modules.get("multiprocessing.resource_tracker"):
        tracker._resource_tracker._stop()  # a process of multiprocessing that would end with this one
    left = [told for one in gc.get_objects() if (told := _left(one))]
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["left"] = left
        return
    left += [*session.config.stash.get(LEFT, []), *scratch.end(session.config.stash[SCRATCH])]
    session.config.stash[LEFT] = left
    if left and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker what its tests have left."""
    node.config.stash.setdefault(LEFT, []).extend(getattr(node, "workeroutput", {}).get("left", []))


def _left(one: object) -> str:
    """What a test has left, if it is a process that still runs: poll() reaps it if it ended with its test."""
    return f"process {one.pid}: {one.args}" if isinstance(one, subprocess.Popen) and one.poll() is None else ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what was left behind."""
    if left := config.stash.get(LEFT, None):
        terminalreporter.section("left behind by the tests", red=True)
        for one in left:
            terminalreporter.line(one[:300])


def pytest_collection_finish() -> None:
    """What is there now stays: a search for garbage need not look at it, nor a forked child copy it for that."""
    gc.freeze()


def _sealed(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse, as a machine without a network does, whatever would leave this one; forked children inherit this."""
    if event in scratch.STARTS:
        scratch.starts(event)
    if event in ("socket.connect", "socket.sendto"):
        connection, address = arguments[:2]
        inet = isinstance(connection, socket.socket) and connection.family in (socket.AF_INET, socket.AF_INET6)
        if inet and isinstance(address, tuple) and not _loopback(address[0]):
            raise OSError(errno.ENETUNREACH, f"tests have no network: {address[0]}")
    if event in ("socket.getaddrinfo", "socket.gethostbyname") and not _loopback(arguments[0]):
        raise socket.gaierror(socket.EAI_NONAME, f"tests have no network: {arguments[0]!r}")


def _loopback(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


sys.addaudithook(_sealed)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The person is ana; nothing that this machine has set, and no model server it runs, reaches a test or what it
    starts."""
    for name in os.environ:
        if name.startswith(OURS) or name.upper().endswith(THEIRS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("USER", "ana")
    monkeypatch.setenv("DOTAGENT_NEARBY", "")
    times.live_in("")
    if attempts := sys.modules.get("dotagent.providers.formats.attempts"):
        attempts.forget()  # another server may have had the port of this test's server


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A directory of one's own, in the folder of this run."""
    path = scratch.new()
    yield path
    scratch.clear(path)


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A home that nobody lives in yet. The agents and providers that a test starts for it end with the test."""
    made = make_home(tmp_path / "home")
    yield made
    if alive := sys.modules.get("alive"):  # without it, a test starts none
        alive.end_started(made)

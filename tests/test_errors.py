"""The end of a process: what a person can cause is one line that says what and where; a fault of ours shows as one."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from support import ANY_TEXT, PATIENCE, ROOT, environment

from dotagent import errors
from dotagent.errors import Misuse, Trouble


def fail(error: BaseException) -> int:
    raise error


def ended(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = errors.edge(lambda: fail(error))
    told = capsys.readouterr()
    assert told.out == ""
    return status, told.err


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (Trouble("no home at /x"), 1, "dotagent: no home at /x\n"),
        (Misuse("which one?"), 2, "dotagent: which one?\n"),
        (Trouble("two\nlines  and\x1b[31m red"), 1, "dotagent: two lines and␛[31m red\n"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links", "/x"), 1,
         "dotagent: /x: Too many levels of symbolic links (found a symbolic link that is not allowed, or a circle "
         "of links; remove it)\n"),
        (OSError(errno.EXDEV, "Cross-device link", "/a", None, "/b"), 1, "dotagent: /b: Cross-device link\n"),
        (OSError(errno.EIO, "Input/output error", b"/x\xff"), 1, "dotagent: /x�: Input/output error\n"),
        (OSError(errno.EBADF, "Bad file descriptor", 3), 1, "dotagent: 3: Bad file descriptor\n"),
        (OSError("something else"), 1, "dotagent: the system: something else\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)  # fmt: skip
def test_what_a_person_can_cause_is_one_line(
    error: BaseException, status: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(error, capsys) == (status, line)


@given(ANY_TEXT)
def test_it_is_one_line_whatever_it_names(text: str) -> None:
    for error in (Trouble(text), OSError(errno.ENOSPC, "No space left on device", text or "x")):
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            assert errors.edge(lambda error=error: fail(error)) == 1
        assert told.getvalue().count("\n") == 1
        assert told.getvalue().startswith("dotagent: ")
        told.getvalue().encode()


@pytest.mark.parametrize("code", sorted(errors.HINTS))
def test_every_hint_says_what_to_do(code: int) -> None:
    told = errors.line(OSError(code, os.strerror(code), "/x"))
    assert told.startswith(f"/x: {os.strerror(code)} (")
    assert errors.HINTS[code] in told


def test_a_fault_of_ours_shows_as_one() -> None:
    with pytest.raises(ZeroDivisionError):
        errors.edge(lambda: 1 // 0)
    assert errors.edge(lambda: None) == 0
    assert errors.edge(lambda: 3) == 3


def test_a_reader_that_left_is_no_error(tmp_path: Path) -> None:
    """As `python -m dotagent context … | head -1` does."""
    code = "from dotagent import errors; errors.edge(lambda: [print('x' * 9999, flush=True) for _ in range(999)] and 0)"
    command = f'"{sys.executable}" -c "{code}" | head -c 1'
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("x", "")


@pytest.mark.parametrize("words", ["print('x')", "print('x'); raise SystemExit(0)"])
def test_what_cannot_be_printed_at_last_is_no_fault_of_ours(words: str) -> None:
    """A few words wait in a buffer until the end; --help leaves from within."""
    reader, left = os.pipe()
    os.close(reader)
    waiting = select.poll()
    waiting.register(left, 0)
    assert waiting.poll(PATIENCE * 1000)  # a fork of another thread may hold the other end for a moment
    with open(left, "wb") as gone:
        assert _edge(f"exec({words!r})", gone) == (1, "")
    with open("/dev/full", "wb") as full:
        ended, told = _edge(f"exec({words!r})", full)
    assert ended == 1
    assert told.startswith("dotagent: the system: No space left on device (")
    assert told.count("\n") == 1


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-"])
def test_a_stream_that_was_closed_is_an_empty_one(closed: str) -> None:
    three = "(sys.stdin, sys.stdout, sys.stderr)"
    code = (
        f"import sys; from dotagent import errors; sys.exit(errors.edge(lambda: 3 + any(x.isatty() for x in {three})))"
    )
    command = f"exec {sys.executable} -c '{code}' {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 3


def _edge(main: str, out: IO[bytes]) -> tuple[int, str]:
    """How a process ends that does this, and what it tells."""
    words = [sys.executable, "-c", f"import sys; from dotagent import errors; sys.exit(errors.edge(lambda: {main}))"]
    done = subprocess.run(
        words, cwd=ROOT, env=environment(), stdout=out, stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


KILL = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    ("program", "code", "status", "traceback"),
    [
        ("chat.py", KILL, -signal.SIGINT, False),
        ("-m", KILL, -signal.SIGINT, False),
        ("pytest", KILL, -signal.SIGINT, True),  # a program that only uses the package keeps its own way
        ("chat.py", f"from dotagent import errors; sys.exit(errors.edge(lambda: {KILL}))", 130, False),
        ("chat.py", f"from dotagent import errors; errors.edge(lambda: 0); {KILL}", -signal.SIGINT, False),
    ],
)
def test_ctrl_c_while_a_program_loads_or_ends_shows_no_traceback(
    program: str, code: str, status: int, traceback: bool
) -> None:
    given = f"import os, signal, sys; sys.argv = [{program!r}]; import dotagent; {code}"
    done = subprocess.run([sys.executable, "-c", given], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (status, traceback)

"""Confine a process with Landlock: it gives up rights permanently, then becomes the command.

An agent does this between fork and exec, which takes a millisecond or two (`confine`). It can also run as a program
with few imports, because each import takes time. The program's arguments are: the kernel's ABI; whether signals and
abstract sockets are confined; the descriptor of a seccomp program; four numbers of paths, to read and run, to change,
to list, and to write as regular files; the working directory; the paths; and the command. Any failure ends the process,
so a command never runs with more rights. Owns nothing on disk.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys

CREATE, ADD, RESTRICT, CAPSET = 444, 445, 446, {"x86_64": 126, "aarch64": 91}
NO_NEW_PRIVS, SET_SECCOMP, DROP_BOUNDING, SECUREBITS, AMBIENT, SUBREAPER = 38, 22, 24, 28, 47, 36
EXECUTE, WRITE, READ, LIST, DEVICES, TRUNCATE, IOCTL = 1, 2, 4, 8, 64 | 2048, 16384, 32768
ALL = 32767
ON_FILES = EXECUTE | WRITE | READ | TRUNCATE
SIGPIPE, SIGXFSZ = 13, 25
NO_ROOT = 0b1111  # securebits: root gets no extra rights, permanently
_libc = ctypes.CDLL(None, use_errno=True)


def handled(abi: int) -> int:
    """Return the rights to give up: every right that the kernel knows."""
    return ALL | (IOCTL if abi >= 5 else 0)


def version() -> int:
    """Return the kernel's Landlock ABI, or 0."""
    return max(0, int(_libc.syscall(CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def main() -> None:
    """Give up the rights and become the command."""
    abi, scoped, descriptor, *counts = map(int, sys.argv[1:8])
    cwd, words = sys.argv[8], sys.argv[9:]
    paths = []
    for count in counts:
        paths.append(words[:count])
        words = words[count:]
    places = os.get_exec_path()  # now, because it imports a module
    program = os.read(descriptor, 1 << 16)
    os.close(descriptor)
    confine(ruleset(abi, scoped, paths), cwd, program)
    for number in (SIGPIPE, SIGXFSZ):  # Python ignores these signals, and the command would inherit that
        _libc.signal(number, None)
    _become(words, places)


def _become(words: list[str], places: list[str]) -> None:
    for path in [words[0]] if "/" in words[0] else [f"{place}/{words[0]}" for place in places]:
        if os.access(path, os.X_OK):
            os.execv(path, words)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), words[0])


def confine(ruleset: int, cwd: str, program: bytes) -> None:
    """Give up all rights of this process except the ruleset's, change to `cwd`, and filter system calls.

    The process also adopts its orphaned descendants, so that its watcher finds and counts them (store/process.py).
    """
    _call(_libc.prctl(SUBREAPER, 1, 0, 0, 0))
    _call(_libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0))
    _drop_capabilities()
    os.chdir(cwd)
    _call(_libc.syscall(RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    os.close(ruleset)
    _filter(program)


def ruleset(abi: int, scoped: int, paths: list[list[str]]) -> int:
    """Return a descriptor of the remaining rights. `paths` has the four kinds of the program's arguments."""
    every = handled(abi)
    attributes = struct.pack("=QQQ", every, 0, 3 if scoped else 0)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    made = _call(_libc.syscall(CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)))
    for some, allowed in zip(
        paths, (EXECUTE | READ | LIST, every & ~DEVICES, LIST, READ | WRITE | TRUNCATE), strict=True
    ):
        for path in some:
            _allow(made, path, allowed)
    return made


def _allow(made: int, path: str, allowed: int) -> None:
    """Allow access below a path. A missing path or a link allows nothing."""
    try:
        there = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    mode = os.fstat(there).st_mode
    if stat.S_ISDIR(mode) or not stat.S_ISLNK(mode):
        rule = struct.pack("=Qi", allowed if stat.S_ISDIR(mode) else allowed & ON_FILES, there)
        _call(_libc.syscall(ADD, ctypes.c_int(made), ctypes.c_int(1), rule, ctypes.c_uint32(0)))
    os.close(there)


def _filter(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _call(_libc.prctl(SET_SECCOMP, 2, whole, 0, 0))


def _drop_capabilities() -> None:
    """Give up root's capabilities, and the capabilities that programs of root would get."""
    if os.geteuid() == 0:
        _call(_libc.prctl(SECUREBITS, NO_ROOT, 0, 0, 0))
        for one in range(64):
            if _libc.prctl(DROP_BOUNDING, one, 0, 0, 0) < 0:
                break  # the last one
    _call(_libc.prctl(AMBIENT, 4, 0, 0, 0))
    none = struct.pack("=6I", 0, 0, 0, 0, 0, 0)
    _call(_libc.syscall(CAPSET[os.uname().machine], struct.pack("=Ii", 0x20080522, 0), none))


def _call(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def edge() -> None:
    """Run the program, and report errors."""
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"the sandbox (landlock) could not be created, so the command did not run: {error}")

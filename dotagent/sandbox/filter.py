"""The seccomp filter of a sandboxed command: a small BPF program that the kernel runs at each system call.

It blocks what neither a mount namespace nor Landlock confines: unusual sockets, io_uring (which could create sockets),
tracing, new namespaces and mounts, kernel keys, terminal input injection (TIOCSTI), and set-user-id files, which would
work outside the sandbox. A blocked call returns EPERM, so that programs report it; a call in another architecture's
numbers returns ENOSYS. Pure: it owns nothing on disk.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from functools import cache

EPERM, ENOSYS = 1, 38
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16  # families of sockets
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF instructions
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in seccomp_data; an argument's low half comes first on these machines
_X32 = 0x40000000
_NAMESPACES = 0x7E020000  # CLONE_NEW… in the flags of clone
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_SET_FLAGS = (0x40086602, 0x40046602, 0x401C5820)  # FS_IOC_SETFLAGS, also in 32 bits, and FS_IOC_FSSETXATTR

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_NEVER = """
io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, ptrace 101 117, process_vm_readv 310 270,
process_vm_writev 311 271, pidfd_getfd 438 438, kcmp 312 272, process_madvise 440 440, mount 165 40, umount2 166 39,
pivot_root 155 41, chroot 161 51, fsopen 430 430, fsmount 432 432, fsconfig 431 431, fspick 433 433, move_mount 429 429,
open_tree 428 428, mount_setattr 442 442, open_tree_attr 467 467, unshare 272 97, setns 308 268, keyctl 250 219,
add_key 248 217, request_key 249 218, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, kexec_load 246 104,
kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106, reboot 169 142,
swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60, quotactl_fd 443 443, syslog 103 116,
open_by_handle_at 304 265, name_to_handle_at 303 264, fanotify_init 300 262, settimeofday 164 170,
clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266, migrate_pages 256 238, move_pages 279 239
"""
_OUTSIDE = """
chmod 90 -, fchmodat 268 53, fchmodat2 452 452, chown 92 -, lchown 94 -, fchownat 260 54, setxattr 188 5,
lsetxattr 189 6, removexattr 197 14, lremovexattr 198 15, setxattrat 463 463, removexattrat 466 466,
file_setattr 469 469, utime 132 -, utimes 235 -, futimesat 261 -, shmget 29 194, shmat 30 196, shmctl 31 195,
msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, semget 64 190, semop 65 193, semctl 66 191,
semtimedop 220 192, mq_open 240 180, mq_unlink 241 181, setpriority 141 140, ioprio_set 251 30,
sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274, sched_setaffinity 203 122
"""
_SIGNALS = """
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
pidfd_send_signal 424 424, fcntl 72 25
"""
_ARGUED = """
socket 41 198, socketpair 53 199, clone 56 220, clone3 435 435, ioctl 16 29, prlimit64 302 261, utimensat 280 88,
open 2 -, openat 257 56, openat2 437 437
"""
_MODES = {"chmod 90 -": 1, "fchmod 91 52": 1, "fchmodat 268 53": 2, "fchmodat2 452 452": 2, "creat 85 -": 1,
          "mknod 133 -": 1, "mknodat 259 33": 2}  # fmt: skip
_UNDONE = {"fchmod 91 52": 0, "fchown 93 55": 0, "fsetxattr 190 7": 95, "fremovexattr 199 16": 95}
"""Calls that could change read-only files. They do nothing and return a value that lets programs continue."""
_SET_ID, _CREATE = 0o6000, 0o100 | 0o20000000  # bits of a mode; O_CREAT and the extra bit of O_TMPFILE
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15


def is_known_machine() -> bool:
    """Return True if this machine's system call numbers are known here."""
    return os.uname().machine in _MACHINES


@cache
def program(families: tuple[int, ...], *, apart: bool, signals: bool = True) -> bytes:
    """Return the filter that allows sockets of these families.

    A command that is not `apart`, in separate namespaces, must also not change the metadata of read-only files by path
    or share memory with other processes. Without `signals` it must not send signals.
    """
    arch, column = _MACHINES[os.uname().machine]
    denied = [*_numbers(_NEVER, column), *([] if apart else _numbers(_OUTSIDE, column))]
    if not signals:
        denied += [number for number in _numbers(_SIGNALS, column) if number != _find_number("fcntl", _SIGNALS, column)]
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _deny(ENOSYS), _op(_LOAD, _NUMBER)]
    code += [_op(_LEAST, _X32, 0, 1), _deny(ENOSYS)]
    for number in denied:
        code += [_op(_EQUAL, number, 0, 1), _deny(EPERM)]
    for name, checks in _checks(families, apart, signals):
        body = [*checks, _op(_RETURN, _ALLOW)]
        for number in _numbers(next(row for row in _argued() if row.split()[0] == name), column):
            code += [_op(_EQUAL, number, 0, len(body)), *body]
    return b"".join([*code, _op(_RETURN, _ALLOW)])


def _checks(families: Iterable[int], apart: bool, signals: bool) -> Iterator[tuple[str, list[bytes]]]:
    """Yield, for each system call that depends on its arguments, the instructions that block it; the rest is
    allowed."""
    yield "socket", [*_only(0, families)]
    yield "socketpair", [*_only(0, (UNIX,))]
    yield "clone", [_argument(0), _op(_BITS, _NAMESPACES, 0, 1), _deny(EPERM)]
    yield "clone3", [_deny(ENOSYS)]  # its flags are in memory, which a filter cannot read; programs then use clone
    flags = [] if apart else [word for number in _SET_FLAGS for word in _not(number)]
    yield "ioctl", [_argument(1), *_not(_TIOCSTI), *_not(_TIOCLINUX), *flags]
    yield "openat2", [_deny(ENOSYS)]  # as clone3; programs then use openat
    for name, at in (("open", 1), ("openat", 2)):
        yield name, [_argument(at), _op(_BITS, _CREATE, 0, 3), *_no_set_id(at + 1)]
    for row, at in _MODES.items():
        undone = [] if apart or row not in _UNDONE else [_deny(_UNDONE[row])]
        yield row.split()[0], _no_set_id(at) + undone
    for row, error in _UNDONE.items() if not apart else ():
        if row not in _MODES:
            yield row.split()[0], [_deny(error)]
    if not apart:
        yield "prlimit64", [*_only(0, (0,))]
        yield "utimensat", [*_only(1, (0,)), _op(_LOAD, _ARGUMENTS + 8 + 4), _op(_EQUAL, 0, 1, 0), _deny(EPERM)]
    if not signals:
        yield "fcntl", [_argument(1), *_not(_F_SETOWN), *_not(_F_SETSIG), *_not(_F_SETOWN_EX)]


def _only(argument: int, values: Iterable[int]) -> Iterator[bytes]:
    """Yield instructions that continue after them if the argument is one of the values, and block otherwise."""
    values = tuple(values)
    yield _argument(argument)
    for place, value in enumerate(values):
        yield _op(_EQUAL, value, len(values) - place, 0)
    yield _deny(EPERM)


def _no_set_id(argument: int) -> list[bytes]:
    return [_argument(argument), _op(_BITS, _SET_ID, 0, 1), _deny(EPERM)]


def _not(value: int) -> list[bytes]:
    return [_op(_EQUAL, value, 0, 1), _deny(EPERM)]


def _argument(which: int) -> bytes:
    """Load an argument's low half; the kernel reads only this half of these arguments."""
    return _op(_LOAD, _ARGUMENTS + 8 * which)


def _deny(error: int) -> bytes:
    return _op(_RETURN, _ERRNO | error)


def _op(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, k)


def _rows(table: str) -> Iterator[list[str]]:
    return (row.split() for row in table.split(","))


def _argued() -> Iterator[str]:
    return (row for table in (_ARGUED, _SIGNALS, *_MODES, *_UNDONE) for row in table.split(","))


def _numbers(table: str, column: int) -> list[int]:
    return [int(row[1 + column]) for row in _rows(table) if row[1 + column] != "-"]


def _find_number(name: str, table: str, column: int) -> int:
    return next(int(row[1 + column]) for row in _rows(table) if row[0] == name)

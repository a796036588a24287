"""Where commands run: in a sandbox of one of two kinds, whichever this machine has, and settings do not turn off.

The first is bubblewrap: namespaces of its own, in which nothing is mounted but what a command may see (view.py). The
second is Landlock, rights that a process takes from itself, where a machine allows no namespaces. Both have a seccomp
filter (filter.py), no network unless settings open it, and no right to more. Which one holds is tried by running
`true` in it, once in a process; nothing runs without one unseen: `status`, `doctor` and the prompt tell.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from dotagent.sandbox import filter, landlock, view
from dotagent.sandbox.view import MADE, Sight
from dotagent.store.home import Settings
from dotagent.store.supervised import Around

KINDS = ("bubblewrap", "landlock")
LEAST, SCOPES = 3, 6  # Landlock's ABI: the first that keeps files from being cut short, the first that keeps signals in
PLACES = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin"  # where bubblewrap may be: nowhere of an agent's own
DEVICES = ("null", "zero", "full", "random", "urandom")
SYSTEM = ("cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys")  # of /proc
TRY = 10.0  # seconds that a try of it may take
MEND = 'apt install bubblewrap, or sandbox = "required" in dotagent.toml, so that nothing runs without one'
OPEN = (
    'to open more, your person writes into dotagent.toml: roots = ["/a/folder"], hosts = ["pypi.org"], network = "on", '
    'or sandbox = "off"'
)
_REFUSED = re.compile(
    r"permission denied|read-only file system|operation not permitted|network is unreachable|could ?n[o']t resolve|"
    r"name resolution|name or service not known|invalid cross-device|device or resource busy",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"/(?:home|root|Users|mnt|media|srv|tmp|var)/[^\n]*no such file", re.IGNORECASE)


@dataclass(frozen=True)
class Cage:
    """How a command is run in a sandbox: the words before it, in which FILTER stands for a descriptor of the filter."""

    kind: str
    words: tuple[str, ...]
    program: bytes
    env: Mapping[str, str]
    """What of the environment is another there: where programs may keep things of their own."""


FILTER = "\0filter"
TEMPORARY, LASTING = "/tmp", "/var/tmp"  # of bubblewrap, each command has its own
BECOME = "import sys; sys.path.append(sys.argv.pop(1)); import landlock; landlock.edge()"
PROXIED = "import sys; sys.path.append(sys.argv.pop(1)); from dotagent.web import proxy; sys.exit(proxy.main())"
PROXY = "http://127.0.0.1:3128"  # in a sandbox's own network
CODE = Path(__file__).parent.parent.parent
FIRST = 64  # a descriptor that a shell does not take for one of its own


@cache
def lacking(kind: str) -> str:
    """Why this machine has no sandbox of this kind; "" when it has."""
    if sys.platform != "linux":
        return "it is not Linux"
    if not filter.known():
        return f"the system calls of {os.uname().machine} are not known"
    if kind == "bubblewrap" and not _bwrap():
        return "bubblewrap is not installed (apt install bubblewrap)"
    if kind == "landlock" and (abi := landlock.version()) < LEAST:
        return f"the kernel's Landlock is version {abi}, {LEAST} is needed" if abi else "the kernel has no Landlock"
    with tempfile.TemporaryDirectory(prefix="dotagent-try-") as folder:
        nothing = Sight(Path(os.path.realpath(folder)), "ro", True, False, view.present(), (), (), ())
        words, handle = command(cage(kind, nothing), "true")
        try:
            done = subprocess.run(words, capture_output=True, timeout=TRY, check=False, pass_fds=(handle,))
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"it cannot be made: {error}"
        finally:
            os.close(handle)
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    return f"it cannot be made: {said or done.returncode}" if done.returncode else ""


def kind(settings: Settings) -> str:
    """Which sandbox commands run in under these settings: "" where settings turn it off, or where there is none."""
    if settings.sandbox == "off":
        return ""
    wanted = (settings.sandbox,) if settings.sandbox in KINDS else KINDS
    return next((one for one in wanted if not lacking(one)), "")


def refuses(settings: Settings) -> str:
    """Why settings let no command run: they require a sandbox that this machine has not; "" when they do not."""
    if settings.sandbox in ("off", "on") or kind(settings):
        return ""
    return f"settings require a sandbox, and there is none: {why(settings)}"


def why(settings: Settings) -> str:
    """Why there is no sandbox under these settings."""
    if settings.sandbox == "off":
        return 'settings say sandbox = "off"'
    wanted = (settings.sandbox,) if settings.sandbox in KINDS else KINDS
    return "; ".join(f"{one}: {lacking(one)}" for one in wanted)


def told(settings: Settings) -> str:
    """A line for a model: what its commands may reach."""
    one = kind(settings)
    if not one:
        return ""
    place = {"rw": "your directory and roots", "ro": "your roots alone", "none": "your roots alone"}[settings.workspace]
    made = f" (new files of yours below {MADE}/)" if one == "landlock" and settings.workspace == "rw" else ""
    net = _network(settings, one)
    return f"Commands run in a sandbox ({one}): they change {place}{made}, and have {net}."


def status(settings: Settings) -> str:
    """A line for a person: what holds."""
    if one := kind(settings):
        net = _network(settings, one)
        return f"commands run in a sandbox: {one}, agents' directories {settings.workspace}, {net}; {OPEN}"
    if wrong := refuses(settings):
        return f"no command runs: {wrong}"
    return f"commands run without a sandbox, with your rights: {why(settings)}"


def _network(settings: Settings, kind: str) -> str:
    if settings.network == "on":
        return "the network"
    if settings.hosts and kind == "bubblewrap":
        return f"of the network {', '.join(settings.hosts)} alone, by the proxy that https_proxy names"
    return "no network" + (" (hosts by name need bubblewrap)" if settings.hosts else "")


def hint(settings: Settings, status: int, printed: bytes) -> str:
    """A line for the end of what a command printed that failed as one does that the sandbox kept from something."""
    one = kind(settings)
    text = printed[-4000:].decode("utf-8", "replace")
    if not one or status == 0 or not (_REFUSED.search(text) or _ELSEWHERE.search(text)):
        return ""
    return f"(it may be the sandbox. {told(settings)} {OPEN[0].upper()}{OPEN[1:]})"


def cage(kind: str, seen: Sight) -> Cage:
    """How a command with this view is run in a sandbox of this kind."""
    words = _bubblewrap(seen) if kind == "bubblewrap" else _landlock(seen)
    if proxied := _proxied(kind, seen):
        words = [sys.executable, "-I", "-c", PROXIED, str(CODE), *proxied, "--", *words]
    return Cage(kind, tuple(words), _filter(kind, seen), _env(kind, seen))


def _proxied(kind: str, seen: Sight) -> tuple[str, ...]:
    return seen.hosts if kind == "bubblewrap" else ()


def _filter(kind: str, seen: Sight) -> bytes:
    apart = kind == "bubblewrap"
    net = (filter.INET, filter.INET6, filter.NETLINK)
    families = net if seen.network else (filter.UNIX, *net) if apart else ()
    return filter.program(families, apart=apart, signals=apart or landlock.version() >= SCOPES)


def _env(kind: str, seen: Sight) -> dict[str, str]:
    mine = str(seen.place / MADE) if seen.workspace == "rw" else TEMPORARY
    env = {"HOME": mine, "TMPDIR": TEMPORARY if kind == "bubblewrap" else mine, "PWD": seen.cwd}
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY") if _proxied(kind, seen) else ()
    return {**env, **dict.fromkeys(names, PROXY)}


def command(cage: Cage, *rest: str) -> tuple[list[str], int]:
    """The words that run these words in the sandbox, and the descriptor of the filter that they are to inherit."""
    made = os.memfd_create("filter")
    handle = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, FIRST)
    os.close(made)
    os.write(handle, cage.program)
    os.lseek(handle, 0, os.SEEK_SET)
    return [word.replace(FILTER, str(handle)) for word in cage.words] + list(rest), handle


@contextmanager
def around(kind: str, seen: Sight) -> Iterator[tuple[Around, Mapping[str, str]]]:
    """How a shell that looks after a command with this view is started so that the command runs in a sandbox of this
    kind, and what of its environment is another there."""
    if kind == "landlock":
        handle = landlock.ruleset(*_rights(seen))
        how = Around(confine=partial(landlock.confine, handle, seen.cwd, _filter(kind, seen)))
    else:
        words, handle = command(cage(kind, seen))
        how = Around(words, (handle,))
    try:
        yield how, _env(kind, seen)
    finally:
        os.close(handle)


@cache
def _bwrap() -> str:
    return shutil.which("bwrap", path=PLACES) or ""


def _bubblewrap(seen: Sight) -> list[str]:
    """Its words. No --new-session: whoever starts it has made a session of its own, without a terminal, and a signal
    to the group (to hold it while its output is turned) must reach the command, too."""
    words = [_bwrap(), "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if seen.network else ["--unshare-net"]
    words += ["--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", TEMPORARY]
    for one in seen.system:
        words += ["--symlink", os.readlink(one), one] if os.path.islink(one) else ["--ro-bind", one, one]
    words += [word for path in view.secret("/etc") for word in _hidden(path)]
    names = os.path.realpath("/etc/resolv.conf")
    words += ["--ro-bind-try", names, names] if seen.network and not names.startswith("/etc/") else []
    mine, kept = view.own(seen)
    binds = {path: ["--ro-bind", path, path] for path in seen.readable}
    binds |= {path: ["--bind", path, path] for path in seen.writable}
    if seen.top:
        binds[str(seen.place)] = ["--bind", seen.top, str(seen.place)]
    elif seen.alone and seen.workspace != "none":
        binds[str(seen.place)] = ["--perms", "0700", "--tmpfs", str(seen.place)]
    binds |= {path: ["--bind-try", path, path] for path in mine}
    binds |= {path: ["--ro-bind-try", path, path] for path in kept}
    binds |= {path: ["--symlink", os.readlink(path), path] for path in view.links(seen)}
    below = any(path.startswith(f"{LASTING}/") for path in binds)  # behind a link nothing can be mounted
    words += ["--tmpfs", LASTING] if below else ["--symlink", TEMPORARY, LASTING]
    for path in sorted(binds, key=lambda one: one.count("/")):
        words += binds[path]
    covered = str(seen.place) in binds and str(seen.place) not in mine and not seen.top
    words += ["--remount-ro", str(seen.place)] if covered else []
    return [*words, "--remount-ro", "/", "--chdir", seen.cwd, "--seccomp", FILTER, "--"]


def _hidden(path: Path) -> list[str]:
    if path.is_dir():
        return ["--perms", "0500", "--tmpfs", str(path), "--remount-ro", str(path)]
    return ["--ro-bind", os.devnull, str(path)]


def _landlock(seen: Sight) -> list[str]:
    """The program's words, which the command becomes."""
    abi, scoped, paths = _rights(seen)
    counts = [str(len(some)) for some in paths]
    words = [str(abi), str(scoped), FILTER, *counts, seen.cwd, *(path for some in paths for path in some)]
    return [sys.executable, "-I", "-S", "-c", BECOME, os.path.dirname(landlock.__file__), *words]


def _rights(seen: Sight) -> tuple[int, int, list[list[str]]]:
    """What landlock.ruleset makes: the ABI, whether signals stay inside, and the paths by what may be done there."""
    abi, (mine, kept) = landlock.version(), view.own(seen)
    etc = _open("/etc") if "/etc" in seen.system else []
    system = [os.path.realpath(one) for one in seen.system if one != "/etc"]
    rights = {
        "read": [*system, *etc, *seen.readable, *kept, *(f"/proc/{name}" for name in SYSTEM)],
        "write": [*seen.writable, *mine],
        "list": ["/etc"],
        "touch": [*(f"/dev/{name}" for name in DEVICES), *seen.printed],
    }
    if seen.network and not (names := os.path.realpath("/etc/resolv.conf")).startswith("/etc/"):
        rights["read"].append(names)
    if seen.workspace != "none":
        rights["list"].append(str(seen.mine))
    return abi, int(abi >= SCOPES), list(rights.values())


def _open(folder: str) -> list[str]:
    """A folder of the system as it is, or where some of it is not for everybody, the rest of what is in it."""
    hidden = set(map(str, view.secret(folder)))
    return [entry.path for entry in os.scandir(folder) if entry.path not in hidden] if hidden else [folder]

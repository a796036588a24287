"""The sandbox for commands: bubblewrap, or Landlock if the machine does not allow namespaces.

bubblewrap gives a command separate namespaces with only the allowed mounts (view.py). With Landlock, a process gives up
its own rights. Both add a seccomp filter (filter.py), and remove the network unless settings open it. Each process
tests once, by running `true`, which kind works. Without a sandbox, `status`, `doctor` and the prompt say so. Owns
nothing on disk.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from dotagent.processes.background import Around
from dotagent.sandbox import filter, landlock, limits, view
from dotagent.sandbox.view import Sight
from dotagent.store import home
from dotagent.store.home import Settings
from dotagent.text import lazy
from dotagent.text.lazy import dataclass

KINDS = ("bubblewrap", "landlock")
LEAST, SCOPES = 3, 6  # Landlock ABIs: the first that prevents truncation, and the first that confines signals
PLACES = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin"  # places of bubblewrap that no agent can write
NOBODY = "65534"  # root's number inside bubblewrap
DEVICES = ("null", "zero", "full", "random", "urandom")
SYSTEM = ("cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys")  # of /proc
TRY = 10.0  # seconds for a test
MEND = 'run `apt install bubblewrap`, or set sandbox = "required", so that no command runs without a sandbox'
OPEN = (
    'to allow more, the owner writes into dotagent.toml: roots = ["/a/folder"], hosts = ["pypi.org"], network = "on", '
    'or sandbox = "off"'
)
_REFUSED = lazy.compile(
    r"permission denied|read-only file system|operation not permitted|network is unreachable|could ?n[o']t resolve|"
    r"name resolution|name or service not known|invalid cross-device|device or resource busy",
    re.IGNORECASE,
)
_ELSEWHERE = lazy.compile(
    r"/(?:home|root|Users|mnt|media|srv|tmp|var|boot|sys|run|dev)\b[^\n]*no such file", re.IGNORECASE
)
_LIMITED = lazy.compile(
    r"cannot fork|resource temporarily unavailable|cannot allocate memory|out of memory|MemoryError|"
    r"file (?:size limit exceeded|too large)|no space left|^killed$|cannot create thread",
    re.IGNORECASE | re.MULTILINE,
)
_ITS_OWN = lazy.compile(r"\b(?:tmpfs|bwrap|LOOPBACK)\b")  # text that indicates a sandbox and not its machine
VIEW = "this output describes the sandbox, which has its own disks, processes and network, not the machine"


@dataclass(frozen=True)
class Cage:
    """How to run a command in a sandbox: a wrapper command, in which FILTER is replaced by a descriptor of the
    filter."""

    kind: str
    words: tuple[str, ...]
    program: bytes
    env: Mapping[str, str]
    """Changed variables, for directories where programs may write."""


FILTER = "\0filter"
TEMPORARY, LASTING = "/tmp", "/var/tmp"  # in bubblewrap, separate for each command
BECOME = "import sys; sys.path.append(sys.argv.pop(1)); import landlock; landlock.edge()"
PROXIED = "import sys; sys.path.append(sys.argv.pop(1)); from dotagent.network import proxy; sys.exit(proxy.main())"
PROXY = "http://127.0.0.1:3128"  # in the sandbox's own network
CODE = Path(__file__).parent.parent.parent
FIRST = 64  # a descriptor number that shells do not use themselves


@cache
def lacking(kind: str) -> str:
    """Return why this machine has no sandbox of this kind, or ""."""
    if sys.platform != "linux":
        return "this system is not Linux"
    if not filter.is_known_machine():
        return f"the system calls of {os.uname().machine} are not known"
    if kind == "bubblewrap" and not _bwrap():
        return "bubblewrap is not installed (apt install bubblewrap)"
    if kind == "landlock" and (abi := landlock.version()) < LEAST:
        older = f"the kernel's Landlock has version {abi}, but version {LEAST} is needed"
        return older if abi else "the kernel has no Landlock"
    import tempfile  # only a check of the sandbox needs it

    with tempfile.TemporaryDirectory(prefix="dotagent-try-") as folder:
        nothing = Sight(Path(os.path.realpath(folder)), "ro", False, view.present(), (), (), ())
        words, handle = command(cage(kind, nothing), "true")
        try:
            done = subprocess.run(words, capture_output=True, timeout=TRY, check=False, pass_fds=(handle,))
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"the sandbox cannot be created: {error}"
        finally:
            os.close(handle)
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    return f"the sandbox cannot be created: {said or done.returncode}" if done.returncode else ""


def kind(settings: Settings) -> str:
    """Return the kind of sandbox for commands, or "" if settings turn it off or none works."""
    if settings.sandbox == "off":
        return ""
    wanted = (settings.sandbox,) if settings.sandbox in KINDS else KINDS
    return next((one for one in wanted if not lacking(one)), "")


def refuses(settings: Settings) -> str:
    """Return why no command may run, because settings require a missing sandbox, or ""."""
    if settings.sandbox in ("off", "on") or kind(settings):
        return ""
    return f"the settings require a sandbox, but no sandbox is available: {explain_none(settings)}"


def hears_owner(settings: Settings, audience: str, bridged: bool) -> bool:
    """Return True if the agent hears only the home's owner. Any other agent needs a sandbox."""
    return audience in ("private", f"private {home.owner(settings)}") and not bridged


def explain_none(settings: Settings) -> str:
    """Return why commands run without a sandbox."""
    if settings.sandbox == "off":
        return 'the settings say sandbox = "off"'
    wanted = (settings.sandbox,) if settings.sandbox in KINDS else KINDS
    return "; ".join(f"{one}: {lacking(one)}" for one in wanted)


def describe_reach(settings: Settings) -> str:
    """Return a line for a model on what its commands can reach."""
    one = kind(settings)
    if not one:
        return ""
    place = {"rw": "files/ and your roots", "ro": "only your roots", "none": "only your roots"}[settings.workspace]
    most = limits.describe(settings.limits)
    rest = f"Your documents (MEMORY.md, memory/ …) are only for the file tools. Limits: {most}."
    return f"Commands run in a sandbox ({one}): they can change {place}, and have {_network(settings, one)}. {rest}"


def status(settings: Settings) -> str:
    """Return a line for a person on the sandbox in effect."""
    if one := kind(settings):
        place = {"rw": "can change", "ro": "can only read", "none": "cannot see"}[settings.workspace]
        return f"commands run in a sandbox ({one}): they {place} files/, and have {_network(settings, one)}; {OPEN}"
    if wrong := refuses(settings):
        return f"no commands can run: {wrong}"
    return f"commands run without a sandbox, with your permissions: {explain_none(settings)}"


def _network(settings: Settings, kind: str) -> str:
    if settings.network == "on":
        return "the network"
    if settings.hosts and kind == "bubblewrap":
        return f"network access only to {', '.join(settings.hosts)}, through the proxy in https_proxy"
    return "no network" + (" (the setting hosts needs bubblewrap)" if settings.hosts else "")


def hint(settings: Settings, status: int, printed: bytes) -> str:
    """Return a line to append to a command's output if the sandbox or its limits may explain a failure, or ""."""
    one = kind(settings)
    text = printed[-4000:].decode("utf-8", "replace")
    if one and _LIMITED.search(text):
        return f"(a command may use {limits.describe(settings.limits)}, see [limits] in dotagent.toml)"
    if one and status and (_REFUSED.search(text) or _ELSEWHERE.search(text)):
        return f"(the sandbox may be the cause. {describe_reach(settings)} {OPEN[0].upper()}{OPEN[1:]})"
    return f"({VIEW})" if one == "bubblewrap" and _ITS_OWN.search(text) else ""


def cage(kind: str, seen: Sight) -> Cage:
    """Return how to run a command with this view in a sandbox of this kind."""
    words = _bubblewrap(seen) if kind == "bubblewrap" else _landlock(seen)
    if proxied := _proxied(kind, seen):
        words = [sys.executable, "-I", "-c", PROXIED, str(CODE), *proxied, "--", *words]
    return Cage(kind, (*limits.make_bounds(seen.limits).words, *words), _filter(kind, seen), _env(kind, seen))


def _proxied(kind: str, seen: Sight) -> tuple[str, ...]:
    return seen.hosts if kind == "bubblewrap" else ()


def _filter(kind: str, seen: Sight) -> bytes:
    apart = kind == "bubblewrap"
    net = (filter.INET, filter.INET6, filter.NETLINK)
    families = net if seen.network else (filter.UNIX, *net) if apart else ()
    return filter.program(families, apart=apart, signals=apart or landlock.version() >= SCOPES)


def _env(kind: str, seen: Sight) -> dict[str, str]:
    mine = str(seen.work) if seen.workspace == "rw" else TEMPORARY
    env = {"HOME": mine, "TMPDIR": TEMPORARY if kind == "bubblewrap" else mine, "PWD": seen.cwd}
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY") if _proxied(kind, seen) else ()
    return {**env, **dict.fromkeys(names, PROXY)}


def command(cage: Cage, *rest: str) -> tuple[list[str], int]:
    """Return the command line in the sandbox, and the descriptor of the filter that it must inherit."""
    made = os.memfd_create("filter")
    handle = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, FIRST)
    os.close(made)
    os.write(handle, cage.program)
    os.lseek(handle, 0, os.SEEK_SET)
    return [word.replace(FILTER, str(handle)) for word in cage.words] + list(rest), handle


@contextmanager
def start_shell(kind: str, seen: Sight) -> Iterator[tuple[Around, Mapping[str, str]]]:
    """Yield how to start a shell so that its command runs in a sandbox of this kind with this view, and the changed
    variables."""
    if kind == "landlock":
        handle = landlock.ruleset(*_rights(seen))
        how = Around(confine=partial(_confine, handle, seen, _filter(kind, seen), limits.make_bounds(seen.limits)))
    else:
        words, handle = command(cage(kind, seen))
        how = Around(words, (handle,))
    try:
        yield how, _env(kind, seen)
    finally:
        os.close(handle)


def _confine(ruleset: int, seen: Sight, program: bytes, most: limits.Bounds) -> None:
    most.take()
    landlock.confine(ruleset, seen.cwd, program)


def look_again() -> None:
    """Forget which sandboxes this machine has, so that the next question checks it again."""
    for one in (lacking, _bwrap, _kernel):
        one.cache_clear()


@cache
def _bwrap() -> str:
    return shutil.which("bwrap", path=PLACES) or ""


def _bubblewrap(seen: Sight) -> list[str]:
    """Return bubblewrap's arguments. --new-session is left out, because the caller has already created a session
    without a terminal, and signals to the group (to stop it during output rotation) must reach the command, too."""
    words = [_bwrap(), "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if seen.network else ["--unshare-net"]
    words += ["--uid", NOBODY, "--gid", NOBODY] if os.geteuid() == 0 else []  # not root inside
    room = ["--size", str(limits.scratch(seen.limits)), "--perms", "1777", "--tmpfs"]
    words += ["--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", *_kernel(), "--dev", "/dev"]
    words += [*room, TEMPORARY, *room, "/dev/shm", "--remount-ro", "/dev"]
    for one in seen.system:
        words += ["--symlink", os.readlink(one), one] if os.path.islink(one) else ["--ro-bind", one, one]
    words += [word for path in view.secret("/etc") for word in _hidden(path)]
    names = os.path.realpath("/etc/resolv.conf")
    words += ["--ro-bind-try", names, names] if seen.network and not names.startswith("/etc/") else []
    mine, kept = view.own_paths(seen)
    binds = {path: ["--ro-bind", path, path] for path in seen.readable}
    binds |= {path: ["--bind", path, path] for path in seen.writable}
    binds |= {path: ["--bind-try", path, path] for path in mine}
    binds |= {path: ["--ro-bind-try", path, path] for path in kept}
    below = any(path.startswith(f"{LASTING}/") for path in binds)  # nothing can be mounted behind a link
    words += [*room, LASTING] if below else ["--symlink", TEMPORARY, LASTING]
    for path in sorted(binds, key=lambda one: one.count("/")):
        words += binds[path]
    return [*words, "--remount-ro", "/", "--chdir", seen.cwd, "--seccomp", FILTER, "--"]


@cache
def _kernel() -> tuple[str, ...]:
    """Return mounts over /proc that prevent changes of the kernel's settings, because the kernel lets root's processes
    write there, even under another number inside.

    Directories become read-only. A file that is not readable by all, or is writable, is hidden.
    """
    words = list[str]()
    for name in sorted(one for one in os.listdir("/proc") if not one.isdigit()):
        path, mode = f"/proc/{name}", os.lstat(f"/proc/{name}").st_mode
        if stat.S_ISDIR(mode):
            words += ["--ro-bind", path, path]
        elif not stat.S_ISLNK(mode) and (mode & 0o222 or not mode & 0o004):
            words += ["--ro-bind", os.devnull, path]
    return tuple(words)


def _hidden(path: Path) -> list[str]:
    if path.is_dir():
        return ["--perms", "0500", "--tmpfs", str(path), "--remount-ro", str(path)]
    return ["--ro-bind", os.devnull, str(path)]


def _landlock(seen: Sight) -> list[str]:
    """Return the command line of the program that becomes the command."""
    abi, scoped, paths = _rights(seen)
    counts = [str(len(some)) for some in paths]
    words = [str(abi), str(scoped), FILTER, *counts, seen.cwd, *(path for some in paths for path in some)]
    return [sys.executable, "-I", "-S", "-c", BECOME, os.path.dirname(landlock.__file__), *words]


def _rights(seen: Sight) -> tuple[int, int, list[list[str]]]:
    """Return the arguments of landlock.ruleset: the ABI, whether signals are confined, and the paths by kind of
    access."""
    abi, (mine, kept) = landlock.version(), view.own_paths(seen)
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
    return abi, int(abi >= SCOPES), list(rights.values())


def _open(folder: str, hidden: Collection[str] | None = None) -> list[str]:
    """Return a system folder, or its public entries, at any depth, if some of them are private."""
    hidden = set(map(str, view.secret(folder))) if hidden is None else hidden
    if folder in hidden or not any(one.startswith(f"{folder}/") for one in hidden):
        return [] if folder in hidden else [folder]
    return [one for entry in os.scandir(folder) for one in _open(entry.path, hidden)]

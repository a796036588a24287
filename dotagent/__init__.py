"""dotagent, an agent that a person can read. The agent's loop is agent.py, and this package contains everything below
it. Owns nothing on disk.

An import of any module runs this file first, so it reports an old Python and missing packages in one line. Python 3.8
can parse this file and the programs.
"""

# The module `signal` loads `enum` and `collections`, which a start that sheds its environment would load twice.
import _signal as signal  # type: ignore[import-not-found]
import os
import sys

_OURS = os.path.basename(sys.argv[0]) in ("agent.py", "chat.py", "clean.py", "dotagent", "-m")
if _OURS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while a program loads ends it without a traceback

__version__ = "0.1.0"
NEEDS = (  # the first part of requirements.txt: every process may load these
    "blake3", "cronsim", "httpx", "inotify_simple", "msgspec", "prompt_toolkit", "rich", "sniffio", "tomlkit", "tzdata",
    "wcwidth",
)  # fmt: skip


def _is_there(name: str) -> bool:
    """Return True if a module can be imported. Python's function for this is in a module that takes 3 ms to import."""
    return name in sys.modules or any(finder.find_spec(name, None) for finder in sys.meta_path)


def _mend() -> str:
    """Return the steps that a person must take before dotagent can run, or ""."""
    if sys.version_info < (3, 11):  # noqa: UP036 whatever this is written for, it is what runs it
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        return f"Python 3.11 or newer is needed, but {sys.executable} is {version}; create the venv with a newer Python"
    wanted = [name for name in NEEDS if name != "inotify_simple" or sys.platform == "linux"]
    missing = ", ".join(name for name in wanted if not _is_there(name))
    if not missing:
        return ""
    code = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    needs, venv = os.path.join(code, "requirements.txt"), os.path.join(code, ".venv")
    if not os.path.exists(needs):
        todo = "install dotagent again"
    elif os.path.exists(os.path.join(venv, "bin", "activate")) and sys.prefix != venv:
        todo = f"run `. {venv}/bin/activate`, then start dotagent again"
    else:
        todo = f"run `pip install -r {needs}` in a venv, as README.md describes"
    return f"{sys.executable} lacks {missing}: {todo}"


_WHY = _mend()
if _WHY:
    sys.stderr.write(f"dotagent: {_WHY}\n")
    sys.exit(2)

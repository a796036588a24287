"""dotagent: an agent you can read. The loop is agent.py; this package is what it stands on.

Whoever imports any of it comes here first: a Python that is too old and packages that are missing are told in one line.
What stands here, and in the programs, is so written that Python 3.8 can read it.
"""

import importlib.util
import os
import sys

__version__ = "0.1.0"
NEEDS = (  # of requirements.txt
    "blake3", "cronsim", "httpx", "inotify_simple", "msgspec", "prompt_toolkit", "rich", "sniffio", "tomlkit", "tzdata",
    "wcwidth",
)  # fmt: skip


def _mend() -> str:
    """What a person has to do before anything can run here; "" for nothing."""
    if sys.version_info < (3, 11):  # noqa: UP036 whatever this is written for, it is what runs it
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        return f"Python 3.11 or newer is needed, and {sys.executable} is {version}: make the venv with a newer one"
    wanted = [name for name in NEEDS if name != "inotify_simple" or sys.platform == "linux"]
    missing = ", ".join(name for name in wanted if not importlib.util.find_spec(name))
    if not missing:
        return ""
    code = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    needs, venv = os.path.join(code, "requirements.txt"), os.path.join(code, ".venv")
    if not os.path.exists(needs):
        todo = "install dotagent again"
    elif os.path.exists(os.path.join(venv, "bin", "activate")) and sys.prefix != venv:
        todo = f"`. {venv}/bin/activate`, then start it again"
    else:
        todo = f"`pip install -r {needs}` in a venv, as README.md tells"
    return f"{sys.executable} lacks {missing}: {todo}"


_WHY = _mend()
if _WHY:
    sys.stderr.write(f"dotagent: {_WHY}\n")
    sys.exit(2)

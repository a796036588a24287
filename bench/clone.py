"""How long from `git clone` to an agent's first answer: clone, venv, the README's two commands, one message.

Everything is real: git, pip with the machine's cache (a second run of this one is with a warm one), the processes; the
answer is that of the offline provider. With --wheel dotagent is installed by `pip install .` instead, and `dotagent`
started. The checkout is cloned as it was committed.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import common

LIMIT = 60.0  # seconds


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--wheel", action="store_true", help="install by `pip install .`, and talk by `dotagent`")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PIP_CACHE_DIR") if name in os.environ}
        env |= {"DOTAGENT_NEARBY": "", "DOTAGENT_HOME": str(path / "home")}
        code, venv = path / "dotagent", path / "dotagent" / ".venv"
        pip = [str(venv / "bin" / "pip"), "install", "-q", "--disable-pip-version-check"]
        what = [str(code)] if asked.wheel else ["-r", str(code / "requirements.txt")]
        seconds = {"clone": _run(["git", "clone", "-q", str(Path(__file__).resolve().parent.parent), str(code)], env)}
        seconds["venv"] = _run([sys.executable, "-m", "venv", str(venv)], env)
        seconds["install"] = _run([*pip, *what], env)
        begun = time.perf_counter()
        _answers(code, venv, env, asked.wheel)
        seconds["answer"] = time.perf_counter() - begun
    total, used = sum(seconds.values()), resource.getrusage(resource.RUSAGE_CHILDREN)
    for name, one in {**seconds, "in all": total}.items():
        print(f"{name:<10}{one:>7.2f} s")
    print(f"limit {LIMIT:.0f} s: {'met' if total <= LIMIT else 'not met'}; CPU {used.ru_utime + used.ru_stime:.1f} s,")
    print("which a machine that is not busy takes little more than")


def _run(command: list[str], env: dict[str, str]) -> float:
    """Run it; the seconds it took."""
    begun = time.perf_counter()
    subprocess.run(command, env=env, check=True)
    return time.perf_counter() - begun


def _answers(code: Path, venv: Path, env: dict[str, str], wheel: bool) -> None:
    """Start an agent, say hello, wait for the answer, end the agent."""
    program = (
        [str(venv / "bin" / "dotagent"), "chat"] if wheel else [str(venv / "bin" / "python"), str(code / "chat.py")]
    )
    done = subprocess.run(
        [*program, "--start", "-m", "hello", "--wait", "60"], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Hello"), done
    subprocess.run(["kill", re.findall(r"`kill (\d+)`", done.stderr)[0]], check=True)


if __name__ == "__main__":
    main()

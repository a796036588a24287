#!/usr/bin/env bash
# Guess: inotify is a call of the kernel, so to make an `INotify()` of inotify-simple costs a few system calls.
# Seen: the first one looks for the C library with `ctypes.util.find_library("c")`, which runs `ldconfig -p` as a program
#   of its own, and loads subprocess, shutil and tempfile for it. `ctypes.CDLL(None)` has the same functions at once.
# Matters: a short-lived process that waits for one file, as each agent here is at its start, pays for a second program.
#   In a sandbox without ldconfig and gcc the search goes through more programs that are not there.
#   dotagent makes the object only in a process that waits.
# With: inotify-simple 2.0.1, Python 3.11, 30 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q inotify-simple==2.0.1

cat >"$tmp/try.py" <<'END'
import sys
from importlib.metadata import version

programs = []
sys.addaudithook(lambda event, given: programs.append(str(given[0])) if event == "subprocess.Popen" else None)
from inotify_simple import INotify

before = list(programs)
INotify().close()
print("inotify-simple", version("inotify-simple"))
print("programs at the import:", len(before))
print("programs until the first INotify():", *{one.rsplit("/", 1)[-1] for one in programs})
print("loaded:", *(name for name in ("shutil", "subprocess", "tempfile") if name in sys.modules))
import ctypes

print("the same function without a search:", ctypes.CDLL(None).inotify_init1(0) >= 0)
END
cat >"$tmp/seen" <<'END'
inotify-simple 2.0.1
programs at the import: 0
programs until the first INotify(): ldconfig
loaded: shutil subprocess tempfile
the same function without a search: True
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

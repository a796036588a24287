"""Each script of findings/ has the form that CONTRIBUTING gives. The gate does not run the scripts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_read import none
from support import ROOT

PARTS = ("Guess:", "Seen:", "Matters:", "With:")
DATE = re.compile(r"\b\d{1,2} [A-Z][a-z]+ 20\d\d\b")
INSTALL = re.compile(r"\b(pip|npm) install\b(.*)")
PINNED = {"pip": re.compile(r"[\w.-]+(\[[\w,-]+\])?==[\w.]+"), "npm": re.compile(r"(@[\w.-]+/)?[\w.-]+@\d[\w.-]*")}
VALUED = ("--prefix", "--target")  # options of which the next word is a value
NEEDED = ("set -euo pipefail\n", "$(mktemp -d)", " EXIT\n", "diff ")

GOOD = """#!/usr/bin/env bash
# Guess: it adds up.
# Seen: it does not.
# Matters: we count.
# With: counting 1.2, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q counting==1.2 'adding[all]==3.0.post1'
npm install --silent --prefix "$tmp" @sums/sdk@4.0.1
echo 3 >"$tmp/seen"
"$tmp/venv/bin/python" -m counting 1 1 | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
"""


def flaws(text: str) -> Iterator[str]:
    """Yield how the script differs from the form."""
    lines = text.split("\n")
    if lines[0] != "#!/usr/bin/env bash":
        yield "the first line is not `#!/usr/bin/env bash`"
    end = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    opening = [line.removeprefix("# ") for line in lines[1:end]]
    begun = [part for line in opening for part in PARTS if line.startswith(part)]
    if begun != list(PARTS):
        yield f"the opening comment does not have the parts {' '.join(PARTS)} in this order"
    if not DATE.search(" ".join(opening).partition("With:")[2]):
        yield "`With:` does not name a date, such as 28 November 2026"
    yield from (f"`{one.strip()}` is missing" for one in NEEDED if one not in text)
    installs = list(INSTALL.finditer("\n".join(lines[end:]).replace('pip"', "pip").replace("\\\n", " ")))
    if not installs:
        yield "it installs no package"
    for found in installs:
        words = shlex.split(found[2])
        for before, word in zip(["", *words], words, strict=False):
            if not word.startswith("-") and before not in VALUED and not PINNED[found[1]].fullmatch(word):
                yield f"`{word}` does not have an exact version"


def test_each_finding_has_the_form() -> None:
    scripts = sorted((ROOT / "findings").iterdir())
    none([f"findings/{path.name}: {flaw}" for path in scripts for flaw in (*flaws(path.read_text()), *unfit(path))])


def unfit(path: Path) -> Iterator[str]:
    """Yield why the file cannot be run as a script."""
    if path.suffix != ".sh" or not os.access(path, os.X_OK):
        yield "it is not an executable script with the suffix .sh"
    done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    if done.returncode:
        yield done.stderr.strip()


def test_a_script_in_the_form_has_no_flaw() -> None:
    assert list(flaws(GOOD)) == []


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("#!/usr/bin/env bash", "#!/bin/sh"), ("# Seen: it does not.\n", ""), ("# With", "# Versions"),
        ("28 November 2026", "today"), ("set -euo pipefail", "set -e"), ("$(mktemp -d)", "/tmp/x"), (" EXIT\n", "\n"),
        ("diff ", "cat "), ("counting==1.2", "counting"), ("counting==1.2", "'counting>=1.2'"), ("]==3.0.post1", "]"),
        ("sdk@4.0.1", "sdk"), ("sdk@4.0.1", "sdk@latest"), ("# Guess", "# Seen"),
    ],
)  # fmt: skip
def test_each_departure_from_the_form_is_found(there: str, instead: str) -> None:
    assert list(flaws(GOOD.replace(there, instead)))

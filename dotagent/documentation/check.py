"""The checks of the documentation: stale generated pages, dead links, and commands that would not run.

The recipes in docs/how-to/ and the tutorial are executed: each `sh` block, in a new home with an agent that answers
offline. All other commands are only parsed. It owns nothing on disk except that home, which it deletes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from dotagent.documentation import pages
from dotagent.documentation.pages import ShownCommand
from dotagent.errors import Misuse

LONGEST = 120  # seconds that the commands of one recipe may take
_LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([\w-]+))?\)")
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)

Read = Callable[[str, tuple[str, ...]], object]
"""A function that parses the words of a command. Raises Misuse."""


def links(code: Path) -> Iterator[str]:
    """Yield a line for each link to a missing file or heading."""
    for path in pages.pages(code):
        name, text = str(path.relative_to(code)), _prose(path.read_text("utf-8"))
        for found in _LINK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            target = (path.parent / found[1]).resolve() if found[1] else path
            if not target.exists():
                yield f"{name}:{line}: the link {found[1]} leads to no file"
            elif found[2] and target.suffix == ".md" and found[2] not in _anchors(target.read_text("utf-8")):
                yield f"{name}:{line}: {found[1] or name} has no heading #{found[2]}"


def _prose(text: str) -> str:
    """Return a page without its code blocks. Line numbers stay the same."""
    lines = text.split("\n")
    for block in pages.blocks(text):
        for at in range(block.line - 1, block.line - 1 + len(block.lines)):
            lines[at] = ""
    return "\n".join(lines)


def _anchors(text: str) -> set[str]:
    """Return the anchors that Markdown sites make from a page's headings."""
    titles = [re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", one) for one in _HEADING.findall(_prose(text))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def commands(code: Path, read: Read, options: Callable[[str], set[str]]) -> Iterator[str]:
    """Yield a line for each command of dotagent in the pages that its parser refuses.

    `options` returns the options of a command. For code within a sentence only the name and options are checked.
    """
    for path in pages.pages(code):
        name = str(path.relative_to(code))
        for shown in pages.commands(name, path.read_text("utf-8")):
            try:
                _read(shown, read, options)
            except Misuse as refused:
                yield f"{name}:{shown.line}: `{' '.join(shown.words)}`: {refused}"


def _read(shown: ShownCommand, read: Read, options: Callable[[str], set[str]]) -> None:
    words = shown.words
    if words[:1] == ("project",) and len(words) > 1:
        words = words[1:]
    if not words or words[0].startswith("-") or words[0] in ("…", "COMMAND", "help", "project"):
        return
    if shown.whole and not any("…" in word for word in words):
        read(words[0], words[1:])
        return
    known = options(words[0])
    for word in words[1:]:
        option = word.partition("=")[0]
        if re.fullmatch(r"--?[a-z][a-z-]*", option) and option not in known:
            raise Misuse(f"no option {option}")


def recipes(code: Path, only: str | None = None) -> Iterator[str]:
    """Run the `sh` blocks of each recipe, or of `only` one; yield a line for each recipe that fails."""
    for path in [code / "docs" / "first-day.md", *sorted((code / "docs" / "how-to").glob("*.md"))]:
        script = "\n".join(
            "\n".join(one.lines) for one in pages.blocks(path.read_text("utf-8")) if one.language == "sh"
        )
        if script and only in (None, path.stem):
            yield from _ran(code, path, script)


def _ran(code: Path, path: Path, script: str) -> Iterator[str]:
    """Run the commands of one recipe in a new home; yield a line if they fail."""
    # A process that `clean` ended may leave a last file behind it.
    with tempfile.TemporaryDirectory(prefix="dotagent-recipe-", ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        environment = _environment(code, root)
        begun = "dotagent agent --until-idle --provider offline >/dev/null 2>&1 </dev/null"
        try:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", f"{begun}\n{script}"], cwd=root, env=environment,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            yield f"{path.relative_to(code)}: its commands take longer than {LONGEST} seconds"
            return
        finally:
            for words in (["down"], ["clean", "--yes"]):  # `clean` also ends the processes of the home
                subprocess.run([root / "bin" / "dotagent", *words], env=environment, capture_output=True, check=False)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "no message").split("\n")[-1]
            yield f"{path.relative_to(code)}: its commands end with exit status {done.returncode}: {said}"


def _environment(code: Path, root: Path) -> dict[str, str]:
    """Return the environment of a recipe: `dotagent` starts this checkout, and the home is in `root`."""
    program = root / "bin" / "dotagent"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{code}" exec "{sys.executable}" -m dotagent "$@"\n')
    program.chmod(0o755)
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    path = f"{root / 'bin'}:{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
    return {**kept, "PATH": path, "HOME": str(root), "DOTAGENT_HOME": str(root / "home"), "DOTAGENT_NEARBY": ""}

"""The web site: zensical makes HTML of the pages in docs/. Owns the directory that it builds.

The site has the order and the titles of docs/README.md. Links to files that are not pages become plain text.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from dotagent import packages
from dotagent.errors import Trouble

MARK = ".dotagent-docs"
"""A file in a built site. Only a directory with it, or an empty one, is replaced."""
_OUTSIDE = re.compile(r"\[([^]]*)\]\((?:\.\./)+(?!CONTRIBUTING\.md)[^)]*\)")
_SECTION = re.compile(r"^## (.*)$|\[([^]]*)\]\(([\w./-]+\.md)\)", re.MULTILINE)


def stage(code: Path, into: Path) -> None:
    """Copy the pages to `into` in zensical's layout, and write its settings there."""
    for path in (code / "docs").rglob("*"):
        if path.is_file() and path.suffix in (".md", ".svg", ".png"):
            place = into / "docs" / path.relative_to(code / "docs")
            place.parent.mkdir(parents=True, exist_ok=True)
            inside = path.suffix == ".md" and _inside(path, code)
            place.write_bytes(inside.encode() if inside else path.read_bytes())
    page = _OUTSIDE.sub(r"\1", (code / "CONTRIBUTING.md").read_text("utf-8"))
    page = re.sub(r"\[([^]]*)\]\(docs/([\w./-]+\.md(?:#[\w-]+)?)\)", r"[\1](\2)", page)
    (into / "docs" / "contributing.md").write_text(re.sub(r"\[([^]]*)\]\((?![\w./-]+\.md|#)[^)]*\)", r"\1", page))
    (into / "zensical.toml").write_text("\n".join(_settings(code)) + "\n")


def _inside(path: Path, code: Path) -> str:
    """Return a page's text, with links only to pages of the site."""
    up = "../" * (len(path.relative_to(code / "docs").parts) - 1)
    text = path.read_text("utf-8").replace(f"{up}../CONTRIBUTING.md", f"{up}contributing.md")
    return _SAME_SITE.sub(lambda found: found[0] if _target_exists(path, found[2], code) else found[1], text)


_SAME_SITE = re.compile(r"\[([^]]*)\]\(([^)\s#:]+)(?:#[\w-]+)?\)")


def _target_exists(path: Path, target: str, code: Path) -> bool:
    """Return True if the site contains the target of a link."""
    place = (path.parent / target).resolve()
    ours = (code / "docs") in place.parents and place.suffix in (".md", ".svg", ".png")
    return ours or target.endswith("contributing.md")


def _settings(code: Path) -> Iterator[str]:
    """Yield the lines of zensical's settings. The navigation is the list in docs/README.md."""
    yield from ("[project]", 'site_name = "dotagent"', 'docs_dir = "docs"', 'site_dir = "site"')
    yield 'site_description = "A personal assistant that remembers for years"'
    sections: list[tuple[str, list[str]]] = [("", [])]
    for title, name, page in _SECTION.findall((code / "docs" / "README.md").read_text("utf-8")):
        if title:
            sections.append((title, []))
        elif page != "README.md":
            sections[-1][1].append(f"{{{json.dumps(name)} = {json.dumps(page)}}}")
    rows = [f"{{{json.dumps(title)} = [{', '.join(pages)}]}}" for title, pages in sections if title and pages]
    start = '{Start = "README.md"}'
    yield f"nav = [{', '.join([start, *rows])}]"


def build(code: Path, scratch: Path) -> Path:
    """Build the site in this directory, and return its path. Raise Trouble with zensical's complaints."""
    stage(code, scratch)
    done = _zensical(scratch, "build", "--strict")
    if done.returncode:
        text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        found = re.findall(r"Warning: (.*)\n.*?\[ (\S+) \]", text)
        raise Trouble("; ".join(f"docs/{place}: {what}" for what, place in found) or text.strip()[-500:])
    (scratch / "site" / MARK).touch()
    return scratch / "site"


def place(built: Path, to: Path) -> None:
    """Move a built site there. Raise Trouble for a directory that contains other files."""
    if to.exists() and not (to / MARK).exists() and any(to.iterdir()):
        raise Trouble(f"{to} has files that no earlier build made; name another directory with --to")
    shutil.rmtree(to, ignore_errors=True)
    shutil.move(built, to)


def _zensical(where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run zensical there. Raise Trouble if it is not installed."""
    done = subprocess.run(
        [sys.executable, "-m", "zensical", *words], cwd=where, capture_output=True, text=True, check=False
    )
    if "No module named zensical" in done.stderr:
        raise Trouble(f"zensical is not installed: run `{packages.bring('dev')}`")
    return done

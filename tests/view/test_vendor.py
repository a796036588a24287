"""The files of other projects are those of their packages, unchanged, and their licences stand beside them."""

from __future__ import annotations

import hashlib
import re

from dotagent.capabilities.view.app import STATIC

VENDOR = STATIC / "vendor"
ROW = re.compile(r"\| `(\S+)` \| (\w+ [\d.]+) \| `\S+` \| [\w .]+, `(\S+)` \| `([0-9a-f]{64})` \|")


def test_each_file_has_its_licence_and_the_hash_in_the_table() -> None:
    rows = ROW.findall((VENDOR / "README.md").read_text("utf-8"))
    files = {path.name for path in VENDOR.iterdir()} - {"README.md"}
    assert files == {name for name, _, _, _ in rows} | {licence for _, _, licence, _ in rows}
    for name, _, _, told in rows:
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == told, name


def test_nothing_is_loaded_from_another_host_and_nothing_is_run_from_text() -> None:
    """Addresses stand only in comments and in names of XML."""
    for path in (one for one in STATIC.rglob("*") if one.suffix in (".js", ".mjs", ".css", ".html", ".json", ".svg")):
        text = re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        hosts = set(re.findall(r"(?:https?:)?//([\w.-]+\.\w+)", text))
        assert hosts <= {"www.w3.org"}, (path.name, hosts)
        assert not re.search(r"\beval\(|new Function|innerHTML\s*=|document\.write|\bon\w+=[\"']", text) or (
            path.parent == VENDOR
        ), path.name

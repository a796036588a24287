"""Debian's Chromium, driven by Playwright, for tests of the page as a person sees it.

`apt-get install chromium` and `pip install playwright` bring them; without them the tests are skipped and say so.
`.ci/real VENV view` installs both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from served import Served
from support import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAM = shutil.which("chromium")
PICTURES = ROOT / "docs" / "view" if os.environ.get("DOTAGENT_PICTURES") else None
"""Where pictures are kept: with DOTAGENT_PICTURES=1, those of the documentation are made again."""
AXE = os.environ.get("DOTAGENT_AXE", "")
LARGEST = 150_000  # bytes of a picture for the documentation
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 1}
DESK = {"viewport": {"width": 1100, "height": 720}}


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. Skips the test without it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not PROGRAM:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def tab(browser: Browser, page: Served, *, to: str = "", **how: object) -> Iterator[Page]:
    """A page that a new browser profile has opened by a link. An error of its scripts fails the test."""
    context = browser.new_context(**{**DESK, **how})  # type: ignore[arg-type]
    wrong = list[str]()
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda told: wrong.append(told.text) if "Content Security Policy" in told.text else None)
    try:
        opened.goto(page.fresh())
        opened.get_by_role("link", name="Rooms", exact=True).wait_for()
        if to:
            opened.goto(f"{page.address}/#/rooms/{to}")
            opened.get_by_role("log").wait_for()
        yield opened
    finally:
        context.close()
    assert not wrong, wrong


def faults(opened: Page) -> list[tuple[str, list[str]]]:
    """The serious faults that axe-core finds on the page: the rule, and the elements. Skips the test without it."""
    if not AXE:
        pytest.skip("axe-core is not here; `.ci/real VENV view` brings it")
    opened.evaluate(Path(AXE).read_text("utf-8"))
    found = opened.evaluate("axe.run()")["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found
            if one["impact"] in ("serious", "critical")]  # fmt: skip


def picture(opened: Page, name: str) -> None:
    """Take a picture for the documentation, and keep it if that is wanted."""
    data = opened.screenshot()
    assert len(data) <= LARGEST, f"{name} has {len(data):,} bytes"
    if PICTURES:
        (PICTURES / f"{name}.png").write_bytes(data)

"""How long the browser works at once while a person scrolls in a room of 10,000 messages on the page of `view`.

Chromium's own trace counts the processor time of each task of the page's main thread, so that a busy machine does not
count. Half of the messages are lines, the others Markdown with lists, code and tables. It needs `chromium` and the
package `playwright` (`.ci/real` installs both).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import common

sys.path += [str(common.ROOT / "tests"), str(common.ROOT / "tests" / "view")]

from chromium import chromium, tab  # type: ignore[import-not-found]
from served import served  # type: ignore[import-not-found]

from dotagent.store import rooms

LIMIT_MS, STEP, PAUSE = 100.0, 900, 60  # of a task; pixels of a turn of the wheel, and milliseconds until the next
AGENT, AT = "9f8e7d6c5b4a", "2026-11-21T20:17:20.000000Z"
TEXT = """# Title

Some **bold** words, `code`, and a [link](https://example.org/x), and so many more words that they need several lines.

- one
- two

```python
print("x")
```

| a | b |
|--:|:-:|
| 1 | {} |"""
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--messages", type=int, default=10_000, help="messages of the room")
    parser.add_argument("--turns", type=int, default=100, help="turns of the wheel")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where = common.make_home(path / "home")
        texts = (TEXT.format(number) if number % 2 else f"message {number}" for number in range(asked.messages))
        rooms.create(where.room("long"), "private")
        where.room("long").write_bytes(
            where.room("long").read_bytes() + b"".join(rooms.line_of("AGENT", AGENT, AT, text) for text in texts)
        )
        with served(where) as page, chromium() as browser, tab(browser, page) as opened:
            browser.start_tracing(page=opened, path=path / "trace.json", categories=CATEGORIES)
            opened.goto(f"{page.address}/#/rooms/long")
            opened.locator("article").last.wait_for()
            place = opened.get_by_role("log").bounding_box()
            opened.mouse.move(place["x"] + 100, place["y"] + 100)
            for _ in range(asked.turns):
                opened.mouse.wheel(0, -STEP)
                opened.wait_for_timeout(PAUSE)
            browser.stop_tracing()
        took = sorted(tasks(path / "trace.json"), reverse=True)
    print(f"\n  {len(took):,} tasks; the longest: {', '.join(f'{one:.0f}' for one in took[:5])} ms of processor time")
    print(f"\n  a task: {common.verdict(took[0], LIMIT_MS, ' ms')}")


def tasks(path: Path) -> list[float]:
    """Return the milliseconds of processor time of each task of the page's main thread."""
    told = json.loads(path.read_bytes())["traceEvents"]
    main_threads = {(one["pid"], one["tid"]) for one in told
                    if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}  # fmt: skip
    return [one["tdur"] / 1000 for one in told
            if one["name"].endswith("RunTask") and "tdur" in one
            and (one["pid"], one["tid"]) in main_threads]  # fmt: skip


if __name__ == "__main__":
    main()

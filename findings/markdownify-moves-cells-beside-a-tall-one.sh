#!/usr/bin/env bash
# Guess: a converter from HTML to Markdown, which has no cells over several rows, repeats such a cell or leaves its
#   place empty, so that each value stays below its heading.
# Seen: markdownify and html2text leave the cell out of the later rows, without a gap. All cells of these rows move one
#   column to the left: the time stands below "Day", the room below "Time".
# Matters: timetables, prices and menus use such cells, and a model that reads one by the headings answers with the
#   wrong column, in good form. dotagent repeats the cell before it converts a page (capabilities/web/page.py).
# With: markdownify 1.2.3, html2text 2025.4.15, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q markdownify==1.2.3 html2text==2025.4.15

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import html2text
from markdownify import markdownify

PAGE = """<table><tr><th>Day</th><th>Time</th><th>Room</th></tr>
<tr><td rowspan="2">Monday</td><td>9:00</td><td>A1</td></tr>
<tr><td>10:00</td><td>B2</td></tr></table>"""
for name, convert in (("markdownify", markdownify), ("html2text", html2text.html2text)):
    print(name, version(name))
    for line in convert(PAGE).strip().split("\n"):
        print(line.rstrip())
END
cat >"$tmp/seen" <<'END'
markdownify 1.2.3
| Day | Time | Room |
| --- | --- | --- |
| Monday | 9:00 | A1 |
| 10:00 | B2 |
html2text 2025.4.15
Day| Time| Room
---|---|---
Monday| 9:00| A1
10:00| B2
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

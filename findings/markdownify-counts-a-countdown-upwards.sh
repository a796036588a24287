#!/usr/bin/env bash
# Guess: a numbered list keeps the numbers that a browser shows: they are content ("the third rule", "place 1"), and
#   Markdown can write any number. `start` is kept, so the other two ways to number are, too.
# Seen: markdownify counts a list with `reversed` upwards, so a countdown from 3 to 1 gives the last place the number 1,
#   and it ignores the number of an item (`value`): paragraphs 7 and 9 of a law are 1 and 2. html2text does the same.
# Matters: "who is number 1 of the list?" gets the wrong name, and "what does paragraph 9 say?" finds nothing or another
#   paragraph. Nothing shows it. dotagent sets the numbers itself (capabilities/web/page.py).
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

PAGES = (
    '<ol start="7"><li>seventh</li><li>eighth</li></ol>',
    "<ol reversed><li>third place</li><li>second place</li><li>winner</li></ol>",
    '<ol><li value="7">paragraph 7</li><li value="9">paragraph 9</li></ol>',
)
for name, convert in (("markdownify", markdownify), ("html2text", html2text.html2text)):
    print(name, version(name))
    for page in PAGES:
        print("; ".join(line.strip() for line in convert(page).strip().split("\n")))
END
cat >"$tmp/seen" <<'END'
markdownify 1.2.3
7. seventh; 8. eighth
1. third place; 2. second place; 3. winner
1. paragraph 7; 2. paragraph 9
html2text 2025.4.15
7. seventh; 8. eighth
1. third place; 2. second place; 3. winner
1. paragraph 7; 2. paragraph 9
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

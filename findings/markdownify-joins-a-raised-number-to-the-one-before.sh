#!/usr/bin/env bash
# Guess: HTML without a Markdown form loses its look, not its meaning: "10<sup>3</sup>" comes as "10^3" or "10 3".
# Seen: markdownify takes `<sup>` and `<sub>` away and joins what they hold to what stands before: 10<sup>3</sup> is
#   103, the price $5<sup>2</sup> with its footnote is $52, 7<sup>30</sup> (half past seven on a train's timetable) is
#   730. A setting (`sup_symbol`, `sub_symbol`) keeps them; both are empty by default. html2text does the same, and has
#   no such setting.
# Matters: an agent that reads a page by it answers with a wrong number that looks right, and no test on prose shows it.
#   dotagent reads pages by this package, and sets both symbols (capabilities/web/page.py).
# With: markdownify 1.2.3, html2text 2025.4.15, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q markdownify==1.2.3 html2text==2025.4.15

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from html2text import html2text
from markdownify import markdownify

print("markdownify", version("markdownify"), "html2text", version("html2text"))
for page in (
    "<p>at most 10<sup>3</sup> files</p>",
    "<p>from $5<sup>2</sup> a month</p>",
    "<p>leaves at 7<sup>30</sup></p>",
    "<p>x<sub>1</sub>2 and CO<sub>2</sub></p>",
):
    print(page)
    print("  markdownify:", markdownify(page).strip())
    print("  with symbols:", markdownify(page, sup_symbol="^", sub_symbol="~").strip())
    print("  html2text:", html2text(page).strip())
END
cat >"$tmp/seen" <<'END'
markdownify 1.2.3 html2text 2025.4.15
<p>at most 10<sup>3</sup> files</p>
  markdownify: at most 103 files
  with symbols: at most 10^3^ files
  html2text: at most 103 files
<p>from $5<sup>2</sup> a month</p>
  markdownify: from $52 a month
  with symbols: from $5^2^ a month
  html2text: from $52 a month
<p>leaves at 7<sup>30</sup></p>
  markdownify: leaves at 730
  with symbols: leaves at 7^30^
  html2text: leaves at 730
<p>x<sub>1</sub>2 and CO<sub>2</sub></p>
  markdownify: x12 and CO2
  with symbols: x~1~2 and CO~2~
  html2text: x12 and CO2
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

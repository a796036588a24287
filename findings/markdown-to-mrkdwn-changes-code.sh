#!/usr/bin/env bash
# Guess: a converter from Markdown to Slack's mrkdwn leaves what stands between backticks alone, as in a fenced block.
# Seen: markdown_to_mrkdwn rewrites inline code: `2**8` followed by another `**` becomes `2*8`, `__init__` becomes
#   `*init*`, `a*b*c` becomes `a_b_c`, `*.py` with a second star on the line becomes `_.py`, and a link inside code is
#   made a link. One `**` alone stays, so a short test passes. A fence of tildes is rewritten, too; of backticks not.
# Matters: code that an agent posts is copied by people. A changed formula still runs, and gives another number.
#   Who bridges to Slack must take code out before, or build Slack's rich text blocks. dotagent has no bridge to Slack.
# With: markdown_to_mrkdwn 0.3.3, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q markdown_to_mrkdwn==0.3.3

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from markdown_to_mrkdwn import SlackMarkdownConverter

print("markdown_to_mrkdwn", version("markdown_to_mrkdwn"))
for text in (
    "`2**8`",
    "`2**8 + 2**3`",
    "Rename `__init__` first",
    "`a*b*c`",
    "Only `*.py` and `*.md`",
    "`[a](https://example.org)`",
    "```\n2**8 + 2**3\n```",
    "~~~\n2**8 + 2**3\n~~~",
):
    print(repr(text), "->", repr(SlackMarkdownConverter().convert(text)))
END
cat >"$tmp/seen" <<'END'
markdown_to_mrkdwn 0.3.3
'`2**8`' -> '`2**8`'
'`2**8 + 2**3`' -> '`2*8 + 2*3`'
'Rename `__init__` first' -> 'Rename `*init*` first'
'`a*b*c`' -> '`a_b_c`'
'Only `*.py` and `*.md`' -> 'Only `_.py` and `_.md`'
'`[a](https://example.org)`' -> '`<https://example.org|a>`'
'```\n2**8 + 2**3\n```' -> '```\n2**8 + 2**3\n```'
'~~~\n2**8 + 2**3\n~~~' -> '~~~\n2*8 + 2*3\n~~~'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

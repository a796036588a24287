#!/usr/bin/env bash
# Guess: a quotation of two lines in Markdown is a quotation of two lines in Slack after slackify-markdown, since Slack,
#   too, marks each quoted line with `>`.
# Seen: only the first line keeps its mark: `> a` and `> b` become `> a` and `b`. Lines of a list in a quotation lose it
#   as well. Two quoted paragraphs become one mark and a plain paragraph. Nothing fails.
# Matters: a bot that passes on what somebody else wrote shows all but the first line as its own words, and a program
#   that reads the room, such as an agent, takes them for an order of the sender. dotagent judges by the mark whose words
#   a line is, and has no bridge to Slack.
# With: slackify-markdown 0.2.4, markdown-it-py 4.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q slackify-markdown==0.2.4 markdown-it-py==4.3.0

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from slackify_markdown import slackify_markdown

print("slackify-markdown", version("slackify-markdown"), "markdown-it-py", version("markdown-it-py"))
for text in ("> first\n> second", "> first\n>\n> second", "> - first\n> - second"):
    print(repr(text), "->", repr(slackify_markdown(text)))
END
cat >"$tmp/seen" <<'END'
slackify-markdown 0.2.4 markdown-it-py 4.3.0
'> first\n> second' -> '> first\nsecond\n'
'> first\n>\n> second' -> '> first\n\nsecond\n'
'> - first\n> - second' -> '> •   first\n•   second\n'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: a client for Telegram sends `git push --force --tags` as it stands: two dashes mean nothing in Markdown.
# Seen: kurigram, the maintained successor of Pyrogram, by its default mode underlines what stands between two pairs of
#   dashes, and takes the dashes away: `git push force tags`. A rule `---` becomes one dash, the line below a table's
#   head loses its dashes, and a line that is quoted by the person loses them too. Only code between backticks is safe.
# Matters: an agent that tells somebody a command in plain words tells a wrong one, without an error. A bridge that
#   copies such a bot's messages cannot get the dashes back. dotagent sends text and entities, never a parse mode.
# With: kurigram 2.2.26, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q kurigram==2.2.26

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from pyrogram.enums import ParseMode
from pyrogram.parser import Parser

print("kurigram", version("kurigram"))
import asyncio

for text in (
    "Run git push --force --tags now",
    "Run `git push --force --tags` now",
    "First part\n---\nSecond part",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "One --dry-run is kept",
    "rsync -a --delete\nls --all",
):
    told = asyncio.run(Parser(None).parse(text, ParseMode.DEFAULT))
    kinds = [type(one).__name__.removeprefix("MessageEntity") for one in told["entities"] or ()]
    print(repr(text), "->", repr(told["message"]), *kinds)
END
cat >"$tmp/seen" <<'END'
kurigram 2.2.26
'Run git push --force --tags now' -> 'Run git push force tags now' Underline
'Run `git push --force --tags` now' -> 'Run git push --force --tags now' Code
'First part\n---\nSecond part' -> 'First part\n-\nSecond part'
'| a | b |\n|---|---|\n| 1 | 2 |' -> '| a | b |\n|-|-|\n| 1 | 2 |' Underline
'One --dry-run is kept' -> 'One dry-run is kept'
'rsync -a --delete\nls --all' -> 'rsync -a delete\nls all' Underline
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

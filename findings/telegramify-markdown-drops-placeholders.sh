#!/usr/bin/env bash
# Guess: telegramify-markdown turns an answer's Markdown into a text and entities. Telegram's text has no tags, so
#   `<room>` in a sentence stays, as `5 < 6` does.
# Seen: whatever looks like an HTML tag is gone, without a trace: `/join <room> <key>` is sent as `/join  `, and a type
#   `List<String>` as `List`. A block such as `<details>` goes with all that stands inside. `<b>` is not made bold.
# Matters: agents explain commands with placeholders in angle brackets all day, and fold long logs into `<details>`. The
#   person gets a command with holes, or no log. In backticks they stay. dotagent's bridge
#   sends the Markdown itself where a letter would be lost.
# With: telegramify-markdown 1.4.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q telegramify-markdown==1.4.1

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from telegramify_markdown import convert

print("telegramify-markdown", version("telegramify-markdown"))
for text in (
    "Write /join <room> <key> first.",
    "Write `/join <room> <key>` first.",
    "It returns List<String>, not a text.",
    "Take it if 5 < 6 and 7 > 6.",
    "The log:\n\n<details><summary>Log</summary>\nline 1\n</details>\n\nAll is well.",
    "Do <b>not</b> restart.",
):
    told, entities = convert(text)
    print(repr(text), "->", repr(told), *(one.type for one in entities))
END
cat >"$tmp/seen" <<'END'
telegramify-markdown 1.4.1
'Write /join <room> <key> first.' -> 'Write /join   first.'
'Write `/join <room> <key>` first.' -> 'Write /join <room> <key> first.' code
'It returns List<String>, not a text.' -> 'It returns List, not a text.'
'Take it if 5 < 6 and 7 > 6.' -> 'Take it if 5 < 6 and 7 > 6.'
'The log:\n\n<details><summary>Log</summary>\nline 1\n</details>\n\nAll is well.' -> 'The log:\n\nAll is well.'
'Do <b>not</b> restart.' -> 'Do not restart.'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

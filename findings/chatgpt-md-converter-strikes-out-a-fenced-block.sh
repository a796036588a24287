#!/usr/bin/env bash
# Guess: chatgpt-md-converter makes Telegram's <pre> of each fenced block of CommonMark, with ``` or with ~~~, and
#   changes no character of it. A name such as __init__.py stays as it is.
# Seen: a block fenced with ~~~ is struck out, and what stands in it counts as Markdown: a**2 + b**2 becomes a2 + b2
#   with bold letters between. Code in two backticks is torn, and __init__.py becomes an underlined “init” and “.py”.
#   The HTML is valid each time, so Telegram accepts it, and the program hears of no error.
# Matters: the package is made for a model's answers in Telegram. A person who copies such a formula or a file's name
#   from the chat gets another one. dotagent's bridge does not use the package.
# With: chatgpt-md-converter 0.3.12, 29 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq chatgpt-md-converter==0.3.12

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from chatgpt_md_converter import telegram_format

print("chatgpt-md-converter", version("chatgpt-md-converter"))
for text in (
    "```\nc = a**2 + b**2\n```",
    "~~~\nc = a**2 + b**2\n~~~",
    "run ``echo `date` `` now",
    "edit `__init__.py`",
    "edit __init__.py",
):
    print(repr(text), "->", repr(telegram_format(text)))
END
cat >"$tmp/seen" <<'END'
chatgpt-md-converter 0.3.12
'```\nc = a**2 + b**2\n```' -> '<pre><code>c = a**2 + b**2\n</code></pre>'
'~~~\nc = a**2 + b**2\n~~~' -> '<s>~\nc = a<b>2 + b</b>2\n~</s>'
'run ``echo `date` `` now' -> 'run `<code>echo </code>date<code> </code>` now'
'edit `__init__.py`' -> 'edit <code>__init__.py</code>'
'edit __init__.py' -> 'edit <u>init</u>.py'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

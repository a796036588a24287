#!/usr/bin/env bash
# Guess: discord.py's `remove_markdown` takes the marks away and leaves the words; its page warns of `10 * 5`, where the
#   star goes. `escape_markdown` puts a backslash before each mark that Discord would read.
# Seen: `remove_markdown` deletes links with their words, and all that stands between the first and the last link of a
#   line. A number at the start of a line loses its minus, an issue `#42` its hash. `escape_markdown` puts the backslash
#   of a list below an empty line into the empty line, and of an indented one before the blanks, so the dash itself
#   stays bare.
# Matters: what a bot logs, reads aloud or gives to a model lacks the names of its sources, and -5 degrees are 5.
#   dotagent uses neither function: it gives a model the message as it was written.
# With: discord.py 2.7.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q discord.py==2.7.1

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from discord.utils import escape_markdown, remove_markdown

print("discord.py", version("discord.py"))
for text in ("See [the plan](http://a.b/c) and [the map](http://a.b/d).", "-5 degrees", "#42 is open", "**bold**"):
    print(f"{text} -> {remove_markdown(text)!r}")
for text in ("to do:\n- milk", "to do:\n\n- milk", "  - eggs"):
    print(f"{text!r} -> {escape_markdown(text)!r}")
END
cat >"$tmp/seen" <<'END'
discord.py 2.7.1
See [the plan](http://a.b/c) and [the map](http://a.b/d). -> 'See .'
-5 degrees -> '5 degrees'
#42 is open -> '42 is open'
**bold** -> 'bold'
'to do:\n- milk' -> 'to do:\n\\- milk'
'to do:\n\n- milk' -> 'to do:\n\\\n- milk'
'  - eggs' -> '\\  - eggs'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

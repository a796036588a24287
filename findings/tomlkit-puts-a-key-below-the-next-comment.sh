#!/usr/bin/env bash
# Guess: tomlkit keeps a file's style. A key that is added to a table comes behind that table's last key, and a comment
#   stays with the table that it stands above. A table that is deleted takes only its own lines along.
# Seen: a comment counts as the end of the table before it. A new key of `[budget]` is written below the comment of
#   `[telegram]`, right above its head, so the comment now speaks of the key. `del doc["budget"]` deletes the comment of
#   `[telegram]`. A new key of the top level goes below the first table's comment.
# Matters: people explain settings, and tell each other "do not touch", by such comments. A command that sets one value
#   must not move or delete them. dotagent changes dotagent.toml by this package, and mends both (settings_edit.py).
# With: tomlkit 0.15.2, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q tomlkit==0.15.2

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import tomlkit

TEXT = """model = "small"

# what a day may cost
[budget]
dollars = 1

# the bridge to Telegram
# ask Ana before you change it
[telegram]
chat = 7
"""
print("tomlkit", version("tomlkit"))
for what in ('document["budget"]["tokens"] = 5', 'document["owner"] = "bo"', 'del document["budget"]'):
    document = tomlkit.parse(TEXT)
    exec(what)
    print(f"--- {what}")
    print(tomlkit.dumps(document), end="")
END
cat >"$tmp/seen" <<'END'
tomlkit 0.15.2
--- document["budget"]["tokens"] = 5
model = "small"

# what a day may cost
[budget]
dollars = 1

# the bridge to Telegram
# ask Ana before you change it
tokens = 5
[telegram]
chat = 7
--- document["owner"] = "bo"
model = "small"

# what a day may cost
owner = "bo"

[budget]
dollars = 1

# the bridge to Telegram
# ask Ana before you change it
[telegram]
chat = 7
--- del document["budget"]
model = "small"

# what a day may cost
[telegram]
chat = 7
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

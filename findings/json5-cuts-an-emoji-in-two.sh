#!/usr/bin/env bash
# Guess: JSON5 contains JSON, so the package json5 reads a file of `json.dumps` as `json.loads` reads it. At least it
#   reads what it wrote itself.
# Seen: `json.dumps` and `json5.dumps` write an emoji as two escapes, the halves of a pair. json5.loads does not join
#   them: the text has two halves, which are no characters, and no UTF-8. It does not equal the text that was written,
#   and the first attempt to save or send it fails, far from the file. An emoji that was written as it is comes through,
#   and so do both forms with pyjson5.
# Matters: OpenClaw's settings are JSON5, with an emoji in each agent's identity, and programs write such files with
#   escapes. An import by this package would stop in the midst, or store a name that nobody can type. dotagent turns
#   JSON5 into JSON and leaves these escapes to Python's own module.
# With: json5 0.17.3, pyjson5 2.0.1, 29 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq json5==0.17.3 pyjson5==2.0.1

cat >"$tmp/try.py" <<'END'
import json
from importlib.metadata import version

import json5
import pyjson5

print(*(f"{name} {version(name)}" for name in ("json5", "pyjson5")))
IDENTITY = {"name": "Fig", "emoji": "🦊"}
WRITTEN = {
    "json.dumps": json.dumps(IDENTITY),
    "json5.dumps": json5.dumps(IDENTITY, quote_keys=True),
    "as it is": json.dumps(IDENTITY, ensure_ascii=False),
}
for how, text in WRITTEN.items():
    print(f"{how}: {text}")
    for reader in (json, json5, pyjson5):
        emoji = reader.loads(text)["emoji"]
        try:
            emoji.encode()
            saved = "can be saved"
        except UnicodeEncodeError as error:
            saved = error.reason
        print(f"  {reader.__name__}: {ascii(emoji)}, {len(emoji)} long, same: {emoji == IDENTITY['emoji']}, {saved}")
END
cat >"$tmp/seen" <<'END'
json5 0.17.3 pyjson5 2.0.1
json.dumps: {"name": "Fig", "emoji": "\ud83e\udd8a"}
  json: '\U0001f98a', 1 long, same: True, can be saved
  json5: '\ud83e\udd8a', 2 long, same: False, surrogates not allowed
  pyjson5: '\U0001f98a', 1 long, same: True, can be saved
json5.dumps: {"name": "Fig", "emoji": "\ud83e\udd8a"}
  json: '\U0001f98a', 1 long, same: True, can be saved
  json5: '\ud83e\udd8a', 2 long, same: False, surrogates not allowed
  pyjson5: '\U0001f98a', 1 long, same: True, can be saved
as it is: {"name": "Fig", "emoji": "🦊"}
  json: '\U0001f98a', 1 long, same: True, can be saved
  json5: '\U0001f98a', 1 long, same: True, can be saved
  pyjson5: '\U0001f98a', 1 long, same: True, can be saved
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

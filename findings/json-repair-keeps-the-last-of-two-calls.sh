#!/usr/bin/env bash
# Guess: json-repair gives two JSON objects that stand one below the other back as a list of two, as it does with most.
# Seen: if both have the same keys, and their values the same types, only the last object is left, without an error. A
#   third key, or a number where the other has a text, brings both back. Thus the same two lines are one value or two.
# Matters: several agents read a model's tool calls by this package. Two calls of one tool, such as two files to move,
#   are exactly two objects with the same keys: the first is never run, and nobody hears of it. It also holds for a file
#   in JSON Lines. dotagent does not use the package.
# With: json-repair 0.64.4, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq json-repair==0.64.4

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import json_repair

print("json-repair", version("json-repair"))
for text in (
    '{"move": "a.txt"}\n{"move": "b.txt"}',
    '{"move": "a.txt"}\n{"move": "b.txt", "force": true}',
    '{"move": "a.txt"}\n{"move": 7}',
    '{"move": "a.txt"}\n{"copy": "b.txt"}',
    "First:\n```json\n{\"move\": \"a.txt\"}\n```\nThen:\n```json\n{\"move\": \"b.txt\"}\n```\n",
    '{"id": 1}\n{"id": 2}\n{"id": 3}\n',
):
    print(repr(text), "->", json_repair.loads(text))
END
cat >"$tmp/seen" <<'END'
json-repair 0.64.4
'{"move": "a.txt"}\n{"move": "b.txt"}' -> {'move': 'b.txt'}
'{"move": "a.txt"}\n{"move": "b.txt", "force": true}' -> [{'move': 'a.txt'}, {'move': 'b.txt', 'force': True}]
'{"move": "a.txt"}\n{"move": 7}' -> [{'move': 'a.txt'}, {'move': 7}]
'{"move": "a.txt"}\n{"copy": "b.txt"}' -> [{'move': 'a.txt'}, {'copy': 'b.txt'}]
'First:\n```json\n{"move": "a.txt"}\n```\nThen:\n```json\n{"move": "b.txt"}\n```\n' -> {'move': 'b.txt'}
'{"id": 1}\n{"id": 2}\n{"id": 3}\n' -> {'id': 3}
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

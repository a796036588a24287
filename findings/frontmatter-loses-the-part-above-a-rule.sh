#!/usr/bin/env bash
# Guess: a note that begins with a rule (`---`, an empty line, text, another `---`) has no frontmatter: between the
#   lines stand no fields. So its content is the whole note; and saving an unchanged note changes nothing that counts.
# Seen: python-frontmatter takes all above the second rule for YAML. A paragraph is valid YAML (one text), a list too;
#   as neither is a mapping, both are dropped: no metadata, no content, no error. Saved, the part is replaced by `{}`.
#   A block of code that begins the body also loses the indentation of its first line.
# Matters: people separate the days of a journal by rules, and some begin with one. A program that reads a workspace's
#   notes by this package, and saves one, has deleted its first part. dotagent
#   counts as frontmatter only what begins with a field (project/pages.py).
# With: python-frontmatter 1.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q python-frontmatter==1.3.0

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import frontmatter

print("python-frontmatter", version("python-frontmatter"))
for text in (
    "---\n\nAna must not eat nuts.\n\n---\n\nShopping is on Friday.\n",
    "---\n\n- Ana: no nuts\n- Bo: no milk\n\n---\n\nShopping is on Friday.\n",
    "---\nname: log\n---\n    first()\n    second()\n",
):
    note = frontmatter.loads(text)
    print(repr(text))
    print("  metadata:", note.metadata, "content:", repr(note.content))
    print("  saved:", repr(frontmatter.dumps(note)))
END
cat >"$tmp/seen" <<'END'
python-frontmatter 1.3.0
'---\n\nAna must not eat nuts.\n\n---\n\nShopping is on Friday.\n'
  metadata: {} content: 'Shopping is on Friday.'
  saved: '---\n{}\n---\n\nShopping is on Friday.'
'---\n\n- Ana: no nuts\n- Bo: no milk\n\n---\n\nShopping is on Friday.\n'
  metadata: {} content: 'Shopping is on Friday.'
  saved: '---\n{}\n---\n\nShopping is on Friday.'
'---\nname: log\n---\n    first()\n    second()\n'
  metadata: {'name': 'log'} content: 'first()\n    second()'
  saved: '---\nname: log\n---\n\nfirst()\n    second()'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

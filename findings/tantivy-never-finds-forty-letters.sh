#!/usr/bin/env bash
# Guess: a full-text index finds a word that was put in, as it was put in: a commit's id, a file's hash, a sentence.
# Seen: tantivy's default tokenizer leaves out each word of 40 bytes or more, without a word about it. 39 digits of a
#   commit's id are found, all 40 are not; no SHA-256 is. Chinese and Japanese have no blanks, so a run of 14 signs
#   between two punctuation marks is one such word: the sentence is not found by itself, nor by anything in it. The
#   tokenizer "en_stem" leaves out the same words.
# Matters: an agent's log is full of ids, and a person asks by one. Short examples in a test work, so nobody sees it.
#   dotagent's index files the runs of such scripts by pairs, and leaves out no long word.
# With: tantivy 0.27.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q tantivy==0.27.0

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import tantivy

print("tantivy", version("tantivy"))
SHA = "0123456789abcdef0123456789abcdef01234567"
for tokenizer in ("default", "en_stem"):
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name=tokenizer).build()
    index = tantivy.Index(schema)
    writer = index.writer(15_000_000)
    for text in (f"commit {SHA} broke it", f"commit {SHA[:39]} mended it", "我对花生过敏", "我对花生和牛奶都过敏请一定记住"):
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    for query in (SHA, SHA[:39], "broke", "我对花生过敏", "我对花生和牛奶都过敏请一定记住"):
        found = searcher.search(index.parse_query(query, ["text"]), 9).count
        print(f"{tokenizer}: {len(query.encode())} bytes {query}: {found} found")
END
cat >"$tmp/seen" <<'END'
tantivy 0.27.0
default: 40 bytes 0123456789abcdef0123456789abcdef01234567: 0 found
default: 39 bytes 0123456789abcdef0123456789abcdef0123456: 1 found
default: 5 bytes broke: 1 found
default: 18 bytes 我对花生过敏: 1 found
default: 45 bytes 我对花生和牛奶都过敏请一定记住: 0 found
en_stem: 40 bytes 0123456789abcdef0123456789abcdef01234567: 0 found
en_stem: 39 bytes 0123456789abcdef0123456789abcdef0123456: 1 found
en_stem: 5 bytes broke: 1 found
en_stem: 18 bytes 我对花生过敏: 1 found
en_stem: 45 bytes 我对花生和牛奶都过敏请一定记住: 0 found
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

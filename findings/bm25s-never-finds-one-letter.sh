#!/usr/bin/env bash
# Guess: a search with bm25s for a word that one note has finds that note first, also if the word is “5”, and a search
#   for a word that no note has finds nothing.
# Seen: bm25s drops words of one letter or digit, in notes and in questions, so “5” never finds “seat 5 is mine”. A
#   sentence in Chinese is one word, so no word of it is found. Either search returns as many notes as asked, all with
#   the score 0: those at the end of the list, and the note with the word is not among them.
# Matters: a memory that shows a model the best two hits shows it two unrelated notes for “which seat?” and for every
#   question in Chinese or Japanese, as if they belonged to the question. dotagent's index files single signs and pairs
#   of Chinese signs, and shows no hit without a shared word.
# With: bm25s 0.3.16, numpy 2.4.6, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q bm25s==0.3.16 numpy==2.4.6

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import bm25s

print("bm25s", version("bm25s"), "numpy", version("numpy"))
notes = ["the door code is 4711", "seat 5 is mine", "门的密码是4711", "the ferry leaves at seven", "lunch costs nine"]
index = bm25s.BM25()
index.index(bm25s.tokenize(notes, show_progress=False), show_progress=False)
for asked in ("code", "5", "密码", "zebra"):
    words = bm25s.tokenize([asked], show_progress=False)
    found, scores = index.retrieve(words, corpus=notes, k=2, show_progress=False)
    print(asked, [(str(one), round(float(score), 2)) for one, score in zip(found[0], scores[0])])
END
cat >"$tmp/seen" <<'END'
bm25s 0.3.16 numpy 2.4.6
code [('the door code is 4711', 0.5), ('lunch costs nine', 0.0)]
5 [('lunch costs nine', 0.0), ('the ferry leaves at seven', 0.0)]
密码 [('lunch costs nine', 0.0), ('the ferry leaves at seven', 0.0)]
zebra [('lunch costs nine', 0.0), ('the ferry leaves at seven', 0.0)]
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

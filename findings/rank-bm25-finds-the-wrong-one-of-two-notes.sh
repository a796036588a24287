#!/usr/bin/env bash
# Guess: of two notes, rank-bm25 puts the one that has the words of the question first.
# Seen: a word in half of the notes weighs nothing (log 1), so both notes have the score 0, and `get_top_n` returns the
#   last note: “door code” finds the note about the ferry. With a third note without these words it is right. BM25Plus
#   and BM25L of the same package are right from two notes on.
# Matters: an agent's memory begins with two notes, and LangChain's BM25Retriever uses this class and returns no scores.
#   A person who tries it with two notes gets the wrong answer. dotagent's own index gives no word the weight 0.
# With: rank-bm25 0.2.2, numpy 2.4.6, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q rank-bm25==0.2.2 numpy==2.4.6

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from rank_bm25 import BM25L, BM25Okapi, BM25Plus

print("rank-bm25", version("rank-bm25"), "numpy", version("numpy"))
notes = ["the door code is 4711", "the ferry leaves at seven", "lunch costs nine euros"]
for kind in (BM25Okapi, BM25Plus, BM25L):
    for many in (2, 3):
        index = kind([note.split() for note in notes[:many]])
        scores = [round(float(one), 2) for one in index.get_scores(["door", "code"])]
        print(kind.__name__, many, scores, index.get_top_n(["door", "code"], notes[:many], n=1))
END
cat >"$tmp/seen" <<'END'
rank-bm25 0.2.2 numpy 2.4.6
BM25Okapi 2 [0.0, 0.0] ['the ferry leaves at seven']
BM25Okapi 3 [0.99, 0.0, 0.0] ['the door code is 4711']
BM25Plus 2 [4.39, 2.2] ['the door code is 4711']
BM25Plus 3 [5.46, 2.77, 2.77] ['the door code is 4711']
BM25L 2 [1.73, 0.0] ['the door code is 4711']
BM25L 3 [2.41, 0.0, 0.0] ['the door code is 4711']
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

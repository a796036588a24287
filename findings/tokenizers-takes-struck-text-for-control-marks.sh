#!/usr/bin/env bash
# Guess: `encode(text, add_special_tokens=False)` reads the text as text: the HTML `<s>old</s>` is made of the tokens of
#   its letters, and no control token of the model is among them.
# Seen: the option only leaves out what the tokenizer would add at the ends. `<s>` and `</s>` in the text become the
#   model's marks for the begin and the end of a text, and the mask of special tokens calls them ordinary. With
#   `tokenizer.encode_special_tokens = True`, which is off, they are letters.
# Matters: people strike text through by this tag, and notes explain such marks. A search by meaning compares the marks,
#   which no person wrote as such, and a count of tokens is too low.
# With: tokenizers 0.23.3, wordllama 0.4.0.post1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q tokenizers==0.23.3 wordllama==0.4.0.post1

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version
from pathlib import Path

import wordllama
from tokenizers import Tokenizer

print("tokenizers", version("tokenizers"), "with the tokenizer of wordllama", version("wordllama"))
(form,) = Path(wordllama.__file__).parent.rglob("*tokenizer_config.json")
tokenizer = Tokenizer.from_file(str(form))
for plain in (False, True):
    tokenizer.encode_special_tokens = plain
    found = tokenizer.encode("<s>old</s> price", add_special_tokens=False)
    print(f"encode_special_tokens {plain}:", *found.tokens, "mask", *found.special_tokens_mask)
END
cat >"$tmp/seen" <<'END'
tokenizers 0.23.3 with the tokenizer of wordllama 0.4.0.post1
encode_special_tokens False: <s> ▁old </s> ▁ ▁price mask 0 0 0 0 0
encode_special_tokens True: ▁< s > old </ s > ▁price mask 0 0 0 0 0 0 0 0
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

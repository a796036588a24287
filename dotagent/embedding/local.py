"""Static vectors: a text's is the mean of its tokens' (Model2Vec's form: a table of vectors beside a tokenizer).

No network is run, a few thousand passages take a second. Any folder with one `*.safetensors` of one table, and one
`tokenizer*.json` or `*tokenizer*.json` beside or below it, is a model; the package wordllama brings one of 16 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotagent.embedding.hosted import NoVectors


def load(folder: Path | None) -> tuple[str, Callable[[Sequence[str]], Any]]:
    """The model's name and what makes vectors by it. Raises NoVectors."""
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    if folder is None or not folder.is_dir():
        raise NoVectors(f"{folder} is no folder with a model")
    weights, forms = sorted(folder.rglob("*.safetensors")), sorted(folder.rglob("*tokenizer*.json"))
    forms = [form for form in forms if form.stem != "special_tokens_map" and form.stat().st_size > 10_000] or forms
    if not weights or not forms:
        raise NoVectors(f"{folder} holds no model: a *.safetensors and a tokenizer.json")
    try:
        tables = [one for one in load_file(weights[0]).values() if one.ndim == 2]
        tokenizer = Tokenizer.from_file(str(forms[0]))
    except Exception as error:  # noqa: BLE001 what tokenizers raises is nothing narrower
        raise NoVectors(f"{folder}: {error}") from None
    if len(tables) != 1 or len(tables[0]) < tokenizer.get_vocab_size():
        raise NoVectors(f"{weights[0]} is no table of a vector for each token of {forms[0].name}")
    table = tables[0].astype("float32")
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(texts: Sequence[str]) -> Any:
        made = np.zeros((len(texts), table.shape[1]), dtype="float32")
        for row, coded in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if coded.ids:
                made[row] = table[coded.ids].mean(axis=0)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)

    return f"{weights[0].stem} {weights[0].stat().st_size}", embed

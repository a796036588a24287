"""Models on this machine: files that a folder or a package brings, weights and a tokenizer.

One `*.onnx` is a model that reads sentences (all-MiniLM's form: tokens in, a vector for each out, of which the mean is
taken), 20 ms a text and better at what is meant. One `*.safetensors` of one table is static vectors (Model2Vec's form):
a text's is the mean of its tokens', no network is run, and a few thousand texts take a second. A `*tokenizer*.json` is
beside or below either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotagent.embedding import found
from dotagent.embedding.hosted import Embedder, NoVectors

LONGEST = 256  # tokens of a text that a model reads, as it was taught; a piece of a turn has fewer
SOME = 16  # texts that one which reads sentences is given at a time: between two of these the clock is looked at
APART = 1.5  # how much further what it finds near is from the rest: at 1, words outweigh what it knows
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


def load(folders: Sequence[Path]) -> Embedder:
    """The model of these folders. Raises NoVectors."""
    from tokenizers import Tokenizer

    named = ", ".join(str(folder) for folder in folders)
    if not folders or not all(folder.is_dir() for folder in folders):
        raise NoVectors(f"{named or 'nothing'} is no folder with a model")
    weights, forms = found(folders, "*.onnx") or found(folders, "*.safetensors"), found(folders, "*tokenizer*.json")
    forms = [form for form in forms if form.stem != "special_tokens_map" and form.stat().st_size > 10_000] or forms
    if not weights or not forms:
        raise NoVectors(f"{named} holds no model: a *.onnx or *.safetensors, and a tokenizer.json")
    read = _sentences if weights[0].suffix == ".onnx" else _static
    try:
        tokenizer = Tokenizer.from_file(str(forms[0]))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        embed = read(weights[0], tokenizer)
    except NoVectors:
        raise
    except Exception as error:  # noqa: BLE001 what tokenizers and onnxruntime raise is nothing narrower
        raise NoVectors(f"{named}: {error}") from None
    name = f"{weights[0].stem} {weights[0].stat().st_size}"
    return Embedder(name, embed, SOME, APART) if read is _sentences else Embedder(name, embed)


def _static(weights: Path, tokenizer: Any) -> Callable[[Sequence[str]], Any]:
    import numpy as np
    from safetensors.numpy import load_file

    tables = [one for one in load_file(weights).values() if one.ndim == 2]
    if len(tables) != 1 or len(tables[0]) < tokenizer.get_vocab_size():
        raise NoVectors(f"{weights} is no table of a vector for each token of its tokenizer")
    table = tables[0].astype("float32")

    def embed(texts: Sequence[str]) -> Any:
        made = np.zeros((len(texts), table.shape[1]), dtype="float32")
        for row, coded in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if coded.ids:
                made[row] = table[coded.ids].mean(axis=0)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)

    return embed


def _sentences(weights: Path, tokenizer: Any) -> Callable[[Sequence[str]], Any]:
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # with more, threads that wait take twice the processor's time
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    asked = {one.name for one in session.get_inputs()}
    if not {"input_ids"} <= asked <= INPUTS:
        raise NoVectors(f"{weights} takes {', '.join(sorted(asked))}, not {', '.join(sorted(INPUTS))}")
    if len(session.get_outputs()[0].shape) != 3:
        raise NoVectors(f"{weights} gives no vector for each token")
    tokenizer.enable_truncation(LONGEST)

    def embed(texts: Sequence[str]) -> Any:
        made = []
        for text in texts:  # one at a time: padded to a common length, they take half as long again
            ids = np.array([tokenizer.encode(text).ids], dtype="int64")
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            made.append(session.run(None, {name: given[name] for name in asked})[0][0].mean(axis=0))
        rows = np.array(made, dtype="float32")
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return embed

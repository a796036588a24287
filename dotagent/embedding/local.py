"""Models on this machine: files of weights and a tokenizer, from a folder or a package.

One `*.onnx` file is a model that reads sentences (all-MiniLM's form). Its vector of a text is the mean over the tokens.
It takes 20 ms per text, and understands meaning better. One `*.safetensors` file with one table contains static vectors
(Model2Vec's form): the vector of a text is the mean of its tokens' vectors, without a network, and a few thousand texts
take a second. A `*tokenizer*.json` is next to or below either file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotagent.embedding import find_files
from dotagent.embedding.hosted import Embedder, NoVectors

LONGEST = 256  # tokens of a text that a model reads, as trained; a piece of a turn has fewer
SOME = 16  # texts per call of a sentence model, so that the time limit is checked often
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


def load(folders: Sequence[Path]) -> Embedder:
    """Load the model in these folders. Raise NoVectors."""
    from tokenizers import Tokenizer

    named = ", ".join(str(folder) for folder in folders)
    if not folders or not all(folder.is_dir() for folder in folders):
        raise NoVectors(f'model_path = "{named}" is not a folder with a model')
    weights, forms = (
        find_files(folders, "*.onnx") or find_files(folders, "*.safetensors"),
        find_files(folders, "*tokenizer*.json"),
    )
    forms = [form for form in forms if form.stem != "special_tokens_map" and form.stat().st_size > 10_000] or forms
    if not weights or not forms:
        raise NoVectors(f"{named} must contain a model, *.onnx or *.safetensors, and its tokenizer.json")
    read = _sentences if weights[0].suffix == ".onnx" else _static
    try:
        tokenizer = Tokenizer.from_file(str(forms[0]))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True  # `<s>` in a text is HTML, not the model's mark of a beginning
        embed = read(weights[0], tokenizer)
    except NoVectors:
        raise
    except Exception as error:  # noqa: BLE001 what tokenizers and onnxruntime raise is nothing narrower
        raise NoVectors(f"{named}: {error}") from None
    name = f"{weights[0].stem} {weights[0].stat().st_size}"
    return Embedder(name, embed, SOME) if read is _sentences else Embedder(name, embed)


def _static(weights: Path, tokenizer: Any) -> Callable[[Sequence[str]], Any]:
    import numpy as np
    from safetensors.numpy import load_file

    tables = [one for one in load_file(weights).values() if one.ndim == 2]
    if len(tables) != 1 or len(tables[0]) < tokenizer.get_vocab_size():
        raise NoVectors(f"{weights} does not contain one vector for each token of its tokenizer; use another model")
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

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # else the import already reports to its maker
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # more threads wait actively and double the processor time
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    asked = {one.name for one in session.get_inputs()}
    if not {"input_ids"} <= asked <= INPUTS:
        raise NoVectors(
            f"{weights} has the inputs {', '.join(sorted(asked))}, but needs {', '.join(sorted(INPUTS))}; "
            "use another model"
        )
    if len(session.get_outputs()[0].shape) != 3:
        raise NoVectors(
            f"the embedding model {weights} must give one vector for each token, but does not; use another model"
        )
    tokenizer.enable_truncation(LONGEST)

    def embed(texts: Sequence[str]) -> Any:
        made = []
        for text in texts:  # singly: padding to a common length takes 50% longer
            ids = np.array([tokenizer.encode(text).ids], dtype="int64")
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            made.append(session.run(None, {name: given[name] for name in asked})[0][0].mean(axis=0))
        rows = np.array(made, dtype="float32")
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return embed

"""Vectors of a server: OpenAI's `/embeddings`, which llama.cpp, Ollama and others have too, and Gemini's.

Every passage that an agent heard or said is sent there, so it is only asked where settings name it. The key is read
here, from the home's .env or the environment's names in it, and is in no other process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from dotagent.store import credentials
from dotagent.store.home import Home

BASES = {"openai": "https://api.openai.com/v1", "gemini": "https://generativelanguage.googleapis.com/v1beta"}
MODELS = {"openai": "text-embedding-3-small", "gemini": "gemini-embedding-001"}
SLOW = 20.0  # seconds for an answer
LONGEST = 8000  # characters of a passage that are sent
BATCH = 100  # texts a request, the most that Gemini takes


class NoVectors(Exception):
    """Why there are none, in words for a person."""


@dataclass(frozen=True)
class Embedder:
    """What makes vectors of texts: a row each, of length 1, in a numpy array of 32-bit floats; how many it is given at
    a time; and how far apart its cosines count, beside those of others."""

    name: str
    embed: Callable[[Sequence[str]], Any]
    some: int = 256
    apart: float = 1.0


def load(where: Home, provider: str, asked: Mapping[str, object]) -> Embedder:
    """What asks its server. Raises NoVectors."""
    import numpy as np

    key = credentials.env_file(where).get(credentials.variable(provider, "API_KEY"), "")
    base, model = str(asked.get("base") or BASES[provider]).rstrip("/"), str(asked.get("model") or MODELS[provider])
    if not key and base == BASES[provider]:
        raise NoVectors(f"{provider} needs {credentials.variable(provider, 'API_KEY')}=… in the .env of the home")
    ask = _openai if provider == "openai" else _gemini

    def embed(texts: Sequence[str]) -> Any:
        made: list[Any] = []
        with httpx.Client(timeout=SLOW) as client:
            for start in range(0, len(texts), BATCH):
                part = [text[:LONGEST] or " " for text in texts[start : start + BATCH]]
                try:
                    answer = client.send(ask(base, model, key, part))
                    answer.raise_for_status()
                    made += _vectors(answer.json(), len(part))
                except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                    raise NoVectors(f"{base}: {str(error).replace(key, '…') if key else error}") from None
        rows = np.array(made, dtype="float32")
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return Embedder(f"{provider} {model} {base}", embed)


def _openai(base: str, model: str, key: str, texts: Sequence[str]) -> httpx.Request:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.Request("POST", f"{base}/embeddings", headers=headers, json={"model": model, "input": list(texts)})


def _gemini(base: str, model: str, key: str, texts: Sequence[str]) -> httpx.Request:
    requests = [{"model": f"models/{model}", "content": {"parts": [{"text": text}]}} for text in texts]
    url = f"{base}/models/{model}:batchEmbedContents"
    return httpx.Request("POST", url, headers={"x-goog-api-key": key}, json={"requests": requests})


def _vectors(answer: Any, wanted: int) -> list[list[float]]:
    """The vectors in the order of the texts. Raises ValueError for an answer of another form."""
    try:
        if "data" in answer:
            rows = [one["embedding"] for one in sorted(answer["data"], key=lambda one: one["index"])]
        else:
            rows = [one["values"] for one in answer["embeddings"]]
        sizes = {len(row) for row in rows}
    except (TypeError, KeyError) as error:
        raise ValueError(f"the answer holds no vectors ({error})") from None
    if len(rows) != wanted or len(sizes) != 1:
        raise ValueError(f"{len(rows)} vectors came for {wanted} texts")
    return rows

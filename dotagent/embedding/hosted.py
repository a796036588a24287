"""Vectors from a server: OpenAI's `/embeddings`, which llama.cpp and Ollama also offer, or Gemini's.

Every passage that an agent heard or said is sent there, so a server is used only if settings name it. Only this process
reads the key, from the home's .env.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from dotagent.store import credentials
from dotagent.store.home import Home
from dotagent.text import proxies
from dotagent.text.escape import one_line

BASES = {"openai": "https://api.openai.com/v1", "gemini": "https://generativelanguage.googleapis.com/v1beta"}
MODELS = {"openai": "text-embedding-3-small", "gemini": "gemini-embedding-001"}
SLOW = 20.0  # seconds to wait for an answer
LONGEST = 8000  # characters of a passage that are sent
SOME = (400, 413, 422, 500)  # statuses that may be about one text of a batch
SHORT = "hello"  # a text that every model for vectors takes
QUOTED = 300  # characters of a server's explanation
BATCH = 100  # texts per request, Gemini's maximum


class NoVectors(Exception):
    """Vectors are not available; the message gives a person the reason."""


@dataclass(frozen=True)
class Embedder:
    """A model that makes vectors: one row of length 1 for each text, in a numpy array of 32-bit floats. `some` is the
    number of texts per call. A text that the server refuses has a row of zeros, and `refused` the server's words."""

    name: str
    embed: Callable[[Sequence[str]], Any]
    some: int = 256
    refused: list[str] = field(default_factory=list)


def load(where: Home, provider: str, asked: Mapping[str, object]) -> Embedder:
    """Return the model of this server. Raise NoVectors."""
    import numpy as np

    key = credentials.env_file(where).get(credentials.variable(provider, "API_KEY"), "")
    base, model = str(asked.get("base") or BASES[provider]).rstrip("/"), str(asked.get("model") or MODELS[provider])
    if not key and base == BASES[provider]:
        key_name = credentials.variable(provider, "API_KEY")
        raise NoVectors(f"{provider} needs a key: put {key_name}=… into .env in dotagent's data directory")
    refused: list[str] = []
    ask = partial(_openai if provider == "openai" else _gemini, base, model, key)

    def embed(texts: Sequence[str]) -> Any:
        made: list[Any] = []
        if flaw := proxies.adopt(os.environ):
            raise NoVectors(flaw)
        with httpx.Client(timeout=SLOW) as client:
            try:
                for start in range(0, len(texts), BATCH):
                    part = [text[:LONGEST] or " " for text in texts[start : start + BATCH]]
                    made += _embedded(client, ask, part, refused)
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                raise NoVectors(f"{base}: {str(error).replace(key, '…') if key else error}") from None
        rows = np.array(made, dtype="float32")
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return Embedder(f"{provider} {model} {base}", embed, refused=refused)


def _embedded(
    client: httpx.Client, ask: Callable[[Sequence[str]], httpx.Request], texts: Sequence[str], refused: list[str]
) -> list[list[float]]:
    """Return the vectors of a batch. If the server refuses it but takes a short text, some text in it is the reason: it
    gets zeros, and the others their vectors. Raise ValueError in the server's words."""
    answer = client.send(ask(texts))
    if answer.is_success:
        return _vectors(answer.json(), len(texts))
    if answer.status_code not in SOME or not (short := client.send(ask([SHORT]))).is_success:
        raise ValueError(_said(answer))
    nothing = [0.0] * len(_vectors(short.json(), 1)[0])

    def halves(texts: Sequence[str], answer: httpx.Response) -> list[list[float]]:
        if answer.is_success:
            return _vectors(answer.json(), len(texts))
        if answer.status_code not in SOME:
            raise ValueError(_said(answer))
        if len(texts) == 1:
            refused.append(_said(answer))
            return [nothing]
        parts = texts[: len(texts) // 2], texts[len(texts) // 2 :]
        return [row for part in parts for row in halves(part, client.send(ask(part)))]

    return halves(texts, answer)


def _said(answer: httpx.Response) -> str:
    """Return what a server says about a refusal, on one line."""
    try:
        told = answer.json()
    except ValueError:
        told = None
    for name in ("error", "errors", "message", "detail", "msg"):  # each in the one before, or in a list there
        told = told[0] if isinstance(told, list) and told else told
        told = (told.get(name) or told) if isinstance(told, dict) else told
    return one_line(told, QUOTED) if isinstance(told, str) and told else f"HTTP {answer.status_code}"


def _openai(base: str, model: str, key: str, texts: Sequence[str]) -> httpx.Request:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.Request("POST", f"{base}/embeddings", headers=headers, json={"model": model, "input": list(texts)})


def _gemini(base: str, model: str, key: str, texts: Sequence[str]) -> httpx.Request:
    requests = [{"model": f"models/{model}", "content": {"parts": [{"text": text}]}} for text in texts]
    url = f"{base}/models/{model}:batchEmbedContents"
    return httpx.Request("POST", url, headers={"x-goog-api-key": key}, json={"requests": requests})


def _vectors(answer: Any, wanted: int) -> list[list[float]]:
    """Return the vectors in the order of the texts. Raise ValueError for an unexpected answer."""
    try:
        if "data" in answer:
            rows = [one["embedding"] for one in sorted(answer["data"], key=lambda one: one["index"])]
        else:
            rows = [one["values"] for one in answer["embeddings"]]
        sizes = {len(row) for row in rows}
    except (TypeError, KeyError) as error:
        raise ValueError(
            f"the answer of the embedding server contains no vectors ({error}); check `model` in [memory_search]"
        ) from None
    if len(rows) != wanted or len(sizes) != 1:
        raise ValueError(
            f"the embedding server returned {len(rows)} vectors for {wanted} texts; check `model` in [memory_search]"
        )
    return rows

"""Asking the provider local: what is asked, what llama.cpp's server tells of itself, and an answer without a word."""

from __future__ import annotations

from loopback import Answer, Server

from dotagent.providers import Completion, Config, Prompt, configure, local
from dotagent.store.requests import ChatMessage

MESSAGES: tuple[ChatMessage, ...] = ({"role": "system", "content": "be"}, {"role": "user", "content": "Tea?"})
ASKED = Prompt("m", MESSAGES, {"temperature": 0.5}, "ab")
LONG = Prompt("m", ({"role": "user", "content": "word " * 4000},))
EMPTY = Answer(())
LLAMA = {
    "/v1/models": {"data": [{"id": "m", "object": "model", "meta": {"n_ctx_train": 131072, "n_params": 1}}]},
    "/props": {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 4, "model_path": "/m.gguf"},
}


def config(server: Server, key: str = "", **settings: object) -> Config:
    return configure("local", {"LOCAL_API_KEY": key, "LOCAL_API_BASE": f"{server.base}/v1"}, settings)


def ask(server: Server, asked: Prompt = ASKED, key: str = "") -> Completion:
    return local.answer(asked, config(server, key), lambda *_: None, lambda: False)

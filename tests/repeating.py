"""A server that repeats the key that it is sent, however it answers and fails, and an environment that asks it."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from urllib.parse import quote

from canaries import CANARIES, MARK
from providers.loopback import (
    CUT,
    DONE,
    Answer,
    Received,
    Server,
    closed_port,
    data,
    event,
    page,
    refusal,
    stream,
    whole,
)

from dotagent.store.home import Home

PASSWORD = quote(CANARIES["password"], safe="")
SCENE = re.compile(r"scene-([a-z]+)")
LOOK = """SAY dev I look
RUN env; cat /proc/$PPID/environ /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>&1; ps axeww; ls -lR ../..; echo looked
"""


def scene(name: str, first: bool, key: str) -> Answer:
    """What the server answers in this scene to one who sent this key; some failures pass after the first time."""
    packed = base64.b64encode(f"x:{key}".encode()).decode(), key.encode().hex(), key[::-1]
    said = f"sent: {key}, in short {key[: key.find(MARK) + 7]}..., https://ana:{key}@host/?key={quote(key, safe='')}"
    said += f" {' '.join(packed)}"
    told = f"again: {key}, {key}!"
    letters = [event({"content": one}) for one in told]
    scenes: dict[str, Answer] = {
        "denied": refusal(401, said),
        "forbidden": refusal(403, said),
        "refused": refusal(400, said, param=key, code=key, type=key),
        "plain": Answer((said.encode(),), 400, {"content-type": "text/plain"}),
        "html": Answer((f"<p>{said}".encode(),), 200, {"content-type": "text/html"}),
        "moved": Answer((said.encode(),), 302, {"location": f"http://127.0.0.1:9/?key={key}"}),
        "broke": refusal(402, said),
        "missing": refusal(404, said),
        "model": refusal(400, f"the model {key} does not exist"),
        "long": refusal(413, said),
        "heads": refusal(400, "no", headers={"x-request-id": said, "retry-after": key, "set-cookie": f"k={key}"}),
        "late": Answer((event({"content": "so"}), data({"error": {"message": said, "code": 400}}))),
        "whole": whole(told, " ".join((told, *packed))),
        "echo": Answer((
            *(event({"reasoning_content": one}) for one in (told, *packed)),
            *(one for letter in letters for one in (letter, event({"reasoning_content": "."}))),
            data({"provider": key, "choices": [{"delta": {"content": " That is it."}, "finish_reason": None}]}),
            event({}, "stop"),
            DONE,
        )),
    }  # fmt: skip
    passing: dict[str, Answer] = {
        "busy": refusal(503, said, headers={"retry-after": "0"}),
        "limited": refusal(429, said, headers={"retry-after": "0"}),
        "junk": Answer((f"data: {{{said}\n\n".encode(),)),
        "cut": Answer((*letters, CUT)),
        "garbled": Answer((b"",), 200, {f"bad {key} header": "1"}),
    }
    if name in scenes:
        return scenes[name]
    return passing[name] if first else stream("it was nothing")


QUICK = "denied forbidden refused plain html moved broke missing model long heads late whole echo".split()
AGAIN = "busy limited junk cut garbled".split()  # these take a second


class Repeating(Server):
    """A server that repeats the key that it is sent, in the scene that the newest message asks for."""

    def __init__(self) -> None:
        super().__init__(self._scene)
        self.seen = Counter[tuple[str, str]]()

    def told(self, received: Received) -> Answer:
        """What it tells of itself: that it runs no models in one place; in all others it refuses."""
        return page({"data": []}) if received.path == "/local/v1/models" else refusal(403, f"no {_key(received)}")

    def _scene(self, asked: Received) -> Answer:
        key, text = _key(asked), json.dumps(asked.body)
        name = (SCENE.findall(text) or ["forbidden"])[-1]
        if name == "look":
            return stream("done") if "echo looked" in text else stream(LOOK)
        self.seen[name, key] += 1
        return scene(name, self.seen[name, key] == 1, key)


def _key(asked: Received) -> str:
    names = ("x-api-key", "x-goog-api-key")
    bearer = asked.headers.get("authorization", " ").split(" ")[1]
    return next((asked.headers[name] for name in names if name in asked.headers), bearer)


def environment_of(where: Home, server: Repeating) -> dict[str, str]:
    """A person's environment; two keys stand in `.env`, and one token in a file."""
    token = where.root.parent / "auth.json"
    token.write_text(json.dumps({"tokens": {"access_token": CANARIES["OPENAI_OAUTH_TOKEN_FILE"]}}))
    secrets = where.root / ".env"
    secrets.touch(0o600)
    there = ("ANTHROPIC_API_KEY", "OLLAMA_API_KEY")
    secrets.write_text("".join(f"{name}='{CANARIES[name]}'\n" for name in there))
    named = {name: value for name, value in CANARIES.items() if name.isupper() and name not in there}
    mine = f"http://ana:{PASSWORD}@127.0.0.1"
    bases = {f"{name}_API_BASE": server.base for name in ("DEEPSEEK", "OPENAI", "ANTHROPIC", "OLLAMA", "OPENAI_CODEX")}
    return {
        **named,
        **bases,
        "OPENAI_OAUTH_TOKEN_FILE": str(token),
        "OPENAI_CODEX_PROXY": f"{mine}:{closed_port()}",
        "GEMINI_API_BASE": server.base.replace("http://127.0.0.1", mine) + "/openai",
        "OPENROUTER_API_BASE": f"{mine}:99999/v1",
        "LOCAL_API_BASE": server.base.replace("http://127.0.0.1", mine) + "/local/v1",
        "HTTPS_PROXY": f"{mine}:{closed_port()}",
    }

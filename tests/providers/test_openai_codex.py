"""The provider openai-codex: its request compared whole, the account in its token, its errors, and its proxy."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from codex_token import ACCOUNT, signed, token
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Server, closed_port, refusal
from responding import USED, responding
from support import PATIENCE

from dotagent.providers import Completion, Config, Prompt, ProviderError, configure, load, openai_codex, window

LIFE = "9f8e7d6c5b4a9f8e7d6c5b4a9f8e7d6c"


def ask(base: str, settings: dict[str, object] | None = None, **environ: str) -> Completion:
    named = {f"OPENAI_CODEX_{name}": value for name, value in environ.items()}
    key = {} if "OAUTH_TOKEN_FILE" in environ else {"OPENAI_CODEX_OAUTH_ACCESS_TOKEN": token()}
    config = configure("openai-codex", {"OPENAI_CODEX_API_BASE": base, **key, **named}, settings or {})
    assert openai_codex.why_not(config) is None
    messages = ({"role": "system", "content": "be"}, {"role": "user", "content": "Tea?"})
    asked = Prompt("gpt-5", messages, {"max_tokens": 7, "temperature": 0, "text": {"verbosity": "low"}}, LIFE)
    return openai_codex.answer(asked, config, lambda channel, delta: None, lambda: False)


def failure(answer: Answer, **environ: str) -> ProviderError:
    with Server(answer) as server, pytest.raises(ProviderError) as caught:
        ask(server.base, **environ)
    assert token() not in caught.value.hint
    return caught.value


def test_the_request_is_what_the_server_takes() -> None:
    with Server(responding("Tea", reasoning=("Hm",))) as server:
        assert ask(f"{server.base}/backend-api/", {"prompt_cache_key": True}) == Completion("Tea", "Hm", "stop", USED)
    received = server.received[0]
    assert received.path == "/backend-api/codex/responses"
    own = ("accept-encoding", "connection", "content-length", "host", "user-agent")
    assert {name: value for name, value in received.headers.items() if name not in own} == {
        "authorization": f"Bearer {token()}",
        "chatgpt-account-id": ACCOUNT,
        "openai-beta": "responses=experimental",
        "originator": "dotagent",
        "session_id": LIFE,
        "accept": "text/event-stream",
        "content-type": "application/json",
    }
    assert received.body == {
        "model": "gpt-5",
        "instructions": "be",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Tea?"}]}],
        "stream": True,
        "store": False,
        "reasoning": {"summary": "auto"},
        "text": {"verbosity": "low"},
        "prompt_cache_key": LIFE,
    }


def test_without_a_system_message_there_are_instructions_still() -> None:
    with Server(responding("x")) as server:
        environ = {"OPENAI_CODEX_OAUTH_ACCESS_TOKEN": token(), "OPENAI_CODEX_API_BASE": server.base}
        asked = Prompt("gpt-5", ({"role": "user", "content": "Tea?"},))
        openai_codex.answer(asked, configure("openai-codex", environ, {}), lambda *_: None, lambda: False)
    assert server.received[0].body["instructions"]
    assert "session_id" not in server.received[0].headers


@pytest.mark.parametrize("end", ["", "/codex", "/codex/", "/codex/responses"])
def test_no_part_of_the_address_is_doubled(end: str) -> None:
    with Server(responding("x")) as server:
        ask(server.base + end, {"effort": "low"})
    assert server.received[0].path == "/codex/responses"
    assert server.received[0].body["reasoning"] == {"effort": "low", "summary": "auto"}


def test_the_file_of_codex_login_is_read_anew_for_each_call(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    with Server(responding("x")) as server:
        for number in (1, 2):
            tokens = {"id_token": "i", "access_token": token(number), "refresh_token": "r", "account_id": "other"}
            path.write_text(json.dumps({"OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": "now"}))
            ask(server.base, OAUTH_TOKEN_FILE=str(path))
    assert [one.headers["authorization"] for one in server.received] == [f"Bearer {token(n)}" for n in (1, 2)]


def test_an_expired_token_names_the_command_that_gets_another(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text(token())
    expired = refusal(401, "Provided authentication token is expired.", code="token_expired")
    for answer in (expired, Answer((b'{"detail":"Unauthorized"}',), 401, {"content-type": "application/json"})):
        error = failure(answer, OAUTH_TOKEN_FILE=str(path))
        assert (error.kind, error.retryable) == ("auth", False)
        assert error.hint == (
            "OpenAI Codex refuses the token in OPENAI_CODEX_OAUTH_TOKEN_FILE (HTTP 401); the token may have expired:"
            " run `codex login`"
        )
        assert "OPENAI_CODEX_OAUTH_ACCESS_TOKEN (HTTP 401)" in failure(answer).hint


@pytest.mark.parametrize(("seconds", "retryable"), [(30, True), (13872, False)])
def test_a_plan_that_is_used_up_says_until_when(seconds: int, retryable: bool) -> None:
    body = {"type": "usage_limit_reached", "code": None, "plan_type": "plus", "resets_in_seconds": seconds}
    error = failure(refusal(429, "The usage limit has been reached", **body))
    assert (error.kind, error.retryable, error.after) == ("rate", retryable, seconds)
    assert "https://chatgpt.com/codex/settings/usage" in error.hint


def test_other_refusals_keep_their_meaning() -> None:
    detail = json.dumps({"detail": "The 'gpt-5' model is not supported when using Codex with a ChatGPT account."})
    error = failure(Answer((detail.encode(),), 400, {"content-type": "application/json"}))
    assert error.kind == "missing"
    assert "https://developers.openai.com/codex/models" in error.hint
    assert failure(refusal(403, "no")).hint.startswith(
        "the key in OPENAI_CODEX_OAUTH_ACCESS_TOKEN does not permit this"
    )


# --- the token


def account(value: str) -> str:
    return openai_codex.account(Config(value, openai_codex.BASE), openai_codex.PLACE)


def test_the_account_is_a_claim_of_the_token() -> None:
    assert account(token()) == ACCOUNT


@pytest.mark.parametrize(
    "value",
    [
        "sk-0123456789abcdef",
        "a.b.c",
        "a.é.c",
        signed(3),
        signed({}),
        signed({"https://api.openai.com/auth": "x"}),
        signed({"https://api.openai.com/auth": {"chatgpt_account_id": 3}}),
        signed({"https://api.openai.com/auth": {"chatgpt_account_id": "a\r\nx: y"}}),
        f"{token()}.more",
    ],
)
def test_what_tells_of_no_account_is_not_sent(value: str) -> None:
    with pytest.raises(ProviderError) as caught:
        account(value)
    assert caught.value.kind == "unconfigured"
    assert "codex login" in caught.value.hint
    assert value not in caught.value.hint


@given(st.text() | st.binary().map(lambda raw: f"a.{base64.urlsafe_b64encode(raw).decode()}.c"))
def test_any_token_has_an_account_or_is_an_error(value: str) -> None:
    with pytest.raises(ProviderError):
        account(value)


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({}, "OPENAI_CODEX_OAUTH_ACCESS_TOKEN is not set (nor OPENAI_CODEX_OAUTH_TOKEN_FILE): run `codex login`"),
        ({"API_KEY": "k", "OAUTH_ACCESS_TOKEN": ""}, "OPENAI_CODEX_OAUTH_ACCESS_TOKEN is not set"),
        ({"OAUTH_ACCESS_TOKEN": token(), "OAUTH_TOKEN_FILE": "/x"}, "are set, but only one can be used"),
        ({"OAUTH_ACCESS_TOKEN": "sk-0123456789"}, "contains no token of a ChatGPT account"),
        ({"OAUTH_ACCESS_TOKEN": token(), "PROXY": "proxy:8080"}, "OPENAI_CODEX_PROXY must be an address"),
        ({"OAUTH_ACCESS_TOKEN": token(), "PROXY": "socks5://proxy"}, "OPENAI_CODEX_PROXY must be an address"),
        ({"OAUTH_ACCESS_TOKEN": token(), "PROXY": "http://pro xy"}, "OPENAI_CODEX_PROXY must be an address"),
        ({"OAUTH_ACCESS_TOKEN": token(), "API_BASE": "chatgpt.com"}, "OPENAI_CODEX_API_BASE must be"),
    ],
)
def test_what_is_wrong_with_a_configuration(environ: dict[str, str], says: str) -> None:
    given = {f"OPENAI_CODEX_{name}": value for name, value in environ.items()}
    hint = load("openai-codex").why_not(configure("openai-codex", {"OPENAI_API_KEY": "k", **given}, {}))
    assert hint is not None
    assert says in hint
    assert token() not in hint


def test_its_windows() -> None:
    assert window(openai_codex.WINDOW, openai_codex.MODEL) == 272_000
    assert window(openai_codex.WINDOW, "gpt-5.3-codex-spark") == window(openai_codex.WINDOW, "some-other") == 128_000


# --- the proxy


def test_a_proxy_is_asked_for_the_whole_address_and_nobody_else() -> None:
    """The name of the address is the proxy's to find: there is no such host for us."""
    with Server(responding("by proxy")) as proxy:
        address = proxy.base.replace("//", "//ana:hunter2@")
        assert ask("http://chatgpt.example/backend-api", PROXY=address).text == "by proxy"
        direct = Server(responding("direct"))
        with direct:
            assert ask(direct.base).text == "direct"
            assert ask(direct.base, PROXY=address).text == "by proxy"
    assert [one.path for one in proxy.received] == [
        "http://chatgpt.example/backend-api/codex/responses",
        f"{direct.base}/codex/responses",
    ]
    assert proxy.received[0].headers["proxy-authorization"] == "Basic " + base64.b64encode(b"ana:hunter2").decode()
    assert len(direct.received) == 1


@contextmanager
def refusing(status: str) -> Iterator[tuple[str, list[bytes]]]:
    """A proxy that takes one connection and answers its first words so."""
    heard = list[bytes]()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://ana:hunter2@127.0.0.1:{listener.getsockname()[1]}", heard
        thread.join(PATIENCE)


def test_a_proxy_carries_what_is_encrypted_and_its_refusal_is_told_without_its_password() -> None:
    with refusing("407 Proxy Authentication Required") as (address, heard), pytest.raises(ProviderError) as caught:
        ask("https://chatgpt.example/backend-api", PROXY=address)
    assert heard[0].startswith(b"CONNECT chatgpt.example:443 ")
    assert token().encode() not in heard[0]
    assert (caught.value.kind, caught.value.retryable) == ("network", True)
    assert "through the proxy http://127.0.0.1:" in caught.value.hint
    assert "407" in caught.value.hint
    assert "hunter2" not in caught.value.hint


def test_a_proxy_that_is_not_there() -> None:
    with pytest.raises(ProviderError, match="through the proxy") as caught:
        ask("https://chatgpt.example/backend-api", PROXY=f"http://127.0.0.1:{closed_port()}")
    assert caught.value.kind == "network"


# --- a token whose time is over


def kept(path: Path, access: str, **more: object) -> None:
    tokens = {"access_token": access, "refresh_token": "rt-1-0123456789", "id_token": "old", **more}
    path.write_text(json.dumps({"OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": "2025-01-01T00:00:00Z"}))


@pytest.mark.parametrize("when", ["its time is over", "the server refuses it"])
def test_it_is_renewed_from_the_refresh_token_and_kept_where_it_was(tmp_path: Path, when: str) -> None:
    path, old, new = tmp_path / "auth.json", token(1, ends=1 if "over" in when else 2**33), token(2)
    kept(path, old)
    refused = [refusal(401, "expired", code="token_expired")] if "refuses" in when else []
    pages = {"/oauth/token": {"access_token": new, "refresh_token": "rt-2-0123456789", "id_token": "fresh"}}
    with Server(*refused, responding("Tea"), pages=pages) as server:
        given = {"OAUTH_TOKEN_FILE": str(path), "OAUTH_TOKEN_URL": f"{server.base}/oauth/token"}
        assert ask(server.base, None, **given).text == ask(server.base, None, **given).text == "Tea"
    (asked,) = server.looked  # once
    assert asked.body["refresh_token"] == "rt-1-0123456789" and asked.body["grant_type"] == "refresh_token"
    assert [one.headers["authorization"] for one in server.received][-2:] == [f"Bearer {new}"] * 2
    told = json.loads(path.read_text())
    assert told["tokens"] == {"access_token": new, "refresh_token": "rt-2-0123456789", "id_token": "fresh"}
    assert "OPENAI_API_KEY" in told and told["last_refresh"] > "2026" and path.stat().st_mode & 0o777 == 0o600


def test_one_that_another_program_renewed_is_taken_and_one_that_is_refused_is_told_of(tmp_path: Path) -> None:
    path, old, new = tmp_path / "auth.json", token(1), token(2)
    kept(path, old)

    def renewed(_: object) -> Answer:
        kept(path, new)
        return refusal(401, "expired", code="token_expired")

    with Server(renewed, responding("Tea")) as server:
        assert ask(server.base, None, OAUTH_TOKEN_FILE=str(path)).text == "Tea" and not server.looked
    kept(path, token(1, ends=1))
    with Server(responding("Tea"), pages={"/oauth/token": refusal(400, "refresh_token_reused")}) as server:
        with pytest.raises(ProviderError, match="has expired and could not be renewed; run `codex login`") as caught:
            ask(server.base, None, OAUTH_TOKEN_FILE=str(path), OAUTH_TOKEN_URL=f"{server.base}/oauth/token")
        assert caught.value.kind == "auth" and "rt-1" not in caught.value.hint and not server.received
    kept(path, token(1, ends=1))
    with pytest.raises(ProviderError) as unreached:
        ask(
            "http://127.0.0.1:9",
            None,
            OAUTH_TOKEN_FILE=str(path),
            OAUTH_TOKEN_URL=f"http://127.0.0.1:{closed_port()}/t",
        )
    assert unreached.value.retryable and json.loads(path.read_text())["tokens"]["access_token"] == token(1, ends=1)

"""A call that fails, is left or is tried again, against a real server on loopback; and many at once."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import httpcore
import pytest
from caller import ASKED, KEY, PLACE, ask, failure, never
from loopback import CUT, STALL, Answer, Received, Server, closed_port, event, refusal, stream, whole
from support import PATIENCE

from dotagent.providers import Config, Prompt, ProviderError, deepseek
from dotagent.providers.formats import chat, connections, http
from dotagent.providers.server.retry import attempts


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ('“well” – "◱\\é" \n\t\x00\u2028 🙂', {"a": [1, 2.5, None, True], "b": {"": "x"}, "c": 1e-9}),
        ("half a pair \ud800 of surrogates", {}),
        ("a number of more than 64 bits", {"seed": 2**70}),
        ("long " * 50_000, {}),
    ],
)
def test_what_is_asked_arrives(text: str, params: dict[str, object]) -> None:
    asked = replace(ASKED, messages=({"role": "user", "content": text},), params=params)
    with Server(whole("well")) as server:
        post = chat.request(asked, Config(KEY, server.base, None, {}), PLACE)
        chat.ask(post, lambda channel, delta: None, never)
        assert post.body
        sent = json.loads(json.dumps({**post.body}).replace("\\ud800", "?"))
        assert server.received[0].body == sent


def test_a_silent_server_is_given_up() -> None:
    with Server(Answer((event({"content": "x"}), STALL))) as server:
        error = failure(server, stall=0.1)
        assert server.hung_up.wait(PATIENCE)
    assert (error.kind, error.retryable) == ("stalled", True)
    assert "0.1 s" in error.hint


@pytest.mark.parametrize(
    ("pieces", "told", "again"), [((), "0.3 s", False), ((event({"content": "x"}),), "0.1 s", True)]
)
def test_a_model_that_thinks_has_longer_for_its_first_word_and_is_not_asked_twice(
    pieces: tuple[bytes, ...], told: str, again: bool
) -> None:
    with Server(Answer((*pieces, STALL))) as server:
        post = chat.request(ASKED, Config(KEY, server.base, None, {}), PLACE, silence=http.Silence(0.3, 0.1))
        with pytest.raises(ProviderError) as caught:
            chat.ask(post, lambda *_: None, never)
    assert (caught.value.kind, caught.value.retryable) == ("stalled", again)
    assert f"sent nothing for {told}" in caught.value.hint


def test_a_hosted_model_may_think_for_minutes_unless_settings_say_otherwise() -> None:
    assert http.patience(Config(KEY, "")).first >= 180
    assert http.patience(Config(KEY, "", None, {"stall": 5})) == http.Silence(5, 5)


def test_a_server_that_nobody_is_behind() -> None:
    error = failure(f"http://127.0.0.1:{closed_port()}")
    assert (error.kind, error.retryable) == ("network", True)
    assert "LOOP_API_BASE" in error.hint


def test_a_hint_shows_no_password_of_an_address() -> None:
    error = failure(f"http://ana:hunter2@127.0.0.1:{closed_port()}/v1?token=hunter2")
    assert "hunter2" not in error.hint


def test_a_server_that_speaks_no_tls_is_a_hint() -> None:
    with Server(stream("x")) as server:
        error = failure(server.base.replace("http", "https"))
    assert (error.kind, error.retryable) == ("network", True)
    assert "cannot be reached" in error.hint


def test_stop_leaves_a_silent_server_at_once_and_hangs_up() -> None:
    stopped = threading.Event()

    def late(_: Received) -> Answer:
        stopped.set()
        return Answer((STALL,))

    with Server(late) as server:
        error = failure(server, stop=stopped.is_set)
        assert server.hung_up.wait(PATIENCE)
    assert (error.kind, error.retryable) == ("cancelled", False)


def test_stop_leaves_a_server_that_has_not_even_answered() -> None:
    stopped, release = threading.Event(), threading.Event()

    def silent(_: Received) -> Answer:
        stopped.set()
        release.wait(PATIENCE)
        return stream("too late")

    with Server(silent) as server:
        assert failure(server, stop=stopped.is_set).kind == "cancelled"
        release.set()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_stop_leaves_a_server_that_takes_no_request_and_shakes_no_hand(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as silent:  # connected by the system, read by nobody
        config = Config(KEY, f"{scheme}://127.0.0.1:{silent.getsockname()[1]}")
        post = chat.request(replace(ASKED, params={"extra": "x" * (32 << 20)}), config, PLACE)
        start = time.monotonic()
        with pytest.raises(ProviderError) as caught:
            chat.ask(post, lambda *_: None, lambda: time.monotonic() > start + 0.1)
    assert caught.value.kind == "cancelled"


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8, and a backlog that is that full"
)
def test_an_address_that_nobody_is_behind_does_not_hold_up_the_next_one() -> None:
    before = {*threading.enumerate()}
    with socket.create_server(("127.0.0.1", 0)) as there, socket.socket() as full:
        port = there.getsockname()[1]
        full.bind(("127.0.0.2", port))
        full.listen(0)
        with ExitStack() as taken, connections.heeding(never):
            for _ in range(8):  # of which the system takes one or two, and answers the rest not at all
                one = taken.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex(("127.0.0.2", port))
            for addresses in (["127.0.0.2", "127.0.0.1"], ["127.0.0.3", "127.0.0.1"]):
                found = connections.reach(addresses, port, 5.0)
                assert found.get_extra_info("server_addr")[0] == "127.0.0.1"
                found.close()
            with pytest.raises(httpcore.ConnectError):
                connections.reach(["127.0.0.3"], port, 5.0)
    for one in {*threading.enumerate()} - before:
        one.join(PATIENCE)  # it was still connecting, and is refused now


def test_an_answer_without_an_end_is_left() -> None:
    with Server(Answer((*[event({"content": "on and "})] * 50, STALL))) as server:
        post = chat.request(ASKED, Config(KEY, server.base), PLACE)
        with pytest.raises(ProviderError) as caught:
            chat.ask(replace(post, most=2000), lambda *_: None, never)
        assert server.hung_up.wait(PATIENCE)
    assert (caught.value.kind, caught.value.retryable) == ("server", False)


ONE = """
import sys
from dotagent.providers import *
from dotagent.providers import deepseek
try:
    print(deepseek.answer(Prompt("m", ()), Config("k", sys.argv[1]), lambda *_: None, lambda: False).text)
except ProviderError as error:
    print(error.kind, error.hint)
"""


def said(base: str, **environ: str) -> str:
    """What comes of one call, or the error, in an environment of its own; nothing is printed beside it."""
    program = [sys.executable, "-c", ONE, base]
    plain = {name: value for name, value in os.environ.items() if not re.search("proxy|^SSL|BUNDLE", name, re.I)}
    ran = subprocess.run(program, env={**plain, **environ}, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.stdout.rstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
def test_loopback_is_reached_past_a_proxy(scheme: str) -> None:
    proxy = f"{scheme}://127.0.0.1:{closed_port()}"
    with Server(stream("direct")) as server:
        for base in (server.base, server.base.replace("127.0.0.1", "localhost")):
            assert said(base, HTTP_PROXY=proxy, http_proxy=proxy, ALL_PROXY=proxy) == "direct"


@pytest.mark.slow
def test_an_http_proxy_carries_a_call_but_to_whom_the_environment_excepts() -> None:
    with Server(stream("by proxy")) as server:
        proxy = server.base
        assert said("http://api.invalid", HTTP_PROXY=proxy, http_proxy=proxy) == "by proxy"
        excepted = said("http://api.invalid", HTTP_PROXY=proxy, http_proxy=proxy, NO_PROXY=".invalid")
    assert excepted.startswith("network ") and len(server.received) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "sent"),
    [("ana:p%40s%3As%2F", "ana:p@s:s/"), ("ana:%C3%BCx", "ana:üx"), ("ana", "ana:"), ("a:1%", "a:1%")],
)
def test_the_name_and_password_of_a_proxy_are_used(given: str, sent: str) -> None:
    with Server(stream("by proxy")) as server:
        proxy = server.base.replace("http://", f"http://{given}@")
        assert said("http://api.invalid", HTTP_PROXY=proxy, http_proxy=proxy) == "by proxy"
    kind, _, basic = server.received[0].headers["proxy-authorization"].partition(" ")
    assert (kind, b64decode(basic).decode()) == ("Basic", sent)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "/", "/llm"])
def test_an_address_without_its_version_is_tried_with_it_and_remembered(path: str) -> None:
    there = f"{path.rstrip('/')}/v1/chat/completions"

    def only_there(received: Received) -> Answer:
        return stream("yes") if received.path == there else refusal(404, "Not Found")

    with Server(only_there) as server:
        for _ in range(2):
            assert answered(f"{server.base}{path}") == "yes"
        assert [one.path == there for one in server.received] == [False, True, True]


def test_a_model_that_is_not_there_is_asked_for_once() -> None:
    with Server(refusal(404, "The model m does not exist")) as server:
        with pytest.raises(ProviderError, match="does not exist"):
            answered(server.base)
        assert len(server.received) == 1


def answered(base: str) -> str:
    asked = Prompt("m", ({"role": "user", "content": "how?"},))
    return deepseek.answer(asked, Config("k", base), lambda *_: None, lambda: False).text


@contextmanager
def socks(port: int) -> Iterator[tuple[str, list[bytes]]]:
    """A SOCKS5 proxy (RFC 1928) that takes one connection, to whatever name, to this port; and what it was asked."""
    asked = list[bytes]()

    def carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client, socket.create_connection(("127.0.0.1", port)) as server:
                client.recv(64)
                client.sendall(b"\x05\x00")
                asked.append(client.recv(512))
                client.sendall(b"\x05\x00\x00\x01" + bytes(6))
                threading.Thread(target=carry, args=(client, server), daemon=True).start()
                carry(server, client)

        threading.Thread(target=serve, daemon=True).start()
        yield f"socks5://127.0.0.1:{listener.getsockname()[1]}", asked


@pytest.mark.slow
@pytest.mark.parametrize("form", ["{}", " {}/", "GNOME"])
def test_a_socks_proxy_carries_a_call(form: str) -> None:
    with Server(stream("by socks")) as server, socks(int(server.base.rpartition(":")[2])) as (proxy, asked):
        address = proxy.replace("socks5", "socks") + "/" if form == "GNOME" else form.format(proxy)
        assert said("http://api.example:8080", ALL_PROXY=address) == "by socks"
    assert b"api.example" in asked[0]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "quote"), [("http", ""), ("http", '"'), ("socks5", "")])
def test_a_proxy_of_the_environment_that_is_not_there_is_named_without_its_password(kind: str, quote: str) -> None:
    where = f"127.0.0.1:{closed_port()}"
    hint = said("http://api.example", ALL_PROXY=f"{quote}{kind}://ana:hunter2@{where}{quote}")
    assert f"api.example through the proxy {kind}://{where} cannot be reached" in hint and "hunter2" not in hint


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ALL_PROXY", "socks9://ana:hunter2@127.0.0.1:9", "begins with socks9://, but"),
        ("all_proxy", "socks4a://ana:hunter2@127.0.0.1:9", "begins with socks4a://, but"),
        ("HTTPS_PROXY", "ftp://ana:hunter2@127.0.0.1:9", "begins with ftp://, but"),
        ("HTTPS_PROXY", "http://ana:hunter2#1@127.0.0.1:9", "is not the address of a proxy"),
        ("ALL_PROXY", "http=127.0.0.1:9;https=127.0.0.1:9", "is not the address of a proxy"),
        ("ALL_PROXY", "http://", "is not the address of a proxy"),
        ("SSL_CERT_FILE", "/nowhere/ca.pem", "No such file"),
        ("REQUESTS_CA_BUNDLE", "/nowhere/ca.pem", "No such file"),
    ],
)
def test_an_environment_that_cannot_be_used_is_named_and_no_fault_of_ours(variable: str, value: str, told: str) -> None:
    hint = said("https://api.example", **{variable: value})
    assert hint.startswith("unconfigured ") and told in hint and variable in hint
    assert "hunter2" not in hint


def test_many_calls_are_in_flight_at_once() -> None:
    together = threading.Barrier(8)

    def wait(_: Received) -> Answer:
        together.wait(PATIENCE)
        return stream("x")

    with Server(wait) as server:
        replies = list[str]()
        threads = [threading.Thread(target=lambda: replies.append(ask(server).text)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == ["x"] * 8


def test_a_broken_stream_is_tried_again_and_nothing_is_doubled() -> None:
    streams = list[list[tuple[str, str]]]()
    broken = Answer((event({"content": "Good "}), CUT))
    with Server(broken, stream("Good ", "day")) as server:
        reply = attempts(
            lambda: ask(server, seen=streams[-1]),
            begin=lambda number: streams.append([]),
            stop=never,
            sleep=lambda seconds: None,
        )
    assert reply.text == "Good day"
    assert streams == [[("text", "Good ")], [("text", "Good "), ("text", "day")]]

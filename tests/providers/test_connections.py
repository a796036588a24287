"""Connections that are kept for the next call: how many, how long, and never one that the server has closed."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack, closing

import httpcore
import pytest
from caller import ask, failure
from loopback import Server, stream, whole
from support import PATIENCE

from dotagent.providers.formats import connections


def test_connections_are_kept_for_the_next_call() -> None:
    """Of ten calls in a row at most some find that the one before has not been read to its very end."""
    with Server(stream("x")) as server:
        for _ in range(10):
            ask(server)
        assert server.connections < 5
        assert len(server.received) == 10


@pytest.mark.parametrize(("kept", "used"), [(30.0, 1), (0.0, 2)])
def test_a_connection_that_rested_too_long_is_closed(kept: float, used: int) -> None:
    with httpcore.ConnectionPool(network_backend=httpcore.SyncBackend()) as pool, Server(whole("x")) as server:
        way, url = connections.Way(pool, kept), httpcore.URL(server.base)
        for _ in range(2):
            with way.connection(url) as one, one.stream("POST", url, content=b"{}") as answer:
                answer.read()
        assert server.connections == used
        with way.connection(url) as one:
            one.close()


def test_to_however_many_servers_some_connections_are_kept_the_last() -> None:
    with httpcore.ConnectionPool(network_backend=httpcore.SyncBackend()) as pool, ExitStack() as servers:
        way = servers.enter_context(closing(connections.Way(pool)))
        seen = [servers.enter_context(Server(whole("x"))) for _ in range(connections.IDLE + 3)]
        for server in (*seen, seen[-1], seen[0]):
            url = httpcore.URL(server.base)
            with way.connection(url) as one, one.stream("POST", url, content=b"{}") as answer:
                answer.read()
        assert (seen[0].connections, seen[-1].connections) == (2, 1), "the first one's was closed"


def test_a_request_goes_in_one_piece_and_never_to_a_server_that_has_hung_up() -> None:
    said = b"".join(one for one in stream("x").pieces if isinstance(one, bytes))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(said)
    closed, pieces = threading.Semaphore(0), list[bytes]()

    def serve(listening: socket.socket) -> None:
        for _ in range(3):
            connection, _ = listening.accept()
            pieces.append(connection.recv(1 << 16))
            connection.sendall(head + said)
            connection.close()
            closed.release()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve, args=(listening,))
        serving.start()
        for _ in range(3):
            assert ask(f"http://127.0.0.1:{listening.getsockname()[1]}").text == "x"
            assert closed.acquire(timeout=PATIENCE)
        serving.join()
    assert all(piece.startswith(b"POST ") and piece.endswith(b"}}") for piece in pieces)


@pytest.mark.parametrize(
    ("answers", "told"),
    [([[True, False], [True]], ["x", "x"]), ([[True, False], [False]], ["x", "network"]), ([[False]], ["network"])],
)
def test_what_a_connection_that_was_kept_leaves_unanswered_goes_by_a_new_one_once(
    answers: list[list[bool]], told: list[str]
) -> None:
    """llama.cpp's server closes it after each stream without a word, and the next request may be on its way."""
    said = b"".join(one for one in stream("x").pieces if isinstance(one, bytes))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(said)

    def serve(listening: socket.socket) -> None:
        for row in answers:
            connection, _ = listening.accept()
            with connection:
                for answered in row:
                    assert connection.recv(1 << 16).endswith(b"}}")
                    connection.sendall((head + said) * answered)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve, args=(listening,))
        serving.start()
        base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert [failure(base).kind if one == "network" else ask(base).text for one in told] == told
        serving.join()

"""What a permanent refusal costs: the requests that a server gets for each of three messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from loopback import Answer, Server, refusal, stream

from dotagent.providers import Config, Prompt, ProviderError
from dotagent.providers.formats import attempts, chat
from dotagent.providers.formats.place import Address

PLACE = Address("Here", "HERE_API_KEY", "HERE_API_BASE", "https://keys", "https://credit", "https://models")
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
TALK = [
    {"role": "user", "content": "#1 10:00 dev ana: read it"},
    {"role": "assistant", "content": "READ_FILE a.md"},
    {"role": "user", "content": "#3 READ_FILE:\n  the ferry leaves at seven"},
    {"role": "assistant", "content": "At seven."},
]
ASKED = {"role": "user", "content": "#5 10:05 dev ana: and now?"}
TOOL = {"role": "assistant", "content": "WEB_FETCH x"}
RESULT = {"role": "user", "content": "#7 WEB_FETCH:\n  a page"}
SHOWN = {"role": "user", "content": [{"type": "text", "text": ASKED["content"]}, PICTURE]}
LONG = {"role": "user", "content": f"#1 10:00 dev ana: {'the boat is late. ' * 1300}"}

REFUSALS = {
    "unclear": refusal(400, "Invalid request."),
    "a filter": refusal(400, "flagged", code="content_filter"),
    "no words": Answer((b"",), 400, {"content-type": "application/json"}),
    "options": refusal(400, "Check `temperature`, `seed` and `stream_options` in the parameters"),
}

# the messages that the server has answered, those that it refuses, and the requests for each of three messages
ROWS: list[tuple[str, list[Any], list[Any], list[int]]] = [
    ("unclear", [], [ASKED], [1, 1, 1]),
    ("unclear", TALK[:3], [*TALK, ASKED], [1, 1, 1]),
    ("unclear", [], [*TALK, ASKED], [2, 1, 1]),
    ("unclear", [], [LONG, *TALK[1:], ASKED], [1, 1, 1]),
    ("unclear", [*TALK, ASKED], [*TALK, ASKED, TOOL, RESULT], [2, 1, 1]),
    ("unclear", TALK[:3], [*TALK, SHOWN], [2, 1, 1]),
    ("a filter", TALK[:3], [*TALK, ASKED], [1, 1, 1]),
    ("a filter", [*TALK, ASKED], [*TALK, ASKED, TOOL, RESULT], [2, 1, 1]),
    ("no words", [], [ASKED], [2, 1, 1]),
    ("no words", TALK[:3], [*TALK, ASKED], [1, 1, 1]),
    ("no words", TALK[:3], [*TALK, SHOWN], [2, 1, 1]),
    ("options", TALK[:3], [*TALK, ASKED], [2, 1, 1]),
]


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    attempts.forget()
    yield
    attempts.forget()


def ask(server: Server, turns: list[Any]) -> int:
    """Ask with these messages, and return the number of requests."""
    before = len(server.received)
    prompt = Prompt("m", ({"role": "system", "content": "be"}, *turns), {"temperature": 0.1, "seed": 1}, "ab")
    config = Config("sk-0123456789abcdef", f"{server.base}/v1")
    try:
        chat.ask(chat.request(prompt, config, PLACE), lambda *_: None, lambda: False)
    except ProviderError as error:
        assert error.kind == "bad_request"
    return len(server.received) - before


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{len(row[1])}-{len(row[2])}")
def test_a_permanent_refusal_costs_few_requests_and_later_messages_one(
    row: tuple[str, list[Any], list[Any], list[int]],
) -> None:
    said, answered, turns, requests = row
    with Server(*([stream("yes")] if answered else []), REFUSALS[said]) as server:
        if answered:
            ask(server, answered)
        found = []
        for number in range(3):
            found.append(ask(server, turns))
            turns = [*turns, {"role": "user", "content": f"#{20 + number} 10:06 dev ana: and then?"}]
        assert found == requests

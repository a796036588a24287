"""The crash drill's model: a server on 127.0.0.1 that obeys orders by tools with effects, and compacts when asked to.

It keeps its replies, because a prompt may show a long one only in part. What a prompt holds since its own last reply is
what it has to do, so a call that is asked again is answered alike. Answers are streamed in pieces, so that a kill finds
some of them half-way.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import common  # noqa: F401  it puts dotagent on the path
from forget_model import compacted, whole

from dotagent.providers.offline_rules.view import entries
from dotagent.store.requests import ChatMessage

PIECE, GAP = 120, 0.004  # characters of a streamed piece; seconds between two
STRAY = "(setsid sh -c 'while :; do echo {0} >> strays; sleep 0.02; done' &);"
CALLS = {  # what an order takes
    "SAY": "SAY dev answer {0}",
    "WRITE_FILE": "WRITE_FILE notes/{0}.md <<END\n{0}\nEND",
    "EDIT_FILE": "EDIT_FILE list.md <<END\n<<<<<<< SEARCH\nthe end\n=======\n- {0}\nthe end\n>>>>>>> REPLACE\nEND",
    "RUN": "RUN echo {0} >> ran; {1} sleep 0.{2}; echo done {0}",
}
MADE = re.compile(r"(?m)^(?:(SAY) dev answer |(WRITE_FILE) notes/|(EDIT_FILE)(?:.*\n){4}- |(RUN) echo )(\d+)")
ORDER = re.compile(r"\border (\d+):")
DEADLY = "times during this call, so I do not try it again"  # of a call that was due at two crashes and had not begun


def tools_of(number: int) -> list[str]:
    """The tools that an order takes."""
    return [*CALLS][: 2 if number % 3 == 0 else 4]


def call(tool: str, number: int) -> str:
    """One call of an order; a command leaves something behind at every second one."""
    return CALLS[tool].format(number, STRAY.format(number) if number % 2 else "", number % 5)


def reply(messages: Sequence[ChatMessage], said: Sequence[str]) -> str:
    """What the model says to a prompt: what was not tried, once more, and what was heard since its last reply."""
    compact = compacted(messages)
    if compact is not None:
        return compact
    view = entries(messages)
    last = max((at for at, (_, event, _) in enumerate(view) if event == "ANSWER"), default=-1)
    results = [(event.split(" ")[1:], body) for _, event, body in view[last + 1 :] if event.startswith("TOOL ")]
    heard = [body for _, event, body in view[last + 1 :] if event.startswith("HEAR ")]
    todo = list(_untried(whole(view[last][2], said), results)) if last >= 0 else []
    todo += [(tool, int(number)) for body in heard for number in ORDER.findall(body) for tool in tools_of(int(number))]
    return "\n".join(call(tool, number) for tool, number in todo) or "WAIT"


def _untried(mine: str, results: list[tuple[list[str], str]]) -> Iterator[tuple[str, int]]:
    """The calls of a reply that were not done since the agent had died over them; SAY shows nothing when it is done."""
    for *names, number in MADE.findall(mine):
        tool = "".join(names)
        if results and results[0][0][0] == tool and DEADLY in results.pop(0)[1]:
            yield tool, int(number)


class Model:
    """The server, in threads of this process; `base` is its address."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


class _Answer(BaseHTTPRequestHandler):
    said: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        with suppress(OSError, json.JSONDecodeError):  # the provider was killed
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = reply(asked["messages"], self.said)
            self.said.append(text)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for at in range(0, len(text), PIECE):
                self._send({"delta": {"content": text[at : at + PIECE]}, "finish_reason": None})
                time.sleep(GAP)
            size = sum(len(message["content"]) for message in asked["messages"])
            usage = {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}
            self._send({"delta": {}, "finish_reason": "stop"}, usage=usage)
            self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, choice: dict[str, object], **more: object) -> None:
        told = {"choices": [{"index": 0, **choice}], **more}
        self.wfile.write(f"data: {json.dumps(told)}\n\n".encode())

    def log_message(self, format: str, *given: object) -> None:
        """Say nothing."""

"""A Telegram on 127.0.0.1: the Bot API as documented, as far as a bridge uses it.

Updates stay until they are acknowledged by a higher offset; `says` makes one, `tells` one of any JSON. `sent` has the
bot's messages as they are now, `calls` what was asked. `wrong` maps a method to what its next calls get; CUT does it
and breaks off.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from support import PATIENCE

TOKEN = "123456:" + "A" * 35
ME = {"id": 7, "is_bot": True, "first_name": "Dot", "username": "dot_bot"}
CUT = "cut"
ANA = {"id": 11, "is_bot": False, "first_name": "Ana", "username": "ana"}
EVE = {"id": 66, "is_bot": False, "first_name": "Ana", "last_name": "Nova"}
PRIVATE = {"id": 11, "type": "private", "first_name": "Ana", "username": "ana"}
GROUP = {"id": -100, "type": "supergroup", "title": "Trip", "is_forum": True}


class Telegram:
    """The server, listening while its `with` block runs."""

    def __init__(self) -> None:
        self.updates: list[dict[str, Any]] = []
        self.sent: dict[int, dict[str, Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.wrong: dict[str, list[Any]] = {}
        self.files: dict[str, bytes] = {}
        self.changed = threading.Condition()
        self.number = 100
        self.ended = False
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.base = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Telegram:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self.changed:
            self.ended = True
            self.changed.notify_all()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def says(
        self, text: str = "", sender: Mapping[str, Any] = ANA, chat: Mapping[str, Any] = PRIVATE, **more: Any
    ) -> int:
        """Let somebody say something; the message's id."""
        with self.changed:
            self.number += 1
            message = {"message_id": self.number, "date": int(time.time()), "chat": chat, "from": sender, **more}
            if text:
                message["text"] = text
            self.updates.append({"update_id": self.number + 5000, "message": message})
            self.changed.notify_all()
            return self.number

    def tells(self, update: str) -> int:
        """Let an update of this JSON come, in which ID stands for its number."""
        with self.changed:
            self.number += 1
            id = self.number + 5000
            self.updates.append({"update_id": id, "raw": update.replace("ID", str(id))})
            self.changed.notify_all()
            return id

    def edits(self, id: int, text: str, chat: Mapping[str, Any] = PRIVATE) -> None:
        """Let Ana change her message."""
        with self.changed:
            self.number += 1
            now = int(time.time())
            message = {"message_id": id, "date": now, "edit_date": now, "chat": chat, "from": ANA}
            self.updates.append({"update_id": self.number + 5000, "edited_message": {**message, "text": text}})
            self.changed.notify_all()

    def waits(self, text: str) -> dict[str, Any]:
        """The bot's message that holds the text, once it is there."""
        with self.changed:
            assert self.changed.wait_for(lambda: self._holding(text), PATIENCE), (text, self.sent, self.calls[-5:])
            return self._holding(text)[0]

    def asked(self, method: str, count: int = 1) -> list[dict[str, Any]]:
        """What the method was asked, once it was so often."""
        with self.changed:
            enough = self.changed.wait_for(lambda: len(self._asked(method)) >= count, PATIENCE)
            assert enough, (method, [name for name, _ in self.calls])
            return self._asked(method)

    def _asked(self, method: str) -> list[dict[str, Any]]:
        return [given for name, given in self.calls if name == method]

    def _holding(self, text: str) -> list[dict[str, Any]]:
        return [one for one in self.sent.values() if text in one["text"]]

    def answer(self, method: str, given: dict[str, Any]) -> tuple[int, Any]:
        """The status and the body of an answer."""
        with self.changed:
            self.calls.append((method, given))
            self.changed.notify_all()
            wrong = self.wrong.get(method, [])
            error = wrong.pop(0) if wrong else None
            if error and error != CUT:
                return error
            status, told = getattr(self, f"_{method}")(given)
            return (0, None) if error == CUT else (status, told)

    def _getMe(self, given: dict[str, Any]) -> tuple[int, Any]:
        return ok(ME)

    def _getUpdates(self, given: dict[str, Any]) -> tuple[int, Any]:
        self.updates = [one for one in self.updates if one["update_id"] >= given["offset"]]
        self.changed.wait_for(lambda: self.updates or self.ended, given["timeout"])
        told = [one.get("raw") or json.dumps(one) for one in self.updates[: given["limit"]]]
        return 200, f'{{"ok": true, "result": [{", ".join(told)}]}}'.encode()

    def _sendMessage(self, given: dict[str, Any]) -> tuple[int, Any]:
        if len(given["text"].encode("utf-16-le")) > 2 * 4096:
            return refused(400, "Bad Request: message is too long")
        self.number += 1
        self.sent[self.number] = {**given, "message_id": self.number}
        self.changed.notify_all()
        return ok(self.sent[self.number])

    def _editMessageText(self, given: dict[str, Any]) -> tuple[int, Any]:
        there = self.sent.get(given["message_id"])
        if there is None:
            return refused(400, "Bad Request: message to edit not found")
        if there["text"] == given["text"]:
            return refused(400, "Bad Request: message is not modified: specified new message content is the same")
        there["text"] = given["text"]
        self.changed.notify_all()
        return ok(there)

    def _deleteMessage(self, given: dict[str, Any]) -> tuple[int, Any]:
        gone = self.sent.pop(given["message_id"], None)
        self.changed.notify_all()
        return ok(True) if gone else refused(400, "Bad Request: message to delete not found")

    def _sendChatAction(self, given: dict[str, Any]) -> tuple[int, Any]:
        return ok(True)

    def _getFile(self, given: dict[str, Any]) -> tuple[int, Any]:
        return ok({"file_id": given["file_id"], "file_path": f"documents/{given['file_id']}"})


def ok(result: object) -> tuple[int, Any]:
    return 200, {"ok": True, "result": result}


def refused(status: int, words: str, **parameters: object) -> tuple[int, Any]:
    """An error as the Bot API gives it."""
    return status, {"ok": False, "error_code": status, "description": words, "parameters": parameters}


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: Telegram) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, json.JSONDecodeError):
            self.close_connection = True  # the client was killed

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prefix, _, method = self.path.rpartition("/")
        if prefix != f"/bot{TOKEN}":
            self._send(401, json.dumps(refused(401, "Unauthorized")[1]).encode())
            return
        status, told = self.server.owner.answer(method, given)
        if not status:
            self.close_connection = True
            return
        self._send(status, told if isinstance(told, bytes) else json.dumps(told).encode())

    def do_GET(self) -> None:
        name = self.path.removeprefix(f"/file/bot{TOKEN}/documents/")
        found = self.server.owner.files.get(name)
        self._send(200 if found is not None else 404, found or b"")

    def _send(self, status: int, data: bytes) -> None:
        with suppress(ConnectionError):
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: pytest shows what fails."""

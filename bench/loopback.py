"""A model server for benches, as a process of its own: chat completions on 127.0.0.1 that tell when what happened.

`python bench/loopback.py` prints its port. A request's last message is a JSON object that says how to answer: `tag`,
`chunks` (how many), `gap` (seconds between them), `wait` (seconds before the first), `hold` (how many requests must be
open at once before any of these is answered). GET /times gives, by tag, when the request was there, when the first
chunk went and when the last byte went, in seconds of the clock that all processes share, and forgets them.
"""

from __future__ import annotations

import asyncio
import json
import time

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
now = time.perf_counter


class Model:
    """What has been asked, and who waits for others."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, float]] = {}
        self.open = 0
        self.most = 0
        self.enough = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        try:
            while (line := await reader.readline()).strip():
                size = 0
                while (head := await reader.readline()).strip():
                    name, _, value = head.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                body = await reader.readexactly(size)
                arrived = now()
                if line.startswith(b"POST"):
                    await self._answer(writer, body, arrived)
                elif line.startswith(b"GET /times"):
                    self._tell(writer)
                else:  # a provider asks which models there are, at any moment: that forgets nothing
                    writer.write(HEAD % b"application/json" + _piece(b'{"data": []}') + b"0\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, body: bytes, arrived: float) -> None:
        asked = json.loads(body)
        messages = asked["messages"]
        assert isinstance(messages, list)
        how = json.loads(messages[-1]["content"].rpartition("\n")[2])
        self.open += 1
        self.most = max(self.most, self.open)
        if how.get("hold"):
            if self.open >= how["hold"]:
                self.enough.set()
            await self.enough.wait()
        await asyncio.sleep(how.get("wait", 0))
        writer.write(HEAD % b"text/event-stream")
        first = now()
        for number in range(how["chunks"]):
            text = f"{how['tag']} " if number == 0 else f"word{number} "
            writer.write(_event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}))
            if how.get("gap") or number % 64 == 63:
                await writer.drain()
            if how.get("gap"):
                await asyncio.sleep(how["gap"])
        await asyncio.sleep(how.get("rest", 0))
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": how["chunks"]}
        writer.write(_event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}))
        writer.write(_piece(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        await writer.drain()
        self.open -= 1
        self.times[how["tag"]] = {"arrived": arrived, "first": first, "last": now()}

    def _tell(self, writer: asyncio.StreamWriter) -> None:
        told = json.dumps({"times": self.times, "most": self.most}).encode()
        self.times, self.most = {}, self.open
        self.enough.clear()
        writer.write(HEAD % b"application/json" + _piece(told) + b"0\r\n\r\n")


def _event(value: object) -> bytes:
    return _piece(b"data: " + json.dumps(value).encode() + b"\n\n")


def _piece(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def main() -> None:
    """Listen until the process is ended."""
    server = await asyncio.start_server(Model().serve, "127.0.0.1", 0, limit=1 << 24, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

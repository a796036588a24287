"""The desk of a provider process: what it has taken, asked and is still to answer; one thread a call.

Owns `calls/stream/` while it writes, and publishes `calls/providers.json`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict

from dotagent import calls, disk, errors, home, prompt, providers, serving
from dotagent.calls import Call, Outcome
from dotagent.errors import Trouble
from dotagent.home import Home
from dotagent.prompt import Rebuilder
from dotagent.providers import Config, ProviderError, Reply, Request
from dotagent.providers.wire import retry

MOST = 32  # calls at once

OPEN, CLOSE = "<reasoning>\n", "\n</reasoning>\n\n"


class Desk:
    """The calls of some providers of a home, and the threads that answer them."""

    def __init__(self, where: Home, names: list[str], keys: Mapping[str, str]) -> None:
        self._home = where
        self._names = names
        self._environ = {**os.environ, **keys}
        self._rebuild = Rebuilder(where.store())
        self._lock = threading.Lock()
        self._running: dict[str, tuple[threading.Thread, Call]] = {}
        self.bell, self._rope = os.pipe()
        os.set_blocking(self.bell, False)

    def take(self) -> None:
        """Take what may be started now: live calls at once, background ones a few and while no live one waits."""
        for name in self._names:
            while len(self._running) < MOST and (call := self._next(name)):
                thread = threading.Thread(target=self._work, args=(call,), daemon=True)
                self._running[call.id] = (thread, call)
                thread.start()

    def answered(self) -> None:
        """Clear away the threads that are done."""
        try:
            os.read(self.bell, 4096)
        except BlockingIOError:
            return
        self._running = {id: one for id, one in self._running.items() if one[0].is_alive()}

    def busy(self) -> bool:
        """Whether any call is being answered or waits."""
        return bool(self._running) or any(calls.waiting(self._home, name) for name in self._names)

    def publish(self) -> None:
        """Tell in providers.json what is served: model, window, configured or why not; no secrets."""
        told = serving.published(self._home)
        for name in self._names:
            provider, config = providers.load(name), self._config(name)
            model = config.model or provider.MODEL
            why = provider.why_not(config)
            told[name] = {
                "model": model,
                "window": providers.window(provider, model),
                "configured": why is None,
                "why": why or "",
                "credentials": serving.fingerprint(name, self._environ),
                "pid": os.getpid(),
            }
        disk.replace(self._home.calls / "providers.json", json.dumps(told, indent=1).encode() + b"\n", durable=False)

    def _next(self, name: str) -> Call | None:
        call = calls.take(self._home, name, "live")
        if call:
            return call
        background = Counter(one.provider for _, one in self._running.values() if one.kind != "live")
        live = any(one.kind == "live" and one.provider == name for _, one in self._running.values())
        slots = providers.load(name).BACKGROUND
        if background[name] >= slots or (live and slots == 1):
            return None
        return calls.take(self._home, name)

    def _config(self, name: str) -> Config:
        settings = home.settings(self._home)
        return providers.configure(name, self._environ, settings.providers.get(name, {}))

    def _work(self, call: Call) -> None:
        """A thread's whole life: one call."""
        try:
            self._settle(call)
        except OSError as error:  # the disk takes no failure either: who comes next begins anew
            with suppress(OSError):
                print(f"{call.id[:12]}: {errors.line(error)}", file=sys.stderr, flush=True)
            os._exit(1)
        finally:
            os.write(self._rope, b".")

    def _settle(self, call: Call) -> None:
        try:
            self._answer(call)
        except OSError as error:
            calls.fail(self._home, call, "system", errors.line(error), retryable=True)
        except (ProviderError, Trouble) as error:
            kind, retryable, size = "lost", False, None
            if isinstance(error, ProviderError):
                kind, retryable, size = error.kind, error.retryable, error.size
            calls.fail(self._home, call, kind, str(error), retryable=retryable, size=size)
        except Exception:  # noqa: BLE001 the edge of a thread: a fault of ours must not leave the agent waiting
            traceback.print_exc(file=sys.stderr)
            hint = f"a fault in dotagent's provider process; see calls/{call.provider}.log"
            calls.fail(self._home, call, "fault", hint)

    def _answer(self, call: Call) -> None:
        with self._lock:
            asked = self._rebuild.request(call.id)
        provider, config = providers.load(call.provider), self._config(call.provider)
        if why := provider.why_not(config):
            raise ProviderError("unconfigured", why)
        model = asked.model or config.model or provider.MODEL
        request = _request(asked, model)
        stream = Stream(self._home, call)

        def stop() -> bool:
            return calls.done(self._home, call.agent, call.id) is not None or not self._home.calls.is_dir()

        def once() -> Reply:
            return provider.answer(request, config, stream.write, stop)

        reply = retry.attempts(once, begin=stream.begin, stop=stop, on_retry=_tell(call))
        usage = {name: count for name, count in asdict(reply.usage).items() if count}
        upstream = "".join(reply.upstream.split())
        outcome = Outcome(finish=reply.finish, usage=usage, model=model, upstream=upstream)
        calls.answer(self._home, self._home.store(), call, whole(reply), outcome)


class Stream:
    """The file in which an attempt's text stands as it comes, as the reply will: reasoning in tags, then the text."""

    def __init__(self, where: Home, call: Call) -> None:
        self._home, self._call = where, call
        self._channel = ""

    def begin(self, number: int) -> None:
        """Begin the next attempt's file: what an attempt before it wrote is void."""
        self._path = calls.stream(self._home, self._call.id)
        self._channel = ""

    def write(self, channel: str, delta: str) -> None:
        """Append what was just written."""
        if channel != self._channel:
            mark = OPEN if channel == "reasoning" else CLOSE if self._channel else ""
            self._channel, delta = channel, mark + delta
        fd = disk.open_append(self._path)
        try:
            disk.append(fd, delta.encode("utf-8", "replace"), self._path)
        finally:
            os.close(fd)


def _request(asked: prompt.Request, model: str) -> Request:
    """What the provider is asked, of what the agent asked."""
    params = dict(asked.params)
    window, upstream = params.pop("window", 0), params.pop("upstream", "")
    messages = tuple(prompt.messages(asked.parts))
    return Request(model, messages, params, asked.agent, window if isinstance(window, int) else 0, str(upstream))


def whole(reply: Reply) -> str:
    """The reply as its blob holds it: a model's reasoning before it in tags."""
    return f"{OPEN}{reply.reasoning}{CLOSE}{reply.text}" if reply.reasoning else reply.text


def _tell(call: Call) -> Callable[[ProviderError, float], None]:
    def told(error: ProviderError, seconds: float) -> None:
        print(f"{call.id[:12]}: {error.kind}, again in {seconds:.1f} s: {error.hint}", file=sys.stderr, flush=True)

    return told

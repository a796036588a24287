"""The worker of a provider process: the calls that it has taken and not yet answered, one thread a call.

A call is taken here, asked, tried again, and answered or failed. Owns `calls/stream/` while it writes there.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from dotagent import errors, providers
from dotagent.errors import Misuse, Trouble
from dotagent.providers import Completion, Prompt, ProviderError
from dotagent.providers.formats.redaction import Veil, masked
from dotagent.providers.server import cost, cut, retry
from dotagent.providers.server.catalogue import Catalogue
from dotagent.providers.server.health import Health
from dotagent.providers.server.retry import Pace
from dotagent.store import disk, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Rebuilder
from dotagent.text import reasoning

MOST = 32  # calls at once


class _Later(Exception):
    """A background call whose turn comes later."""


class _Stream:
    """An answer as it comes, written as the reply will be: reasoning in its block, then the text, without credentials,
    wherever a piece ends. One file an attempt, so that a retry never doubles what was written before it."""

    def __init__(self, where: Home, call: Call) -> None:
        self._home, self._call = where, call

    def begin(self, number: int) -> None:
        self._path, self._channel = queue.stream(self._home, self._call.id), ""
        self._veils = defaultdict[str, Veil](Veil)

    def write(self, channel: str, delta: str) -> None:
        delta = self._veils[channel].add(delta)
        if not delta:
            return
        if channel != self._channel:
            mark = reasoning.OPEN if channel == "reasoning" else reasoning.CLOSE if self._channel else ""
            self._channel, delta = channel, mark + delta
        with disk.opened(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
            disk.append(fd, delta.encode("utf-8", "replace"), self._path)


class Worker:
    """The calls of some providers of a home, and the threads that answer them."""

    def __init__(self, where: Home, names: list[str], keys: Mapping[str, str]) -> None:
        self._home = where
        self._names = names
        self.catalogue = Catalogue(where, names, {**os.environ, **keys})
        self._pace, self._health = Pace(), Health(self.catalogue)
        self._rebuild = Rebuilder(where.store())
        self._lock = threading.Lock()
        self._running: dict[str, Call] = {}
        self._over: list[Call] = []  # those whose threads are done
        self.bell, self._rope = os.pipe()
        os.set_blocking(self.bell, False)

    def take(self) -> None:
        """Take what may be started now: live calls at once, background ones a few and while no live one waits."""
        for name in self._names:
            while len(self._running) < MOST and (call := self._next(name)):
                self._running[call.id] = call
                threading.Thread(target=self._work, args=(call,), daemon=True).start()

    def answered(self) -> None:
        """Clear away the threads that are done."""
        try:
            os.read(self.bell, 4096)
        except BlockingIOError:
            return
        while self._over:
            call = self._over.pop()
            if self._running.get(call.id) is call:  # not when it went back and was taken again
                del self._running[call.id]

    def tend(self) -> None:
        """Publish what changed; settings that somebody is just writing are read the next time."""
        with suppress(Misuse):
            self.catalogue.publish()

    def pause(self, most: float) -> float:
        """How many seconds, at most so many, until a background call that waits for its provider may be taken."""
        return self._pace.next(most)

    def busy(self) -> bool:
        """Whether any call is being answered or waits."""
        return bool(self._running) or any(queue.waiting(self._home, name) for name in self._names)

    def _next(self, name: str) -> Call | None:
        call = queue.take(self._home, name, "live")
        if call:
            return call
        if self._pace.left(name):
            return None
        running = Counter((one.provider, one.kind == "live") for one in self._running.values())
        slots = providers.load(name).BACKGROUND
        if running[name, False] >= slots or (running[name, True] and slots == 1):
            return None
        return queue.take(self._home, name)

    def _work(self, call: Call) -> None:
        """A thread's whole life: one call."""
        try:
            self._settle(call)
        except OSError as error:  # the disk takes no failure either: who comes next begins anew
            with suppress(OSError):
                print(f"{call.id[:12]}: {errors.line(error)}", file=sys.stderr, flush=True)
            os._exit(1)
        finally:
            self._over.append(call)
            os.write(self._rope, b".")

    def _settle(self, call: Call) -> None:
        try:
            self._answer(call)
        except _Later:
            queue.give_back(self._home, call)
        except OSError as error:
            queue.fail(self._home, call, "system", errors.line(error), retryable=True)
        except ProviderError as error:
            queue.fail(self._home, call, error.kind, masked(str(error)), retryable=error.retryable, size=error.size)
            if call.kind == "live":
                self._health.failed(call.provider, error)
        except Trouble as error:
            queue.fail(self._home, call, "lost", str(error))
        except Exception:  # noqa: BLE001 the edge of a thread: a fault of ours must not leave the agent waiting
            print(masked(traceback.format_exc()), file=sys.stderr, flush=True)
            hint = f"a fault in dotagent's provider process; see calls/{call.provider}.log"
            queue.fail(self._home, call, "fault", hint)

    def _answer(self, call: Call) -> None:
        with self._lock:
            asked = self._rebuild.request(call.id)
        provider, config = providers.load(call.provider), self.catalogue.config(call.provider)
        if why := provider.why_not(config):
            raise ProviderError("unconfigured", why)
        stream, request = _Stream(self._home, call), _prompt(asked)
        taken, done = self._home.calls / "taken" / call.id, self._home.calls / "done" / call.agent / call.id

        def stop() -> bool:
            return not taken.exists() or done.exists()  # an agent may have dropped what became of it by now

        def once() -> Completion:
            nonlocal request
            try:
                request = replace(request, model=self.catalogue.model(call.provider, config, asked.model))
                reply = provider.answer(request, config, stream.write, stop)
            except ProviderError as error:
                self._refused(call, error)
                raise
            doubt = cut.check(call.provider, request.messages, reply, config.settings.get("window"))
            self.catalogue.doubt(call.provider, doubt)
            return reply

        reply = retry.attempts(once, begin=stream.begin, stop=stop, on_retry=partial(_tell, call))
        self._pace.ease(call.provider)
        self._health.answered(call.provider)
        usage = cost.record(reply.usage, self.catalogue.prices, request.model, call.provider)
        upstream = masked("".join(reply.upstream.split()))
        outcome = Outcome(finish=reply.finish, usage=usage, model=masked(request.model), upstream=upstream)
        text = reasoning.wrap(masked(reply.reasoning), masked(reply.text))
        queue.answer(self._home, self._home.store(), call, text, outcome)

    def _refused(self, call: Call, error: ProviderError) -> None:
        """What a failed attempt means for later calls.

        A model that is gone may have been replaced, so the next call asks for its name. After too many requests the
        background waits: live calls go on, and a background call goes back into the spool. Raises _Later for that one.
        """
        if error.kind == "missing":
            self.catalogue.forget(call.provider)
        if error.kind == "rate":
            seconds = self._pace.slow(call.provider, error.after)
            if call.kind != "live":
                _tell(call, error, seconds)
                raise _Later


def _prompt(asked: requests.Request) -> Prompt:
    """What the provider is asked, of what the agent asked."""
    params, messages = dict(asked.params), tuple(requests.messages(asked.parts))
    window, upstream = params.pop("window", 0), str(params.pop("upstream", ""))
    given = window if isinstance(window, int) else 0
    return Prompt(asked.model, messages, params, asked.agent, given, upstream, asked.previous)


def _tell(call: Call, error: ProviderError, seconds: float) -> None:
    print(f"{call.id[:12]}: {error.kind}, again in {seconds:.1f} s: {masked(error.hint)}", file=sys.stderr, flush=True)

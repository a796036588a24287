"""The worker of a provider process: the calls that it has taken and not yet answered, each with a thread.

A call is taken here, asked, tried again, and answered or failed; where a server does one thing at a time, a person's
call takes the place of one in the background. Owns `calls/stream/` while it writes there.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.providers import Completion, Config, Prompt, Provider, ProviderError, Usage
from dotagent.providers.formats import rates
from dotagent.providers.formats.redaction import masked
from dotagent.providers.server import cost, cut, retry
from dotagent.providers.server.catalogue import MOST, Catalogue, asked_with
from dotagent.providers.server.exhibits import Exhibits
from dotagent.providers.server.health import Health
from dotagent.providers.server.retry import Pace
from dotagent.providers.server.stream import Full, Stream
from dotagent.store import queue, requests
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Rebuilder
from dotagent.text import native, reasoning

QUIET = 1.0  # seconds after a person's call until a server that does one thing at a time gets one in the background: a
# turn that goes on asks again at once, and would have to wait until that has been read
LONGER, OFTEN = 4, 3  # times as long after each time in a row that another life's was displaced, so often: it came to
# nothing, and took the person's prompt out of the server's cache; a life asks its own anew (compaction/ahead.py)


class _Later(Exception):
    """A background call whose turn comes later."""


@dataclass
class _Job:
    """A call that a thread answers, once it is `signed`: once its file says who does; `displaced` once a person's call
    needs its place. `model` is the one asked, `lost` what attempts took that brought no answer."""

    call: Call
    signed: Future[None]
    displaced: bool = False
    model: str = ""
    lost: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Ready:
    """A call with all that asking for its answer takes."""

    asked: requests.Request
    config: Config
    provider: Provider
    request: Prompt
    stream: Stream


class Worker:
    """The calls of some providers of a home, and the threads that answer them."""

    def __init__(self, where: Home, names: list[str], keys: Mapping[str, str]) -> None:
        self._home = where
        self._names = names
        self.catalogue = Catalogue(where, names, {**os.environ, **keys})
        self._pace, self._health = Pace(), Health(self.catalogue)
        self._rebuild, self._exhibits = Rebuilder(where.store()), Exhibits(where.store())
        self._lock = threading.Lock()
        self._threads, self._own = ThreadPoolExecutor(MOST), threading.local()
        self._running: dict[str, _Job] = {}
        self._displaced = Counter[str]()  # by provider, by another life since one was answered
        self._over: list[_Job] = []  # those whose threads are done
        self.bell, self._rope = os.pipe()
        os.set_blocking(self.bell, False)

    def take(self) -> None:
        """Take what may be started now: live calls at once, background ones a few and while no live one waits."""
        for name in self._names:
            for call in queue.waiting(self._home, name):  # live ones first: a look at the disk is what this costs
                if not self._may(call):
                    break
                signed = Future[None]()
                try:
                    queue.claim(self._home, call, begin=partial(self._begin, signed))
                except OSError as error:  # a disk that is full keeps an answer from being paid for
                    signed.set_exception(error)
                    raise
                signed.set_result(None)

    def answered(self) -> None:
        """Clear away the threads that are done."""
        try:
            os.read(self.bell, 4096)
        except BlockingIOError:
            return
        while self._over:
            job = self._over.pop()
            if self._running.get(job.call.id) is job:  # not when it went back and was taken again
                del self._running[job.call.id]

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

    def _may(self, call: Call) -> bool:
        """Whether the call may be started now."""
        name = call.provider
        slots, most = self.catalogue.slots(name), self.catalogue.at_once(name)
        running = Counter(one.call.kind == "live" for one in self._jobs(name))
        if len(self._running) >= MOST or running[True] + (running[False] if slots > 1 else 0) >= most:
            return False  # of one slot, a live call displaces the other
        if call.kind == "live":
            return True
        return not self._pace.left(name) and running[False] < slots and not (running[True] and slots == 1)

    def _begin(self, signed: Future[None], call: Call) -> None:
        """Have a call that was taken answered by a thread."""
        if call.kind == "live" and self.catalogue.slots(call.provider) == 1:
            for one in self._jobs(call.provider):
                one.displaced = one.call.kind != "live"
                self._displaced[call.provider] += one.displaced and one.call.agent != call.agent
        job = self._running[call.id] = _Job(call, signed)
        self._threads.submit(self._work, job)

    def _jobs(self, name: str) -> list[_Job]:
        return [one for one in self._running.values() if one.call.provider == name]

    def _work(self, job: _Job) -> None:
        """What a thread does of one call: all."""
        call = job.call
        try:
            self._settle(job)
        except OSError as error:  # the disk takes no failure either: who comes next begins anew
            with suppress(OSError):
                print(f"{call.id[:12]}: {errors.line(error)}", file=sys.stderr, flush=True)
            os._exit(1)
        finally:
            if call.kind == "live" and self.catalogue.slots(call.provider) == 1:
                self._pace.rest(call.provider, QUIET * LONGER ** min(self._displaced[call.provider], OFTEN))
            self._over.append(job)
            os.write(self._rope, b".")

    def _settle(self, job: _Job) -> None:
        call = job.call
        try:
            self._answer(job)
        except _Later:
            queue.give_back(self._home, call)
        except OSError as error:
            self._fail(job, Outcome(kind="system", hint=errors.line(error), retryable=True))
        except ProviderError as error:
            hint = masked(str(error))
            self._fail(job, Outcome(kind=error.kind, hint=hint, retryable=error.retryable, size=error.size))
            self._health.failed(call.provider, error)
        except Trouble as error:
            self._fail(job, Outcome(kind="lost", hint=str(error)))
        except Exception:  # noqa: BLE001 the edge of a thread: a fault of ours must not leave the agent waiting
            print(masked(traceback.format_exc()), file=sys.stderr, flush=True)
            hint = f"a fault in dotagent's provider process; see calls/{call.provider}.log"
            self._fail(job, Outcome(kind="fault", hint=hint))

    def _fail(self, job: _Job, outcome: Outcome) -> None:
        queue.failed(self._home, job.call, replace(outcome, model=masked(job.model), lost=job.lost))

    def _answer(self, job: _Job) -> None:
        call = job.call
        with ExitStack() as held:
            try:  # all that needs nobody else, while the call's file is being signed
                with self._lock:
                    asked = self._rebuild.request(call.id)
                config, provider = self.catalogue.config(call.provider), self.catalogue.provider(call.provider)
                config = asked_with(self.catalogue.kind(call.provider), config, asked.params.get("options"))
                if why := provider.why_not(config):
                    raise ProviderError("unconfigured", why)
                request = _prompt(asked)
                stream = held.enter_context(closing(Stream(self._home, call, request.most)))
            finally:
                job.signed.result()  # before anybody is asked, or told
            reply = self._asked(job, _Ready(asked, config, provider, request, stream))
        self._replied(job, reply)

    def _asked(self, job: _Job, ready: _Ready) -> Completion:
        """The provider's answer, after as many attempts as it takes."""
        call, config, provider, stream = job.call, ready.config, ready.provider, ready.stream
        request = ready.request
        taken, done = f"{self._home.calls}/taken/{call.id}", f"{self._home.calls}/done/{call.agent}/{call.id}"

        def stop() -> bool:  # an agent may have dropped what became of it by now
            return job.displaced or not os.path.exists(taken) or os.path.exists(done)

        def once() -> Completion:
            nonlocal request
            try:
                request = self._shown(call.provider, config, request, ready.asked)
                job.model = request.model
                reply = provider.answer(request, config, stream.write, stop)
                doubt = cut.check(call.provider, request.messages, reply, config.settings.get("window"))
            except Full:
                return stream.so_far(request)
            except ProviderError as error:
                job.lost.update(self._took(call, request, cost.lost(error, request, stream.came())))
                if job.displaced:
                    raise _Later from None
                self._refused(call, error)
                raise
            self._pace.spare(call.provider, rates.left(config.base, retry.SPARE))
            told = reply.usage.input or reply.usage.output
            self.catalogue.doubt(call.provider, doubt or ("" if told else cost.UNTOLD))
            said = reply.reasoning + reply.text
            return reply if told else replace(reply, usage=cost.guess(request, said))

        if not call.hurried:
            retry.wait(min(retry.BRIEFLY, rates.left(config.base, retry.BARE)), stop)
        plan = retry.hurried if call.hurried else retry.patient
        return retry.attempts(once, begin=stream.begin, stop=stop, on_retry=partial(_tell, call), plan=plan)

    def _took(self, call: Call, request: Prompt, usage: Usage) -> dict[str, int]:
        return cost.record(usage, self.catalogue.prices, request.model, call.provider)

    def _replied(self, job: _Job, reply: Completion) -> None:
        """The provider is well again, and its reply is the call's answer."""
        call, model = job.call, job.model
        self._pace.ease(call.provider)
        if call.kind != "live":
            self._displaced[call.provider] = 0
        self._health.answered(call.provider)
        usage = cost.record(reply.usage, self.catalogue.prices, model, call.provider)
        upstream = masked("".join(reply.upstream.split()))
        outcome = Outcome(finish=reply.finish, usage=usage, model=masked(model), upstream=upstream, lost=job.lost)
        text = reasoning.wrap(masked(reply.reasoning), masked(reply.text))
        queue.answer(self._home, self._store(), call, text, outcome)

    def _store(self) -> Blobs:
        """This thread's own: it has seen which shards there are, and need not make their names durable each time."""
        if not hasattr(self._own, "store"):
            self._own.store = self._home.store()
        store: Blobs = self._own.store
        return store

    def _shown(self, name: str, config: Config, request: Prompt, asked: requests.Request) -> Prompt:
        """The request to the model that is asked now, with what this one sees."""
        model = self.catalogue.model(name, config, asked.model)
        if not any(part.media for part in asked.parts):
            return replace(request, model=model)
        seen = self.catalogue.sight(name, config, model)
        with self._lock:
            shown = self._exhibits.of(asked, self.catalogue.provider(name), seen)
        return replace(request, model=model, shown=shown)

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
    options = params.pop("options", None)
    own = isinstance(options, dict) and options.get("calls") == "native"
    tools = native.decode(requests.tools(asked.parts)) if own else ()
    window, upstream = params.pop("window", 0), str(params.pop("upstream", ""))
    given, most = (size if isinstance(size, int) else 0 for size in (window, params.pop("most", 0)))
    return Prompt(asked.model, messages, params, asked.agent, given, upstream, asked.previous, tools, most)


def _tell(call: Call, error: ProviderError, seconds: float) -> None:
    print(f"{call.id[:12]}: {error.kind}, again in {seconds:.1f} s: {masked(error.hint)}", file=sys.stderr, flush=True)

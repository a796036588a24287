"""The worker of a provider process: the calls that it has taken and not yet answered, each with a thread.

It takes a call, asks the provider, retries, and answers or fails the call. On a server that does one thing at a time, a
person's call displaces a background call. Owns `calls/stream/` while it writes there.
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

from dotagent import errors, packages
from dotagent.errors import Misuse, Trouble
from dotagent.providers import Completion, Config, Prompt, Provider, ProviderError
from dotagent.providers.formats import attempts, rates
from dotagent.providers.formats.redaction import masked
from dotagent.providers.server import cost, cut, reading, refusals, retry
from dotagent.providers.server.catalogue import MOST, Catalogue, config_for
from dotagent.providers.server.health import Health
from dotagent.providers.server.lengths import Lengths
from dotagent.providers.server.media_input import Exhibits
from dotagent.providers.server.retry import Pace
from dotagent.providers.server.stream import Full, Stream
from dotagent.store import queue, request_rebuilding, requests
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.text import native, reasoning

QUIET = 1.0  # seconds that a serial server keeps free for the same turn after a person's call,
# because a turn that continues asks again at once and would have to wait for a background prompt
LONGER, OFTEN = 4, 3  # the time grows by this factor for each displaced call in a row, at most this often,
# because it wasted work and removed the person's prompt from the cache (see compaction/prefetch.py)


class _Later(Exception):
    """A background call that must wait."""


@dataclass
class _Job:
    """A call and its thread. `signed` is done once the call's file names this process.

    `displaced` means that a person's call needs its place. `lost` is the usage of failed attempts.
    """

    call: Call
    signed: Future[None]
    displaced: bool = False
    model: str = ""
    lost: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Ready:
    """A call with everything that is needed to ask the provider."""

    asked: request_rebuilding.Request
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
        self._pace, self._health, self._lengths = Pace(), Health(self.catalogue), Lengths()
        self._rebuild, self._exhibits = Rebuilder(where.store()), Exhibits(where.store())
        self._lock = threading.Lock()
        self._threads, self._own = ThreadPoolExecutor(MOST), threading.local()
        self._running: dict[str, _Job] = {}
        self._displaced = Counter[str]()  # calls of other agents displaced since the last answer, by provider
        self._over: list[_Job] = []  # jobs whose threads are finished
        refusals.load(where)
        self._learnt = attempts.list_refusals()
        self.bell, self._rope = os.pipe()
        os.set_blocking(self.bell, False)

    def take(self) -> None:
        """Take the calls that may start now: live ones at once, a few background ones if no live one waits."""
        for name in self._names:
            for call in queue.waiting(self._home, name):  # live ones first; this lists a directory
                if not self._may(call):
                    break
                signed = Future[None]()
                try:
                    queue.claim(self._home, call, begin=partial(self._begin, signed))
                except OSError as error:  # a full disk must prevent paying for an answer
                    signed.set_exception(error)
                    raise
                signed.set_result(None)

    def answered(self) -> None:
        """Remove the finished threads."""
        try:
            os.read(self.bell, 4096)
        except BlockingIOError:
            return
        while self._over:
            job = self._over.pop()
            if self._running.get(job.call.id) is job:  # unless it was put back and taken again
                del self._running[job.call.id]

    def tend(self) -> None:
        """Publish changes; settings that are invalid while being edited are read next time."""
        with suppress(Misuse):
            self.catalogue.publish()

    def pause(self, most: float) -> float:
        """Return the seconds until a waiting background call may be taken, at most `most`."""
        return self._pace.next(most)

    def busy(self) -> bool:
        """Return True if any call is in progress or waits."""
        return bool(self._running) or any(queue.waiting(self._home, name) for name in self._names)

    def _may(self, call: Call) -> bool:
        name = call.provider
        slots, most = self.catalogue.slots(name), self.catalogue.at_once(name)
        running = Counter(one.call.kind == "live" for one in self._jobs(name))
        if len(self._running) >= MOST or running[True] + (running[False] if slots > 1 else 0) >= most:
            return False  # with one slot, a live call displaces the other
        if call.kind == "live":
            return True
        return not self._pace.left(name) and running[False] < slots and not (running[True] and slots == 1)

    def _begin(self, signed: Future[None], call: Call) -> None:
        if call.kind == "live" and self.catalogue.slots(call.provider) == 1:
            for one in self._jobs(call.provider):
                one.displaced = one.call.kind != "live"
                self._displaced[call.provider] += one.displaced and one.call.agent != call.agent
        job = self._running[call.id] = _Job(call, signed)
        self._threads.submit(self._work, job)

    def _jobs(self, name: str) -> list[_Job]:
        return [one for one in self._running.values() if one.call.provider == name]

    def _work(self, job: _Job) -> None:
        call = job.call
        try:
            self._settle(job)
        except OSError as error:  # not even the failure can be written: restart with the next process
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
            told = Outcome(kind=error.kind, hint=hint, retryable=error.retryable, size=error.size)
            self._fail(job, replace(told, after=error.after or 0.0))
            self._health.failed(call.provider, error)
        except Trouble as error:
            self._fail(job, Outcome(kind="lost", hint=str(error)))
        except ModuleNotFoundError as error:
            self._fail(job, Outcome(kind="fault", hint=packages.lacks(error)))
        except Exception:  # noqa: BLE001 the edge of a thread: a fault of ours must not leave the agent waiting
            print(masked(traceback.format_exc()), file=sys.stderr, flush=True)
            hint = f"an error in dotagent's own provider process; see calls/{call.provider}.log"
            self._fail(job, Outcome(kind="fault", hint=hint))

    def _fail(self, job: _Job, outcome: Outcome) -> None:
        queue.failed(self._home, job.call, replace(outcome, model=masked(job.model), lost=job.lost))

    def _answer(self, job: _Job) -> None:
        call = job.call
        with ExitStack() as held:
            try:  # preparations while the call's file is being signed
                with self._lock:
                    asked = self._rebuild.request(call.id)
                config, provider = self.catalogue.config(call.provider), self.catalogue.provider(call.provider)
                config = config_for(self.catalogue.kind(call.provider), config, asked.params.get("options"))
                if why := provider.why_not(config):
                    raise ProviderError("unconfigured", why)
                request = _prompt(asked)
                stream = held.enter_context(closing(Stream(self._home, call, request.most)))
            finally:
                job.signed.result()  # before the provider is asked
            reply = self._asked(job, _Ready(asked, config, provider, request, stream))
        self._replied(job, reply)

    def _asked(self, job: _Job, ready: _Ready) -> Completion:
        """Return the provider's answer, after as many attempts as needed."""
        call, config, provider, stream = job.call, ready.config, ready.provider, ready.stream
        request = ready.request
        taken, done = f"{self._home.calls}/taken/{call.id}", f"{self._home.calls}/done/{call.agent}/{call.id}"

        def stop() -> bool:  # the agent may have dropped the call by now
            return job.displaced or not os.path.exists(taken) or os.path.exists(done)

        def once() -> Completion:
            nonlocal request
            try:
                request = self._shown(call.provider, config, request, ready.asked)
                job.model = request.model
                reply = reading.answer(provider, request, config, stream.write, stop, live=call.kind == "live")
                sure = config.settings.get("window")
                doubt = cut.check(call.provider, request.messages, reply, sure, request.size)
            except Full:
                return stream.so_far(request)
            except ProviderError as error:
                lost = cost.usage_of_lost(error, request, stream.came())
                job.lost.update(cost.record(lost, self.catalogue.prices, request.model, call.provider))
                if job.displaced:
                    raise _Later from None
                self._refused(call, error)
                self._left_out(config)
                window, sure = self.catalogue.window(call.provider, config, request.model)
                raise self._lengths.judge(call, request, window if sure else 0, error) from None
            self._lengths.answered(call, request)
            self._pace.spare(call.provider, rates.seconds_left(config.base, retry.SPARE))
            told = reply.usage.input or reply.usage.output
            doubts = (doubt or ("" if told else cost.UNTOLD), self._left_out(config))
            self.catalogue.doubt(call.provider, "; ".join(filter(None, doubts)))
            said = reply.reasoning + reply.text
            return reply if told else replace(reply, usage=cost.guess(request, said))

        if not call.hurried:
            retry.wait(min(retry.BRIEFLY, rates.seconds_left(config.base, retry.BARE)), stop)
        plan = retry.hurried if call.hurried else retry.patient
        return retry.attempts(once, begin=stream.begin, stop=stop, on_retry=partial(_tell, call), plan=plan)

    def _left_out(self, config: Config) -> str:
        """Save what servers refuse, if this answer taught more. Return the parts left out of this request."""
        with self._lock:
            if self._learnt != attempts.list_refusals():
                refusals.save(self._home)
                self._learnt = attempts.list_refusals()
        parts = attempts.refused(config.base)
        left = f"the server refuses {parts}, so dotagent leaves this out of requests (see calls/refused.json)"
        return left if parts else ""

    def _replied(self, job: _Job, reply: Completion) -> None:
        """Record that the provider works, and answer the call with its reply."""
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
        """Return this thread's own store, which remembers the existing shards."""
        if not hasattr(self._own, "store"):
            self._own.store = self._home.store()
        store: Blobs = self._own.store
        return store

    def _shown(self, name: str, config: Config, request: Prompt, asked: request_rebuilding.Request) -> Prompt:
        """Return the request for the current model, with the media that it accepts."""
        model = self.catalogue.model(name, config, asked.model)
        if not any(part.media for part in asked.parts):
            return replace(request, model=model)
        seen = self.catalogue.sight(name, config, model)
        with self._lock:
            shown = self._exhibits.of(asked, self.catalogue.provider(name), seen)
        return replace(request, model=model, shown=shown)

    def _refused(self, call: Call, error: ProviderError) -> None:
        """Apply a failed attempt's consequences to later calls.

        A missing model may have been replaced, so the next call asks for its name. After too many requests, background
        calls wait and this one returns to the queue: raises _Later for it.
        """
        if error.kind == "missing":
            self.catalogue.forget(call.provider)
        if error.kind == "rate" and (error.retryable or error.after is not None):
            seconds = self._pace.slow(call.provider, error.after)
            if call.kind != "live":
                _tell(call, error, seconds)
                raise _Later


def _prompt(asked: request_rebuilding.Request) -> Prompt:
    """Convert the agent's request into the provider's."""
    params = dict(asked.params)
    options = params.pop("options", None)
    own = isinstance(options, dict) and options.get("calls") == "native"
    tools = native.decode(requests.tools(asked.parts)) if own else ()
    window, upstream = params.pop("window", 0), str(params.pop("upstream", ""))
    numbers = (window, params.pop("most", 0), params.pop("ending", 0))
    given, most, ending = (size if isinstance(size, int) else 0 for size in numbers)
    made = Prompt(asked.model, asked.messages, params, asked.agent, given, upstream, asked.previous, tools, most)
    return replace(made, size=asked.tokens, ending=ending and ending + len(requests.BETWEEN))


def _tell(call: Call, error: ProviderError, seconds: float) -> None:
    print(f"{call.id[:12]}: {error.kind}, again in {seconds:.1f} s: {masked(error.hint)}", file=sys.stderr, flush=True)

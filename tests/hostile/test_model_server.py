"""A model server that means ill: whatever it sends, the life goes on, one clear line says what is wrong, and no key is
anywhere in the home.

A case is a line of a table: what the server answers, being sent this key, and a word of what comes of it. All are asked
at the same time of one provider's process, so that those which are tried again cost no more than one of them.
"""

from __future__ import annotations

import gzip
import json
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from providers.forms import FORMS, holds
from providers.loopback import CUT, DONE, STALL, Answer, Received, Server, data, event, page, refusal, stream, whole
from support import make_home, spawn, until
from world import said, world

import agent
from dotagent import providers
from dotagent.providers import Completion, Config, Prompt, ProviderError
from dotagent.store import queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part

KEYS = ("sk-kanarienvogel/0123456789abcdef", "k4n4r")
LIFE = "c" * 32
HUGE = 10**400
NUMBERS = (HUGE, -HUGE, 10**18, -1, 1e308, -1e308, float("nan"), float("inf"), 2.5, True, None, "7", "9" * 400, [], {})
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens", "cost")
WAITS = ("99999999999", "1e99", "-5", "nan", "Infinity", "Fri, 31 Dec 9999 23:59:59 GMT", "0" * 9000, "\u00b2", "soon")
MEGABYTE = "so it goes " * 95_326
JSON = {"content-type": "application/json"}
BOMB = gzip.compress(bytes(64 << 20))
DEEP = "[" * 100_000


def counted(number: object) -> Answer:
    """An answer that cost so many tokens of every kind."""
    usage = {**dict.fromkeys(COUNTS, number), "completion_tokens_details": {"reasoning_tokens": number}}
    return Answer((event({"content": "fine"}, "stop"), data({"choices": [], "usage": usage}), DONE))


def torn(written: str) -> Answer:
    """This in an answer, torn at each border by reasoning; and in the reasoning, torn by what is said."""
    pieces = [event({"content": "so "}), event({"reasoning_content": "hm "})]
    names = ("content", "reasoning_content")
    for one, other in (names, names[::-1]):
        for at in range(1, len(written), 1 + len(written) // 60):
            pieces += event({one: written[:at]}), event({other: "."}), event({one: written[at:]}), event({one: " "})
    pieces += (event({"content": letter}) for letter in written)
    return Answer((*pieces, event({"content": " fine"}, "stop"), DONE))


def told(written: str) -> Answer:
    """This wherever else an answer has words."""
    more = {"provider": written, "model": written, "id": written, written: written, "system_fingerprint": written}
    choice = {"delta": {"content": "fine", "role": written}, "finish_reason": written}
    return Answer((f": {written}\n\nevent: {written}\n".encode(), data({**more, "choices": [choice]}), DONE))


CASES: dict[str, tuple[str, Answer]] = {  # a word of what comes of it, and what the server answers
    "good": ("fine", stream("fine")),
    "twice good": ("fine", Answer((event({"content": "fine"}, "stop"), DONE, DONE, b"data: {}\n\n"))),
    "nothing": ("sent nothing", Answer(())),
    "only the end": ("", Answer((DONE,))),
    "no JSON": ("not a chat completion", Answer((b"data: {nonsense}\n\n",))),
    "a list": ("not a chat completion", Answer((b"data: []\n\n",))),
    "8,000 digits": ("not a chat completion", Answer((f"data: {10**4000}{10**4000}\n\n".encode(),))),
    "deep": ("not a chat completion", Answer((f"data: {DEEP}\n\n".encode(),))),
    "deep, whole": ("not a chat completion", Answer((DEEP.encode(),), headers=JSON)),
    "deep, refused": ("refuses", Answer((DEEP.encode(),), 400, JSON)),
    "deep, unfinished": ("", Answer((b'data: {"choices": ' + (b'{"a":' * 90_000) + b"\n\n",))),
    "choices of all kinds": ("", Answer((data({"choices": [1, "x", None, [], {}]}), data({"choices": 7}), DONE))),
    "deltas of all kinds": ("", Answer((*(event({"content": one}) for one in NUMBERS), DONE))),
    "not UTF-8": ("", Answer((b'data: {"choices": [{"delta": {"content": "\xff\xfe\xc3"}}]}\n\n', DONE))),
    "half a character": ("", Answer((b'data: {"choices": [{"delta": {"content": "x\\ud83d"}}]}\n\n', DONE))),
    "signs of terminals": ("", stream("\x1b]0;owned\x07\x1b[2J\0\u202e\u200b fine")),
    "cut off": ("broke off", Answer((event({"content": "so"}), CUT))),
    "no end": ("broke off", Answer((event({"content": "so"}),))),
    "silent": ("sent nothing for 1 s", Answer((event({"content": "so"}), STALL))),
    "silent at once": ("sent nothing for 1 s", Answer((STALL,))),
    "an endless answer": ("more than 8,000,000", Answer(repeat(event({"content": MEGABYTE})))),
    "endless reasoning": ("more than 8,000,000", Answer(repeat(event({"reasoning": MEGABYTE})))),
    "an endless line": ("more than 8,388,608", Answer(repeat(MEGABYTE.encode()))),
    "an endless event": ("more than 8,388,608", Answer(repeat(b"data: " + b"x" * 65_536 + b"\n"))),
    "an endless body": ("more than 8,388,608", Answer(repeat(MEGABYTE.encode()), headers=JSON)),
    "an endless refusal": ("refuses", Answer(repeat(MEGABYTE.encode()), 400)),
    "packed": ("packed (gzip)", Answer((BOMB,), headers={"content-encoding": "gzip"})),
    "packed, refused": ("", Answer((BOMB,), 400, {"content-encoding": "gzip"})),
    "a huge header": ("broke off", Answer((), headers={"x": "y" * (1 << 20)})),
    "many headers": ("broke off", Answer((), headers={f"x-{n}": "y" * 99 for n in range(9999)})),
    "a page": ("not the address", Answer((b"<p>hello",), headers={"content-type": "text/html"})),
    "a page of errors": ("overloaded", Answer((b"<p>hello",), 500, {"content-type": "text/html"})),
    "too long by 10**400": ("too long", refusal(400, "prompt is too long", n_prompt_tokens=HUGE)),
    "too long in words": ("too long", refusal(400, f"prompt is too long: {'9' * 250} tokens")),
    "a code that is huge": ("overloaded", Answer((data({"error": {"code": HUGE, "message": "x"}}),))),
    "a plan used up": ("later", refusal(429, "no", code="usage_limit_reached", resets_in_seconds=HUGE)),
    "a plan until 10**400": ("later", refusal(429, "no", code="usage_limit_reached", resets_at=HUGE)),
    "asked again": ("a day or more", refusal(429, "no", details=[{"retryDelay": "999999999s"}])),
    **{f"status {code}": ("", refusal(code, "no")) for code in (204, 226, 301, 304, 418, 451, 599, 999)},
    **{f"waits {n}": ("", refusal(429, "no", headers={"retry-after": it})) for n, it in enumerate(WAITS)},
    **{f"counts {n}": ("fine", counted(it)) for n, it in enumerate(NUMBERS)},
}
KEYED: dict[str, tuple[str, Callable[[str], Answer]]] = {  # for each form of the key that it was sent; next it is good
    "torn": ("fine", torn),
    "told": ("fine", told),
    "whole": ("fine", lambda key: whole(f"{key} fine", key)),
    "refused": ("refuses", lambda key: refusal(400, f"no: {key}!", code=key, type=key, param=key)),
    "busy": ("fine", lambda key: refusal(503, f"no: {key}!", headers={"x-request-id": key})),
    "late": ("", lambda key: Answer((event({"content": "so"}), data({"error": {"message": key, "code": 400}})))),
    "no JSON but": ("fine", lambda key: Answer((f"data: {key}\n\n".encode(),))),
    "cut after": ("fine", lambda key: Answer((event({"content": f"so {key[:-1]}"}), CUT))),
}
NAMES = [*CASES, *(f"{name}: {form}" for name in KEYED for form in FORMS)]


def case(name: str, key: str) -> tuple[str, Answer]:
    """What the table says of this name."""
    if name in CASES:
        return CASES[name]
    head, _, form = name.partition(": ")
    word, answer = KEYED[head]
    return word, answer(FORMS[form](key))


CASE = re.compile(r"case <(.*?)>")


class Hostile(Server):
    """Answers in the case that a request asks for; `key` is the one that it is sent."""

    def __init__(self, key: str) -> None:
        super().__init__(self._case)
        self.key, self.seen = key, set[str]()

    def _case(self, asked: Received) -> Answer:
        name = CASE.findall(json.dumps(asked.body))[-1]
        answer = stream("fine") if name in self.seen - CASES.keys() else case(name, self.key)[1]
        self.seen.add(name)
        return answer


def asked(where: Home, name: str, provider: str = "deepseek", model: str = "") -> Call:
    """A call in this case."""
    body = requests.encode(LIFE, model, {}, "", 0, [Part("user", f"case <{name}>")])
    call = Call(where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="request"), LIFE, provider)
    queue.place(where, call)
    return call


def outcomes(where: Home, server: Server, key: str, names: list[str]) -> tuple[dict[str, Outcome], int]:
    """What comes of these cases, and the most memory that the provider's process ever had, in MB."""
    (where.root / "dotagent.toml").write_text("[providers.deepseek]\nstall = 1\n")
    env = {"DEEPSEEK_API_KEY": key, "DEEPSEEK_API_BASE": server.base}
    child = spawn(where, "-m", "dotagent", "provider", "deepseek", env=env)
    try:
        calls = {name: asked(where, name) for name in names}
        ids = {call.id for call in calls.values()}
        until(lambda: ids <= set(queue.names(where.calls / "done" / LIFE)), where.calls, 90)
        status = Path(f"/proc/{child.pid}/status")
        peak = int(re.findall(r"VmHWM:\s*(\d+)", status.read_text())[0]) >> 10 if status.exists() else 0
    finally:
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=20)
    (where.root / "provider.log").write_text(out + err)
    assert "Traceback" not in err, err[-3000:]
    found = {name: queue.done(where, LIFE, call.id) for name, call in calls.items()}
    return {name: outcome for name, outcome in found.items() if outcome}, peak


def wrong(where: Home, name: str, outcome: Outcome) -> str:
    """What is wrong with what came of a case."""
    text = where.store().get(outcome.reply).body.decode() if outcome.reply else outcome.hint
    if case(name, KEYS[0])[0] not in text:
        return f"{name}: {outcome.kind} {text[:300]!r}"
    if not outcome.reply and ("\n" in text or len(text) > 400 or not text or outcome.kind in ("fault", "crashed")):
        return f"{name} is not told of in one clear line: {outcome.kind} {text[:300]!r}"
    numbers = [*outcome.usage.values(), outcome.size or 0]
    return f"{name}: {numbers}" if not all(0 <= number < 10**18 for number in numbers) else ""


def lives_through(where: Home, found: dict[str, Outcome]) -> None:
    """A life is answered so, in each case, and then as ever; and again when it is resumed."""
    for number, after in enumerate(("good", "twice good")):
        with world(where.root, lambda messages, call: None) as here:
            for name in (*(found if not number else ()), after):
                here.say(f"case <{name}>")
                for _ in range(50):
                    if not agent.step(here.me) and not _served(here.where, found[name]):
                        break
            agent.rest(here.me)
            assert said(where)[-1] == "fine"


def _served(where: Home, outcome: Outcome) -> bool:
    call = queue.take(where, "scripted")
    if call and outcome.reply:
        queue.answer(where, where.store(), call, where.store().get(outcome.reply).body.decode(), outcome)
    elif call:
        queue.fail(where, call, outcome.kind, outcome.hint, size=outcome.size)
    return bool(call)


def leaks(where: Home, key: str) -> Iterator[str]:
    """Where in the home the key stands, in any form."""
    for path in where.root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", "replace")
            yield from (f"{path.relative_to(where.root)}: {form}" for form in FORMS if holds(text, key, form))


@pytest.mark.slow
@pytest.mark.parametrize("key", [KEYS[0], pytest.param(KEYS[1], marks=pytest.mark.long)])
def test_a_life_goes_on_whatever_a_server_sends(tmp_path: Path, key: str) -> None:
    where = make_home(tmp_path / "home")
    with Hostile(key) as server:
        found, peak = outcomes(where, server, key, NAMES)
        assert {one.headers["authorization"] for one in server.received} == {f"Bearer {key}"}
    problems = [problem for name, outcome in found.items() if (problem := wrong(where, name, outcome))]
    problems += leaks(where, key)
    assert not problems, "\n".join(problems)
    assert peak < 250, f"{peak} MB"
    lives_through(where, {name: it for name, it in found.items() if name in CASES or name.endswith(": plain")})
    assert not list(leaks(where, key))


# --- whom else it sends to, how long it takes, what it tells of itself


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_is_sent_elsewhere_with_a_key(status: int) -> None:
    with Server(stream("mine now"), pages={"/v1/models": {"data": [{"id": "mine"}]}}) as thief:
        moved = refusal(status, "there", headers={"location": f"{thief.base}/v1/models"})
        with Server(moved, pages={"/v1/models": moved}) as server:
            assert attempt("deepseek", server.base).kind == "missing"
            with pytest.raises(ProviderError):
                providers.describe(providers.load("local"), Config(KEYS[0], f"{server.base}/v1"), "")
        assert not thief.received and not thief.looked


def test_a_server_that_drips_for_ever_is_left_when_the_call_is() -> None:
    drops = list[str]()
    with Server(Answer(repeat(event({"content": "."})))) as server:
        error = attempt("deepseek", server.base, lambda channel, text: drops.append(text), lambda: len(drops) > 20)
        assert server.hung_up.wait(5)
    assert isinstance(error, ProviderError) and error.kind == "cancelled"


SHAPES = ("deepseek", "gemini", "openrouter", "anthropic", "ollama", "local", "openai")
PLACES = """choices delta content reasoning_content reasoning_details text finish_reason usage prompt_tokens cost
is_byok cost_details upstream_inference_cost completion_tokens total_tokens prompt_tokens_details cached_tokens provider
error message code type metadata raw details retryDelay resets_at status response output summary item incomplete_details
reason input_tokens output_tokens input_tokens_details content_block stop_reason stop_details explanation done
done_reason thinking prompt_eval_count eval_count role models data id meta n_ctx n_ctx_train max_model_len model name
model_info general.architecture llama.context_length parameters capabilities details family modified_at window
default_generation_settings loaded_context_length state context_length top_provider inputTokenLimit extra_content
google thought""".split()
VALUES = st.sampled_from(
    """message_start message_delta message_stop content_block_delta error completed incomplete failed length stop
    response.completed response.failed response.output_text.delta llama completion loaded m mine x""".split()
)
ANY = st.recursive(
    st.sampled_from(NUMBERS) | VALUES | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PLACES), inner, max_size=6),
    max_leaves=25,
)
ONE = st.dictionaries(st.sampled_from(PLACES), ANY, max_size=8)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(SHAPES), st.lists(ONE, max_size=4), st.booleans(), st.sampled_from([200, 200, 200, 400, 429]))
def test_whatever_is_streamed_is_an_answer_or_an_error_of_one_line(
    name: str, pieces: list[dict[str, object]], streamed: bool, status: int
) -> None:
    lines = [json.dumps(one).encode() + b"\n" if name == "ollama" else data(one) for one in pieces]
    answer = Answer((*lines, DONE), status) if streamed else replace(page(pieces[:1] and pieces[0]), status=status)
    with Server(answer, pages={"/api/show": {"model_info": {}}}) as server:
        found = attempt(name, server.base)
    if isinstance(found, Completion):
        numbers = [found.usage.input, found.usage.output, found.usage.cached, found.usage.reasoning]
        assert all(type(one) is int and 0 <= one < 10**13 for one in numbers)
        assert found.usage.cost is None or 0 <= found.usage.cost < 10**19
    else:
        assert "\n" not in found.hint and 0 <= (found.size or 0) < 10**12


class Telling(Server):
    """Tells the same of itself wherever it is asked."""

    def told(self, received: Received) -> Answer:
        """Always this page."""
        return self.script[0]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from([name for name in SHAPES if hasattr(providers.load(name), "describe")]), ONE)
def test_whatever_a_server_tells_of_itself_is_a_model_and_a_window(name: str, told: dict[str, object]) -> None:
    with Telling(page(told)) as server:
        try:
            seen = providers.describe(providers.load(name), Config(KEYS[0], server.base), "")
        except ProviderError as error:
            assert "\n" not in error.hint
        else:
            assert 0 < seen.window < 10**12


@pytest.mark.parametrize("form", FORMS)
def test_a_model_that_is_named_like_the_key_is_not(form: str) -> None:
    name = FORMS[form](KEYS[0])
    pages = {
        "/v1/models": {"data": [{"id": name, "max_model_len": 9000}]},
        "/api/tags": {"models": [{"model": name}]},
        "/api/show": {"model_info": {}},
    }
    with Server(stream("fine"), pages=pages) as server:
        for one, base in (("local", f"{server.base}/v1"), ("ollama", server.base)):
            seen = providers.describe(providers.load(one), Config(KEYS[0], base), "")
            assert not holds(seen.model, KEYS[0], form), seen


def attempt(
    name: str,
    base: str,
    emit: Callable[[str, str], None] = lambda channel, text: None,
    stop: Callable[[], bool] = lambda: False,
) -> Completion | ProviderError:
    """What comes of one attempt."""
    given = {"OPENAI_API_KEY": KEYS[0]} if name == "openai" else {}
    wire = {"wire": "responses"} if name == "openai" else {}
    config = Config(KEYS[0], base, None, {"stall": 2, **wire}, given)
    asked = Prompt("m", ({"role": "system", "content": "be"}, {"role": "user", "content": "hi"}))
    try:
        return providers.load(name).answer(asked, config, emit, stop)
    except ProviderError as error:
        return error

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
from itertools import repeat
from pathlib import Path

import pytest
from providers.forms import FORMS, holds
from providers.loopback import CUT, DONE, STALL, Answer, Received, Server, data, event, refusal, stream, whole
from support import PATIENCE, files, make_home, spawn, until
from unkind import HUGE, NUMBERS
from world import said, world

import agent
from dotagent.store import queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part

KEYS = ("sk-kanarienvogel/0123456789abcdef", "k4n4r")
LIFE = "c" * 32
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens", "cost")
WAITS = ("99999999999", "1e99", "-5", "nan", "Infinity", "Fri, 31 Dec 9999 23:59:59 GMT", "0" * 9000, "\u00b2", "soon")
MEGABYTE = "".join(f"so it goes, {number}. " for number in range(50_000))[: 1 << 20]  # a repetition is cut off
JSON = {"content-type": "application/json"}
BOMB = gzip.compress(bytes(64 << 20))
BROTLI = b"\x0b\x02\x80hello\x03"  # the word hello
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


FINE = event({"content": "fine"}, "stop") + DONE
CASES: dict[str, tuple[str, Answer]] = {  # a word of what comes of it, and what the server answers
    "good": ("fine", stream("fine")),
    "twice good": ("fine", Answer((event({"content": "fine"}, "stop"), DONE, DONE, b"data: {}\n\n"))),
    "nothing": ("sent no text", Answer(())),
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
    "cut off": ("ended early", Answer((event({"content": "so"}), CUT))),
    "no end": ("before the answer was complete", Answer((event({"content": "so"}),))),
    "silent": ("sent nothing for 1 s", Answer((event({"content": "so"}), STALL))),
    "silent at once": ("sent nothing for 1 s", Answer((STALL,))),
    "an endless answer": ("more than 8,000,000", Answer(repeat(event({"content": MEGABYTE})))),
    "endless reasoning": ("more than 8,000,000", Answer(repeat(event({"reasoning": MEGABYTE})))),
    "an endless line": ("more than 8,388,608", Answer(repeat(MEGABYTE.encode()))),
    "an endless event": ("more than 8,388,608", Answer(repeat(b"data: " + b"x" * 65_536 + b"\n"))),
    "an endless body": ("more than 8,388,608", Answer(repeat(MEGABYTE.encode()), headers=JSON)),
    "an endless refusal": ("refuses", Answer(repeat(MEGABYTE.encode()), 400)),
    "packed": ("fine", Answer((gzip.compress(FINE),), headers={"content-encoding": "gzip"})),
    "packed, not labelled": ("fine", Answer((gzip.compress(FINE),))),
    "labelled, not packed": ("fine", Answer((FINE,), headers={"content-encoding": "gzip"})),
    "labelled as packed in another way": ("fine", Answer((FINE,), headers={"content-encoding": "br"})),
    "packed in another way": ("cannot be used", Answer((BROTLI,), headers={"content-encoding": "br"})),
    "packed and damaged": ("cannot be used", Answer((gzip.compress(FINE)[:9] + FINE,))),
    "a packed bomb": ("more than 8,388,608", Answer((BOMB,), headers={"content-encoding": "gzip"})),
    "labelled as a page": ("fine", Answer((FINE,), headers={"content-type": "text/html"})),
    "packed, refused": ("", Answer((BOMB,), 400, {"content-encoding": "gzip"})),
    "a huge header": ("ended early", Answer((), headers={"x": "y" * (1 << 20)})),
    "many headers": ("ended early", Answer((), headers={f"x-{n}": "y" * 99 for n in range(9999)})),
    "a page": ("not the address", Answer((b"<p>hello",), headers={"content-type": "text/html"})),
    "a page of errors": ("overloaded", Answer((b"<p>hello",), 500, {"content-type": "text/html"})),
    "too long by 10**400": ("too long", refusal(400, "prompt is too long", n_prompt_tokens=HUGE)),
    "too long in words": ("too long", refusal(400, f"prompt is too long: {'9' * 250} tokens")),
    "a code that is huge": ("overloaded", Answer((data({"error": {"code": HUGE, "message": "x"}}),))),
    "a plan used up": ("later", refusal(429, "no", code="usage_limit_reached", resets_in_seconds=HUGE)),
    "a plan until 10**400": ("later", refusal(429, "no", code="usage_limit_reached", resets_at=HUGE)),
    "asked again": ("asks for a pause until", refusal(429, "no", details=[{"retryDelay": "999999999s"}])),
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
        until(lambda: ids <= set(queue.names(where.calls / "done" / LIFE)), where.calls)
        status = Path(f"/proc/{child.pid}/status")
        peak = int(re.findall(r"VmHWM:\s*(\d+)", status.read_text())[0]) >> 10 if status.exists() else 0
    finally:
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=PATIENCE)
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
    for path, held in files(where.root):
        if not path.is_symlink():
            text = held.decode("utf-8", "replace")
            yield from (f"{path.relative_to(where.root)}: {form}" for form in FORMS if holds(text, key, form))


@pytest.mark.night
@pytest.mark.parametrize("key", [KEYS[0], pytest.param(KEYS[1], marks=pytest.mark.night)])
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

"""The worker of a provider process against real servers: what it tells, how it retries, and what comes of each call."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from providers.loopback import CUT, STALL, Answer, Received, Server, data, event, refusal, stream, whole
from support import make_home, spawn, together, until

from dotagent import commands
from dotagent.chatting.drafts import Drafts
from dotagent.errors import Misuse
from dotagent.providers import Completion, ProviderError, Usage
from dotagent.providers.server import cost, cut
from dotagent.providers.server.catalogue import Catalogue
from dotagent.providers.server.worker import Worker
from dotagent.store import credentials, home, launch, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part
from dotagent.store.watch import Watcher
from dotagent.text import tokens

AGENT = "a" * 32
KEY = "sk-0123456789abcdef"


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    yield make_home(tmp_path / "home")


def keys(server: Server, name: str = "deepseek", path: str = "") -> dict[str, str]:
    return {credentials.variable(name, "API_KEY"): KEY, credentials.variable(name, "API_BASE"): server.base + path}


def placed(
    where: Home, text: str = "hello", kind: str = "live", provider: str = "deepseek", model: str = "", most: int = 0
) -> Call:
    number = len(list(where.blobs.rglob("*")))
    parts = [Part("user", f"{number} {text}")]
    data = requests.encode(AGENT, model, {"most": most} if most else {}, "", 0, parts)
    id = where.store().put(data, at=f"2026-01-01T00:00:00.{number:06}Z", gist="request")
    call = Call(id, AGENT, provider, kind, "dev")
    queue.place(where, call)
    return call


def serve(worker: Worker, *wanted: Call, seconds: float = 20.0) -> list[Outcome]:
    """Let the worker work, as its process does, until these calls are done."""
    end = time.monotonic() + seconds
    while any(queue.done(worker._home, call.agent, call.id) is None for call in wanted):
        assert time.monotonic() < end, "the call was not answered"
        step(worker)
    found = [queue.done(worker._home, call.agent, call.id) for call in wanted]
    return [one for one in found if one]


def step(worker: Worker, most: float = 0.2) -> None:
    worker.take()
    bell = select.poll()  # select(2) takes no descriptor above 1,023, and a process of many tests may hold more
    bell.register(worker.bell, select.POLLIN)
    bell.poll(1000 * worker.pause(most))
    worker.answered()


def text_of(where: Home, outcome: Outcome) -> str:
    return where.store().get(outcome.reply).body.decode()


def told(where: Home, name: str) -> dict[str, object]:
    return launch.published(where).get(name, {})


def tells(where: Home, name: str, **what: object) -> dict[str, object]:
    """What is told of a provider, once it is this."""
    return until(lambda: entry if what.items() <= (entry := told(where, name)).items() else None, where.calls)


# --- what is told


MODELS = {"/v1/models": {"data": [{"id": "tiny", "meta": {"n_ctx": 8192}}, {"id": "big", "meta": {"n_ctx": 50_000}}]}}


def test_a_table_is_told_at_once(where: Home) -> None:
    catalogue = Catalogue(where, ["deepseek", "offline", "openai-codex"], {})
    catalogue.publish()
    entry = told(where, "deepseek")  # it could not be asked yet
    assert (entry["model"], entry["window"], entry["known"]) == ("deepseek-v4-pro", 1_000_000, False)
    assert told(where, "openai-codex")["known"] is True
    assert entry["configured"] is False and "DEEPSEEK_API_KEY" in str(entry["why"])
    assert told(where, "offline")["configured"] is True
    (where.root / "dotagent.toml").write_text("[providers.deepseek]\nwindow = 9000\nmodel = 'deepseek-chat'\n")
    catalogue.config("deepseek")  # as for a call
    assert told(where, "deepseek")["window"] == 9000 and told(where, "deepseek")["model"] == "deepseek-chat"


def test_what_a_server_tells_is_told_when_it_comes(where: Home) -> None:
    with Server(whole("hi"), pages=MODELS) as server:
        Catalogue(where, ["local"], keys(server, "local", "/v1")).publish()
        tells(where, "local", model="tiny", window=8192, known=True)
        assert KEY not in (where.calls / "providers.json").read_text()
        (where.root / "dotagent.toml").write_text("[providers.local]\nwindow = 5000\n")
        Catalogue(where, ["local"], keys(server, "local", "/v1")).publish()
        tells(where, "local", window=5000, known=True)


def test_a_server_that_is_not_there_is_told_of_once_and_nothing_shrinks_for_a_guess(
    where: Home, capfd: pytest.CaptureFixture[str]
) -> None:
    catalogue = Catalogue(where, ["local"], {"LOCAL_API_BASE": "http://127.0.0.1:9/v1"})
    catalogue.publish()
    said = ""

    def complained() -> bool:
        nonlocal said
        said += capfd.readouterr().err
        return "can not be reached" in said and "start it, or set LOCAL_API_BASE to where it is" in said

    until(complained, where.calls)
    catalogue.publish()
    assert told(where, "local")["known"] is False
    assert (said + capfd.readouterr().err).count("\n") == 1


def test_models_that_were_asked_for_have_windows_of_their_own(where: Home) -> None:
    with Server(stream("hi"), pages=MODELS) as server:
        worker = Worker(where, ["local"], keys(server, "local", "/v1"))
        worker.catalogue.publish()
        (outcome,) = serve(worker, placed(where, provider="local", model="big"))
        assert (outcome.model, server.received[0].body["model"]) == ("big", "big")
        tells(where, "local", windows={"big": 50_000}, window=8192)


def test_two_processes_tell_at_the_same_time(where: Home) -> None:
    names = ["deepseek", "offline", "anthropic", "openai"]
    together(*[lambda name=name: [Catalogue(where, [name], {}).publish() for _ in range(20)] for name in names])
    assert sorted(launch.published(where)) == sorted(names)


def test_without_a_model_the_server_is_asked_and_believed_for_a_while(where: Home) -> None:
    with Server(stream("hi"), stream("there"), refusal(404, "model not found"), stream("x"), pages=MODELS) as server:
        worker = Worker(where, ["local"], keys(server, "local", "/v1"))
        worker.catalogue.publish()
        tells(where, "local", model="tiny")
        begun = len(server.looked)
        for _ in range(2):
            (outcome,) = serve(worker, placed(where, provider="local"))
            assert (outcome.model, outcome.provider, outcome.background) == ("tiny", "local", False)
        assert len(server.looked) == begun
        (lost,) = serve(worker, placed(where, provider="local"))
        assert lost.kind == "missing"
        serve(worker, placed(where, provider="local"))
        assert [one.path for one in server.looked[begun:]] == ["/v1/models", "/props"]


def test_a_server_that_names_no_model_fails_the_call_with_its_hint(where: Home) -> None:
    with Server(stream("hi"), pages={"/v1/models": {"data": []}}) as server:
        (outcome,) = serve(Worker(where, ["local"], keys(server, "local", "/v1")), placed(where, provider="local"))
        assert outcome.kind == "missing" and "load one" in outcome.hint
        assert not server.received


# --- what it costs


PRICES = {
    "deepseek-": {"input": 9.0, "output": 9.0},
    "deepseek-v4-pro": {"input": 0.27, "cached": 0.03, "output": 1.1},
    "deepseek-v4-pro-max": {"input": 99.0, "output": 99.0},
}


@pytest.mark.parametrize(
    ("model", "used", "paid"),
    [
        ("deepseek-v4-pro", {"input": 1_000_000, "cached": 900_000, "output": 10_000}, 27_000 + 27_000 + 11_000),
        ("deepseek-v4-pro-0711", {"input": 100}, 27),
        ("deepseek-chat", {"input": 10, "cached": 5, "output": 10}, 180),
        ("deepseek-chat", {"input": 10, "cached": 50}, 90),
        ("gpt-5", {"input": 10}, None),
    ],
)
def test_the_longest_beginning_of_a_models_name_prices_it(
    model: str, used: Mapping[str, int], paid: int | None
) -> None:
    assert cost.cost(PRICES, model, used) == paid


def test_what_the_provider_tells_goes_before_prices() -> None:
    assert cost.record(Usage(input=100, cost=7), PRICES, "deepseek-chat") == {"input": 100, "cost": 7}
    assert cost.record(Usage(input=100, cost=0), PRICES, "deepseek-chat")["cost"] == 0
    assert cost.record(Usage(input=100), PRICES, "other") == {"input": 100}
    assert cost.record(Usage(), PRICES, "deepseek-chat") == {}


def test_an_answer_is_written_with_what_it_used_and_cost(where: Home) -> None:
    (where.root / "dotagent.toml").write_text(
        '[prices."deepseek-v4"]\ninput = 10\ncached = 1\noutput = 100\npeak = 1\n'
    )
    with Server(stream("hi")) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where))
    assert outcome.usage == {"input": 100, "cached": 64, "output": 9, "reasoning": 4, "cost": 360 + 64 + 900}


# --- trying again


def test_what_a_broken_attempt_wrote_is_not_seen_again(where: Home) -> None:
    seen = list[list[str]]()
    drafts = Drafts(where, "dev")

    def second(received: Received) -> Answer:
        call = queue.names(where.calls / "taken")
        watching = Watcher()
        drafts.watch(watching)
        watching.close()
        seen.append([draft.text for draft in drafts.current()])
        seen.append([path.read_text() for path in queue.streams(where, call[0])])
        return stream("whole")

    with Server(Answer((event({"content": "half"}), CUT)), second) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where))
    assert text_of(where, outcome) == "whole"
    assert seen == [[""], ["half", ""]]


@pytest.mark.slow
def test_a_refused_background_call_waits_and_nobody_else_does(where: Home) -> None:
    asked = list[tuple[str, float]]()

    def answer(received: Received) -> Answer:
        messages = received.body["messages"]
        assert isinstance(messages, list)
        asked.append((messages[-1]["content"].split(" ")[1], time.monotonic()))
        first = [name for name, _ in asked].count("background") == 1 and asked[-1][0] == "background"
        return refusal(429, "slow down", headers={"retry-after": "1"}) if first else stream("hi")

    with Server(answer) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        slow = placed(where, "background", "background")
        until(lambda: step(worker) or worker.pause(9.0) < 9.0, where.calls)
        until(lambda: step(worker, 0.02) or queue.waiting(where, "deepseek"), where.calls / "new" / "deepseek")
        assert queue.waiting(where, "deepseek")[0].takers == ()  # it was not the provider that failed
        other = placed(where, "other", "background")
        serve(worker, placed(where, "live"))
        assert [name for name, _ in asked] == ["background", "live"]
        serve(worker, slow, other)
    assert sorted(name for name, _ in asked) == ["background", "background", "live", "other"]
    assert asked[2][1] - asked[0][1] > 0.99
    assert queue.done(where, AGENT, slow.id).background  # type: ignore[union-attr]


def test_a_call_that_is_cancelled_lets_its_server_go(where: Home) -> None:
    with Server(Answer((event({"content": "half"}), STALL)), stream("next")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        call = placed(where)
        (where.calls / "stream").mkdir()
        until(
            lambda: step(worker, 0.02) or any(path.stat().st_size for path in queue.streams(where, call.id)),
            where.calls / "stream",
        )
        assert commands.run("calls", ["--home", str(where.root), "cancel", call.id[:12]]) == 0
        assert server.hung_up.wait(5)
        until(lambda: step(worker, 0.02) or not worker.busy(), where.calls)
        (outcome,) = serve(worker, call)
        assert (outcome.kind, outcome.retryable) == ("cancelled", False)
        assert text_of(where, serve(worker, placed(where))[0]) == "next"


def test_giving_back_what_was_cancelled_meanwhile(where: Home) -> None:
    call = placed(where)
    taken = queue.take(where, "deepseek")
    assert taken
    queue.cancel(where, taken)
    queue.give_back(where, taken)
    assert queue.waiting(where, "deepseek") == [] and not queue.placed(where, "deepseek", call.id)


# --- what is asked for beside a conversation


LOOP = (*(event({"content": f"{at}-{at + 5} 7 the same again\n"}) for at in range(60)), STALL)


@pytest.mark.parametrize("provider", ["deepseek", "local"])
def test_an_answer_that_does_not_end_is_cut_where_it_may_have_no_more_tokens(where: Home, provider: str) -> None:
    """A model that loops, while the person waits behind it: its server is let go, and what came is the answer."""
    with Server(Answer(LOOP)) as server:
        worker = Worker(where, [provider], keys(server, provider, "/v1"))
        (outcome,) = serve(worker, placed(where, "x", "background", provider, "m", most=100))
        assert server.hung_up.wait(5)
    assert (outcome.finish, outcome.background) == ("length", True)
    assert 80 < tokens.estimate(text_of(where, outcome)) < 200
    assert text_of(where, outcome).startswith("0-5 7 the same again\n1-6 7")
    assert 80 < outcome.usage["output"] < 200 and outcome.usage["input"] > 0
    limit = server.received[0].body.get("max_tokens")  # a server of one's own may not notice who hung up
    assert limit == (4196 if provider == "local" else None) and "most" not in server.received[0].body


def test_an_answer_without_a_limit_or_below_it_comes_whole_and_thoughts_are_free(where: Home) -> None:
    long, thought = "The kettle boils. " * 200, ("Let me think of kettles. " * 40,)
    with Server(stream(long), stream("0-5 7 tea", reasoning=thought)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where))
        assert (text_of(where, outcome), outcome.finish) == (long, "stop")
        (outcome,) = serve(worker, placed(where, "x", "background", most=100))
        assert text_of(where, outcome).endswith("0-5 7 tea") and outcome.finish == "stop"


@pytest.mark.slow
def test_a_persons_call_takes_the_place_of_one_in_the_background_where_a_server_does_one_thing_at_a_time(
    where: Home,
) -> None:
    asked = list[str]()

    def answer(received: Received) -> Answer:
        messages = received.body["messages"]
        assert isinstance(messages, list)
        asked.append(messages[-1]["content"].split(" ")[1])
        return Answer((event({"content": "half"}), STALL)) if len(asked) == 1 else stream(asked[-1])

    with Server(answer) as server:
        worker = Worker(where, ["local"], keys(server, "local", "/v1"))
        slow = placed(where, "slow", "background", "local", "m")
        until(lambda: step(worker, 0.02) or asked, where.calls)
        (outcome,) = serve(worker, placed(where, "quick", provider="local", model="m"))
        assert text_of(where, outcome) == "quick" and server.hung_up.wait(5)
        until(lambda: step(worker, 0.02) or queue.waiting(where, "local"), where.calls)
        assert queue.waiting(where, "local")[0].takers == ()  # no taker died over it
        assert 1.5 < worker.pause(9.0) <= 4.0  # a turn that goes on asks again at once, and it came to nothing once
        (outcome,) = serve(worker, slow)
        assert (text_of(where, outcome), asked) == ("slow", ["slow", "quick", "slow"])
        serve(worker, placed(where, "again", provider="local", model="m"))
        assert worker.pause(9.0) <= 1.0  # now it has come to something


def test_where_several_calls_run_at_once_none_makes_room(where: Home) -> None:
    first = Answer((event({"content": "half"}), STALL))
    with Server(first, stream("quick")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        slow = placed(where, "slow", "background")
        until(lambda: step(worker, 0.02) or server.received, where.calls)
        (outcome,) = serve(worker, placed(where, "quick"))
        assert text_of(where, outcome) == "quick" and not server.hung_up.is_set()
        assert queue.taken(where, slow.id) and worker.busy()


# --- servers that cut


def counted(prompt_tokens: int) -> Answer:
    """An answer whose prompt had so many tokens, as its server says."""
    used = {"prompt_tokens": prompt_tokens, "completion_tokens": 3}
    return Answer((event({"content": "hm"}, "stop"), data({"choices": [], "usage": used}), b"data: [DONE]\n\n"))


def test_a_server_that_cuts_silently_is_found_out(where: Home) -> None:
    text = "The kettle is on the stove and nobody drinks tea. " * 800
    with Server(counted(4096), counted(9000), counted(4096)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where, text))
        assert (outcome.kind, outcome.retryable) == ("cut", False)
        assert "[providers.deepseek]" in outcome.hint and "`window = 4096`" in outcome.hint
        (outcome,) = serve(worker, placed(where, text))
        assert outcome.reply and len(server.received) == 2
        (where.root / "dotagent.toml").write_text("[providers.deepseek]\nwindow = 20000\n")
        (outcome,) = serve(worker, placed(where, text))
        assert outcome.reply  # the person says that it takes as much


HINDI = "नमस्ते, आप कैसे हैं? मुझे कल सुबह जल्दी उठना है और बाज़ार जाना है। " * 300
CHINESE = "我明天早上要早起去市场买菜，然后回家做饭。" * 400


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("|" + " " * 99 + "|\n" + "─" * 100 + "\n" * 5, 12),  # tables and lines: a few tokens each
        (HINDI, len(HINDI) // 4),
        (CHINESE, len(CHINESE) // 2),
        ("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo" * 500, 9000),
        ("short", 600),
    ],
)
def test_no_server_is_blamed_for_its_tokenizer(text: str, told: int) -> None:
    many = 200 if len(text) < 300 else 1
    reply = Completion("x", finish="length", usage=Usage(max(600, told * many)))
    assert cut.check("local", [{"role": "user", "content": text * many}], reply) == ""


@pytest.mark.parametrize(
    ("told", "finish", "believed"),
    [(4096, "stop", True), (4090, "stop", True), (4093, "stop", True), (3500, "length", True),
     (3500, "stop", False), (700, "stop", False), (3000, "stop", False)],
)  # fmt: skip
def test_a_count_alone_discards_no_answer(told: int, finish: str, believed: bool) -> None:
    """Servers miscount: those of cached prompts only what was new, stand-ins always the same."""
    text = "The kettle is on the stove and nobody drinks tea. " * 800
    reply = Completion("x", finish=finish, usage=Usage(told, output=3))
    if not believed:
        assert f"counted {told:,} tokens" in cut.check("x", [{"role": "user", "content": text}], reply)
        return
    with pytest.raises(ProviderError) as caught:
        cut.check("x", [{"role": "user", "content": text}], reply)
    assert caught.value.kind == "cut"


def test_what_an_answer_leaves_in_doubt_is_published(where: Home) -> None:
    with Server(counted(3000)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where, "The kettle is on the stove. " * 1600))
        assert outcome.reply and "counted 3,000 tokens" in str(told(where, "deepseek")["warning"])


def test_a_change_of_settings_is_seen_by_the_next_call_of_each_provider_also_behind_a_link(where: Home) -> None:
    real = where.root / "elsewhere.toml"
    real.write_text("")
    (where.root / "dotagent.toml").symlink_to(real)
    catalogue = Catalogue(where, ["deepseek", "openai"], {})
    for model in ("one", "two"):
        assert catalogue.config("openai").model != model
        real.write_text(f'[providers.openai]\nmodel = "{model}"\n[prices.m]\ninput = 1\noutput = 1\n')
        assert catalogue.config("deepseek").model is None
        assert catalogue.config("openai").model == model
    real.write_text("[providers")
    for _ in range(2):
        with pytest.raises(Misuse):
            catalogue.config("deepseek")


def test_settings_that_cannot_be_read_stop_no_process(where: Home) -> None:
    with Server(stream("hi")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        worker.catalogue.publish()
        before = told(where, "deepseek")
        (where.root / "dotagent.toml").write_text("provider = ")
        worker.tend()
        assert told(where, "deepseek") == before
        (outcome,) = serve(worker, placed(where))
        assert "dotagent.toml" in outcome.hint
        (where.root / "dotagent.toml").write_text("")
        assert serve(worker, placed(where))[0].reply
    assert home.settings(where).provider is None
    assert json.loads((where.calls / "providers.json").read_bytes())


@pytest.mark.slow
def test_as_many_calls_as_settings_say_are_in_flight_first_come_first_served(where: Home) -> None:
    """A provider's process on the spool: nine calls of several agents, three at once."""
    three, lock, inside, most, order = threading.Barrier(3), threading.Lock(), 0, 0, list[str]()

    def answer(received: Received) -> Answer:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            order.append(received.body["messages"][-1]["content"].split(" ")[-1])
        three.wait(20)  # nobody goes on before three are here
        with lock:
            inside -= 1
        return stream("hi")

    (where.root / "dotagent.toml").write_text("[providers.deepseek]\nat_once = 3\n")
    with Server(answer) as server:
        calls = [placed(where, f"n{number}") for number in range(9)]
        child = spawn(where, "-m", "dotagent", "provider", "deepseek", env=keys(server))
        try:
            until(lambda: all(queue.done(where, AGENT, one.id) for one in calls), where.calls / "done" / AGENT)
        finally:
            child.terminate()
            child.communicate(timeout=20)
    assert most == 3
    assert [sorted(order[at : at + 3]) for at in (0, 3, 6)] == [
        ["n0", "n1", "n2"],
        ["n3", "n4", "n5"],
        ["n6", "n7", "n8"],
    ]

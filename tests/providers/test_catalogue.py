"""What a provider process tells of its providers: their models, windows and settings."""

from __future__ import annotations

import json
from datetime import date

import pytest
from loopback import Server, refusal, stream, whole
from support import together, until
from working import KEY, keys, placed, serve, tells, text_of, told

from dotagent import providers
from dotagent.errors import Misuse
from dotagent.providers.server.catalogue import Catalogue
from dotagent.providers.server.worker import Worker
from dotagent.store import credentials, home, launch, model_end
from dotagent.store.home import Home

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
    assert told(where, "deepseek")["known"] is True  # a person said it, so the server need not


def test_the_price_of_a_prompts_beginning_and_how_long_a_cache_keeps_it_are_told(where: Home) -> None:
    catalogue = Catalogue(where, ["anthropic", "offline"], {})
    catalogue.publish()
    price = {"input": 2.0, "cached": 0.1, "written": 2.5, "output": 10.0, "lasts": 300}
    assert told(where, "anthropic")["prices"] == {"claude-sonnet-5-5": price}
    assert told(where, "offline")["prices"] == {}
    (where.root / "dotagent.toml").write_text(
        '[prices."claude-sonnet"]\ninput = 3\noutput = 15\nlasts = 3600\nwritten = 6\n'
    )
    catalogue.config("anthropic")  # as for a call
    mine = {"input": 3, "cached": 0.1, "written": 6, "output": 15, "lasts": 3600}
    assert told(where, "anthropic")["prices"] == {"claude-sonnet-5-5": mine}


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
        return "cannot be reached" in said and "start the server, or set LOCAL_API_BASE to its address" in said

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


def test_a_key_that_is_changed_in_the_env_file_is_used_by_the_next_call(where: Home) -> None:
    env = where.root / ".env"

    def write(key: str) -> None:
        env.write_text(f"DEEPSEEK_API_KEY={key}\nMISTRAL_API_KEY=sk-of-the-file\n")
        env.chmod(0o600)

    write("sk-wrong-0123456789")
    with Server(refusal(401, "no such key"), stream("hello")) as server:
        base = {"DEEPSEEK_API_BASE": server.base, "MISTRAL_API_KEY": "sk-of-the-environment"}
        worker = Worker(where, ["deepseek", "mistral"], {**credentials.env_file(where), **base})
        (failed,) = serve(worker, placed(where))
        assert failed.kind == "auth" and "DEEPSEEK_API_KEY" in failed.hint
        write("sk-right-0123456789")
        (good,) = serve(worker, placed(where))
        assert text_of(where, good) == "hello"
        assert server.received[-1].headers["authorization"] == "Bearer sk-right-0123456789"
        assert worker.catalogue.config("mistral").key == "sk-of-the-environment"


def test_settings_that_cannot_be_read_stop_no_process(where: Home) -> None:
    with Server(stream("hi")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        worker.catalogue.publish()
        before = told(where, "deepseek")
        (where.root / "dotagent.toml").write_text("provider = ")
        worker.tend()
        assert told(where, "deepseek") | {"known": None} == before | {"known": None}  # its list of models may come now
        (outcome,) = serve(worker, placed(where))
        assert "dotagent.toml" in outcome.hint
        (where.root / "dotagent.toml").write_text("")
        assert serve(worker, placed(where))[0].reply
    assert home.settings(where).provider is None
    assert json.loads((where.calls / "providers.json").read_bytes())


def test_a_models_end_is_told_some_weeks_before() -> None:
    today = date(2026, 11, 28)
    for day, warned in (("2027-01-22", True), ("2026-11-30", True), ("2026-11-01", True), ("2027-03-01", False),
                      ("", False), ("soon", False)):  # fmt: skip
        said = model_end.ending("claude-opus-4-5", day, today)
        assert bool(said) == warned and (not warned or f"claude-opus-4-5 off on {day}" in said)


@pytest.mark.parametrize("name", ["shutdown_date", "deprecation", "retires_at"])
def test_a_list_of_models_tells_their_ends(name: str) -> None:
    listed = {"data": [{"id": "m", "max_model_len": 9000, name: "2026-12-24T00:00:00Z"}, {"id": "other"}]}
    with Server(stream("x"), pages={"/v1/models": listed}) as server:
        config = providers.configure("openai", {"OPENAI_API_KEY": "sk-1", "OPENAI_API_BASE": f"{server.base}/v1"}, {})
        assert providers.describe(providers.load("openai"), config, "m").ends == "2026-12-24"
        assert providers.describe(providers.load("openai"), config, "other").ends == ""

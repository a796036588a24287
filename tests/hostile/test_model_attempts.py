"""One attempt at a server that means ill: whom it sends to, how long it takes, and what is read of what it tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from providers.forms import FORMS, holds
from providers.loopback import DONE, Answer, Received, Server, data, event, page, refusal, stream
from support import PATIENCE
from unkind import NUMBERS

from dotagent import providers
from dotagent.providers import Completion, Config, Prompt, ProviderError

KEY = "sk-kanarienvogel/0123456789abcdef"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_is_sent_elsewhere_with_a_key(status: int) -> None:
    with Server(stream("mine now"), pages={"/v1/models": {"data": [{"id": "mine"}]}}) as thief:
        moved = refusal(status, "there", headers={"location": f"{thief.base}/v1/models"})
        with Server(moved, pages={"/v1/models": moved}) as server:
            assert attempt("deepseek", server.base).kind == "missing"
            with pytest.raises(ProviderError):
                providers.describe(providers.load("local"), Config(KEY, f"{server.base}/v1"), "")
        assert not thief.received and not thief.looked


def test_a_server_that_drips_for_ever_is_left_when_the_call_is() -> None:
    drops = list[str]()
    with Server(Answer(repeat(event({"content": "."})))) as server:
        error = attempt("deepseek", server.base, lambda channel, text: drops.append(text), lambda: len(drops) > 20)
        assert server.hung_up.wait(PATIENCE)
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


@pytest.mark.night
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
            seen = providers.describe(providers.load(name), Config(KEY, server.base), "")
        except ProviderError as error:
            assert "\n" not in error.hint
        else:
            assert 0 < seen.window < 10**12


@pytest.mark.parametrize("form", FORMS)
def test_a_model_that_is_named_like_the_key_is_not(form: str) -> None:
    name = FORMS[form](KEY)
    pages = {
        "/v1/models": {"data": [{"id": name, "max_model_len": 9000}]},
        "/api/tags": {"models": [{"model": name}]},
        "/api/show": {"model_info": {}},
    }
    with Server(stream("fine"), pages=pages) as server:
        for one, base in (("local", f"{server.base}/v1"), ("ollama", server.base)):
            seen = providers.describe(providers.load(one), Config(KEY, base), "")
            assert not holds(seen.model, KEY, form), seen


def attempt(
    name: str,
    base: str,
    emit: Callable[[str, str], None] = lambda channel, text: None,
    stop: Callable[[], bool] = lambda: False,
) -> Completion | ProviderError:
    """What comes of one attempt."""
    given = {"OPENAI_API_KEY": KEY} if name == "openai" else {}
    wire = {"wire": "responses"} if name == "openai" else {}
    config = Config(KEY, base, None, {"stall": 2, **wire}, given)
    asked = Prompt("m", ({"role": "system", "content": "be"}, {"role": "user", "content": "hi"}))
    try:
        return providers.load(name).answer(asked, config, emit, stop)
    except ProviderError as error:
        return error

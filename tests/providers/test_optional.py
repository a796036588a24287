"""Optional parts of a request that a server refuses: asked once more without, and remembered; other refusals stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Received, Server, page, refusal, stream
from support import make_home
from working import placed, serve, text_of, told

from dotagent.providers import Prompt, ProviderError, anthropic, configure, gemini, load, ollama
from dotagent.providers.formats import attempts, parts
from dotagent.providers.formats.errors import words
from dotagent.providers.server.worker import Worker

JSON = {"content-type": "application/json"}
TOOL = {
    "name": "RUN",
    "description": "Run a command. As text, the call is:\nRUN command",
    "parameters": {"type": "object"},
}
CHAT = (
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hello"},
)
SYSTEM, TOOLS, MEDIA = parts.SYSTEM, parts.TOOLS, parts.MEDIA


def error(status: int, body: object) -> Answer:
    return Answer((json.dumps(body).encode() if not isinstance(body, bytes) else body,), status, JSON)


def message(text: str, **more: object) -> dict[str, object]:
    return {"error": {"message": text, "type": "invalid_request_error", **more}}


# What servers answer, from their public issues: the status, the body, and the part that is meant.
REAL: list[tuple[int, object, str]] = [
    (400, message("Unrecognized request argument supplied: stream_options"), "stream_options"),
    (400, {"error": {"requestid": "e", "code": 400, "message":
        "Validation error at #/stream_options: Extra inputs are not permitted"}}, "stream_options"),
    (400, {"object": "error", "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': "
        "'Extra inputs are not permitted', 'input': {'include_usage': True}}]", "code": 400}, "stream_options"),
    (422, {"error": {"code": "Invalid input", "status": 422, "message": '{"detail":[{"type":"extra_forbidden","loc":'
        '["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]}'}},
        "stream_options.include_usage"),
    (400, {"detail": "Extra parameters ['stream_options'] are not allowed when extra-parameters is not set or set to "
        "be 'error'. Set extra-parameters to 'pass-through' to pass to the model."}, "stream_options"),
    (400, message("Extra inputs are not permitted, field: 'stream_options'"), "stream_options"),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg":
        "Extra inputs are not permitted", "input": {"stream_options": 1}}]}, "temperature"),
    (400, {"message": "Validation: Unsupported parameter(s): prompt_cache_key", "type": "Bad Request", "code": 400},
        "prompt_cache_key"),
    (400, {"detail": "Unsupported parameter: prompt_cache_key"}, "prompt_cache_key"),
    (400, message("property 'prompt_cache_key' is unsupported, did you mean 'stream_options'?"), "prompt_cache_key"),
    (400, message("unknown field `prompt_cache_key`, expected one of `model`, `messages`, `stream_options`"),
        "prompt_cache_key"),
    (400, message("Unsupported value: 'temperature' does not support 0.16 with this model. Only the default (1) value "
        "is supported.", param="temperature", code="unsupported_value"), "temperature"),
    (400, message("`temperature` is deprecated for this model."), "temperature"),
    (400, {"code": "invalid-argument", "error": "Model grok-4 does not support parameter reasoningEffort."},
        "reasoning_effort"),
    (400, message("property 'reasoning_effort' is unsupported, did you mean 'reasoning_format'?"), "reasoning_effort"),
    (400, message("`reasoning_effort` is not supported with this model"), "reasoning_effort"),
    (400, message("Thinking is not supported by this model"), "reasoning_effort"),
    (400, message("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
        "instead.", param="max_tokens", code="unsupported_parameter"), "max_tokens>max_completion_tokens"),
    (500, {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}}, TOOLS),
    (400, {"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice and '
        "--tool-call-parser to be set", "type": "BadRequestError", "param": None, "code": 400}, TOOLS),
    (400, {"error": "registry.ollama.ai/library/gemma:2b does not support tools"}, TOOLS),
    (404, message("No endpoints found that support tool use."), TOOLS),
    (400, message("`tool calling` is not supported with this model"), TOOLS),
    (400, message("Function calling is not enabled for models/gemma-3-27b-it"), TOOLS),
    (422, {"object": "Error", "message": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg":
        "Extra inputs are not permitted", "input": []}]}, TOOLS),
    (400, {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400}, SYSTEM),
    (500, {"error": {"code": 500, "message": "Jinja Exception: System role not supported"}}, SYSTEM),
    (400, message("Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        param="messages[0].role", code="unsupported_value"), SYSTEM),
    (400, {"object": "error", "message": "Conversation roles must alternate user/assistant/user/assistant/...",
        "code": 400}, SYSTEM),
    (400, message("Only user and assistant roles are supported!"), SYSTEM),
    (400, message("Developer instruction is not enabled for models/gemma-3-27b-it"), SYSTEM),
    (422, {"detail": [{"type": "literal_error", "loc": ["body", "messages", 0, "role"], "msg":
        "Input should be 'user' or 'assistant'", "input": "system"}]}, SYSTEM),
    (400, message("Your organization must be verified to stream this model.", param="stream",
        code="unsupported_value"), "stream"),
    (501, message("Streaming is not supported for this model"), "stream"),
    (400, b"unknown field: seed", "seed"),
    (400, message("'parallel_tool_calls' is only allowed when 'tools' are specified"), "parallel_tool_calls"),
    (400, message("response_format is not supported"), "response_format"),
    (400, {"error": 'think value "high" is not supported for this model'}, "reasoning_effort"),
    (400, message("该模型不支持 system 角色"), SYSTEM),
    (400, message("此模型不支持系统消息"), SYSTEM),
    (400, message("The first message must be a user message"), SYSTEM),
    (400, {"message": "A conversation must start with a user message. Try again with a conversation that starts with a "
        "user message."}, SYSTEM),
    (422, {"errors": {"stream_options": ["is not a permitted key"]}}, "stream_options"),
    (422, {"message": "The given data was invalid.", "errors": {"seed": ["The seed field is prohibited."]}}, "seed"),
    (400, {"prompt_cache_key": ["Unknown field."]}, "prompt_cache_key"),
    (400, {"status": 400, "error": "Bad Request", "message": 'JSON parse error: Unrecognized field "seed" (class '
        'com.x.Chat), not marked as ignorable (2 known properties: "model", "messages")'}, "seed"),
    (400, {"errors": [{"message": "seed: not supported", "code": 7003}], "success": False}, "seed"),
    (400, {"message": "parallel_tool_calls=False is not supported by this model.", "param": "parallel_tool_calls",
        "code": "wrong_api_format"}, "parallel_tool_calls"),  # Cerebras: agno-agi/agno issue 4508
    (400, message("litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.84. Only temperature=1 is "
        "supported. To drop unsupported params set `litellm.drop_params = True`."), "temperature"),  # LiteLLM:
        # chatboxai/chatbox issue 2627
    (400, {"message": "This model doesn't support system messages. Try again without a system message or use a model "
        "that supports system messages."}, SYSTEM),  # Bedrock: Mintplex-Labs/anything-llm issue 2486
    (400, {"message": "This model doesn't support tool use in streaming mode."}, TOOLS),  # Bedrock:
        # earendil-works/pi issue 3739
    (400, {"error": {"message": "After the (optional) system message(s), user or tool message(s) should alternate with "
        "assistant message(s).", "type": "invalid_message", "code": 400}}, SYSTEM),  # Perplexity:
        # iamsrikanthnani/pluely issue 71
    (400, message("Thinking budget is not supported for this model.", status="INVALID_ARGUMENT"),
        "reasoning_effort"),  # Gemma at Google's OpenAI format: aduermael/herm issue 23
]  # fmt: skip

BODY: dict[str, Any] = {
    "model": "m", "messages": list(CHAT), "stream": True, "stream_options": {"include_usage": True},
    "temperature": 0.2, "max_tokens": 100, "reasoning_effort": "high", "prompt_cache_key": "k", "seed": 1,
    "response_format": {"type": "text"}, "parallel_tool_calls": False,
    "tools": [{"type": "function", "function": TOOL}],
}  # fmt: skip
LOCAL = {name: value for name, value in BODY.items() if name not in ("tools", "messages", "stream", "model")}


def refuses(change: str, answer: Answer) -> Any:
    """A server that gives this refusal while the part is there, and answers without it."""

    def reply(received: Received) -> Answer:
        there = {
            SYSTEM: any(one["role"] == "system" for one in received.body["messages"]),  # type: ignore[attr-defined]
            "stream": received.body.get("stream") is True,
        }
        return answer if there.get(change, re.split("[>.]", change)[0] in received.body) else stream("Yes")

    return reply


def ask(server: Server, provider: str = "local", **settings: object) -> str:
    variable = provider.upper()
    config = configure(
        provider, {f"{variable}_API_BASE": f"{server.base}/v1", f"{variable}_API_KEY": "secret-012345"}, settings
    )
    params = {name: value for name, value in LOCAL.items() if name != "stream_options"}
    prompt = Prompt("m", CHAT, params, "ab", tools=(TOOL,))  # type: ignore[arg-type]
    return load(provider).answer(prompt, config, lambda *_: None, lambda: False).text


@pytest.mark.parametrize(("status", "body", "change"), REAL)
def test_what_a_real_server_refuses_is_left_out_once_and_remembered(status: int, body: object, change: str) -> None:
    with Server(refuses(change, error(status, body))) as server:
        assert ask(server) == "Yes"
        assert [*attempts.list_refusals().values()] == [[change]]
        first, second = (one.body for one in server.received)
        assert ask(server) == "Yes"
        assert server.received[2].body == second != first
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, message("The response was filtered due to the prompt triggering the content management policy.")),
        (400, message("This model's maximum context length is 4096 tokens. However, your messages resulted in 9000")),
        (401, message("Invalid API key: temperature")),
        (403, message("stream_options is not allowed for you")),
        (404, message("The model `m` does not exist")),
        (400, message("This model is only supported in v1/responses; tools are not supported here")),
        (422, {"detail": [{"type": "missing", "loc": ["body", "size"], "msg": "Field required", "input": BODY}]}),
        (400, message("Provider returned error")),
    ],
)
def test_other_refusals_stay_errors_and_are_not_asked_again(status: int, body: object) -> None:
    with Server(error(status, body)) as server, pytest.raises(ProviderError):
        ask(server)
    assert len(server.received) == 1
    assert not attempts.list_refusals()


def test_a_refused_value_that_the_server_demands_stays_the_first_error() -> None:
    def reply(received: Received) -> Answer:
        if "temperature" in received.body:
            return refusal(400, "temperature: 9 is above the maximum", param="temperature")
        return refusal(400, "temperature: Field required", param="temperature")

    with Server(reply) as server, pytest.raises(ProviderError, match="above the maximum"):
        ask(server)
    assert len(server.received) == 2


def test_a_call_that_the_model_wrote_wrongly_takes_its_tools_away_for_one_request() -> None:
    said = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
    wrong = refusal(400, said, code="tool_use_failed", failed_generation="<function=RUN>")  # Groq: groq-typescript 28
    with Server(wrong, stream("Yes"), stream("Yes")) as server:
        assert ask(server) == ask(server) == "Yes"
        assert [*("tools" in one.body for one in server.received)] == [True, False, True]
    assert not attempts.list_refusals()


def test_a_server_that_refuses_several_parts_is_asked_without_all_of_them() -> None:
    wrong = ("stream_options", "reasoning_effort", "max_tokens", "max_completion_tokens", "tools")

    def reply(received: Received) -> Answer:
        there = next((one for one in wrong if one in received.body), "")
        return refusal(400, f"Unrecognized request argument supplied: {there}") if there else stream("Yes")

    with Server(reply) as server:
        assert ask(server) == ask(server) == "Yes"
    assert len(server.received) == 1 + len(wrong) + 1
    assert not set(wrong) & set(server.received[-1].body)


@pytest.mark.parametrize("part", ["seed", "stream_options", "stream", "tools", "reasoning_effort"])
@pytest.mark.parametrize("body", [b"", message("Bad Request"), {"detail": "Unprocessable Entity"}])
def test_a_refusal_without_a_reason_costs_two_requests_until_the_refused_option_is_known(
    body: object, part: str
) -> None:
    wrong = error(422 if "detail" in str(body) else 400, body)
    with Server(refuses(part, wrong)) as server:
        asked = [0]
        for _ in range(7):
            assert ask(server) == "Yes"
            asked.append(len(server.received))
        assert all(after - before <= 2 for before, after in pairwise(asked))
        assert [*attempts.list_refusals().values()] == [[part]]
        assert asked[-1] == asked[-2] + 1 and "temperature" in server.received[-1].body
    with Server(wrong) as server:
        for number in (2, 3):
            with pytest.raises(ProviderError):
                ask(server)
            assert len(server.received) == number


def test_options_that_a_server_has_accepted_are_not_the_reason_of_a_refusal_without_one() -> None:
    with Server(stream("Yes"), error(400, b"")) as server:
        assert ask(server) == "Yes"
        with pytest.raises(ProviderError):
            ask(server)
        assert len(server.received) == 2


def test_a_part_that_an_error_names_in_vain_is_left_out_once_and_never_again() -> None:
    wrong = refusal(400, "Check `temperature`, `seed`, `prompt_cache_key` and `stream_options` in the parameters")
    with Server(wrong) as server:
        for asked in (2, 3):
            with pytest.raises(ProviderError):
                ask(server)
            assert len(server.received) == asked
        assert [*("temperature" in one.body for one in server.received)] == [True, False, True]


def test_the_system_prompt_moves_into_the_first_user_message_and_tools_into_it() -> None:
    body = parts.without(BODY, (SYSTEM, TOOLS))
    (only,) = body["messages"]
    assert only["role"] == "user"
    assert only["content"].startswith("Be kind.\n\nTo use a tool, ")
    assert "RUN command" in only["content"]
    assert only["content"].endswith("\n\nHello")
    assert "tools" not in body
    assert "parallel_tool_calls" not in body
    late = {"messages": [{"role": "assistant", "content": "Hi"}, *CHAT]}
    assert [one["role"] for one in parts.without(late, (SYSTEM,))["messages"]] == ["user", "assistant", "user"]


PICTURE = {"type": "image_url", "image_url": {"url": "data:,"}}
WITH_PICTURE = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "Look"}, PICTURE]}]}


@pytest.mark.parametrize(
    ("said", "keeps"),
    [
        ("Failed to deserialize the JSON body into the target type: messages[7]: unknown variant `image_url`, expected "
         "`text` at line 1 column 114708", True),
        ("Invalid content type. image_url is only supported by certain models.", True),
        ("messages[0].content must be a string", True),
        ("Unsupported content part type for text-only server: image_url", True),
        ("No endpoints found that support image input", True),
    ],
)  # fmt: skip
def test_a_picture_that_is_refused_becomes_a_line(said: str, keeps: bool) -> None:
    trying = attempts.Attempts("http://x/v1", "m", WITH_PICTURE)
    wrong = ProviderError("bad_request", "no")
    wrong.status, wrong.words = 400, said
    assert trying.next(wrong)
    (only,) = trying.body["messages"]
    assert only["content"].startswith("Look\n(a picture")
    trying.succeeded()
    assert bool(attempts.list_refusals()) == keeps


def test_other_formats_leave_out_their_own_fields() -> None:
    system = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    claude = {"model": "m", "system": system, "messages": [{"role": "user", "content": system}], "max_tokens": 9,
              "thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}  # fmt: skip
    answers = {
        "system.0.text.cache_control.ephemeral.ttl: Extra inputs are not permitted": "*.ttl",
        "cache_control: Extra inputs are not permitted": "*.cache_control",
        "adaptive thinking is not supported on this model": "thinking",
        "This model does not support the effort parameter.": "output_config.effort",
    }
    for said, change in answers.items():
        assert parts.named(said, claude) == change
        left = json.dumps(parts.without(claude, (change,)))
        assert f'"{change.split(".")[-1]}"' not in left
        assert "Be kind." in left
    moved = parts.without(claude, (SYSTEM,))
    assert "system" not in moved
    assert [piece["text"] for piece in moved["messages"][0]["content"]] == ["Be kind.\n\nBe kind."]
    google = {"systemInstruction": {"parts": [{"text": "Be kind."}]},
              "generationConfig": {"temperature": 1, "thinkingConfig": {"thinkingBudget": 9, "thinkingLevel": "low"}},
              "contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}  # fmt: skip
    assert parts.named("Developer instruction is not enabled for models/gemma", google) == SYSTEM
    assert parts.without(google, (SYSTEM,))["contents"][0]["parts"] == [{"text": "Be kind.\n\nHello"}]
    said = "Unknown name \"temperature\" at 'generation_config': Cannot find field."
    assert parts.named(said, google) == "generationConfig.temperature"
    said = "Thinking budget is not supported for this model."  # aduermael/herm issue 23
    assert parts.named(said, google) == "generationConfig.thinkingConfig.thinkingBudget"
    said = "Unable to submit request because thinking_level is not supported by this model."  # gemini-cli issue 14025
    assert parts.named(said, google) == "generationConfig.thinkingConfig.thinkingLevel"
    hi = [{"type": "input_text", "text": "Hi"}]
    open_ai = {"model": "m", "input": [{"type": "message", "role": "user", "content": hi,
               "id": "msg_1", "status": "completed"}], "reasoning": {"effort": "high", "summary": "auto"},
               "instructions": "Be kind."}  # fmt: skip
    assert parts.named("reasoning.summary: not verified", open_ai) == "reasoning.summary"
    assert parts.named("Unknown parameter: 'input[0].status'.", open_ai) == "*.status"
    moved = parts.without(open_ai, (SYSTEM, "*.id", "reasoning.summary"))
    assert moved["reasoning"] == {"effort": "high"}
    assert [one["text"] for one in moved["input"][0]["content"]] == ["Be kind.\n\nHi"]
    assert {one["type"] for one in moved["input"][0]["content"]} == {"input_text"}


def test_a_note_replaces_one_of_several_pictures() -> None:
    shown = [{"type": "image_url", "image_url": {"url": url}} for url in ("data:,a", "data:,b", "data:,c")]
    asked = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Look"}, *shown]}]}
    *_, middle, _ = (name for kind, name in parts.walk(asked) if kind == "media")
    left = parts.without(asked, [middle])["messages"][0]["content"]
    assert left[1:] == [shown[0], {"type": "text", "text": parts.SEEN}, shown[2]]
    local = {"messages": [{"role": "user", "content": "Look", "images": ["a", "b"]}]}
    *_, last = (name for kind, name in parts.walk(local) if kind == "media")
    (only,) = parts.without(local, [last])["messages"]
    assert only == {"role": "user", "content": f"Look{parts.SEEN}", "images": ["a"]}


def test_every_format_asks_again() -> None:
    wrong = refusal(400, "tools are not supported by this model")
    configs = [
        (anthropic, {"ANTHROPIC_API_KEY": "secret-012345"}),
        (gemini, {"GEMINI_API_KEY": "secret-012345"}),
        (ollama, {}),
        (load("openai"), {"OPENAI_API_KEY": "secret-012345"}),
    ]
    for provider, given_ in configs:
        name = provider.__name__.rpartition(".")[2]
        with Server(wrong, pages={"/api/show": page({})}) as server:
            config = configure(name, {**given_, f"{name.upper()}_API_BASE": server.base}, {})
            prompt = Prompt("gpt-5-codex", CHAT, {}, "ab", tools=(TOOL,))  # type: ignore[arg-type]
            with pytest.raises(ProviderError):
                provider.answer(prompt, config, lambda *_: None, lambda: False)
            first, second = server.received
            assert "tools" in first.body
            assert "tools" not in second.body
            assert "RUN command" in json.dumps(second.body)


def test_the_next_process_knows_and_a_person_is_told(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    with Server(refuses("stream_options", refusal(400, "Unrecognized request argument: stream_options"))) as server:
        keys = {"DEEPSEEK_API_KEY": "sk-0123456789abcdef", "DEEPSEEK_API_BASE": server.base}
        (done,) = serve(worker := Worker(where, ["deepseek"], keys), placed(where))
        assert text_of(where, done) == "Yes"
        worker.catalogue.publish()
        assert "refuses stream_options" in str(told(where, "deepseek")["warning"])
        attempts.forget()
        serve(Worker(where, ["deepseek"], keys), placed(where))
        assert len(server.received) == 3
        (where.calls / "refused.json").write_text("[1, {")  # a cache that is broken is as good as none
        attempts.forget()
        serve(Worker(where, ["deepseek"], keys), placed(where))
        assert len(server.received) == 5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda one: (
        st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=8) | st.sampled_from([*BODY]), one, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([400, 404, 422, 500, 501, 599]))
def test_no_error_body_is_too_odd(told: object, status: int) -> None:
    attempts.forget()
    trying = attempts.Attempts("http://x/v1/chat/completions", "m", BODY)
    wrong = ProviderError("bad_request", "no")
    wrong.status, wrong.words = status, words(told, status)
    asked = 0
    while trying.next(wrong):
        assert "messages" in trying.body
        asked += 1
    assert asked <= 2 * len(BODY)


@given(st.dictionaries(st.text(max_size=9), VALUES, max_size=3))
def test_a_file_of_any_content_is_taken(told: Mapping[str, object]) -> None:
    attempts.learn(told)
    attempts.forget()

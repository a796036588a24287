"""Refusals in the words of servers: what of a request is left out, what fades, and what only a person can change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dotagent.providers import ProviderError
from dotagent.providers.formats import attempts, parts
from dotagent.providers.formats.attempts import Attempts
from dotagent.providers.formats.errors import Refusal, from_event, from_response
from dotagent.providers.formats.place import Address

PLACE = Address("Here", "HERE_API_KEY", "HERE_API_BASE", "https://keys", "https://models", "https://credit")
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
TEXT = (
    "#6 20:18 dev ana: read both\n\n#7 READ_FILE:\n  the ferry leaves at seven\n\n"
    "#8 20:19 WEB_FETCH:\n  swordfish is the word\n\n#9 dev ana: and?"
)
NGINX = b"<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>"


def told(message: str, **more: object) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


# the status, the body, and what the refusal is taken for
LONG = {
    "OpenAI": (400, told("This model's maximum context length is 8192 tokens. Your messages resulted in 9000 tokens.")),
    "OpenAI's code": (400, told("Too many.", code="context_length_exceeded")),
    "Anthropic": (400, told("prompt is too long: 210000 tokens > 200000 maximum", type="invalid_request_error")),
    "Gemini": (400, told("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).")),
    "llama.cpp": (400, told("the request exceeds the available context size", type="exceed_context_size_error")),
    "vLLM": (400, told("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens")),
    "DashScope": (400, told("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 11000]")),
    "SiliconFlow": (400, told("length of prompt_tokens (12000) must be less than max_seq_len (11000).")),
    "Copilot": (400, told("prompt token count of 12000 exceeds the limit of 11000")),
    "TGI": (422, told("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 11000. Given: 12000")),
    "Cohere": (
        400,
        told("too many tokens: total number of tokens in the prompt cannot exceed 11000 - received 12000."),
    ),
    "Zhipu": (400, told("Prompt exceeds max length")),
    "Cloudflare": (413, b'{"errors": [{"message": "AiError: 9000 tokens exceeded this model context window limit"}]}'),
    "a list of words": (400, b'{"error": null, "errors": ["prompt is too long"]}'),
    "Volcengine": (400, told("Total tokens of image and text exceed max message tokens")),
    "Anthropic's answer": (  # anymorph-ai/Claudable issue 3
        400,
        told(
            "input length and max_tokens exceed context limit: 198981 + 21333 > 200000, decrease input length or "
            "max_tokens and try again"
        ),
    ),
    "GitHub Models": (  # eslint/tsc-meetings pull request 593
        413,
        told("Request body too large for gpt-4o model. Max size: 8000 tokens.", code="tokens_limit_reached"),
    ),
}
PICTURES = {
    "Anthropic": (400, told("Could not process image", type="invalid_request_error")),
    "Anthropic's size": (400, told("image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes")),
    "Anthropic's bytes": (413, told("Request exceeds the maximum size", type="request_too_large")),
    "OpenAI": (400, told("You uploaded an unsupported image.", code="invalid_image_format")),
    "Gemini": (400, told("Unable to process input image. Please retry", status="INVALID_ARGUMENT")),
    "Anthropic's pixels": (
        400,
        told(
            "messages.1.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed "
            "size for many-image requests: 2000 pixels"
        ),
    ),
    "Gemini's kinds": (400, told("Unsupported MIME type: image/bmp", status="INVALID_ARGUMENT")),
    "Gemini, by field": (
        400,
        told("* GenerateContentRequest.contents[0].parts[1].inline_data.mime_type: MIME type must be image/png"),
    ),
    "Gemini without a reason": (400, told("Request contains an invalid argument.", status="INVALID_ARGUMENT")),
    "DashScope": (
        400,
        told(
            "The image length and width do not meet the model restrictions. [height:8 or width:8 must "
            "be larger than 10]"
        ),
    ),
    "SGLang": (400, told("cannot identify image file <_io.BytesIO object at 0x7f>", type="BadRequestError")),
    "Anthropic's PDF": (400, told("The PDF specified is password protected.", type="invalid_request_error")),
    "Ollama": (
        400,
        json.dumps({"error": "illegal base64 data at input byte 5"}).encode(),
    ),  # langgenius/dify issue 8170
    "no words": (400, b""),
    "nginx": (413, NGINX),
    "Cloudflare": (413, b"<html><title>413 Payload Too Large</title>cloudflare</html>"),
    "Express": (413, told("request entity too large")),
    "a shrug": (400, told("Invalid request.")),
}
RESULTS = {
    "Azure": (400, told("The response was filtered due to the prompt triggering the content management policy.")),
    "DashScope": (400, told("Input data may contain inappropriate content.", code="data_inspection_failed")),
    "Zhipu": (400, told("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301")),
    "Moonshot": (400, told("The request was rejected because it was considered high risk", type="content_filter")),
    "OpenAI": (400, told("Invalid prompt: your prompt was flagged as potentially violating our usage policy.")),
    "a guardrail": (403, told("Content blocked by gateway guardrail")),
    "a country's filter": (451, told("Unavailable For Legal Reasons")),
    "Mistral": (422, json.dumps({"detail": [{"msg": "bad input"}]}).encode()),
    "Bedrock": (400, json.dumps({"message": "The content was blocked by your guardrail."}).encode()),
    "OpenRouter": (
        403,
        told("Your chosen model requires moderation and your input was flagged for violence", code=403),
    ),
    "MiniMax": (422, told("input new_sensitive", type="invalid_request_error")),
    "Volcengine": (400, told("The input text may contain sensitive information.", code="SensitiveContentDetected")),
    "Anthropic": (400, told("Output blocked by content filtering policy", type="invalid_request_error")),
    "Portkey": (446, told("The guardrail checks defined in the config failed.", type="hooks_failed")),
    "Cloudflare's gateway": (424, told("Prompt blocked due to security configurations")),
    "a firewall": (403, b"<!DOCTYPE html><title>Attention Required! | Cloudflare</title>You have been blocked"),
    "ModSecurity": (406, b"<html><title>406 Not Acceptable</title></html>"),
    "LiteLLM": (  # BerriAI/litellm pull request 32936
        400,
        json.dumps({"detail": {"error": "Content blocked: keyword 'x' detected", "keyword": "x"}}).encode(),
    ),
    "Umbraco": (  # umbraco/Umbraco.AI pull request 192
        422,
        json.dumps({"title": "Chat blocked by guardrail policy", "status": 422, "phase": "input"}).encode(),
    ),
    "Yandex": (400, told("В интернете есть много сайтов с информацией на эту тему", code=3)),
}
FINAL = {
    "no key": (401, told("Incorrect API key provided"), "auth"),
    "no credit": (402, told("Insufficient Balance"), "credit"),
    "no right": (403, told("Your account may not do this"), "auth"),
    "no right to a filtered list": (403, told("blocked", code="permission_error"), "auth"),
    "no model": (404, told("The model does not exist"), "missing"),
    "no credit, by code": (429, told("You exceeded your quota", code="insufficient_quota"), "credit"),
}


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    attempts.forget()


def body(text: str = TEXT, picture: bool = False) -> dict[str, Any]:
    content: object = [{"type": "text", "text": text}, PICTURE] if picture else text
    turns = [{"role": "system", "content": "You live."}, {"role": "user", "content": content}]
    return {"model": "m", "messages": turns, "stream": True}


def judged(case: tuple[int, bytes]) -> ProviderError:
    return from_response(Refusal(case[0], {}, case[1]), PLACE, "m", None)


def restart() -> None:
    """Continue with what the file keeps of the refusals."""
    known = attempts.list_refusals()
    attempts.forget()
    attempts.learn(known)


def ask(asked: dict[str, Any]) -> Attempts:
    return Attempts("https://here/v1/chat", "m", asked)


@pytest.mark.parametrize("case", LONG)
def test_a_prompt_that_is_too_long_fades(case: str) -> None:
    assert judged(LONG[case]).kind == "too_long"


@pytest.mark.parametrize("case", PICTURES)
def test_a_picture_goes_first_and_does_not_come_again(case: str) -> None:
    error, trying = judged(PICTURES[case]), ask(body(picture=True))
    while "iVBOR" in json.dumps(trying.body):
        assert trying.next(error)
    assert "the ferry leaves at seven" in json.dumps(trying.body) and "swordfish" in json.dumps(trying.body)
    trying.succeeded()
    later = ask(body(f"{TEXT} yes", picture=True))
    assert "iVBOR" not in json.dumps(later.body)
    restart()
    assert "iVBOR" not in json.dumps(ask(body(picture=True)).body)
    other = body(picture=True)
    other["messages"][1]["content"][1] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert "AAAA" in json.dumps(ask(other).body)


def album(*names: str) -> dict[str, Any]:
    """A request with several pictures in its last message."""
    pieces = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{name}"}} for name in names]
    asked = body(picture=True)
    asked["messages"][1]["content"][1:] = pieces
    return asked


def send(asked: dict[str, Any], error: ProviderError, *poison: str, restarts: bool = False) -> tuple[int, str]:
    """Send a request to a server that refuses these words, or without any everything, if it `restarts` from a new
    process. Return how many requests it gets, and the one that it answers, or ""."""
    if restarts:
        restart()
    trying, number = ask(asked), 1
    while any(one in json.dumps(trying.body) for one in poison or [""]):
        if not trying.next(error):
            assert trying.told(error).kind in ("bad_request", "network", "too_long")
            return number, ""
        number += 1
    trying.succeeded()
    return number, json.dumps(trying.body)


@pytest.mark.parametrize("case", PICTURES)
@pytest.mark.parametrize("restarts", [False, True])
def test_one_refused_picture_keeps_no_other_away(case: str, restarts: bool) -> None:
    error, asked = judged(PICTURES[case]), album("AAAA", "iVBOR", "BBBB")
    numbers, sent = zip(*(send(asked, error, "iVBOR", restarts=restarts) for _ in range(7)), strict=True)
    assert all("swordfish" in one for one in sent)
    assert "AAAA" in sent[-1] and "BBBB" in sent[-1] and "iVBOR" not in sent[-1]
    assert numbers[-1] == 1 and max(numbers[1:]) <= 2
    if not error.words or "image" not in error.words.lower():  # the error may be about anything else
        assert error.status == 413 or "MIME" in error.words or "PDF" in error.words or numbers[0] == 2


def test_the_picture_that_an_error_names_goes_first() -> None:
    said = "messages.1.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size"
    trying = ask(album("AAAA", "iVBOR", "BBBB", "CCCC", "DDDD"))
    assert trying.next(judged((400, told(said))))
    assert "iVBOR" not in json.dumps(trying.body) and json.dumps(trying.body).count("base64,") == 4


def test_where_only_some_pictures_are_taken_the_newest_are_sent() -> None:
    error = judged((400, told("At most 2 image(s) may be provided in one request.", type="BadRequestError")))
    trying = ask(album("AAAA", "iVBOR", "BBBB"))
    assert trying.next(error)
    left = json.dumps(trying.body)
    assert "AAAA" not in left and "iVBOR" in left and "BBBB" in left


BLIND = {
    "Ollama": (400, told("this model does not support image input (ref: b8bd630e)")),
    "LM Studio": (400, told("Model does not support images. Please use a model that does.")),
    "an older Ollama": (
        400,
        told("json: cannot unmarshal array into Go struct field Message.messages.content of type string"),
    ),
    "DashScope, a model of words alone": (400, told("Unexpected item type in content.")),
    "OpenAI": (400, told("Invalid content type. image_url is only supported by certain models.")),
    "llama.cpp": (  # ggml-org/llama.cpp issue 15377
        500,
        told("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    ),
    "llama.cpp's template": (  # ggml-org/llama.cpp issue 12947
        500,
        told('Failed to parse messages: Unsupported content part type: "image_url"; messages = [ { "role": "user" } ]'),
    ),
    "vLLM": (400, told("/models/qwen3-8b is not a multimodal model", type="BadRequestError")),  # vllm issue 19144
    "OpenCode Zen": (  # 1jehuang/jcode issue 848
        400,
        told(
            "Error from provider (Console): Upstream request failed: [invalid_request_error] Failed to deserialize the "
            "JSON body into the target type: messages[408]: unknown variant `image_url`, expected `text` at line 1"
        ),
    ),
}


@pytest.mark.parametrize("case", BLIND)
def test_a_model_without_eyes_is_not_asked_again_with_any_picture(case: str) -> None:
    trying = ask(album("AAAA", "BBBB"))
    assert trying.next(judged(BLIND[case]))
    assert "swordfish" in json.dumps(trying.body)
    trying.succeeded()
    assert "base64," not in json.dumps(ask(album("CCCC")).body)


@pytest.mark.parametrize("case", RESULTS)
def test_the_newest_result_goes_next_and_does_not_come_again(case: str) -> None:
    error, trying = judged(RESULTS[case]), ask(body())
    while "swordfish" in json.dumps(trying.body):
        assert trying.next(error)
    text = trying.body["messages"][-1]["content"]
    assert "the ferry leaves at seven" in text and "ana: and?" in text
    assert f"#8 20:19 WEB_FETCH: {parts.RESULT}" in text
    trying.succeeded()
    later = TEXT.replace("#8 20:19 ", "#8 ") + "\n\n#10 dev ana: and now?"
    assert "swordfish" not in json.dumps(ask(body(later)).body)


@pytest.mark.parametrize("case", FINAL)
def test_what_only_a_person_can_change_is_not_tried_so(case: str) -> None:
    status, said, kind = FINAL[case]
    error = judged((status, said))
    assert error.kind == kind
    assert not ask(body(picture=True)).next(error)


SPOKEN = [
    {"role": "user", "content": "#1 20:17 dev ana: hello"},
    {"role": "assistant", "content": "A swordfish is in the cup."},
    {"role": "user", "content": "#3 20:18 dev ana: swordfish is the word\n\n#4 20:19 dev ana: and one and one?"},
]


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("turns", [SPOKEN[2:], SPOKEN[1:2], SPOKEN])
@pytest.mark.parametrize("restarts", [False, True])
def test_words_that_a_server_refuses_in_a_talk_do_not_end_it(
    case: str, turns: list[dict[str, str]], restarts: bool
) -> None:
    """The model's own words, or older messages, as after a change of the server."""
    asked = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You live."},
            *turns,
            {"role": "user", "content": "#5 dev ana: hm?"},
        ],
    }
    error = judged(RESULTS[case])
    numbers, sent = zip(*(send(asked, error, "swordfish", restarts=restarts) for _ in range(9)), strict=True)
    assert parts.RESULT in sent[0] and "hm?" in sent[0] and "You live." in sent[0]
    assert max(numbers) <= 2 and numbers[-1] == 1
    if len(turns) > 1:  # what was left out with the refused words is there again
        assert "and one and one?" in sent[-1] and "ana: hello" in sent[-1]


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("restarts", [False, True])
def test_two_refused_messages_of_a_talk_are_found_and_the_others_come_back(case: str, restarts: bool) -> None:
    turns = list[dict[str, str]]()
    for at in range(1, 13, 2):
        text = f"#{at} dev ana: {'swordfish' if at in (3, 9) else 'word'} {at}"
        turns += [{"role": "user", "content": text}, {"role": "assistant", "content": f"Word {at}."}]
    error, numbers = judged(RESULTS[case]), list[int]()
    for at in range(13, 31, 2):
        turns += [{"role": "user", "content": f"#{at} dev ana: and {at}?"}]
        number, sent = send({"model": "m", "messages": turns}, error, "swordfish", restarts=restarts)
        numbers.append(number)
        turns += [{"role": "assistant", "content": f"Then {at}."}]
    assert max(numbers) <= 2 and numbers[-1] == 1
    assert all(f"ana: word {at}" in sent for at in (1, 5, 7, 11))


def next_message(asked: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the request with one more message."""
    *before, last = asked["messages"]
    return {**asked, "messages": [*before, {**last, "content": f"{last['content']}\n\n{text}"}]}


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_refused_message_costs_one_request_and_the_next_message_is_answered(case: str, restarts: bool) -> None:
    error = judged(RESULTS[case])
    first = body("#1 20:17 dev ana: hello")
    assert send(first, error, "swordfish")[0] == 1
    refused = next_message(first, "#2 20:18 dev ana: what is a swordfish?")
    assert send(refused, error, "swordfish") == (1, "")
    if restarts:
        restart()
    again = next_message(refused, "#3 20:19 dev ana: a swordfish, please!")
    assert (send(again, error, "swordfish")[1]) == ""
    for number in range(4, 12):
        again = next_message(again, f"#{number} 20:19 dev ana: and {number}")
        asked, sent = send(again, error, "swordfish")
        assert asked <= 2 and f"and {number}" in sent
    assert asked == 1 and all(one in sent for one in ("ana: hello", "and 4", "and 10"))


def test_what_a_server_refused_while_it_refused_everything_is_not_lost() -> None:
    error, asked = judged(PICTURES["a shrug"]), body("#1 20:17 dev ana: hello")
    assert send(asked, error, "nothing")[0] == 1
    for number in range(2, 6):
        asked = next_message(asked, f"#{number} 20:17 dev ana: why {number}")
        assert send(asked, error) == (1, "")
    asked = next_message(asked, "#6 20:18 dev ana: and now?")
    assert "and now?" in send(asked, error, "nothing")[1]
    number, sent = send(asked, error, "nothing")
    assert number == 1 and all(f"why {one}" in sent for one in range(2, 6))


def test_an_answer_in_another_talk_does_not_show_that_a_message_is_refused() -> None:
    error, asked = judged(PICTURES["a shrug"]), body("#1 20:17 dev ana: hello")
    assert send(asked, error, "nothing")[0] == 1
    asked = next_message(asked, "#2 20:17 dev ana: why 2")
    assert send(asked, error) == (1, "")
    assert send(body("#1 20:18 dev bea: hello"), error, "nothing")[0] == 1
    asked = next_message(asked, "#3 20:18 dev ana: why 3")
    assert send(asked, error) == (1, "")
    assert "hello" in send(asked, error, "nothing")[1]
    number, sent = send(asked, error, "nothing")
    assert number == 1 and "why 2" in sent and "why 3" in sent


def test_a_remedy_that_did_not_help_is_tried_again_only_after_an_answer() -> None:
    error, asked = judged(PICTURES["a shrug"]), body(picture=True)
    assert [send(asked, error)[0] for _ in range(3)] == [4, 1, 1]  # without the picture, a result, all but the message
    assert send(album("AAAA"), error)[0] == 1
    assert send(body("#1 dev ana: hi"), error, "iVBOR")[0] == 1
    assert send(album("BBBB"), error, "BBBB")[0] == 2


def test_a_prompt_that_may_be_too_long_keeps_its_older_messages_which_may_fade() -> None:
    older = {"role": "user", "content": f"#1 20:17 dev ana: {'the boat is late. ' * 1000}"}
    asked = {"model": "m", "messages": [older, *SPOKEN[1:]]}
    error, trying = judged(PICTURES["a shrug"]), ask(asked)
    while trying.next(error):
        assert "the boat is late" in json.dumps(trying.body)
    answered = {**older, "content": older["content"].replace("late", "here")}
    ask({**asked, "messages": [answered, *SPOKEN[1:]]}).succeeded()
    trying = ask(asked)  # the server does answer as long a prompt, so the reason is another one
    while "the boat is late" in json.dumps(trying.body):
        assert trying.next(error)


@pytest.mark.parametrize("case", RESULTS)
def test_an_old_message_that_a_server_refuses_does_not_end_a_long_talk(case: str) -> None:
    older = [{"role": "user", "content": f"#{at} dev ana: {at} {'the boat is late. ' * 400}"} for at in range(1, 6)]
    older[3]["content"] += "swordfish"
    asked = {"model": "m", "messages": [*older, {"role": "user", "content": "#9 dev ana: and now?"}]}
    error = judged(RESULTS[case])
    if send(asked, error, "swordfish") == (1, ""):  # the two oldest entries fade, because of the length
        asked["messages"] = asked["messages"][2:]
        assert "and now?" in send(asked, error, "swordfish")[1]
    for _ in range(5):
        number, sent = send(asked, error, "swordfish")
    assert number == 1 and "ana: 3 the boat" in sent and "ana: 5 the boat" in sent


def test_a_message_that_a_service_will_never_answer_costs_one_request_and_stays_away() -> None:
    complaint = {"code": "bio_policy", "message": "This violates the policy."}
    error = from_event(complaint, PLACE, "m", None)
    text = "#1 dev ana: hello\n\n#2 20:18 dev ana: swordfish?"
    trying = ask(body(text, picture=True))
    assert error.withheld and not trying.next(error)
    trying.blame()
    later = json.dumps(ask(body(f"{text}\n\n#3 dev ana: and one and one?", picture=True)).body)
    assert "swordfish" not in later and "iVBOR" not in later and "hello" in later and "one and one" in later


def test_too_many_bytes_without_a_picture_fade() -> None:
    error, trying = judged(PICTURES["nginx"]), ask(body("#1 dev ana: hello"))
    assert not trying.next(error)
    assert trying.told(error).kind == "too_long"

"""What eight vendors reply and refuse: what is made of it, what the person reads, how many requests one question costs,
whether the agent asks again later, and the tokens that are paid."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

import generated
import messaging
import ollama_lines
import pytest
import responding
from loopback import DONE, Answer, Server, data, event, refusal, stream

from dotagent import providers
from dotagent.providers import Completion, Config, Prompt, ProviderError
from dotagent.providers.formats import attempts, chat, generate_content, messages, rates, reasons, responses
from dotagent.providers.formats.place import Address
from dotagent.providers.server import retry

PLACE = Address("Loop", "LOOP_API_KEY", "LOOP_API_BASE", "https://keys", "https://credit", "https://models")
ASKED = Prompt("m", ({"role": "system", "content": "be"}, {"role": "user", "content": "how?"}))
KEY = "sk-0123456789abcdef"
ONCE, TRIES = 1, retry.TRIES
RPC = "type.googleapis.com/google.rpc."

SOON = f"{datetime.now(timezone(timedelta(hours=8))) + timedelta(hours=4):%Y-%m-%d %H:%M:%S}"  # in China
LATER = f"{datetime.now(UTC) + timedelta(hours=4):%Y-%m-%dT%H:%M:%SZ}"


class Row(NamedTuple):
    """One reply or refusal: the vendor, the format in which it was asked, the answer, then what is made of it."""

    vendor: str
    form: str
    answer: Answer
    made: str  # whole, cut or the kind of the failure
    said: str  # in the text, or in the line for the person
    asked: int  # requests for one question
    again: bool = False  # by the agent itself, later
    paid: int = 0


def failed(code: str | None, message: str = "no such thing") -> Answer:
    return Answer((responding.failed(code, message),))  # type: ignore[arg-type]


def gemini(finish: str, *texts: str, why: str = "") -> Answer:
    last = {"finishReason": finish, **({"finishMessage": why} if why else {}), "content": {"parts": []}, "index": 0}
    usage = data({"candidates": [last], "usageMetadata": generated.USED})
    return Answer((*(generated.piece({"text": one}) for one in texts), usage))


def claude(reason: str, *texts: str, **details: object) -> Answer:
    return messaging.stream(*texts, last=messaging.end(reason, **details))


def anthropic(status: int, kind: str, code: str = "", **headers: str) -> Answer:
    details = {"details": {"error_code": code}} if code else {}
    error = {"type": "error", "error": {"type": kind, "message": "the wording may change", **details}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer((json.dumps(error).encode(),), status, {"content-type": "application/json", **named})


def google(status: int, name: str, message: str = "it says why", **detail: str) -> Answer:
    details = [{"@type": f"{RPC}ErrorInfo", **detail}] if detail else []
    error = {"error": {"code": status, "status": name, "message": message, "details": details}}
    return Answer((json.dumps(error).encode(),), status, {"content-type": "application/json"})


def litellm(status: int, kind: str, message: str, **headers: str) -> Answer:
    named = {name.replace("_", "-").replace("llm-provider", "llm_provider"): one for name, one in headers.items()}
    return refusal(status, f"litellm.{kind}: {message}", type=KINDS.get(status, "invalid_request_error"),
                   code=str(status), headers=named)  # fmt: skip


KINDS = {429: "throttling_error", 500: "internal_server_error"}


def midway(*pieces: object) -> Answer:
    """A stream of chat that ends with an error."""
    return Answer((event({"content": "so far"}), *(data(one) for one in pieces)))


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


def plain(status: int, **fields: object) -> Answer:
    """A refusal whose fields stand at the top of its body."""
    return Answer((json.dumps(fields).encode(),), status, {"content-type": "application/json"})


QUOTA = "OpenAIException - You exceeded your current quota, please check your plan and billing details."
SPENT = b'AnthropicException - b\'{"type":"error","error":{"type":"rate_limit_error","message":"no",'
SPEND = SPENT.decode() + '"details":{"error_code":"enforced_spend_limit_reached"}}}\''
NOBODY = "There are no healthy deployments for this model. Received Model Group=m"
SAFE = "https://policy"

ROWS = [
    # OpenAI, Responses
    Row("OpenAI", "responses", responding.responding("Yes."), "whole", "Yes.", ONCE, paid=109),
    Row("OpenAI", "responses", failed("bio_policy"), "bad_request", "(bio_policy): no such thing", ONCE),
    Row("OpenAI", "responses", failed("misalignment_policy_violation"), "bad_request", "misalignment_policy", ONCE),
    Row("OpenAI", "responses", failed("data_residency_mismatch"), "bad_request", "(data_residency_mismatch)", ONCE),
    Row("OpenAI", "responses", failed("a_policy_of_next_year"), "bad_request", "(a_policy_of_next_year)", ONCE),
    Row("OpenAI", "responses", failed("invalid_prompt"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("invalid_image"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("invalid_image_format"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("image_content_policy_violation"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("image_too_large"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("failed_to_download_image"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("image_file_not_found"), "bad_request", "no such thing", ONCE),
    Row("OpenAI", "responses", failed("server_error"), "server", "no such thing", TRIES, True),
    Row("OpenAI", "responses", failed("vector_store_timeout"), "server", "no such thing", TRIES, True),
    Row("OpenAI", "responses", failed("rate_limit_exceeded", "try again in 2s"), "rate", "many requests", TRIES, True),
    Row("OpenAI", "responses", failed("rate_limit_exceeded", "Please try again in 12m0s."),
        "rate", "until", ONCE, True),
    Row("OpenAI", "responses", failed("context_length_exceeded"), "too_long", "too long", ONCE),
    Row("OpenAI", "responses", responding.responding("So", kind="incomplete",
        incomplete_details={"reason": "max_output_tokens"}), "cut", "So", ONCE, paid=109),
    Row("OpenAI", "responses", responding.responding("So", kind="incomplete",
        incomplete_details={"reason": "content_filter"}), "bad_request", "content_filter", ONCE, paid=109),
    Row("OpenAI", "responses", responding.responding("So", kind="incomplete",
        incomplete_details={"reason": "steered"}), "cut", "So", ONCE, paid=109),
    Row("OpenAI", "responses", responding.responding(kind="incomplete",
        incomplete_details={"reason": "max_messages"}), "bad_request", "max_messages", ONCE, paid=109),
    # OpenAI, chat
    Row("OpenAI", "chat", stream("Yes."), "whole", "Yes.", ONCE, paid=109),
    Row("OpenAI", "chat", Answer((event({"refusal": "I cannot."}), event({}, "stop"), DONE)),
        "whole", "I cannot.", ONCE),
    Row("OpenAI", "chat", stream("So", finish="length"), "cut", "So", ONCE, paid=109),
    Row("OpenAI", "chat", stream("So", finish="content_filter"), "bad_request", "content_filter", ONCE, paid=109),
    Row("OpenAI", "chat", stream("So", finish="a_reason_of_next_year"), "cut", "So", ONCE, paid=109),
    Row("OpenAI", "chat", stream(finish="a_reason_of_next_year"),
        "bad_request", "a_reason_of_next_year", ONCE, paid=109),
    Row("OpenAI", "chat", refusal(401, "no", code="invalid_api_key"), "auth", "LOOP_API_KEY", ONCE),
    Row("OpenAI", "chat", refusal(429, "no", code="insufficient_quota"), "credit", "https://credit", ONCE),
    Row("OpenAI", "chat", refusal(403, "no", code="unsupported_country_region_territory"), "auth", "not permit", ONCE),
    Row("OpenAI", "chat", refusal(404, "no", code="model_not_found"), "missing", "DOTAGENT_MODEL", ONCE),
    Row("OpenAI", "chat", refusal(429, "no", code="rate_limit_exceeded"), "rate", "many requests", TRIES, True),
    Row("OpenAI", "chat", refusal(429, "no", headers={"retry-after-ms": "600000"}), "rate", "pause until", ONCE, True),
    Row("OpenAI", "chat", refusal(500, "no", headers={"x-should-retry": "false"}), "server", "a problem", ONCE),
    Row("OpenAI", "chat", refusal(503, "busy"), "server", "overloaded", TRIES, True),
    Row("OpenAI", "chat", refusal(400, "no", code="context_length_exceeded"), "too_long", "too long", ONCE),
    # Anthropic
    Row("Anthropic", "messages", claude("end_turn", "Yes."), "whole", "Yes.", ONCE, paid=109),
    Row("Anthropic", "messages", claude("max_tokens", "So"), "cut", "So", ONCE, paid=109),
    Row("Anthropic", "messages", claude("model_context_window_exceeded", "So"), "cut", "So", ONCE, paid=109),
    Row("Anthropic", "messages", claude("pause_turn", "So"), "cut", "So", ONCE, paid=109),
    Row("Anthropic", "messages", claude("compaction", "So"), "cut", "So", ONCE, paid=109),
    Row("Anthropic", "messages", claude("a_reason_of_next_year", "So"), "cut", "So", ONCE, paid=109),
    Row("Anthropic", "messages", claude("refusal", "So", category="cyber"), "bad_request", "(cyber)", ONCE, paid=109),
    Row("Anthropic", "messages", anthropic(401, "authentication_error"), "auth", "LOOP_API_KEY", ONCE),
    Row("Anthropic", "messages", anthropic(402, "billing_error"), "credit", "https://credit", ONCE),
    Row("Anthropic", "messages", anthropic(402, "billing_error", "linked_organization_spend_limit_reached"),
        "credit", "https://credit", ONCE),
    Row("Anthropic", "messages", anthropic(429, "rate_limit_error", "enforced_spend_limit_reached",
        x_should_retry="false"), "credit", "https://credit", ONCE),
    Row("Anthropic", "messages", anthropic(429, "rate_limit_error", "contract_spend_limit_reached", retry_after="60"),
        "credit", "https://credit", ONCE),
    Row("Anthropic", "messages", anthropic(429, "rate_limit_error", "ramp_limit_exceeded", retry_after="2"),
        "rate", "many requests", TRIES, True),
    Row("Anthropic", "messages", anthropic(429, "rate_limit_error", x_should_retry="false"), "rate", "many", ONCE),
    Row("Anthropic", "messages", anthropic(429, "rate_limit_error", retry_after="900"), "rate", "until", ONCE, True),
    Row("Anthropic", "messages", anthropic(400, "invalid_request_error", "organization_on_hold"),
        "auth", "does not permit", ONCE),
    Row("Anthropic", "messages", anthropic(403, "permission_error"), "auth", "does not permit", ONCE),
    Row("Anthropic", "messages", anthropic(404, "not_found_error"), "missing", "DOTAGENT_MODEL", ONCE),
    Row("Anthropic", "messages", anthropic(529, "overloaded_error"), "server", "overloaded", TRIES, True),
    Row("Anthropic", "messages", anthropic(504, "timeout_error"), "server", "overloaded", TRIES, True),
    Row("Anthropic", "messages", Answer((messaging.named({"type": "error", "error": {"type": "overloaded_error",
        "message": "busy"}}),)), "server", "busy", TRIES, True),
    Row("Anthropic", "messages", Answer((messaging.named({"type": "error", "error": {"type": "rate_limit_error",
        "message": "no", "details": {"error_code": "enforced_spend_limit_reached"}}}),)), "credit", "credit", ONCE),
    # Gemini, its own format
    Row("Gemini", "gemini", gemini("STOP", "Yes."), "whole", "Yes.", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("MAX_TOKENS", "So"), "cut", "So", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("CONTINUATION", "So"), "cut", "So", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("TOO_MANY_TOOL_CALLS", "So"), "cut", "So", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("MALFORMED_RESPONSE", "So"), "cut", "So", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("OTHER", "So"), "cut", "So", ONCE, paid=82),
    Row("Gemini", "gemini", gemini("A_REASON_OF_NEXT_YEAR", "So"), "cut", "So", ONCE, paid=82),
    *(Row("Gemini", "gemini", gemini(one, "So", why=SAFE), "bad_request", f"({one}: {SAFE})", ONCE, paid=82)
      for one in ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
                  "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "ESCALATION", "MODEL_ARMOR",
                  "PUP_LIMITED_DISABLED")),
    *(Row("Gemini", "gemini", gemini(one, why="it says why"), "bad_request", f"({one}: it says why)", ONCE, paid=82)
      for one in ("OTHER", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE",
                  "MALFORMED_RESPONSE", "NO_IMAGE", "IMAGE_OTHER", "A_REASON_OF_NEXT_YEAR")),
    Row("Gemini", "gemini", Answer((data({"promptFeedback": {"blockReason": "JAILBREAK"}}),)),
        "bad_request", "(JAILBREAK)", ONCE),
    Row("Gemini", "gemini", google(400, "INVALID_ARGUMENT", reason="API_KEY_INVALID"), "auth", "LOOP_API_KEY", ONCE),
    Row("Gemini", "gemini", google(403, "PERMISSION_DENIED"), "auth", "does not permit", ONCE),
    Row("Gemini", "gemini", google(404, "NOT_FOUND"), "missing", "DOTAGENT_MODEL", ONCE),
    Row("Gemini", "gemini", google(429, "RESOURCE_EXHAUSTED", retryDelay="34.07s"),
        "rate", "many requests", TRIES, True),
    Row("Gemini", "gemini", google(429, "RESOURCE_EXHAUSTED", retryDelay="3600s"), "rate", "pause until", ONCE, True),
    Row("Gemini", "gemini", google(503, "UNAVAILABLE"), "server", "overloaded", TRIES, True),
    Row("Gemini", "gemini", google(499, "CANCELLED"), "server", "overloaded", TRIES, True),
    # LiteLLM's proxy
    *(Row("LiteLLM", "chat", Answer((event({"content": "So"}), data({"choices": [{"index": 0, "delta": {},
        "finish_reason": "stop", "native_finish_reason": native}]}), DONE)), made, said, ONCE)
      for native, made, said in (("model_length", "cut", "So"), ("STOP", "whole", "So"), ("next_year", "whole", "So"),
                                 ("SAFETY", "bad_request", "(SAFETY)"))),
    Row("LiteLLM", "chat", litellm(429, "RateLimitError", "no", llm_provider_retry_after="600"),
        "rate", "until", ONCE, True),
    Row("LiteLLM", "chat", litellm(429, "RateLimitError", "no", llm_provider_retry_after="7"),
        "rate", "many", TRIES, True),
    Row("LiteLLM", "chat", litellm(429, "RateLimitError", QUOTA), "credit", "https://credit", ONCE),
    Row("LiteLLM", "chat", litellm(429, "RateLimitError", SPEND), "credit", "https://credit", ONCE),
    Row("LiteLLM", "chat", litellm(400, "BadRequestError", NOBODY), "missing", "DOTAGENT_MODEL", ONCE),
    Row("LiteLLM", "chat", litellm(500, "InternalServerError", "AnthropicException - overloaded"),
        "server", "overloaded", TRIES, True),
    Row("LiteLLM", "chat", midway(error("litellm.AuthenticationError: no", code="401", type="auth_error")),
        "auth", "LOOP_API_KEY", ONCE),
    Row("LiteLLM", "chat", midway(error("litellm.RateLimitError: no", code="429", type="throttling_error")),
        "rate", "many requests", TRIES, True),
    Row("LiteLLM", "chat", midway(error("litellm.NotFoundError: no", code="404")), "missing", "DOTAGENT_MODEL", ONCE),
    Row("LiteLLM", "chat", midway(error(f"litellm.RateLimitError: {QUOTA}", code="429")), "credit", "credit", ONCE),
    # llama.cpp
    Row("llama.cpp", "responses", responding.responding("So", usage={"input_tokens": 5, "output_tokens": 90}),
        "cut", "So", ONCE, paid=95),
    Row("llama.cpp", "chat", refusal(400, "no", type="exceed_context_size_error", n_prompt_tokens=9),
        "too_long", "long", ONCE),
    Row("llama.cpp", "chat", stream("So", finish="length"), "cut", "So", ONCE, paid=109),
    # Mistral
    Row("Mistral", "chat", stream("So", finish="model_length"), "cut", "So", ONCE, paid=109),
    Row("Mistral", "chat", stream("So", finish="error"), "server", "(error)", TRIES, True, paid=109),
    # DeepSeek, Groq, OpenRouter, Together
    Row("DeepSeek", "chat", stream(finish="insufficient_system_resource"), "server", "ended", TRIES, True, paid=109),
    Row("DeepSeek", "chat", refusal(402, "Insufficient Balance"), "credit", "https://credit", ONCE),
    Row("Groq", "chat", refusal(429, "Please try again in 7m12.48s.", code="rate_limit_exceeded"),
        "rate", "until", ONCE, True),
    Row("OpenRouter", "chat", refusal(429, "Provider returned error", code=429, metadata={"raw":
        '{"error": {"message": "no", "code": "insufficient_quota"}}'}), "credit", "https://credit", ONCE),
    Row("Together", "chat", stream("Yes.", finish="eos"), "whole", "Yes.", ONCE, paid=109),
    Row("Groq", "chat", refusal(400, "Spend limit reached.", code="blocked_api_access"), "credit", "//credit", ONCE),
    Row("Groq", "chat", refusal(400, "decommissioned", code="model_decommissioned"), "missing", "DOTAGENT_MODEL", ONCE),
    Row("Together", "chat", refusal(400, "no", code="insufficient_funds"), "credit", "https://credit", ONCE),
    Row("OpenRouter", "chat", refusal(403, "Key limit exceeded (monthly limit).", code=403), "credit", "credit", ONCE),
    Row("OpenAI", "chat", refusal(400, "no", code="billing_hard_limit_reached"), "credit", "https://credit", ONCE),
    Row("Gemini", "gemini", google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        "credit", "https://credit", ONCE),
    Row("Gemini", "gemini", google(429, "RESOURCE_EXHAUSTED", "Your project has exceeded its monthly spending cap."),
        "credit", "https://credit", ONCE),
    Row("LiteLLM", "chat", refusal(429, "Budget has been exceeded!", type="budget_exceeded", code="429"),
        "credit", "https://credit", ONCE),
    Row("LiteLLM", "chat", refusal(401, "key not allowed", type="key_model_access_denied", code="401"),
        "missing", "DOTAGENT_MODEL", ONCE),
    # xAI, Alibaba, Zhipu, SiliconFlow, Volcengine, GitHub
    Row("xAI", "chat", plain(429, code="Some resource has been exhausted",
        error="Your team has either used all available credits or reached its monthly spending limit."),
        "credit", "https://credit", ONCE),
    Row("xAI", "chat", plain(403, code="The caller does not have permission",
        error="Your newly created team doesn't have any credits or licenses yet."), "credit", "https://credit", ONCE),
    Row("xAI", "chat", plain(400, code="Client specified an invalid argument", error="Incorrect API key provided: no."),
        "auth", "LOOP_API_KEY", ONCE),
    Row("Alibaba", "chat", refusal(400, "Access denied, please make sure your account is in good standing.",
        code="Arrearage"), "credit", "https://credit", ONCE),
    Row("Alibaba", "chat", refusal(403, "The free tier has been exhausted.", code="AllocationQuota.FreeTierOnly"),
        "credit", "https://credit", ONCE),
    Row("Zhipu", "chat", refusal(429, "您的账户已欠费，请充值后重试", code="1113"), "credit", "https://credit", ONCE),
    Row("Zhipu", "chat", refusal(400, "模型不存在，请检查模型代码。", code="1211"), "missing", "DOTAGENT_MODEL", ONCE),
    Row("Zhipu", "chat", refusal(429, "您当前使用该API的并发数高", code="1302"), "rate", "many requests", TRIES, True),
    Row("Zhipu", "chat", refusal(429, f"已达到 5 小时的使用上限。您的限额将在 {SOON} 重置。", code="1308"),
        "rate", "pause until", ONCE, True),
    Row("Zhipu", "chat", refusal(429, f"Weekly/Monthly Limit Exhausted. Your limit will reset at {SOON}", code="1310"),
        "rate", "pause until", ONCE, True),
    Row("Zhipu", "chat", midway(error(f"[1308][已达到 5 小时的使用上限。您的限额将在 {SOON} 重置。]", code="1308")),
        "rate", "pause until", ONCE, True),
    Row("Zhipu", "messages", Answer((json.dumps({"type": "error", "error": {"type": "rate_limit_error", "code": "1308",
        "message": f"Your limit will reset at {SOON}"}}).encode(),), 429), "rate", "pause until", ONCE, True),
    Row("Zhipu", "chat", refusal(429, "该API已达今日调用次数限额", code="1304"), "rate", "pause until", ONCE, True),
    Row("Zhipu", "chat", refusal(429, "该模型当前访问量过大", code="1305"), "rate", "many requests", TRIES, True),
    Row("MiniMax", "messages", Answer((json.dumps({"type": "error", "error": {"type": "rate_limit_error", "message":
        f"5-hour usage limit reached for Token Plan, resets at {LATER} (2056)"}}).encode(),), 429),
        "rate", "pause until", ONCE, True),
    Row("Volcengine", "chat", refusal(429, "You have exceeded the monthly usage quota. It will reset at "
        f"{SOON} +0800 CST.", code="AccountQuotaExceeded"), "rate", "pause until", ONCE, True),
    Row("Kimi", "messages", Answer((json.dumps({"type": "error", "error": {"type":
        "access_terminated_error", "message": "You've reached your 5-hour usage limit."}}).encode(),), 403),
        "credit", "https://credit", ONCE),
    Row("SiliconFlow", "chat", plain(403, code=30001, message="Sorry, your account balance is insufficient"),
        "credit", "https://credit", ONCE),
    Row("Volcengine", "chat", refusal(429, "the model service has been paused.", code="SetLimitExceeded"),
        "credit", "https://credit", ONCE),
    Row("Volcengine", "chat", refusal(403, "overdue balance", code="AccountOverdueError"), "credit", "//credit", ONCE),
    Row("Cerebras", "chat", refusal(429, "no", code="token_quota_exceeded", headers={
        "x-ratelimit-limit-tokens-day": "1000000", "x-ratelimit-remaining-tokens-day": "0",
        "x-ratelimit-reset-tokens-day": "33011.38"}), "rate", "pause until", ONCE, True),
    Row("OpenRouter", "chat", refusal(429, "no", code=429, metadata={"headers": {"X-RateLimit-Limit": "50",
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "32503680000000"}}), "rate", "pause until", ONCE, True),
    Row("OpenRouter", "chat", refusal(429, "no", code=429, metadata={"headers": {"Retry-After": "900"}}),
        "rate", "pause until", ONCE, True),
    Row("xAI", "chat", plain(403, code="The caller does not have permission", error="Content violates usage "
        "guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"), "bad_request", "SAFETY_CHECK", ONCE),
    Row("Cloudflare", "chat", plain(400, errors=[{"message": "AiError: no such model @cf/x", "code": 5007}],
        success=False), "missing", "no such model @cf/x", ONCE),
    Row("Cloudflare", "chat", plain(429, success=False, error=[{"code": 2003, "message": "Rate limited"}]),
        "rate", "Rate limited", TRIES, True),
    Row("New API", "chat", refusal(403, "用户额度不足", code="insufficient_user_quota"), "credit", "//credit", ONCE),
    Row("GitHub", "chat", refusal(413, "Request body too large for gpt-4o model. Max size: 8000 tokens.",
        code="tokens_limit_reached"), "too_long", "too long", ONCE),
    # Servers and gateways that word it otherwise
    Row("Zhipu", "chat", stream("So far", finish="sensitive"), "bad_request", "(sensitive)", ONCE, paid=109),
    Row("Zhipu", "chat", stream("So far", finish="network_error"), "server", "(network_error)", TRIES, True, paid=109),
    Row("Zhipu", "chat", refusal(429, "您的GLM Coding Plan套餐已到期", code="1309"), "credit", "//credit", ONCE),
    Row("Bedrock", "chat", stream("So far", finish="guardrail_intervened"), "bad_request", "(guardr", ONCE, paid=109),
    Row("Bedrock", "chat", stream("So far", finish="malformed_model_output"), "cut", "So far", ONCE, paid=109),
    Row("Vercel", "chat", stream("So far", finish="content-filter"), "bad_request", "(content-filter)", ONCE, paid=109),
    Row("Vercel", "chat", stream("Yes.", finish="tool-calls"), "whole", "Yes.", ONCE, paid=109),
    Row("xAI", "chat", stream("Yes.", finish="REASON_STOP"), "whole", "Yes.", ONCE, paid=109),
    Row("xAI", "chat", stream("So far", finish="REASON_MAX_LEN"), "cut", "So far", ONCE, paid=109),
    Row("watsonx", "chat", stream("So far", finish="token_limit"), "cut", "So far", ONCE, paid=109),
    Row("Azure", "chat", midway(error("x", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"})),
        "bad_request", "refuses the request", ONCE),
    Row("a gateway", "chat", midway(error("no", status=401)), "auth", "LOOP_API_KEY", ONCE),
    Row("a gateway", "chat", midway(error("no", http_code="402")), "credit", "https://credit", ONCE),
    Row("a gateway", "chat", midway({**error("no"), "status_code": 404}), "missing", "DOTAGENT_MODEL", ONCE),
    Row("a gateway", "chat", midway({"error": "insufficient_quota"}), "credit", "https://credit", ONCE),
    Row("a server", "chat", refusal(501, "not implemented here"), "bad_request", "not implemented here", ONCE),
    # Ollama
    Row("Ollama", "ollama", ollama_lines.stream("Yes."), "whole", "Yes.", ONCE, paid=324),
    Row("Ollama", "ollama", ollama_lines.stream("So", last=ollama_lines.done("length")), "cut", "So", ONCE, paid=324),
    Row("Ollama", "ollama", ollama_lines.stream("So", last=ollama_lines.done("unload")), "cut", "So", ONCE, paid=324),
]  # fmt: skip


def ask(form: str, base: str) -> Completion:
    config, silent = Config(KEY, base), lambda *_: None
    prompt, never = ASKED, lambda: False
    if form == "chat":
        return chat.ask(chat.request(prompt, config, PLACE), silent, never)
    if form == "responses":
        config = Config(KEY, base, settings={"max_tokens": 90})
        return responses.ask(responses.request(prompt, config, PLACE), silent, never)
    if form == "messages":
        return messages.ask(messages.request(prompt, config, PLACE, {"max_tokens": 90}), silent, never)
    if form == "gemini":
        return generate_content.ask(generate_content.request(prompt, config, PLACE, base), silent, never)
    return providers.load("ollama").answer(prompt, config, silent, never)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.vendor}-{row.made}-{row.said[:24]}")
def test_a_reply_or_refusal_is_what_it_is(row: Row) -> None:
    attempts.forget()
    with Server(row.answer, pages=ollama_lines.pages() if row.form == "ollama" else {}) as server:
        try:
            reply = retry.attempts(lambda: ask(row.form, server.base), begin=lambda number: None,
                                   stop=lambda: False, sleep=lambda seconds: None)  # fmt: skip
            made, said, again, used = "cut" if reply.finish == "length" else "whole", reply.text, False, reply.usage
        except ProviderError as error:
            made, said, again, used = error.kind, error.hint, error.retryable, error.usage
        assert (made, len(server.received), again) == (row.made, row.asked, row.again), said
    assert row.said in said and KEY not in said
    assert used.input + used.output == row.paid


TALK = Prompt(
    "m",
    (
        {"role": "system", "content": "be"},
        {"role": "user", "content": "#1 10:00:00 ana: hello"},
        {"role": "assistant", "content": "Hello, Ana."},
        {"role": "user", "content": "#2 10:01:00 ana: how?\n\n#3 READ_FILE a.md: a text"},
    ),
)


@pytest.mark.parametrize("code", ["bio_policy", "invalid_prompt", "invalid_image", "image_too_large", "a_new_policy"])
def test_no_other_words_of_a_talk_are_tried_for_a_refusal_by_policy_or_of_a_picture(code: str) -> None:
    attempts.forget()
    with Server(failed(code)) as server, pytest.raises(ProviderError):
        responses.ask(responses.request(TALK, Config(KEY, server.base), PLACE), lambda *_: None, lambda: False)
    assert len(server.received) == 1
    attempts.forget()


def test_a_reason_of_another_format_counts_by_its_own_table() -> None:
    assert reasons.end("chat", "SAFETY") == "withheld" and reasons.end("chat", "end_turn") == "whole"
    assert reasons.end("generate_content", "OTHER") == "spoilt"  # not what it means for a prompt
    assert reasons.end("chat", "error") == "again" and reasons.end("messages", "?") == "spoilt"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("2026-11-30 20:00:00", 3600),  # 19:00 in China
        ("2026-11-30 20:00:00 +0800", 3600),
        ("2026-11-30T12:00:00Z", 3600),
        ("2026-11-30 12:00:00", 3600),  # long ago in China, so it is UTC
        ("2026-11-30 18:59:00", None),  # the time of the error
        ("2026-11-30T10:00:00Z", None),
        ("2026-13-30 10:00:00", None),
    ],
)
def test_a_date_without_a_zone_is_of_china_or_utc(said: str, left: float | None) -> None:
    present = datetime(2026, 11, 30, 11, tzinfo=UTC).timestamp()
    assert rates.seconds_until_local(said, present) == left
    assert rates.seconds_of_day(present) == 5 * 3600


def test_the_most_exact_code_decides() -> None:
    assert reasons.code(["enforced_spend_limit_reached", "rate_limit_error"]) == "credit"
    assert reasons.code(["rate_limit_exceeded", "insufficient_quota"]) == "credit"
    assert reasons.code(["RESOURCE_EXHAUSTED"]) == "wait" and reasons.code(["?"]) is None

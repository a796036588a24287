"""What a provider's failure means: its kind, whether trying again may help, and what a person can do about it.

Servers say the same thing in many wordings, so the wordings are here, in one place, beside the hints. No hint repeats a
credential, also not one that a server sends back.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from dotagent.providers import RETRYABLE, Kind, ProviderError
from dotagent.providers.formats import fields, redaction
from dotagent.providers.formats.place import Address
from dotagent.text.escape import one_line

SOON = 300  # seconds until a plan's next allowance that a call waits for
QUOTED = 300  # characters of a server's own words that a hint repeats


@dataclass(frozen=True)
class Refusal:
    """A response that is not a reply: its HTTP status, headers (names in lower case) and the beginning of its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_MISSING: tuple[Kind, str] = (
    "missing",
    "{name} does not have the model {model}, or not at this address ({code}){quote}: set DOTAGENT_MODEL or {base}, see "
    "{models}",
)
_BUSY: tuple[Kind, str] = ("server", "{name} is out of order or overloaded ({code}){quote}; ask again in some minutes")
_MEANINGS: Mapping[int, tuple[Kind, str]] = {  # of a status, or of all of its hundred
    300: _MISSING,
    400: ("bad_request", "{name} refuses the request ({code}){why}"),
    # what it says of the key is left out: some servers repeat the key
    401: ("auth", "{name} refuses the key in {key} ({code}): make one at {keys}"),
    402: ("credit", "the account at {name} is out of credit ({code}): top it up at {credit}"),
    403: ("auth", "{name} forbids this to the key in {key} ({code}){quote}; see {keys}"),
    404: _MISSING,
    405: _MISSING,
    408: ("timeout", "{name} took too long ({code}){quote}"),
    409: _BUSY,
    425: _BUSY,
    429: ("rate", "{name} gets too many requests from this account ({code}){quote}"),
    500: _BUSY,
}
_SIZED = (400, 413, 422, 500)  # with these a wording may mean that the prompt is too long
_LONG_CODES = {"context_length_exceeded", "exceed_context_size_error", "request_too_large", "context_window_exceeded"}
_EMPTY_CODES = {"insufficient_quota", "exceeded_current_quota_error", "insufficient_balance"}
_EMPTY = re.compile(r"credit balance is too low|reached your specified api usage limits", re.IGNORECASE)  # Anthropic
_LONG = re.compile(
    r"maximum (?:context|prompt) length|context[ _]length[ _]exceeded|(?:prompt|input|request|conversation) is too long"
    r"|(?:exceeds?|exceeded|longer than|greater than|larger than|beyond|overflows?|too large for)"
    r"[^.]{0,60}\bcontext(?: |_)?(?:size|window|length|limit)|\bcontext[ -](?:overflow|window exceed)"
    r"|input token count[^.]{0,40}exceeds|reduce the length of the (?:messages|prompt|input)"
    r"|too many (?:input|prompt) tokens|exceeded model token limit|number of tokens to keep from the initial prompt"
    r"|keep the first \d+ tokens when|context (?:size|length|window) has been exceeded|longer than the maximum model",
    re.IGNORECASE,
)
_STATUSES = {  # of names, where an error comes inside an answer: OpenAI's and, from authentication_error, Anthropic's
    "rate_limit_exceeded": 429,
    "slow_down": 429,
    "usage_limit_reached": 429,
    "server_error": 500,
    "server_is_overloaded": 503,
    "invalid_api_key": 401,
    "token_expired": 401,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}
_NUMBER = r"([\d][\d,]*)"
_SIZES = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        rf"{_NUMBER} (?:tokens )?(?:in|of|from) (?:the |your )?(?:messages|prompt|text input|input)",
        rf"(?:contains|has) {_NUMBER} (?:input )?tokens",
        rf"(?:too long:|resulted in|token count \(|requested tokens \(|request \(|input \(|given:)\s*{_NUMBER}",
        rf"requested (?:about )?{_NUMBER} tokens",
        rf"(?:keep the first|prompt \(length) {_NUMBER}",
    )
)
_BAD_KEY = re.compile(r"api[ _]key (?:not valid|is invalid|expired)|invalid api[ _-]?key", re.IGNORECASE)
_AGAIN = re.compile(r"try again in (\d{1,6}(?:\.\d{1,6})?) ?(ms|s)\b", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model\b.{0,80}\b(?:not exist|not found|unknown|not available|not supported)|(?:unknown|no such|invalid) model",
    re.IGNORECASE | re.DOTALL,
)
_SECRETS = re.compile(
    r"\b(?:sk|pk|rk|key|gsk|xai)-[\w*.\-]{4,}|\bAIza[\w\-]{10,}|\beyJ[\w\-]{8,}[\w\-.]*|\bBearer\s+\S+", re.IGNORECASE
)


def from_response(refusal: Refusal, place: Address, model: str, secret: str | None) -> ProviderError:
    """The error that a response other than 200 stands for."""
    after = retry_after(refusal.headers.get("retry-after"), time.time())
    return _judge(refusal.status, _error(refusal.body), place, model, secret, after)


def from_event(error: object, place: Address, model: str, secret: str | None) -> ProviderError:
    """The error that a server sends in an answer that began with 200; its code, a status or its name, decides."""
    found = _fields(error)
    code = found.get("code")
    named = next((_STATUSES[str(label)] for label in (code, found.get("type")) if str(label) in _STATUSES), 500)
    status = code if isinstance(code, int) and 400 <= code < 600 else named
    return _judge(status, found, place, model, secret)


def _judge(
    status: int, error: Mapping[str, object], place: Address, model: str, secret: str | None, after: float | None = None
) -> ProviderError:
    after = _delay(error) if after is None else after
    said = clean(str(error.get("message") or ""), secret)
    codes = {str(error.get(label)) for label in ("code", "type")}
    if "usage_limit_reached" in codes:
        return _used_up(error, said, place)
    usual = _MEANINGS.get(min(500, status // 100 * 100), _MEANINGS[400])
    kind, hint = _named(status, codes, said) or _MEANINGS.get(status, usual)
    if status == 401 and place.keyless and not secret:
        hint = "{name} asks for a key ({code}): put it into {key}"
    quote = f": {said}" if said else ""
    why = quote or " and does not say why"
    told = hint.format(
        **vars(place), model=model or "that was asked for", code=f"HTTP {status}", said=said, quote=quote, why=why
    )
    size = _size(error, said) if kind == "too_long" else None
    return ProviderError(kind, told, after=after if kind in RETRYABLE else None, size=size)


def _named(status: int, codes: set[str], said: str) -> tuple[Kind, str] | None:
    """What the body's own codes or wording name more exactly than the status; None when they do not."""
    if codes & _LONG_CODES or status == 413 or (status in _SIZED and _LONG.search(said)):
        return "too_long", "the prompt is too long for the model at {name}: {said}"
    if codes & _EMPTY_CODES or (status in (400, 429) and _EMPTY.search(said)):
        return _MEANINGS[402]
    if status in (400, 422) and ("model_not_found" in codes or _NO_MODEL.search(said)):
        return "missing", "{name}: {said}; set DOTAGENT_MODEL to one from {models}"
    bad = _BAD_KEY.search(said) or "no_db_connection" in codes  # LiteLLM, which looks for any key but its own there
    return _MEANINGS[401] if status == 400 and bad else None


def _used_up(error: Mapping[str, object], said: str, place: Address) -> ProviderError:
    """A subscription's allowance is used up until a time that the server tells: tried again where that is soon."""
    told, at = (error.get(name) for name in ("resets_in_seconds", "resets_at"))
    times = [(fields.number(told), 0.0), (fields.number(at), time.time())]
    seconds = next((max(0.0, number - since) for number, since in times if number is not None), None)
    soon = seconds is not None and seconds <= SOON
    again = f" again in about {max(1, round(seconds / 60))} min" if seconds is not None else " later"
    hint = f"the plan at {place.name} is used up ({said}): it answers{again}, see {place.credit}"
    return ProviderError("rate", hint, retryable=soon, after=seconds)


def clean(text: str, secret: str | None) -> str:
    """A server's words as one line of at most QUOTED characters, with nothing in them that is or looks like a key."""
    redaction.hide(secret)
    return one_line(redaction.quoted(_SECRETS.sub(redaction.KEY, text)), QUOTED)


def _error(body: bytes) -> Mapping[str, object]:
    """The error in a body: {"error": …}, {"message": …}, {"detail": …}, one of these in a list, or plain text."""
    text = body.decode("utf-8", "replace")
    try:
        value: object = json.loads(text)
    except ValueError:
        return {} if text.lstrip().startswith("<") else {"message": text}  # a page says nothing that fits one line
    except RecursionError:
        return {}
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {"message": value if isinstance(value, str) else ""}
    return _fields(value.get("error", value))


def _fields(error: object) -> Mapping[str, object]:
    if not isinstance(error, dict):
        return {"message": error if isinstance(error, str) else ""}
    said = _wrong(error.get("message")) or _wrong(error.get("detail"))
    # OpenRouter's message is often "Provider returned error", and this the reason
    if raw := fields.text(error, "metadata", "raw"):
        said = f"{said}: {_error(raw.encode('utf-8', 'replace')).get('message') or raw}"
    return {**error, "message": said}


def _wrong(told: object) -> str:
    """A server's words; of a list of what is wrong with a request, as FastAPI's, where each is and what."""
    told = told.get("detail") if isinstance(told, dict) else told
    if not isinstance(told, list):
        return told if isinstance(told, str) else ""
    each = [(one.get("loc"), fields.text(one, "msg")) for one in told if isinstance(one, dict)]
    return "; ".join(f"{'.'.join(map(str, loc))}: {what}" if isinstance(loc, list) else what for loc, what in each)


def _delay(error: Mapping[str, object]) -> float | None:
    """Seconds to wait, as Google's error details tell (google.rpc.RetryInfo: "34.07s") or OpenAI's words; else None."""
    for one in fields.tables(error, "details"):
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?s", told := fields.text(one, "retryDelay")):
            return float(told[:-1])
    said = _AGAIN.search(str(error.get("message") or ""))
    return float(said[1]) / (1000 if said[2] == "ms" else 1) if said else None


def retry_after(value: str | None, present: float) -> float | None:
    """A Retry-After header in seconds from `present` (Unix time): a number or an HTTP date; None if it is neither."""
    text = (value or "").strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) < 12:
        return float(text)
    try:
        instant = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    return max(0.0, (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp() - present)


def _size(error: Mapping[str, object], said: str) -> int | None:
    """The prompt's tokens as the server counts them, or None where it does not say."""
    if exact := fields.count(error, "n_prompt_tokens"):
        return exact
    found = next((match for wording in _SIZES if (match := wording.search(said))), None)
    return fields.count(int(found[1].replace(",", ""))) or None if found else None

"""The meaning of a provider's failure: its kind, whether a retry may help, and what a person can do.

Servers word the same failure in many ways, so all wordings are here, next to the hints. No hint repeats a credential,
even if a server sends it back. Owns nothing on disk.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from dotagent.providers import RETRYABLE, Kind, ProviderError
from dotagent.providers.formats import fields, rates, reasons, redaction
from dotagent.providers.formats.place import Address
from dotagent.providers.formats.reasons import Meaning
from dotagent.text.escape import one_line

SOON = 300  # seconds until a plan's next allowance for which a call still waits
QUOTED = 300  # characters of a server's explanation that a hint repeats
_BEFORE = ("", "llm_provider-")  # LiteLLM hands on an upstream's headers under such names alone
_AFTER = re.compile(rf"(?P<upstream>{_BEFORE[1]})?(?:[a-z]{{1,20}}-){{0,4}}retry-after(?:(?P<ms>-ms)|-s(?:econds)?)?")
READ = 4000  # characters of the explanation searched for a part of the request


@dataclass(frozen=True)
class Refusal:
    """A response that is not a reply: its HTTP status, headers (names in lower case) and the beginning of its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_MISSING: tuple[Kind, str] = (
    "missing",
    "{name} has no model {model} at this address ({code}){quote}: set DOTAGENT_MODEL or {base}, see {models}",
)
_BUSY: tuple[Kind, str] = ("server", "{name} has a problem or is overloaded ({code}){quote}; try again in some minutes")
_MEANINGS: Mapping[int, tuple[Kind, str]] = {  # by status, or by the hundred that contains it
    300: _MISSING,
    400: ("bad_request", "{name} refuses the request ({code}){why}"),
    # no details about the key, because some servers repeat it
    401: ("auth", "{name} refuses the key in {key} ({code}): create one at {keys}"),
    402: ("credit", "the account at {name} is out of credit ({code}): top it up at {credit}"),
    403: ("auth", "the key in {key} does not permit this at {name} ({code}){quote}; see {keys}"),
    404: _MISSING,
    405: _MISSING,
    407: (
        "unconfigured",
        "the proxy before {name} refuses the name or password in its address ({code}){quote}; correct HTTP_PROXY or "
        "ALL_PROXY",
    ),
    408: ("timeout", "{name} took too long ({code}){quote}"),
    409: _BUSY,
    425: _BUSY,
    429: ("rate", "{name} gets too many requests from this account ({code}){quote}"),
    500: _BUSY,
    501: ("bad_request", "{name} cannot do this ({code}){why}"),
}
_REFUSES: tuple[Kind, str] = ("bad_request", "{name} refuses to answer this ({code}){why}")
_BLOCKED = re.compile(r"error code: 1\d{3}", re.IGNORECASE)  # Cloudflare's whole text
_FILTERED = re.compile(  # in a 403 of a filter, which does not know the key
    r"guardrail|moderat|flagged|content[ _](?:policy|filter|blocked)|inappropriate|unsafe content|safety_check|\bwaf\b",
    re.IGNORECASE,
)
_STREAM = re.compile(r"\bstream(?:ing|ed)?\b", re.IGNORECASE)  # in a 403: without streaming it may be accepted
_UNROUTED = re.compile(  # OpenRouter, whose settings exclude each server that has the model
    r"no (?:\w+ )?(?:endpoints?|providers?)\b[^.]{0,60}\b(?:data policy|privacy|guardrail|settings)"
    r"|no allowed providers",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(  # Ollama, LM Studio
    r"requires more (?:system |gpu |video )?memory|insufficient system resources|not enough memory to load"
    r"|terminated: [^.]{0,60}out of memory",
    re.IGNORECASE,
)
_PERIOD = r"(?:hour|daily|week|month)(?:ly)?\b"
_AMOUNT = r"(?:limit|quota|allowance|cap)\b"
_USED_UP = re.compile(  # an allowance without a time: Cohere's trial, plans of Kimi and Alibaba
    r"limited to [\d,]+ [^.]{0,40}(?:/|per) ?month"
    rf"|(?:reached|exceeded|used up|exhausted)[^.]{{0,30}}\b{_PERIOD} (?:[\w()-]+ ){{0,3}}{_AMOUNT}"
    rf"|\b{_PERIOD} (?:\w+ ){{0,3}}{_AMOUNT}[^.]{{0,20}}\b(?:reached|exceeded|used up|exhausted)"
    r"|reached your usage limit",
    re.IGNORECASE,
)
_SIZED = (400, 413, 422, 500)  # only with these statuses can a message mean that the prompt is too long
_EMPTY = re.compile(  # for servers without such a code: Anthropic, xAI, Gemini, OpenRouter, Fireworks
    r"credit balance is too low|reached your specified api usage limits|(?:have|has) any credits|purchase more credits"
    r"|credits are depleted|monthly spending (?:limit|cap)|key limit exceeded|used all available credits",
    re.IGNORECASE,
)
_UNPAID = re.compile(r"exceeded your current quota, please check your plan", re.IGNORECASE)  # OpenAI's, by a gateway
_LONG = re.compile(
    r"maximum (?:context|prompt) length|context[ _]length[ _]exceeded|(?:prompt|input|request|conversation) is too long"
    r"|(?:exceeds?|exceeded|longer than|greater than|larger than|beyond|overflows?|too large for)"
    r"[^.]{0,60}\bcontext(?: |_)?(?:size|window|length|limit)|\bcontext[ -](?:overflow|window exceed)"
    r"|input token count[^.]{0,40}exceeds|reduce the length of the (?:messages|prompt|input)"
    r"|too many (?:input|prompt) tokens|exceeded model token limit|number of tokens to keep from the initial prompt"
    r"|keep the first \d+ tokens when|context (?:size|length|window) has been exceeded|longer than the maximum model"
    r"|range of input length|(?:prompt|input|tokens?)\b[^.]{0,60}\bexceeds? (?:the )?(?:max|limit)"
    r"|tokens?\b[^.]{0,80}\b(?:cannot exceed|must be (?:less than|<=|at most)) \w",
    re.IGNORECASE,
)
_STATUSES: Mapping[Meaning | None, int] = {  # for an error inside an answer
    "request": 400, "refused": 400, "key": 401, "credit": 402, "right": 403, "model": 404, "long": 413, "wait": 429,
    "tomorrow": 429,
}  # fmt: skip
_NUMBER = r"([\d][\d,]*)"
_ASKED = re.compile(rf"\blimit:? {_NUMBER}\W{{1,3}}requested:? {_NUMBER}", re.IGNORECASE)  # OpenAI, Groq
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
_BAD_KEY = re.compile(r"api[ _]key (?:not valid|is invalid|expired)|(?:invalid|incorrect) api[ _-]?key", re.IGNORECASE)
_TIME = r"\d{1,6}(?:\.\d{1,20})? ?(?:ms|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])[, ]*"
_AGAIN = re.compile(rf"(?:try again|retry|retryDelay|wait)\W{{1,5}}(?:(?:in|after|for) )?((?:{_TIME})+)", re.IGNORECASE)
_DATED = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?: ?(?:Z|[+-]\d\d:?\d\d))?")  # in a text
_NESTED = ("details", "metadata", "extra")  # fields with more about an error
_PAUSE = re.compile(
    r"retry[_-]?(?:after|delay|in)(?:[_-]?s(?:ec(?:ond)?s?)?|([_-]?m(?:illi)?s(?:econds)?))?", re.IGNORECASE
)
_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(ms|[hms])", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_WITHIN = re.compile(r"""['"](?:error_code|code|reason|type|status)['"]\s*:\s*['"](\w{3,60})['"]""")  # upstream codes
_NO_MODEL = re.compile(
    r"model\b.{0,80}\b(?:not exist|not found|unknown|not available|not supported)|(?:unknown|no such|invalid) model"
    r"|no healthy deployments? for this model|LLM Provider NOT provided",
    re.IGNORECASE | re.DOTALL,
)
STATUSES = ("code", "status", "status_code", "statusCode", "http_status", "http_code")
"""Fields with the HTTP status of an error inside an answer."""
_POINTERS = ("param", "loc", "field", "property")  # the field that the error is about
_COPIES = ("input", "ctx", "url", "failed_generation")  # copies of the request
_COPY = re.compile(r"""['"]input['"]\s*:.*""", re.DOTALL)  # the same inside a text
_SECRETS = re.compile(
    r"\b(?:(?:sk|pk|rk|key|gsk|xai)-[\w*.\-]{4,}|AIza[\w\-]{10,}|eyJ[\w\-]{8,})[^\s\"'<>(){},;]*|\bBearer\s+\S+"
    rf"|[A-Z0-9_\-]*{re.escape(redaction.KEY)}[A-Z0-9_\-]*",  # text next to a part of a key belongs to the key
    re.IGNORECASE,
)


def from_response(refusal: Refusal, place: Address, model: str, secret: str | None) -> ProviderError:
    """Return the error for a response with a status other than 200."""
    found, present = _error(refusal.body), time.time()
    passed = fields.table(found, "metadata", "headers")  # OpenRouter has those of the upstream there
    headers = {**{name.lower(): str(value) for name, value in passed.items()}, **refusal.headers}
    if (after := named_wait(headers, present)) is not None:
        found = {**found, "retry_after": after}
    error = _judge(refusal.status, found, place, model, secret)
    if error.kind == "rate" and error.after is None:
        error.after = rates.renewal(headers, present)
    if refusal.status == 403 and (_is_page(refusal.body) or _BLOCKED.fullmatch(str(found.get("message")).strip())):
        hint = "a firewall or proxy before {name} refuses the request (HTTP 403); check the network, a VPN and {base}"
        error = ProviderError("network", hint.format(**vars(place)), retryable=False)
        error.status = refusal.status
        return error
    if "false" in (headers.get(f"{before}x-should-retry") for before in _BEFORE):
        error.retryable = False
    if error.status:
        error.words = words(_value(refusal.body), refusal.status)
    return error


def from_event(
    error: object, place: Address, model: str, secret: str | None, unknown: Meaning = "again"
) -> ProviderError:
    """Return the error for an event in an answer that began with 200, by its status code or name. `unknown` is the
    meaning of a code that no table has."""
    found = _fields(error)
    status = next((int(code) for name in STATUSES if re.fullmatch(r"[45]\d\d", code := str(found.get(name)))), 0)
    told = _judge(status, found, place, model, secret, unknown)
    if told.status:
        told.words = words(error, told.status)
    return told


def words(error: object, status: int) -> str:
    """Return an error's full text, with the fields that it points at first, or "" if it gives no reason beyond its
    status.

    Copies of the request, which some servers include, are left out.
    """
    pointed, said = list[str](), list[str]()

    def walk(value: object, into: list[str]) -> None:
        if isinstance(value, dict):
            for name, one in value.items():
                if name in _POINTERS:
                    walk(one, pointed)
                elif name not in _COPIES:  # a list of complaints has the name of the field
                    many = isinstance(one, list) and all(isinstance(text, str) for text in one)
                    walk([f"{name}: {text}" for text in one] if many else one, into)
        elif isinstance(value, list) and into is pointed:
            into.append(".".join(map(str, value)))
        elif isinstance(value, list):
            for one in value:
                walk(one, into)
        elif isinstance(value, str):
            into.append(_COPY.sub("", value))

    walk(error, said)
    usual = {HTTPStatus(status).phrase, "Unprocessable Entity"} if status in set(HTTPStatus) else set[str]()
    plain = fields.text(_fields(fields.value_at(error, "error") or error), "message").strip(" .")
    if plain in {"", *usual}:  # some name it otherwise
        told = (one.strip(" .") for one in said if " " in one.strip())
        plain = next((one for one in told if one not in usual), "")
    return "" if not pointed and not plain else "\n".join((*pointed, *said))[:READ]


def _judge(
    status: int,
    error: Mapping[str, object],
    place: Address,
    model: str,
    secret: str | None,
    unknown: Meaning = "again",
) -> ProviderError:
    """Return the error with this status, or with 0 that of an event. Its own codes decide, then the status."""
    after = _delay(error)
    said = clean(str(error.get("message") or ""), secret)
    names = _codes(error)
    if "usage_limit_reached" in names:
        return _quota_error(error, said, place)
    meaning = reasons.code(names)
    if after is None and (status == 429 or meaning in ("wait", "tomorrow")):
        until = (rates.seconds_until_local(one, time.time()) for one in _DATED.findall(said))
        after = next(filter(None, until), rates.seconds_of_day(time.time()) if meaning == "tomorrow" else None)
    if not status:
        status = _STATUSES.get(meaning or (unknown if names else None), 500)
        meaning = meaning or (unknown if names else None)
    usual = _MEANINGS.get(min(500, status // 100 * 100), _MEANINGS[400])
    kind, hint = _find_meaning(status, meaning, said, after) or _MEANINGS.get(status, usual)
    if status == 401 and place.keyless and not secret:
        hint = "{name} requires a key ({code}): put the key into {key}"
    quote = f": {said}" if said else ""
    why = quote or " without giving a reason"
    refused = meaning == "refused"
    code = one_line(names[0], 60) if refused else f"HTTP {status}"
    told = hint.format(**vars(place), model=model or "of that name", code=code, said=said, quote=quote, why=why)
    size = _size(error, said) if kind == "too_long" else None
    judged = ProviderError(kind, told, after=after if kind in RETRYABLE else None, size=size, withheld=refused)
    judged.status = 0 if refused else status  # without a status, no other request is tried
    return judged


def _find_meaning(status: int, meaning: Meaning | None, said: str, after: float | None) -> tuple[Kind, str] | None:
    """Return the meaning of the body's own codes or wording if they are more exact than the status, otherwise None."""
    if meaning == "long" or (status in _SIZED and _LONG.search(said)) or _is_beyond(said):
        return "too_long", "the prompt is too long for the model at {name}: {said}"
    if meaning == "refused":
        return _REFUSES
    if status == 404 and _UNROUTED.search(said):
        return "missing", (
            "the account's settings at {name} exclude every server of the model {model} ({code}){quote}: change the "
            "settings, or set DOTAGENT_MODEL"
        )
    if status >= 500 and _NO_MEMORY.search(said):
        return "missing", "{name} has too little memory for the model {model} ({code}){quote}: choose a smaller model"
    if status in (498, 499) and (meaning == "again" or "capacity" in said.lower()):  # Groq, Gemini; not Cohere's 498
        return _BUSY
    unpaid = status == 429 and after is None and _UNPAID.search(said)  # Gemini says so, too, but names a pause
    if meaning == "credit" or unpaid or (status in (400, 403, 412, 429) and _EMPTY.search(said)):
        return _MEANINGS[402]
    if status in (403, 429) and after is None and _USED_UP.search(said):
        return "credit", "the account at {name} has used up its allowance ({code}){quote}; see {credit}"
    if (meaning == "model" and status != 404) or (status in (400, 422) and _NO_MODEL.search(said)):
        return "missing", "{name}: {said}; set DOTAGENT_MODEL to a model from {models}"
    if status == 403 and (_STREAM.search(said) or (not meaning and _FILTERED.search(said))):
        return _MEANINGS[400]
    if (meaning == "right" and status != 401) or (status == 400 and "location is not supported" in said):
        return _MEANINGS[403]
    return _MEANINGS[401] if meaning == "key" or (status == 400 and _BAD_KEY.search(said)) else None


def _is_beyond(said: str) -> bool:
    """Return whether this request alone is larger than the account's limit for a minute, so that no wait helps."""
    limit, asked = (int(one.replace(",", "")) for one in found.groups()) if (found := _ASKED.search(said)) else (0, 0)
    return asked > limit


def _codes(error: Mapping[str, object]) -> list[str]:
    """Return the codes of an error, the most exact first: of its details, of an upstream's error in its text, and its
    own."""
    details = [fields.table(error, "details"), *fields.tables(error, "details")]
    exact = [fields.text(one, name) for one in details for name in ("error_code", "reason")]
    exact.append(fields.text(error, "innererror", "code"))  # Azure
    message = str(error.get("message") or "")
    within = _WITHIN.findall(fields.text(error, "metadata", "raw") or (message if "litellm." in message else ""))
    own = [str(error.get(name)) for name in ("code", "type", "status") if error.get(name)]
    own += [message] if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", message) else []  # a code alone
    return [one for one in (*exact, *within, *own) if one and not re.fullmatch(r"\d{1,3}|error", one)]


def _quota_error(error: Mapping[str, object], said: str, place: Address) -> ProviderError:
    """Return the error for a used-up subscription, retryable if the server says that it ends soon."""
    told, at = (error.get(name) for name in ("resets_in_seconds", "resets_at"))
    times = [(fields.number(told), 0.0), (fields.number(at), time.time())]
    seconds = next((max(0.0, number - since) for number, since in times if number is not None), None)
    soon = seconds is not None and seconds <= SOON
    again = f" again in about {max(1, round(seconds / 60))} min" if seconds is not None else " later"
    hint = f"the plan at {place.name} is used up ({said}); {place.name} answers{again}, see {place.credit}"
    return ProviderError("rate", hint, retryable=soon, after=seconds)


def clean(text: str, secret: str | None) -> str:
    """Return a server's text as one line of at most QUOTED characters, without anything that is or looks like a key."""
    redaction.hide(secret)
    return one_line(_SECRETS.sub(redaction.KEY, redaction.redact(text)), QUOTED)


def _error(body: bytes) -> Mapping[str, object]:
    """Return the error in a body: {"error": …}, {"errors": […]}, {"message": …}, {"detail": …}, one of these in a list,
    or plain text."""
    value = _value(body)
    if isinstance(value, dict):
        value = value.get("error") or (not value.get("message") and value.get("errors")) or value
    return _fields(value[0] if isinstance(value, list) and value else value)


def _value(body: bytes) -> object:
    """Return the JSON of an error's body (the first item of a list), the text if it is not JSON, or "" for a web
    page."""
    text = body.decode("utf-8", "replace")
    try:
        value: object = json.loads(text)
    except ValueError:
        return "" if _is_page(body) else text  # a page has nothing that fits on one line
    except RecursionError:
        return ""
    return value[0] if isinstance(value, list) and value else value


def _is_page(body: bytes) -> bool:
    return body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _fields(error: object) -> Mapping[str, object]:
    if not isinstance(error, dict):
        return {"message": error if isinstance(error, str) else ""}
    said = _wrong(error.get("message")) or _wrong(error.get("detail"))
    # OpenRouter's message is often "Provider returned error", and this is the reason
    if raw := fields.text(error, "metadata", "raw"):
        said = f"{said}: {_error(raw.encode('utf-8', 'replace')).get('message') or raw}"
    return {**error, "message": said}


def _wrong(told: object) -> str:
    """Return a server's explanation. For a list of request errors, as from FastAPI, join their places and messages."""
    told = told.get("detail") if isinstance(told, dict) else told
    if not isinstance(told, list):
        return told if isinstance(told, str) else ""
    each = [(one.get("loc"), fields.text(one, "msg")) for one in told if isinstance(one, dict)]
    return "; ".join(f"{'.'.join(map(str, loc))}: {what}" if isinstance(loc, list) else what for loc, what in each)


def _delay(error: Mapping[str, object]) -> float | None:
    """Return the seconds to wait from a field of the error or its details, such as Google's (google.rpc.RetryInfo:
    "34.07s"), or from a text such as "try again in 7m12.5s", or None."""
    for part in (error, *(one for name in _NESTED for one in (fields.table(error, name), *fields.tables(error, name)))):
        for name, value in part.items():
            if not (found := _PAUSE.fullmatch(name)):
                continue
            after = fields.number(value)
            if after is None and isinstance(value, str):
                after = rates.seconds_until(value, time.time())
            if after is not None:
                return after / 1000 if found[1] else after
    said = _AGAIN.search(str(error.get("message") or ""))
    return sum(float(size) * _UNITS[unit.lower()] for size, unit in _SPAN.findall(said[1])) if said else None


def named_wait(headers: Mapping[str, str], present: float) -> float | None:
    """Return the seconds that a response's headers ask to wait from `present` (Unix time), or None. The headers have
    several names, and a gateway hands on an upstream's. The server's own come first, and of these the most exact."""
    named = [(found, value) for name, value in headers.items() if (found := _AFTER.fullmatch(name))]
    for found, value in sorted(named, key=lambda one: (bool(one[0]["upstream"]), not one[0]["ms"], len(one[0][0]))):
        if not found["ms"] and (after := rates.seconds_until(value, present)) is not None:
            return after
        if found["ms"] and re.fullmatch(r"\d{1,10}(\.\d{1,9})?", value.strip()):
            return float(value) / 1000
    return None


def _size(error: Mapping[str, object], said: str) -> int | None:
    """Return the prompt's tokens by the server's count, or None."""
    if exact := fields.count(error, "n_prompt_tokens"):
        return exact
    found = next((match for wording in _SIZES if (match := wording.search(said))), None)
    return fields.count(int(found[1].replace(",", ""))) or None if found else None

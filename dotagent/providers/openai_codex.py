"""ChatGPT's plans for Codex: the Responses format at https://chatgpt.com/backend-api, with the token of `codex login`.

The server is not a documented API: it takes `store: false` and streams only, wants instructions, refuses parameters
that the documented one takes, and must be told the account, which stands in the token.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Config, Emit, Prompt, ProviderError, Reply
from dotagent.providers.formats import fields, responses
from dotagent.providers.formats.http import Post
from dotagent.providers.formats.place import Key, Place, chosen, origin

KEYS = ("OPENAI_CODEX_OAUTH_ACCESS_TOKEN", "OPENAI_CODEX_OAUTH_TOKEN_FILE")
BASE = "https://chatgpt.com/backend-api"
MODEL = "gpt-5"
WINDOW = {"gpt-5": 272_000, "gpt-5.3-codex-spark": 128_000, "": 128_000}  # tokens that a prompt may have there
BACKGROUND = 2

PLACE = Place(
    "OpenAI Codex",
    KEYS[0],
    "OPENAI_CODEX_API_BASE",
    keys="https://chatgpt.com/codex",
    credit="https://chatgpt.com/codex/settings/usage",
    models="https://developers.openai.com/codex/models",
)
PROXY = "OPENAI_CODEX_PROXY"
_LOGIN = f"run `codex login` and set {KEYS[1]} to ~/.codex/auth.json"
_CLAIM = "https://api.openai.com/auth"
_TAKEN = ("reasoning", "text")  # parameters; it refuses a limit of tokens, a temperature and more
_PLAIN = "Answer the user."  # it refuses a request without instructions


def why_not(config: Config) -> str | None:
    """None with exactly one token, of an account, and with a base and proxy that can be used."""
    try:
        key = chosen(config.given, KEYS, _LOGIN)
        account(key)
    except ProviderError as error:
        return error.hint
    proxy = config.given.get(PROXY, "")
    if proxy and (origin(proxy) is None or not re.fullmatch(r"[!-~]+", proxy)):
        return f"{PROXY} must be an address that begins with http:// or https://"
    return replace(PLACE, key=key.variable).unset(replace(config, key=key.value))


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    post = _post(prompt, config)
    try:
        return responses.ask(post, emit, stop)
    except ProviderError as error:
        if error.kind != "auth" or "HTTP 401" not in error.hint:
            raise
        again = "run `codex login`" + (" and set it again" if post.place.key == KEYS[0] else "")
        hint = f"{PLACE.name} refuses the token in {post.place.key} (HTTP 401), it may have expired: {again}"
        raise ProviderError("auth", hint) from None


def account(key: Key) -> str:
    """The id of the account that the token is for, as its claims say; its signature is the server's to check.

    The token is a JSON Web Token (RFC 7519). Raises ProviderError (unconfigured) when it tells of no account.
    """
    parts = key.value.split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "==")) if len(parts) == 3 else None
    except (ValueError, RecursionError):
        claims = None
    id = fields.text(claims, _CLAIM, "chatgpt_account_id")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,200}", id):
        raise ProviderError("unconfigured", f"{key.variable} holds no token of a ChatGPT account: {_LOGIN}")
    return id


def _post(prompt: Prompt, config: Config) -> Post:
    key = chosen(config.given, KEYS, _LOGIN)
    settings = {"summary": "auto", **config.settings}
    keyed = replace(config, key=key.value, base=config.base.removesuffix("/codex"), settings=settings)
    asked = replace(prompt, params={name: it for name, it in prompt.params.items() if name in _TAKEN})
    post = responses.request(asked, keyed, replace(PLACE, key=key.variable), "/codex/responses")
    headers = {
        **post.headers,
        "chatgpt-account-id": account(key),
        "OpenAI-Beta": "responses=experimental",
        "originator": "dotagent",
        "Accept": "text/event-stream",
    }
    body: dict[str, object] = {"instructions": _PLAIN, **(post.body or {})}
    if prompt.agent:
        headers["session_id"] = body["prompt_cache_key"] = prompt.agent
    return replace(post, headers=headers, body=body, proxy=config.given.get(PROXY, ""))

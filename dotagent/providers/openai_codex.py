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

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, known
from dotagent.providers.formats import fields, responses
from dotagent.providers.formats.http import Post
from dotagent.providers.formats.place import Address, keyed, origin

KEYS = ("OPENAI_CODEX_OAUTH_ACCESS_TOKEN", "OPENAI_CODEX_OAUTH_TOKEN_FILE")
BASE = "https://chatgpt.com/backend-api"
MODEL, WINDOW = known("openai-codex")
BACKGROUND = 2
SETTINGS = {"effort": "str", "summary": "str", "prompt_cache_key": "bool"}

PLACE = Address(
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
        config, place = keyed(config, PLACE, KEYS, _LOGIN)
        account(config, place)
    except ProviderError as error:
        return error.hint
    proxy = config.given.get(PROXY, "")
    if proxy and (origin(proxy) is None or not re.fullmatch(r"[!-~]+", proxy)):
        return f"{PROXY} must be an address that begins with http:// or https://"
    return place.unset(config)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
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


def account(config: Config, place: Address) -> str:
    """The id of the account that the token is for, as its claims say; its signature is the server's to check.

    The token is a JSON Web Token (RFC 7519). Raises ProviderError (unconfigured) when it tells of no account.
    """
    parts = (config.key or "").split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "==")) if len(parts) == 3 else None
    except (ValueError, RecursionError):
        claims = None
    id = fields.text(claims, _CLAIM, "chatgpt_account_id")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,200}", id):
        raise ProviderError("unconfigured", f"{place.key} holds no token of a ChatGPT account: {_LOGIN}")
    return id


def _post(prompt: Prompt, config: Config) -> Post:
    config, place = keyed(config, PLACE, KEYS, _LOGIN)
    settings = {"summary": "auto", **config.settings}
    known = replace(config, base=config.base.removesuffix("/codex"), settings=settings)
    asked = replace(prompt, params={name: it for name, it in prompt.params.items() if name in _TAKEN})
    post = responses.request(asked, known, place, "/codex/responses")
    headers = {
        **post.headers,
        "chatgpt-account-id": account(config, place),
        "OpenAI-Beta": "responses=experimental",
        "originator": "dotagent",
        "Accept": "text/event-stream",
    }
    body = {"instructions": _PLAIN, **(post.body or {}), **responses.cache_key(prompt, config, BASE)}
    if prompt.agent:
        headers["session_id"] = prompt.agent
    return replace(post, headers=headers, body=body, proxy=config.given.get(PROXY, ""))

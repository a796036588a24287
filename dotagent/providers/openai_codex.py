"""ChatGPT plans for Codex: the Responses format at https://chatgpt.com/backend-api, with the token of `codex login`.

This API is undocumented: it accepts only `store: false` with streaming, requires instructions, refuses some documented
parameters, and needs the account id, which is in the token. An expired token is renewed with the refresh token next to
it, as Codex does, and saved in the same file, because a refresh token works only once.
"""

from __future__ import annotations

import base64
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, model_and_window
from dotagent.providers.formats import fields, redaction, responses
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address, keyed, origin
from dotagent.store import disk
from dotagent.text import times

KEYS = ("OPENAI_CODEX_OAUTH_ACCESS_TOKEN", "OPENAI_CODEX_OAUTH_TOKEN_FILE")
BASE = "https://chatgpt.com/backend-api"
MODEL, WINDOW = model_and_window("openai-codex")
BACKGROUND = 2
OPTIONS = {"calls": "text|native", "effort": "str", "summary": "str"}
SETTINGS = {"prompt_cache_key": "bool"}

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
_TAKEN = ("reasoning", "text")  # accepted parameters; it refuses a limit of tokens, a temperature and others
RENEWS = "https://auth.openai.com/oauth/token"  # OPENAI_CODEX_OAUTH_TOKEN_URL overrides it
_CLIENT = "app_EMoamEEZ73f0CkXaXp7hrann"  # Codex's own client id
_SOON = 60.0  # seconds: a token with less time left counts as expired
_LARGE = 64 << 10  # bytes of a token's file
_PLAIN = "Answer the user."  # required: a request without instructions is refused


def why_not(config: Config) -> str | None:
    """Return None if there is exactly one token of an account, and base and proxy are usable."""
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
    """Make one attempt; see Provider.answer."""
    post = _post(prompt, config)
    ends = fields.number(_claims(post.secret or ""), "exp")
    if ends is not None and ends < time.time() + _SOON and _renew(config, post):
        post = _post(prompt, config)
    try:
        return responses.ask(post, emit, stop)
    except ProviderError as error:
        if error.kind == "auth" and "HTTP 401" in error.hint and _renew(config, post):
            return responses.ask(_post(prompt, config), emit, stop)
        if error.kind != "auth" or "HTTP 401" not in error.hint:
            raise
        again = "run `codex login`" + (" and set it again" if post.place.key == KEYS[0] else "")
        hint = f"{PLACE.name} refuses the token in {post.place.key} (HTTP 401); the token may have expired: {again}"
        raise ProviderError("auth", hint) from None


def account(config: Config, place: Address) -> str:
    """Return the account id in the token's claims. The server checks the signature.

    The token is a JSON Web Token (RFC 7519). Raises ProviderError (unconfigured) if it contains no account.
    """
    claims = _claims(config.key or "")
    id = fields.text(claims, _CLAIM, "chatgpt_account_id")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,200}", id):
        raise ProviderError("unconfigured", f"{place.key} contains no token of a ChatGPT account: {_LOGIN}")
    return id


def _claims(token: str) -> object:
    """Return the claims of a JSON Web Token, or None if it is not one."""
    parts = token.split(".")
    try:
        return json.loads(base64.urlsafe_b64decode(parts[1] + "==")) if len(parts) == 3 else None
    except (ValueError, RecursionError):
        return None


def _renew(config: Config, post: Post) -> bool:
    """Renew the token in its file, unless another process has done so. Return True if the file's token differs from the
    one sent.

    Raises ProviderError if the refresh token is refused, or the server is unreachable.
    """
    named = config.given.get(KEYS[1], "")
    path = Path(os.path.realpath(os.path.expanduser(named)))
    if not named or not os.access(path.parent, os.W_OK):  # a used refresh token that cannot be saved is lost
        return False
    with disk.locked_dir(path.parent):
        try:
            held = fields.parsed(disk.read(path, _LARGE), PLACE.name, "a token's file")
        except (OSError, ProviderError):
            return False
        tokens = fields.table(held, "tokens") or held
        if (there := fields.text(tokens, "access_token")) != post.secret:
            return bool(there)
        if not (refresh := fields.text(tokens, "refresh_token")):
            return False
        asked = {"client_id": _CLIENT, "grant_type": "refresh_token", "refresh_token": refresh}
        url = config.given.get("OPENAI_CODEX_OAUTH_TOKEN_URL", RENEWS)
        try:
            told = fetch(Post(url, {}, asked, post.place, refresh, proxy=post.proxy))
        except ProviderError as error:
            if error.retryable:
                raise
            raise ProviderError(
                "auth", f"the token in {KEYS[1]} has expired and could not be renewed; run `codex login`"
            ) from None
        redaction.hide(fields.text(told, "access_token"))
        tokens |= {
            name: told[name] for name in ("access_token", "refresh_token", "id_token") if fields.text(told, name)
        }
        now = times.to_second(times.now())
        disk.replace(path, json.dumps({**held, "last_refresh": now}, indent=2).encode() + b"\n")
    return True


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

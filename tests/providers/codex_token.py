"""A token as `codex login` gets one."""

from __future__ import annotations

import base64
import json

ACCOUNT = "0a1b2c3d-4e5f"


def coded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def signed(claims: object) -> str:
    return f"{coded({'alg': 'RS256'})}.{coded(claims)}.c2lnbmF0dXJl"


def token(number: int = 1, ends: int = 2**33) -> str:
    """A token as `codex login` gets one, which is over at some second."""
    account = {"chatgpt_account_id": ACCOUNT, "plan": "plus"}
    return signed({"exp": ends, "iat": number, "https://api.openai.com/auth": account})

"""Keys that sing where they do not belong: in any form, and in pieces."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from urllib.parse import quote

WORKER = f"{os.getpid():07}"[::-1].translate(str.maketrans("0123456789", "abcdefghij"))
MARK = f"{WORKER}kanarienvogel"
"""In every canary, so that a piece of one is found as well. Its first letters are the worker's own: a test looks into
every process, also those that the tests of another worker have started with their canaries."""


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


ACCOUNT = json.dumps({"https://api.openai.com/auth": {"chatgpt_account_id": "acct"}})
CANARIES = {
    "DEEPSEEK_API_KEY": f"sk-d1{MARK}-Zz9_q",
    "OPENAI_OAUTH_TOKEN_FILE": f"oauth.o2{MARK}-Zz9_q",  # what stands in the file
    "OPENAI_CODEX_OAUTH_ACCESS_TOKEN": f"{_encoded('{}')}.{_encoded(ACCOUNT)}.c3{MARK}-Zz9_q",
    "ANTHROPIC_API_KEY": f"sk-ant-a4{MARK}-Zz9_q",
    "OLLAMA_API_KEY": f"o5{MARK}-Zz9_q",
    "GEMINI_API_KEY": f"AIzaSy-g6{MARK}-Zz9_q",
    "OPENROUTER_API_KEY": f"sk-or-r7{MARK}-Zz9_q",
    "DISCORD_BOT_TOKEN": f"MTA.d8{MARK}.Zz9_q",
    "GITHUB_TOKEN": f"ghp_h9{MARK}Zz9q",
    "STRIPE_KEY_PROD": f"rk_s11{MARK}Zz9q",
    "MY_KEY_OLD": f"m12{MARK}Zz9q",
    "password": f"p10{MARK}/+ =Zz9",  # in addresses
}


def forms(secret: str) -> Iterator[bytes]:
    """The key as it may stand somewhere: as it is, quoted for an address or JSON, encoded, and its beginning."""
    yield secret.encode()
    yield quote(secret, safe="").encode()
    yield json.dumps(secret)[1:-1].encode()
    for before in range(3):  # base64 looks otherwise after one or two other bytes
        yield base64.b64encode(b"x" * before + secret.encode())[4:-4]
    yield secret.encode().hex().encode()
    yield secret[::-1].encode()
    yield secret[: secret.index(MARK) + 6].encode()


NEEDLES = re.compile(
    b"|".join(map(re.escape, {MARK.encode(), *(it for one in CANARIES.values() for it in forms(one))}))
)


def clean(data: bytes | str, what: object) -> None:
    """Fail when there is a key in it, or a piece of one."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    found = NEEDLES.search(raw)
    assert not found, f"{what} holds a key: {raw[max(0, found.start() - 60) : found.end() + 20]!r}"

"""Detect servers that silently cut a too long prompt.

The reported tokens are compared with the least that the prompt must have. Tokenizers differ by more than half (blanks,
lines of signs, non-Latin scripts), so an estimate alone would accuse correct servers. And servers miscount, so a
complete answer is rejected only if a second sign shows that the context was full. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.providers import Completion, ProviderError
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens

PART = 0.5  # share of the estimate: a server that reports more is assumed to have read everything
APART = 1000  # the least difference in tokens, because templates and heads are not counted
CLOSE = 0.97  # share of a context that counts as full
LITTLE = 512  # tokens: no context is this small, so fewer are another kind of count

# A word of letters, up to four digits, or text between two blanks in other scripts. Signs do not count.
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u04ff\u1e00-\u1fff]+|[0-9]{1,4}"  # also Vietnamese and old Greek
    r"|[^\x00-\u04ff\u1e00-\u1fff\u2000-\u2bff\ufe00-\ufe0f\s\u3040-\u30ff\u3400-\u9fff]+"
)
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # kana and Chinese characters: words without blanks between them
SIGNS = 5  # the most of these in one token, generously (1.5 to 2 on average)


def check(name: str, messages: Sequence[ChatMessage], reply: Completion, sure: object = 0, expected: int = 0) -> str:
    """Return a doubt if the server's count cannot be the whole prompt, or "".

    Raises ProviderError (cut) if the answer was cut, too, or the context was full. Below `sure` tokens, the person's
    own window, there is no check, because the server may count differently. `expected` is the estimate of the messages,
    if known.
    """
    told = reply.usage.input
    if told < LITTLE:
        return ""
    expected = expected or sum(tokens.estimate(message["content"]) for message in messages)
    if told >= PART * expected or expected - told < APART or (isinstance(sure, int) and expected <= sure):
        return ""
    if told >= sum(least(message["content"]) for message in messages):
        return ""
    if reply.finish != "length" and not full(told) and not full(told + reply.usage.output):
        return (
            f"the server counted {told:,} tokens in a prompt of about {expected:,}: the server counts wrongly, or cut "
            f"the prompt silently"
        )
    hint = (
        f"{name} read only about {told:,} of the prompt's {expected:,} tokens and dropped the rest silently: set "
        f"`window = {told}` in dotagent.toml under [providers.{name}], or give the server a larger context "
        "(Ollama: num_ctx, llama.cpp: --ctx-size)"
    )
    error = ProviderError("cut", hint)
    error.usage = reply.usage
    raise error


def full(size: int) -> bool:
    """Return True if this many tokens nearly fill a context; contexts of such servers are powers of two."""
    most = 1 << (size - 1).bit_length()
    return CLOSE * most <= size


def least(text: str) -> int:
    """Return the least number of tokens for any tokenizer: hardly any joins two words or five digits."""
    return len(_WORD.findall(text)) + len(_SIGN.findall(text)) // SIGNS

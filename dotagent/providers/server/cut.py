"""Whether a server read the whole prompt: some cut what is too long for them silently, and answer beside the point.

The tokens that a server reports are held against what the prompt must have at least. Tokenizers differ by far more than
a half (blanks, lines drawn of signs, scripts other than Latin), so an estimate alone would blame servers that read all.
And servers miscount: a whole answer is given up only where a second sign says that the context was full.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.providers import Completion, ProviderError
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens

PART = 0.5  # of the estimate: a server that reports more has read all, as far as anybody can tell
APART = 1000  # tokens between the two, at least: templates and heads are no cut
CLOSE = 0.97  # of a context: it is full
LITTLE = 512  # tokens: no context is so small; who reports fewer counts something else

# A word of letters, up to four digits, or, of scripts that run on, what stands between two blanks; signs count nothing.
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u04ff]+|[0-9]{1,4}|[^\x00-\u04ff\u2000-\u2bff\ufe00-\ufe0f\s\u3040-\u30ff\u3400-\u9fff]+"
)
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # kana and Chinese characters: words without blanks between
SIGNS = 5  # of these a token holds at most, taken generously (1.5 to 2 on average)


def check(name: str, messages: Sequence[ChatMessage], reply: Completion, sure: object = 0) -> str:
    """What is in doubt when the prompt's tokens, as the server counts them, cannot be all of it; "" for nothing.

    Raises ProviderError (cut) where the answer was cut, too, or where with it the count is that of a full context. Up
    to `sure` tokens, the window that the person set, nothing is held against the server: it may count otherwise.
    """
    told = reply.usage.input
    if told < LITTLE:
        return ""
    expected = sum(tokens.estimate(message["content"]) for message in messages)
    if told >= PART * expected or expected - told < APART or (isinstance(sure, int) and expected <= sure):
        return ""
    if told >= sum(least(message["content"]) for message in messages):
        return ""
    if reply.finish != "length" and not full(told) and not full(told + reply.usage.output):
        return f"it counted {told:,} tokens of a prompt of about {expected:,}: it miscounts, or cut it silently"
    hint = (
        f"{name} read only about {told:,} of the prompt's {expected:,} tokens and cut the rest silently: set "
        f"`window = {told}` in dotagent.toml under [providers.{name}], or give the server a larger context "
        "(Ollama: num_ctx, llama.cpp: --ctx-size)"
    )
    error = ProviderError("cut", hint)
    error.usage = reply.usage
    raise error


def full(size: int) -> bool:
    """Whether so many tokens fill a context: those of servers that cut are powers of two."""
    most = 1 << (size - 1).bit_length()
    return CLOSE * most <= size


def least(text: str) -> int:
    """How many tokens the text has at least, by any tokenizer: next to none joins two words, or five digits."""
    return len(_WORD.findall(text)) + len(_SIGN.findall(text)) // SIGNS

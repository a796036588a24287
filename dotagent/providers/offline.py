"""offline: no network and no model, only rules, so that everything runs without a key or an installation.

The rules are in `offline_rules/`. Owns nothing on disk.
"""

from collections.abc import Callable

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Usage

KEYS: tuple[str, ...] = ()
BASE = ""
MODEL = "offline"
WINDOW = 1_000_000
BACKGROUND = 2
COMPACTS = False


def why_not(config: Config) -> str | None:
    """Return None: nothing needs to be configured."""
    return None


def answer(request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Return the reply; see Provider.answer. Raises only `cancelled`."""
    from dotagent.providers.offline_rules.reply import reply  # many processes only ask for the facts above
    from dotagent.text import tokens

    if stop():
        raise ProviderError("cancelled", "the request was cancelled")
    text = reply(request.messages)
    emit("text", text)
    size = request.size or sum(tokens.estimate(message["content"]) for message in request.messages)
    return Completion(text, usage=Usage(input=size, output=tokens.estimate(text)))

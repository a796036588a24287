"""The context window of the agent's model, as its provider publishes it: its size, and whether that is a guess. A guess
is posted in a room once for each model.

Reads `calls/providers.json`; owns nothing on disk.
"""

from __future__ import annotations

from dotagent.life.events import Tell, Window
from dotagent.life.session import Session
from dotagent.store import home, provider_status
from dotagent.text import tokens

MOST = 10**12  # tokens; a larger number is not a valid window


def published(session: Session, model: str) -> tuple[str, int, bool]:
    """Return the agent's model (`model`, or the provider's default for ""), its window in tokens (0 if unknown), and
    whether the window is a guess."""
    told = provider_status.published(session.home).get(session.provider, {})
    usual = str(told.get("model") or "")
    size, guess = told.get("window") if told.get("known", True) else None, told.get("guess") is True
    if model and model != usual:
        windows, guesses = told.get("windows"), told.get("guesses")
        size = windows.get(model) if isinstance(windows, dict) else None
        guess = isinstance(guesses, list) and model in guesses
    return model or usual, size if isinstance(size, int) and 0 < size < MOST else 0, guess


def usual(session: Session, provider: str) -> str:
    """Return the default model that a provider publishes."""
    return str(provider_status.published(session.home).get(provider, {}).get("model") or "")


def guessed(session: Session, model: str, room: str) -> Tell | None:
    """Return the message to the room about a window that is a guess, or None if no message is due."""
    name, size, guess = published(session, model)
    about = "".join(f"{session.provider}:{name}".split())
    if not (size and guess) or session.state.model.guessed == about:
        return None
    mend = f"set `window = N` under [providers.{session.provider}] in dotagent.toml"
    return Tell(room, guess=about, text=f"(the context window of {name} is unknown; I assume {size:,} tokens; {mend})")


def fit(session: Session, model: str) -> None:
    """Record the window of the next model if it is smaller than the context's limit, or larger than it was."""
    _, size, _ = published(session, model)
    most = tokens.limit(size)
    if size and (most < session.limit or 0 < session.state.model.most < most):
        session.record(Window(most))


def options(session: Session, provider: str, model: str, *, live: bool = True) -> dict[str, object]:
    """Return the options of this model from the present settings."""
    return home.settings_now(session.home, session.settings).options(provider, model, session.id, live=live)

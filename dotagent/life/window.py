"""The window of the model by which a life is answered, as its provider publishes it: how much context it leaves, and
whether anybody told it. A guess is said in a room, once a model.

Reads `calls/providers.json`; owns nothing on disk.
"""

from __future__ import annotations

from dotagent.life.events import Tell, Window
from dotagent.life.session import Session
from dotagent.store import home, launch
from dotagent.text import tokens

MOST = 10**12  # tokens: what is more is no window


def published(session: Session, model: str) -> tuple[str, int, bool]:
    """The model that answers the life (`model`, empty for the provider's usual one), its window in tokens, 0 where it
    is not known yet, and whether that is a guess."""
    told = launch.published(session.home).get(session.provider, {})
    usual = str(told.get("model") or "")
    size, guess = told.get("window") if told.get("known", True) else None, told.get("guess") is True
    if model and model != usual:
        windows, guesses = told.get("windows"), told.get("guesses")
        size = windows.get(model) if isinstance(windows, dict) else None
        guess = isinstance(guesses, list) and model in guesses
    return model or usual, size if isinstance(size, int) and 0 < size < MOST else 0, guess


def usual(session: Session, provider: str) -> str:
    """The model that a provider publishes to be the one to use."""
    return str(launch.published(session.home).get(provider, {}).get("model") or "")


def guessed(session: Session, model: str, room: str) -> Tell | None:
    """What the room must be told of a window that is a guess; None when there is nothing, or it was told."""
    name, size, guess = published(session, model)
    about = "".join(f"{session.provider}:{name}".split())
    if not (size and guess) or session.state.model.guessed == about:
        return None
    mend = f"set `window = N` under [providers.{session.provider}] in dotagent.toml"
    return Tell(
        room, guess=about, text=f"(nobody tells the window of {name}: I go by {size:,} tokens, a guess; {mend})"
    )


def fit(session: Session, model: str, known: tuple[str, int]) -> tuple[str, int]:
    """Note the window of the model that will answer, if it is smaller than the context's limit; returns whose that is
    and its tokens, which are `known` next time."""
    _, size, _ = published(session, model)
    if not size or (session.provider, size) == known:
        return known
    most = tokens.limit(size)
    if most < session.limit or 0 < session.state.model.most < most:
        session.record(Window(most))
    return session.provider, size


def options(session: Session, provider: str, model: str, *, live: bool = True) -> dict[str, object]:
    """How this model shall answer, by the settings as they are now."""
    return home.settings_now(session.home, session.settings).options(provider, model, session.id, live=live)

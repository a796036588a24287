"""The last days of models: what a provider says about when it switches a model off, from `calls/providers.json`.

Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

from dotagent.store import provider_status
from dotagent.store.home import Home, Settings

SOON = 60  # days before a model's end; during them, a person gets a warning


def ending(model: str, day: str, today: date) -> str:
    """Return the warning that the provider switches the model off within SOON days, or ""."""
    try:
        end = date.fromisoformat(day)
    except ValueError:
        return ""
    if (end - today).days > SOON:
        return ""
    past = "has switched" if end < today else "switches"
    return f"the provider {past} the model {model} off on {end}; choose another model"


def of_provider(where: Home, provider: str, model: str = "") -> str:
    """Return the warning about this model, or with "" the provider's usual one; "" if it does not end soon."""
    told = provider_status.published(where).get(provider, {})
    model, ends = model or str(told.get("model") or ""), told.get("ends")
    day = ends.get(model) if isinstance(ends, dict) else None
    return ending(model, str(day or ""), datetime.now(UTC).date())


def of_running(where: Home, settings: Settings) -> Iterator[str]:
    """Yield the warnings about the models that settings choose for providers whose processes run."""
    for name in sorted(provider_status.published(where)):
        model = settings.model if settings.model and settings.provider in (None, name) else ""
        if provider_status.served(where, name) and (told := of_provider(where, name, model)):
            yield f"{name}: {told}"

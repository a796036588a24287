"""The addition of fallback: a route with several providers. Owns nothing on disk."""

from __future__ import annotations

from dotagent.capabilities.fallback.route import Fallback
from dotagent.contract import Capability

CAPABILITY = Capability(route=Fallback)

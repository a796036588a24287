"""Fallback: other providers answer while the agent's own is unavailable, and the room is told. Owns nothing on disk."""

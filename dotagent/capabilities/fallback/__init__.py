"""Fallback: other providers answer while the agent's provider is unavailable, and a message in the room says so. Owns
nothing on disk."""

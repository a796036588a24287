"""Telegram's side of the bridge: its API, and its updates in the pattern's types. Owns nothing on disk."""

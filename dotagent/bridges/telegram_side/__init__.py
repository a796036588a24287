"""Telegram's side of the bridge: its API, and its updates as the pattern knows them. Owns nothing on disk."""

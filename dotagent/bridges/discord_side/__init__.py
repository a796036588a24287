"""Discord through discord.py, behind `bridges/discord.py` and loaded only with that bridge. Owns nothing on disk."""

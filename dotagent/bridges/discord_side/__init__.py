"""Discord as discord.py shows it, behind `bridges/discord.py`: loaded only with that bridge. Owns nothing."""

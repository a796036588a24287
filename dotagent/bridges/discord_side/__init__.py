"""Discord as discord.py shows it, behind `bridges/discord.py`: loaded only when that bridge opens. Owns nothing."""

"""Notes: new lines of the daily notes become entries, and a room is told where old facts are. Owns nothing on disk."""

"""Notes: new lines of the daily notes become entries, and a message in the room says where old facts are. Owns nothing
on disk."""

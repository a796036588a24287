"""A person's end of a room: what chat.py shows and does. Of a home it writes rooms, what a person typed before, and the
files that a person gives to agents."""

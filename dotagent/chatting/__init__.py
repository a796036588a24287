"""A person's end of a room: what chat.py shows and does. It writes rooms and nothing else of a home."""

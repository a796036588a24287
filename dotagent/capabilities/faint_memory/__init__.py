"""Faint memory: entries that remind an agent of faded entries, because they could matter for a new message."""

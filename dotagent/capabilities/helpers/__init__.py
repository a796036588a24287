"""Helpers: an agent lets other agents, which it creates, do tasks in parallel, and reads their results."""

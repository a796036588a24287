"""Hooks: a person's commands that run at an agent's events, in a separate process."""

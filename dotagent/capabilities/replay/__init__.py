"""Replay: ask past requests of an agent again, without effects, to compare models and prompts on one's own history."""

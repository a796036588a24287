"""Replay: send past requests of an agent again, without effects, to compare models and prompts on your own history."""

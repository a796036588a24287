"""The parts of the main loop: starting an agent, and checking for news between two steps. Owns nothing
on disk."""

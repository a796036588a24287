"""The parts of the main loop: starting an agent, and looking for news between two steps. Owns nothing on disk."""

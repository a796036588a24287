"""Skills of an agent: the list of them in its prompt, and the tool READ_SKILL."""

"""Planning: the agent's own plan for a long turn, which the model sees at the end of each prompt of that turn."""

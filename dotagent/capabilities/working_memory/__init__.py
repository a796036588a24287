"""Working memory: the present work of an agent, in a file for people and other tools."""

"""Working memory: what an agent does at present, in a file for people and other tools."""

"""The memory of a project: what a team of people and coding tools did in one repository, in its `.agent/memory/`."""

"""The memory of a project: events of people and coding tools in one repository, kept in `.agent/memory/`."""

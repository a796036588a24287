"""The tool of planning."""

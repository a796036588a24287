"""The commands of servers."""

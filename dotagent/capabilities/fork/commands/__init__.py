"""The command of forks."""

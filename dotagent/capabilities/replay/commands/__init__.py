"""The command of replays."""

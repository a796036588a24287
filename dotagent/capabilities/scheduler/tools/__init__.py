"""The tools of the scheduler."""

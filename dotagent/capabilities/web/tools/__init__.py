"""The tools of web."""

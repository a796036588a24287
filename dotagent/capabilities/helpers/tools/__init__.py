"""The tools of helpers."""

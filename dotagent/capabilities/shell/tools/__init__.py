"""The tools of shell."""

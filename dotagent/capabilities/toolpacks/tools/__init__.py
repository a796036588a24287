"""The tools of toolpacks."""

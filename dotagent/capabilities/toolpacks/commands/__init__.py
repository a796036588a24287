"""The commands of toolpacks."""

"""The command of imports."""

"""Backup: commands that save a home to one file, check the file, and restore it, also into a home with other agents."""

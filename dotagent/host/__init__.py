"""Keeping a home's processes running: its bridges, its clock, and each life while it has something to do."""

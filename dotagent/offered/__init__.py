"""What a home offers to other agents: its rooms, and what was ever said there, for one audience and no other."""

"""dotagent: an agent you can read. The loop is agent.py; this package is what it stands on."""

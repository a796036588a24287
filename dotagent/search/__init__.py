"""Search in everything that an agent read, said or saw: RECALL, and reminders of messages that summaries replaced."""

"""A provider's process: it takes calls from the queue, has them answered, and publishes what it serves."""

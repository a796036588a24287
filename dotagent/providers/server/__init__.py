"""A provider's process: it takes calls from the spool, has them answered, and tells what it serves."""

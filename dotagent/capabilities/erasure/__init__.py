"""Erasure: permanently remove texts at a person's request, and events older than settings allow."""

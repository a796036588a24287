"""Compaction: choose old entries of the context, and replace them by summaries. Owns nothing on disk."""

"""Forgetting: old context fades to summaries that name their originals, and can be brought back, searched, reminded of.

plan decides what may fade and reads a model's chunks, summary its summaries, chunk keeps the originals as trees, fading
is the compaction under way, recall the search.
"""

"""Permanent deletion at a person's request: find each copy, show it, and remove it everywhere after a yes.

This differs from fading (`compaction/`), which keeps the originals. Owns `forgotten/` in the home: `announced.json`
during a deletion, and `record.jsonl`, a record of the time and the person, without the content.
"""

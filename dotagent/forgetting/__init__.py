"""Forgetting for good, on a person's request: what tells of it is found, shown, and after a yes gone from every form.

That is another thing than fading (`compaction/`), which keeps the originals. Owns `forgotten/` in the home:
`announced.json` while it is done, and `record.jsonl`, that it was: when and for whom, never what.
"""

"""Pure functions on text: the grammar of replies, escaping, times, references, sizes, extraction.

Known to all, it imports nothing of dotagent and touches no file.
"""

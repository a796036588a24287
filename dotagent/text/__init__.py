"""Functions that only read or make text, such as model replies, times, sizes and ids.

Known to all, it imports nothing of dotagent and touches no file.
"""

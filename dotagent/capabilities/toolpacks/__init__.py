"""Tool packs: `python -m dotagent.capabilities.toolpacks` runs one pack in a process and answers calls to it.

The agent only writes a file (pack_calls.py) and waits for another, so a pack that hangs, crashes or floods costs it
one error. Owns nothing on disk.
"""

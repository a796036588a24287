"""The web, asked in a process of its own: `python -m dotagent.web` takes one request and gives one answer.

A page is a stranger's: what reads it has no key but a search engine's, is bounded in time, memory and output, and is
gone with its answer. It reaches public addresses only. Owns nothing on disk.
"""

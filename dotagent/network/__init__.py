"""Checks of public addresses, and the proxy of sandboxed commands that may reach only some hosts.

Both run in processes of their own. Owns nothing on disk.
"""

"""Checks of public addresses, and the proxy of sandboxed commands that may reach only some hosts.

Both run in separate processes. Owns nothing on disk.
"""

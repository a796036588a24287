"""The common part of every bridge: order, deduplication, names, allow-lists, pairing, rooms, agents, drafts.

A transport knows only `bridges.Listener` of it. Owns `bridges/<name>/` in the home: the journal, the paired people, the
bridge's process, and the output of agents started by it.
"""

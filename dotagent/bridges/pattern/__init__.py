"""What every bridge shares: order, once, names, allow-lists, pairing, rooms, lives, drafts.

A transport needs nothing of it but what `bridges.Inbox` says. Owns `bridges/<name>/` in the home: the journal, who is
paired, which process runs the bridge, what the agents that it started complained of.
"""

"""What every bridge shares: order, once, names, allow-lists, pairing, rooms, lives, drafts.

A transport knows nothing of it but `bridges.Listener`. Owns `bridges/<name>/` in the home: the journal, who is paired,
which process runs the bridge, and what the agents that it started complained of.
"""

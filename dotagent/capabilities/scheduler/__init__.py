"""The scheduler: jobs, reminders and heartbeats, which start an agent when they are due.

A separate process gives each due run to its agent, once. In it, `rounds.py` is one check at a given time, `serve.py`
repeats checks until a signal, and `heartbeat.py` decides about heartbeats. In the agent's process, `waking.py` takes
the runs, and `alerts.py` handles the replies to heartbeats. Jobs, runs and ledgers are files (`jobs.py`, `due.py`).
"""

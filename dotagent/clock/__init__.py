"""The clock: a process that looks after jobs and heartbeats, and hands to agents what is due, once.

`rounds.py` is one look, at a time that it is given; `serve.py` runs looks until told to end; `heartbeat.py` says when
an agent has something to look after. Times that are due, hands and ledgers are files (store/jobs.py, store/due.py).
"""

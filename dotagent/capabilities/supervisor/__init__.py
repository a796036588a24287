"""Supervisor: the process `up` keeps a home's bridges and scheduler running, and each agent that has something to do.

`serve.py` owns `up/pid`, `report.py` `up/state.json`, `sleep.py` `up/asleep.json`, and `child.py` the logs in `up/`.
"""

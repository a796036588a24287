"""Tool packs at work: `python -m dotagent.packs` answers a life's calls to one pack, in a process of its own.

The life only leaves a file (store/packed.py) and waits for another: what hangs, dies or floods costs it one error.
"""

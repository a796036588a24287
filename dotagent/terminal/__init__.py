"""The person's terminal program: everything that chat.py displays and does.

It appends to rooms, and writes a person's input history and the files that a person gives to
agents.
"""

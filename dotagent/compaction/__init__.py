"""Forgetting: what fades, in which chunks, what stays of it, and how the context is swapped for a smaller one."""

"""Dreaming: what happened is looked through for what repeats, and a person decides what of that is learned."""

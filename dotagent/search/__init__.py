"""Finding what was heard, said and seen: RECALL and faint memory."""

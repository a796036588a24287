"""Commands outside dotagent: how they continue after a turn, how much they may use, and how they end with all their
children."""

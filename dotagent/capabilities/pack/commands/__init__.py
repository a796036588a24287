"""The command of packs."""

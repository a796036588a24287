"""The commands of supervisor."""

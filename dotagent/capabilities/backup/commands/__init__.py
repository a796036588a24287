"""The commands of backups."""

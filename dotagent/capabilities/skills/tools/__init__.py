"""The tools of skills."""

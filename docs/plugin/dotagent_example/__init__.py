"""Plug-ins for dotagent, one of each kind."""

"""The commands of the web page."""

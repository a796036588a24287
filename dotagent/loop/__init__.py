"""Starting a life, and what of the world it looks at between two steps."""

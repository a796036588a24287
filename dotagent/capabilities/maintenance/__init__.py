"""Maintenance: homes and agents' directories that other programs, people or earlier versions left in another form."""

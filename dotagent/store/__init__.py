"""The files of dotagent's data directory. One module writes each kind of file, and no other module does."""

"""Pack: a command that moves old blobs into few compressed files, so that a life of years needs little of the disk."""

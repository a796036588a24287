"""Fork: create an agent that continues another one's life from any moment on, without a copy of its LIFE.md."""

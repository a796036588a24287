"""The files of a home: each kind is written by one module here, and by nobody else."""

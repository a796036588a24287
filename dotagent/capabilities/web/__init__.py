"""Access to the web: `python -m dotagent.capabilities.web` handles one request in a separate process, and answers it.

Pages come from strangers, so the process that reads them has no key except a search engine's, has limits on time,
memory and output, and ends after its answer. It reaches public addresses only. Owns nothing on disk.
"""

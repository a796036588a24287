"""Forgetting, and what makes it bearable: finding again. The search (recall, over index, rank and words) owns one cache
file a life; it can be deleted at any time and is made again from LIFE and the blobs."""

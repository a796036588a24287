"""The rules that the offline provider uses instead of a model. Owns nothing on disk."""

"""What the offline provider does in place of a model, by rules. It owns nothing on disk."""

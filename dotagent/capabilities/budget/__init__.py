"""Budgets: limits for the tokens or the cost of answers, in a day or a month. Owns nothing on disk."""

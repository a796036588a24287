"""What the offline provider does in place of a model: reading the prompt back, understanding what is asked, finding an
answer in what it can see. Pure rules, the same answer for the same prompt; it owns nothing on disk."""

"""What providers over HTTP share, each thing written once: requests, server-sent events, retries, the format of chat
completions, and what a failure means to a person. It owns nothing on disk."""

"""An agent's state and context, computed from its log and blobs, and the prompt made from them."""

"""One life: its state and context, derived from its log and blobs, and the prompt that a model sees of them."""

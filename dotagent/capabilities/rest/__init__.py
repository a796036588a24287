"""Rest: summarise the context before a pause drops it from the provider's cache, if that saves money."""

"""The formats of chat services, shared by providers. The modules here are not providers."""

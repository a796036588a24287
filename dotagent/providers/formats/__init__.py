"""The formats of chat services, shared by providers; a module here is no provider."""

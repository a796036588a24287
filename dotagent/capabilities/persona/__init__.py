"""Persona: `/persona …` in a private room shows an agent's identity, and decides about proposed additions."""

"""Migration: a command that imports the files, settings and conversations of OpenClaw, DotAgent, nanobot or Hermes."""

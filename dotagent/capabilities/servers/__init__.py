"""Servers for other programs: MCP and ACP, each for one audience only."""

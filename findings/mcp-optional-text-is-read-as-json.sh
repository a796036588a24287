#!/usr/bin/env bash
# Guess: a text that a client sends for a parameter `text: str | None` of a tool of the Python MCP SDK arrives as it
#   was sent, as it does for `text: str`.
# Seen: if it is JSON of an object, a list or null, it does not. The server reads it as JSON first: an object or a list
#   is then refused ("Input should be a valid string", though a text was sent), and the text `null` arrives as None,
#   without an error. Numbers, `true` and quoted texts pass unchanged, and so does all of it where the parameter is
#   plain `str`.
# Matters: a tool that writes a note or a file, with an optional text, cannot write a JSON file at all, and the note
#   "null" is no note. A model that is told "should be a valid string" sends the same again. Packs and servers state
#   such texts as `str` with "" as default, as `dotagent mcp` does.
# With: mcp 2.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq mcp==2.3.0

cat >"$tmp/try.py" <<'END'
import asyncio
import logging
from importlib.metadata import version

from mcp import Client
from mcp.server.mcpserver import MCPServer

logging.disable()
server = MCPServer("notes")


@server.tool()
def plain(text: str = "") -> str:
    return f"got {text!r}"


@server.tool()
def optional(text: str | None = "") -> str:
    return f"got {text!r}"


async def main():
    async with Client(server) as client:
        for text in ("Buy milk", '{"milk": 1}', '["milk"]', "null", "true", "12", '"milk"'):
            for name in ("plain", "optional"):
                told = await client.call_tool(name, {"text": text})
                said = "refused" if told.is_error else told.content[0].text
                print(f"{name} was sent {text!r}: {said}")


print("mcp", version("mcp"))
asyncio.run(main())
END
cat >"$tmp/seen" <<'END'
mcp 2.3.0
plain was sent 'Buy milk': got 'Buy milk'
optional was sent 'Buy milk': got 'Buy milk'
plain was sent '{"milk": 1}': got '{"milk": 1}'
optional was sent '{"milk": 1}': refused
plain was sent '["milk"]': got '["milk"]'
optional was sent '["milk"]': refused
plain was sent 'null': got 'null'
optional was sent 'null': got None
plain was sent 'true': got 'true'
optional was sent 'true': got 'true'
plain was sent '12': got '12'
optional was sent '12': got '12'
plain was sent '"milk"': got '"milk"'
optional was sent '"milk"': got '"milk"'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: a tool whose argument is `title: str | None` takes any text, as the published schema says (string or null).
# Seen: the server of the Python SDK looks into the text. If it is JSON of a list or an object, it is parsed first, and
#   the call is refused: "Input should be a valid string". The text `null` arrives as None. With `title: str` all
#   texts arrive as they are, and so do `12` and `true` in either.
# Matters: a model that saves a file asks `write(path, content)`. If content is optional, each JSON file is refused, and
#   a note that says only "null" is empty; prose works, so tests pass. The model cannot see why from the schema. The
#   tools that dotagent serves have no optional text, and it must stay so.
# With: mcp 2.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q mcp==2.3.0

cat >"$tmp/try.py" <<'END'
import asyncio
from importlib.metadata import version

from mcp import Client
from mcp.server import MCPServer

server = MCPServer("notes", log_level="CRITICAL")


@server.tool()
def required(text: str) -> str:
    return repr(text)


@server.tool()
def optional(text: str | None = None) -> str:
    return repr(text)


async def main():
    print("mcp", version("mcp"))
    async with Client(server) as client:
        listed = await client.list_tools()
        print(*(f"{one.name}: {one.input_schema['properties']['text']}" for one in listed.tools), sep="\n")
        for text in ("milk", '["milk", "eggs"]', '{"milk": 2}', "null", "12", "true"):
            for name in ("required", "optional"):
                told = await client.call_tool(name, {"text": text})
                words = told.content[0].text
                words = f"refused: {words.splitlines()[2].split('[')[0].strip()}" if told.is_error else words
                print(f"{name} {text}: {words}")


asyncio.run(main())
END
cat >"$tmp/seen" <<'END'
mcp 2.3.0
required: {'title': 'Text', 'type': 'string'}
optional: {'anyOf': [{'type': 'string'}, {'type': 'null'}], 'default': None, 'title': 'Text'}
required milk: 'milk'
optional milk: 'milk'
required ["milk", "eggs"]: '["milk", "eggs"]'
optional ["milk", "eggs"]: refused: Input should be a valid string
required {"milk": 2}: '{"milk": 2}'
optional {"milk": 2}: refused: Input should be a valid string
required null: 'null'
optional null: None
required 12: '12'
optional 12: '12'
required true: 'true'
optional true: 'true'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: a tool of the Python MCP SDK that returns a list gives its client one text, the list as JSON, and an empty
#   list as `[]`.
# Seen: each item becomes a text of its own, lists in lists are taken apart (`[["a", "b"], ["c"]]` reads a, b, c), None
#   in a list vanishes, and an empty list, a list of empty lists and None are an answer without any content.
#   `structuredContent` has the truth, but only where the function states its return type; without the type, `[]` and
#   None cannot be told from each other by anything that arrives.
# Matters: a model that is shown the content alone, as most clients show it, reads "no output" where the tool found
#   nothing, and a table loses its rows. dotagent shows the structure where the rows of a table are not in the text
#   (toolpacks/result_text.py); a pack without return types cannot be helped, so state them.
# With: mcp 2.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq mcp==2.3.0

cat >"$tmp/try.py" <<'END'
import asyncio
from importlib.metadata import version

from mcp import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("lists")
VALUES = {
    "rows": (list[list[str]], [["a", "b"], ["c"]]),
    "gaps": (list[str | None], ["a", None, "b"]),
    "empty": (list[str], []),
    "empty rows": (list[list[str]], [[], []]),
    "nothing": (type(None), None),
    "rows, no type": (None, [["a", "b"], ["c"]]),
    "empty, no type": (None, []),
    "nothing, no type": (None, None),
    "mapping, no type": (None, {"rows": [["a", "b"], ["c"]]}),
}


def tool(number, type, value):
    def find():
        return value

    find.__annotations__ = {"return": type} if type else {}
    server.add_tool(find, name=f"tool_{number}", description="Find.")


async def main():
    async with Client(server) as client:
        for number, (name, (type, value)) in enumerate(VALUES.items()):
            tool(number, type, value)
            told = await client.call_tool(f"tool_{number}", {})
            texts = [one.text for one in told.content]
            print(f"{name}: {value} -> content {texts}, structured {told.structured_content}")


print("mcp", version("mcp"))
asyncio.run(main())
END
cat >"$tmp/seen" <<'END'
mcp 2.3.0
rows: [['a', 'b'], ['c']] -> content ['a', 'b', 'c'], structured {'result': [['a', 'b'], ['c']]}
gaps: ['a', None, 'b'] -> content ['a', 'b'], structured {'result': ['a', None, 'b']}
empty: [] -> content [], structured {'result': []}
empty rows: [[], []] -> content [], structured {'result': [[], []]}
nothing: None -> content [], structured {'result': None}
rows, no type: [['a', 'b'], ['c']] -> content ['a', 'b', 'c'], structured None
empty, no type: [] -> content [], structured None
nothing, no type: None -> content [], structured None
mapping, no type: {'rows': [['a', 'b'], ['c']]} -> content ['{\n  "rows": [\n    [\n      "a",\n      "b"\n    ],\n    [\n      "c"\n    ]\n  ]\n}'], structured None
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

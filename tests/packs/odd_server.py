"""An MCP server without any SDK: beside one good tool it lists odd ones, and its result has an odd item."""

from __future__ import annotations

import json
import sys

THING = {"type": "object"}
TEXT = {"type": "text", "text": "42"}
LINK = {"type": "resource_link", "name": "more", "uri": "odd://more"}
ODD: list[object] = [
    {"name": "without"},
    {"name": "null", "inputSchema": None},
    {"name": "words", "inputSchema": "object"},
    {"name": "row", "inputSchema": {"type": "array"}},
    {"name": "capital", "inputSchema": {**THING, "properties": {"a": {"type": "String"}}}},
    {"name": "pattern", "inputSchema": {**THING, "properties": {"a": {"type": "string", "pattern": "["}}}},
    {"name": "must", "inputSchema": {**THING, "properties": {"a": {"type": "string", "required": True}}}},
    {"name": "what ever!", "inputSchema": THING},
    {"inputSchema": THING},
    {"name": 7, "inputSchema": THING},
    {"name": "task", "inputSchema": THING, "execution": {"taskSupport": "required"}},
    "a text",
    None,
]
HARMLESS = [
    {"name": "output", "inputSchema": THING, "outputSchema": {"type": "String"}},
    {"name": "about", "inputSchema": THING, "description": 5},
    {"name": "hints", "inputSchema": THING, "annotations": "x"},
]
GOOD = {"name": "add", "description": "Add", "inputSchema": {**THING, "properties": {"a": {"type": "integer"}}}}
ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    },
    "tools/list": {"tools": [*ODD, *HARMLESS, GOOD]},
    "tools/call": {"content": [{"type": "hologram"}, TEXT, "a text", LINK]},
    "resources/read": {"contents": [{"uri": LINK["uri"], "text": "the linked text"}]},
}

if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        answer = ANSWERS.get(asked["method"])
        what = {"result": answer} if answer else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **what}), flush=True)

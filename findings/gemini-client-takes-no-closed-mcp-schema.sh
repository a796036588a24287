#!/usr/bin/env bash
# Guess: google-genai takes an MCP session as a tool, so it takes the tools of any server; a schema that says
#   `additionalProperties: false` is the plainest kind.
# Seen: one such schema among the tools and the request fails before it is sent, with "'bool' object has no attribute
#   'items'": the converter takes the value for a schema and never for false. `true` fails alike, a schema there (a map
#   of texts) is taken, though what the map holds is not sent. No tool is named, and the other tools are lost with it.
# Matters: servers that are written with the TypeScript SDK and zod, and pydantic models that forbid other fields, say
#   false in every tool, so whole servers cannot be used from this client. A pack that shall serve others too leaves
#   the line out. dotagent's own server has no such line, and its client takes both.
# With: google-genai 3.6.1, mcp 2.3.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq google-genai==3.6.1 mcp==2.3.0

cat >"$tmp/try.py" <<'END'
import asyncio
import json
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

warnings.simplefilter("ignore")  # "MCP support is experimental"
from google import genai
from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict

asked, answer = [], lambda body: b""


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        told = answer(asked[-1])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if told.startswith(b"data:") else "application/json")
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"

class Open(BaseModel):
    day: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    day: str


class Wide(BaseModel):
    model_config = ConfigDict(extra="allow")
    day: str


def opened(at: Open) -> str:
    return at.day


def closed(at: Closed) -> str:
    return at.day


def wide(at: Wide) -> str:
    return at.day


def mapped(at: dict[str, str]) -> str:
    return at["day"]


def answered(body):
    content = {"role": "model", "parts": [{"text": "ok"}]}
    return json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]}).encode()


async def ask(*tools):
    asked.clear()
    server = MCPServer("days")
    for tool in tools:
        server.add_tool(tool)
    async with Client(server) as client:
        schemas = [json.dumps(one.input_schema) for one in (await client.list_tools()).tools]
        google = genai.Client(api_key="k", http_options={"base_url": url})
        try:
            config = {"tools": [client.session]}
            told = (await google.aio.models.generate_content(model="gemini-3-pro", contents="Hi", config=config)).text
        except AttributeError as error:
            told = error
        for schema in schemas:
            print("  additionalProperties", schema.partition('"additionalProperties": ')[2].partition(", ")[0] or "unsaid")
        print(f"  {told} ({len(asked)} requests)")


answer = answered
for package in ("google-genai", "mcp"):
    print(package, version(package))
for tools in ((opened,), (mapped,), (closed,), (wide,), (opened, mapped, closed)):
    print("tools:", *(tool.__name__ for tool in tools))
    asyncio.run(ask(*tools))
END
cat >"$tmp/seen" <<'END'
google-genai 3.6.1
mcp 2.3.0
tools: opened
  additionalProperties unsaid
  ok (1 requests)
tools: mapped
  additionalProperties {"type": "string"}
  ok (1 requests)
tools: closed
  additionalProperties false
  'bool' object has no attribute 'items' (0 requests)
tools: wide
  additionalProperties true
  'bool' object has no attribute 'items' (0 requests)
tools: opened mapped closed
  additionalProperties unsaid
  additionalProperties {"type": "string"}
  additionalProperties false
  'bool' object has no attribute 'items' (0 requests)
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

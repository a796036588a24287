#!/usr/bin/env bash
# Guess: LiteLLM leaves out what Gemini's schemas do not know, or turns it into the nearest they do: a constant into a
#   list of one value, as pydantic-ai does, `oneOf` into `anyOf`. What remains means the same or less.
# Seen: it means something else. A constant becomes an object (with a type beside it, any value of the type); `oneOf`
#   and `allOf` become an empty schema, which allows all; an empty text among the allowed values becomes null; allowed
#   numbers become texts, though the type stays integer; a map from texts to texts loses what its values are. Nothing
#   is said, and `type: [string, null]` with a format loses the format.
# Matters: tools of MCP servers use `const` and `oneOf` to tell variants apart, so a model behind LiteLLM is told to
#   send an object where a server wants the text "fixed", and is refused without an idea why. dotagent sends JSON
#   Schema as it is (`parametersJsonSchema`), which Gemini takes.
# With: litellm 1.110.2, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq litellm==1.110.2

cat >"$tmp/try.py" <<'END'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no look at the network
import litellm

litellm.suppress_debug_info = True
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
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP"}],
          "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
FIELDS = {
    "constant": {"type": "string", "const": "fixed"},
    "bare constant": {"const": "fixed"},
    "one of": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    "all of": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]},
    "text or empty": {"type": "string", "enum": ["a", ""]},
    "number": {"type": "integer", "enum": [1, 2]},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "day or null": {"type": ["string", "null"], "format": "date-time"},
}


def answered(body):
    return json.dumps(GEMINI).encode()


answer = answered
print("litellm", version("litellm"))
parameters = {"type": "object", "properties": FIELDS, "required": []}
tool = {"type": "function", "function": {"name": "t", "description": "A tool.", "parameters": parameters}}
given = json.loads(json.dumps(FIELDS))
litellm.completion("gemini/gemini-3-pro", [{"role": "user", "content": "Hi"}], api_base=url, api_key="k", tools=[tool])
(declared,) = asked[-1]["tools"][0]["function_declarations"]
for name, there in declared["parameters"]["properties"].items():
    print(f"{name}: {json.dumps(given[name])}\n    -> {json.dumps(there)}")
END
cat >"$tmp/seen" <<'END'
litellm 1.110.2
constant: {"type": "string", "const": "fixed"}
    -> {"type": "string"}
bare constant: {"const": "fixed"}
    -> {"type": "object"}
one of: {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    -> {}
all of: {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}
    -> {}
text or empty: {"type": "string", "enum": ["a", ""]}
    -> {"type": "string", "enum": ["a", null]}
number: {"type": "integer", "enum": [1, 2]}
    -> {"type": "integer", "enum": ["1", "2"]}
map: {"type": "object", "additionalProperties": {"type": "string"}}
    -> {"type": "object"}
day or null: {"type": ["string", "null"], "format": "date-time"}
    -> {"anyOf": [{"type": "string", "nullable": true}]}
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

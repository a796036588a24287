#!/usr/bin/env bash
# Guess: where the limit of tokens cuts the arguments of a tool call, the final message of the anthropic SDK says so in
#   the call: no arguments, or an error, or what there is, as text.
# Seen: `tool_use.input` is an ordinary dictionary of what could be read. A text or a word that was cut is left out
#   with its name, but half a number is kept as a number: `{"to": "Ana", "cents": 1200` that ends after `12` is an
#   amount of 12. The last item of a list likewise. Only `stop_reason` of the whole message tells of it.
#   partial-json-parser, which servers and agents use for the same, keeps half a text too, and makes `fals` False and
#   `tr` True.
# Matters: whoever runs the calls of a message without a look at `stop_reason` pays 12 where 1200 was meant, and no
#   schema can find it. dotagent runs no call that was cut.
# With: anthropic 2.14.0, jiter 0.19.0, partial-json-parser 0.2.1.1.post7, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq anthropic==2.14.0 jiter==0.19.0 partial-json-parser==0.2.1.1.post7

cat >"$tmp/try.py" <<'END'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import anthropic
import partial_json_parser

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

def answered(body):
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": usage}
    call = {"type": "tool_use", "id": "toolu_1", "name": "pay", "input": {}}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": call},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": cut}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"data: {json.dumps(one)}\nevent: {one['type']}\n\n" for one in events).encode()


answer = answered
for package in ("anthropic", "jiter", "partial-json-parser"):
    print(package, version(package))
client = anthropic.Anthropic(base_url=url, api_key="k")
for cut in (
    '{"to": "Ana", "cents": 12',
    '{"to": "Ana", "cents": [1200, 34',
    '{"cents": 1200, "to": "An',
    '{"to": "Ana", "dry_run": fals',
    '{"to": "Ana", "dry_run": tr',
):
    with client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "Pay."}]) as stream:
        said = stream.get_final_message()
    print(cut, "->", said.stop_reason, said.content[0].input, "| partial-json-parser:", partial_json_parser.loads(cut))
END
cat >"$tmp/seen" <<'END'
anthropic 2.14.0
jiter 0.19.0
partial-json-parser 0.2.1.1.post7
{"to": "Ana", "cents": 12 -> max_tokens {'to': 'Ana', 'cents': 12} | partial-json-parser: {'to': 'Ana', 'cents': 12}
{"to": "Ana", "cents": [1200, 34 -> max_tokens {'to': 'Ana', 'cents': [1200, 34]} | partial-json-parser: {'to': 'Ana', 'cents': [1200, 34]}
{"cents": 1200, "to": "An -> max_tokens {'cents': 1200} | partial-json-parser: {'cents': 1200, 'to': 'An'}
{"to": "Ana", "dry_run": fals -> max_tokens {'to': 'Ana'} | partial-json-parser: {'to': 'Ana', 'dry_run': False}
{"to": "Ana", "dry_run": tr -> max_tokens {'to': 'Ana'} | partial-json-parser: {'to': 'Ana', 'dry_run': True}
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

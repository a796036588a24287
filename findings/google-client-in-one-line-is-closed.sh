#!/usr/bin/env bash
# Guess: `genai.Client(api_key=…).models.generate_content(…)` in one expression does the same as with a name for the
#   client, as `openai.OpenAI(…).…`, `anthropic.Anthropic(…).…` and `cohere.ClientV2(…).…` do.
# Seen: it raises "Cannot send a request, as the client has been closed." before anything is sent: nothing holds the
#   client once its `.models` is read, and its end closes the connection that `.models` still uses. So a helper that
#   returns `client.models`, or keeps a `chat` alone, fails in the same way.
# Matters: a provider or a tool that is written in one line fails at its first call, with words that blame a closed
#   connection. dotagent has no SDK, but plug-ins use them.
# With: google-genai 3.6.1, openai 3.57.0, anthropic 2.14.0, cohere 7.3.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq google-genai==3.6.1 openai==3.57.0 anthropic==2.14.0 cohere==7.3.1

cat >"$tmp/try.py" <<'END'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import anthropic
import cohere
import openai
from google import genai

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
ASKED = [{"role": "user", "content": "Hi"}]
USAGE = {"input_tokens": 1, "output_tokens": 1}
TEXT = [{"type": "text", "text": "Hello"}]
ANSWERS = {
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP"}]},
    "gpt": {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]},
    "claude": {"id": "m", "type": "message", "role": "assistant", "model": "claude", "content": TEXT,
               "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE},
    "command": {"id": "i", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": TEXT}},
}


def answered(body):
    return json.dumps(ANSWERS[body.get("model", "gemini")]).encode()


def google():
    options = {"base_url": url}
    return genai.Client(api_key="k", http_options=options).models.generate_content(model="gemini", contents="Hi").text


def google_by_name():
    client = genai.Client(api_key="k", http_options={"base_url": url})
    return client.models.generate_content(model="gemini", contents="Hi").text


def google_chat():
    return genai.Client(api_key="k", http_options={"base_url": url}).chats.create(model="gemini").send_message("Hi").text


def by_openai():
    client = openai.OpenAI(base_url=url, api_key="k").chat.completions
    return client.create(model="gpt", messages=ASKED).choices[0].message.content


def by_anthropic():
    client = anthropic.Anthropic(base_url=url, api_key="k").messages
    return client.create(model="claude", max_tokens=9, messages=ASKED).content[0].text


def by_cohere():
    return cohere.ClientV2(api_key="k", base_url=url).chat(model="command", messages=ASKED).message.content[0].text


answer = answered
for package in ("google-genai", "openai", "anthropic", "cohere"):
    print(package, version(package))
for ask in (google, google_chat, google_by_name, by_openai, by_anthropic, by_cohere):
    try:
        told = ask()
    except RuntimeError as error:
        told = error
    print(f"{ask.__name__}: {told} ({len(asked)} requests so far)")
END
cat >"$tmp/seen" <<'END'
google-genai 3.6.1
openai 3.57.0
anthropic 2.14.0
cohere 7.3.1
google: Cannot send a request, as the client has been closed. (0 requests so far)
google_chat: Cannot send a request, as the client has been closed. (0 requests so far)
google_by_name: Hello (1 requests so far)
by_openai: Hello (2 requests so far)
by_anthropic: Hello (3 requests so far)
by_cohere: Hello (4 requests so far)
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

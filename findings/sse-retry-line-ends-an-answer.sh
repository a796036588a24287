#!/usr/bin/env bash
# Guess: an event stream may begin with `retry: 3000` and an empty line. The standard says that this sets a time, and
#   that an event without data is no event; so every client of a model gives the answer that follows.
# Seen: openai, groq and LiteLLM (by its openai route) raise an error before the first word. They take the two lines for
#   an event with empty data, which is no JSON. The same holds for `id: 1` alone, and for `event: ping` without data.
#   Comments (`: ping`) are skipped by all. anthropic, cohere and mistralai give the answer each time.
# Matters: proxies and servers send such lines to keep a connection open. A gateway that is right by the standard works
#   with dotagent (which drops events without data) and with half of the SDKs; so "it works in curl and in dotagent"
#   says nothing about the others, and a server of ours may send comments only.
# With: openai 3.57.0, groq 1.7.0, litellm 1.110.2, anthropic 2.14.0, cohere 7.3.1, mistralai 3.7.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq openai==3.57.0 groq==1.7.0 litellm==1.110.2 anthropic==2.14.0 cohere==7.3.1 mistralai==3.7.0

cat >"$tmp/try.py" <<'END'
import json
import logging
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no look at the network
import anthropic, cohere, groq, litellm, openai
from mistralai.client import Mistral

logging.disable()
litellm.suppress_debug_info = True


def chat(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CHAT = [chat({"role": "assistant", "content": "Hello"}), chat({}, "stop")]
USAGE = {"input_tokens": 1, "output_tokens": 1}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
           "stop_sequence": None, "usage": USAGE}
MESSAGES = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": USAGE},
    {"type": "message_stop"},
]
COHERE = [
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Hello"}}}},
    {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
]
first = ""


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        events = MESSAGES if "messages" in self.path else COHERE if "v2/chat" in self.path else CHAT
        text = first
        for one in events:
            text += (f"event: {one['type']}\n" if "type" in one else "") + f"data: {json.dumps(one)}\n\n"
        text += "data: [DONE]\n\n" if events is CHAT else ""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
ASKED = [{"role": "user", "content": "Hi"}]


def joined(chunks):
    return "".join(one.choices[0].delta.content or "" for one in chunks)


def by_openai():
    return joined(openai.OpenAI(base_url=url, api_key="k").chat.completions.create(model="m", messages=ASKED, stream=True))


def by_groq():
    return joined(groq.Groq(base_url=url, api_key="k").chat.completions.create(model="m", messages=ASKED, stream=True))


def by_litellm():
    return joined(litellm.completion("openai/m", messages=ASKED, api_base=url, api_key="k", stream=True, max_retries=0))


def by_anthropic():
    with anthropic.Anthropic(base_url=url, api_key="k").messages.stream(model="m", max_tokens=9, messages=ASKED) as one:
        return one.get_final_text()


def by_cohere():
    events = cohere.ClientV2(api_key="k", base_url=url).chat_stream(model="m", messages=ASKED)
    return "".join(one.delta.message.content.text for one in events if one.type == "content-delta")


def by_mistralai():
    return joined(one.data for one in Mistral(api_key="k", server_url=url).chat.stream(model="m", messages=ASKED))


for ask in (by_openai, by_groq, by_litellm, by_anthropic, by_cohere, by_mistralai):
    name = ask.__name__.removeprefix("by_")
    print(name, version(name))
    for first in ("", ": ping\n\n", "retry: 3000\n\n", "id: 1\n\n", "event: ping\n\n"):
        try:
            told = ask()
        except Exception as error:
            told = "JSON error" if "Expecting value" in str(error) else repr(error)
        print(f"  {first!r}: {told}")
END
cat >"$tmp/seen" <<'END'
openai 3.57.0
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': JSON error
  'id: 1\n\n': JSON error
  'event: ping\n\n': JSON error
groq 1.7.0
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': JSON error
  'id: 1\n\n': JSON error
  'event: ping\n\n': JSON error
litellm 1.110.2
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': JSON error
  'id: 1\n\n': JSON error
  'event: ping\n\n': JSON error
anthropic 2.14.0
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': Hello
  'id: 1\n\n': Hello
  'event: ping\n\n': Hello
cohere 7.3.1
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': Hello
  'id: 1\n\n': Hello
  'event: ping\n\n': Hello
mistralai 3.7.0
  '': Hello
  ': ping\n\n': Hello
  'retry: 3000\n\n': Hello
  'id: 1\n\n': Hello
  'event: ping\n\n': Hello
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

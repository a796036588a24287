#!/usr/bin/env bash
# Guess: a chat of google-genai keeps all that was said in it: after an answer that was withheld or came back empty,
#   the next request still holds the person's earlier message.
# Seen: where the answer has no text (SAFETY, or MAX_TOKENS used up by thinking), the person's message goes with it:
#   the next request begins as if it had never been written. No error, no warning. `get_history()` shows the message
#   all the same; only `get_history(curated=True)` is what is sent. An answer with empty text (one empty part) or one
#   that was cut keeps both.
# Matters: "my daughter is allergic to nuts" is gone after one blocked answer, though the record shows it; a program
#   that keeps the talk by this chat cannot tell what the model knew. dotagent sends its own record and keeps the
#   question.
# With: google-genai 3.6.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq google-genai==3.6.1

cat >"$tmp/try.py" <<'END'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

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
EMPTY = {"SAFETY": [], "MAX_TOKENS": []}


def answered(body):
    said = body["contents"][-1]["parts"][0]["text"]
    finish = said if said in EMPTY else "STOP"
    parts = EMPTY.get(said, [{"text": "" if said == "empty text" else f"Answer to {said}"}])
    content = {"content": {"role": "model", "parts": parts}} if parts else {}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": len(parts), "totalTokenCount": 2}
    return json.dumps({"candidates": [{"finishReason": finish, **content}], "usageMetadata": usage}).encode()


answer = answered
print("google-genai", version("google-genai"))
client = genai.Client(api_key="k", http_options={"base_url": url})
chat = client.chats.create(model="gemini-3-pro")
for words in ("first", "SAFETY", "second", "MAX_TOKENS", "empty text", "third"):
    chat.send_message(words)
    print(f"{words!r} was sent with", [part["text"] for one in asked[-1]["contents"] for part in one["parts"]])
print("the history shows", [one.parts[0].text if one.parts else None for one in chat.get_history()])
END
cat >"$tmp/seen" <<'END'
google-genai 3.6.1
'first' was sent with ['first']
'SAFETY' was sent with ['first', 'Answer to first', 'SAFETY']
'second' was sent with ['first', 'Answer to first', 'second']
'MAX_TOKENS' was sent with ['first', 'Answer to first', 'second', 'Answer to second', 'MAX_TOKENS']
'empty text' was sent with ['first', 'Answer to first', 'second', 'Answer to second', 'empty text']
'third' was sent with ['first', 'Answer to first', 'second', 'Answer to second', 'empty text', '', 'third']
the history shows ['first', 'Answer to first', 'SAFETY', None, 'second', 'Answer to second', 'MAX_TOKENS', None, 'empty text', '', 'third', 'Answer to third']
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

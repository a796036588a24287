#!/usr/bin/env bash
# Guess: a system message that stands amid the talk stays a system message at LiteLLM: by Anthropic's door it keeps its
#   place (their API takes `system` among the messages) or moves to the top, as by Gemini's.
# Seen: by Gemini's door it moves to the top, before what was said earlier. By Anthropic's it becomes a part of the
#   person's next message, with a sentence before it that nobody wrote: "Operator note (not from the user): …". At the
#   end of a talk it becomes a person's message of its own.
# Matters: the model reads in the person's message what neither person nor program wrote, and is billed for it; a log
#   of the request that the program sent does not show it. By the other door each new system message changes the start
#   of the prompt, so nothing after it is read from the cache. dotagent's system messages all stand at the start.
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
USAGE = {"input_tokens": 1, "output_tokens": 1}
CLAUDE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
          "stop_sequence": None, "content": [{"type": "text", "text": "ok"}], "usage": USAGE}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP"}],
          "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
TALK = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."}, {"role": "system", "content": "It is Monday."}]


def answered(body):
    return json.dumps(GEMINI if "contents" in body else CLAUDE).encode()


answer = answered
print("litellm", version("litellm"))
for talk in ([*TALK, {"role": "user", "content": "Which day?"}], TALK):
    for model in ("anthropic/claude-opus-4-5", "gemini/gemini-3-pro"):
        litellm.completion(model, messages=talk, api_base=url, api_key="k")
        sent = asked[-1]
        top = sent.get("system") or sent["system_instruction"]["parts"]
        print(model, "system:", [one["text"] for one in top])
        for one in sent.get("messages") or sent["contents"]:
            parts = one.get("content") or one["parts"]
            print("  ", one["role"], [part["text"] for part in parts] if isinstance(parts, list) else parts)
END
cat >"$tmp/seen" <<'END'
litellm 1.110.2
anthropic/claude-opus-4-5 system: ['Be kind.']
   user ['Hi.']
   assistant ['Hello.']
   user ['Operator note (not from the user): the following was originally a mid-conversation system-role reminder.', 'It is Monday.', 'Which day?']
gemini/gemini-3-pro system: ['Be kind.', 'It is Monday.']
   user ['Hi.']
   model ['Hello.']
   user ['Which day?']
anthropic/claude-opus-4-5 system: ['Be kind.']
   user ['Hi.']
   assistant ['Hello.']
   user ['Operator note (not from the user): the following was originally a mid-conversation system-role reminder.', 'It is Monday.']
gemini/gemini-3-pro system: ['Be kind.', 'It is Monday.']
   user ['Hi.']
   model ['Hello.']
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

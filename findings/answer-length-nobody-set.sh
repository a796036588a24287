#!/usr/bin/env bash
# Guess: a call of a Claude model that sets no `max_tokens` asks for the model's longest answer, or the client refuses;
#   the number does not depend on the client.
# Seen: each client asks for another number, and a name that it does not know yet decides it. For claude-fable-5-2
#   LangChain asks for 4,096 tokens and LiteLLM for 128,000; for claude-opus-4-5 both for 64,000. LiteLLM asks for
#   128,000 of any unknown name, also of claude-3-haiku-20240307, which answers at most 4,096 tokens.
# Matters: the same program cuts its answers at 4,096 tokens from the day a newer model is chosen, or is refused for an
#   old one, without a change of its own. Set the number: dotagent states one at each call (setting `max_tokens`).
# With: litellm 1.110.2, langchain-anthropic 1.7.10, langchain-core 1.8.3, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq litellm==1.110.2 langchain-anthropic==1.7.10 langchain-core==1.8.3

cat >"$tmp/try.py" <<'END'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no look at the network
import litellm
from langchain_anthropic import ChatAnthropic

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
CLAUDE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
          "stop_sequence": None, "content": [{"type": "text", "text": "ok"}],
          "usage": {"input_tokens": 1, "output_tokens": 1}}


def answered(body):
    return json.dumps(CLAUDE).encode()


answer = answered
for package in ("litellm", "langchain-anthropic"):
    print(package, version(package))
for model in ("claude-opus-4-5", "claude-fable-5-2", "claude-3-haiku-20240307", "claude-of-next-year"):
    litellm.completion(f"anthropic/{model}", [{"role": "user", "content": "Hi"}], api_base=url, api_key="k")
    ChatAnthropic(model=model, base_url=url, api_key="k").invoke("Hi")
    print(model, "litellm:", asked[-2]["max_tokens"], "langchain:", asked[-1]["max_tokens"])
END
cat >"$tmp/seen" <<'END'
litellm 1.110.2
langchain-anthropic 1.7.10
claude-opus-4-5 litellm: 64000 langchain: 64000
claude-fable-5-2 litellm: 128000 langchain: 4096
claude-3-haiku-20240307 litellm: 128000 langchain: 4096
claude-of-next-year litellm: 128000 langchain: 4096
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

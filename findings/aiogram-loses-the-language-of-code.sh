#!/usr/bin/env bash
# Guess: a block of code that a person sends on Telegram with its language comes out of aiogram's `message.html_text` in
#   the form that Telegram reads, so that sending it again sends the same block.
# Seen: aiogram writes `<code language="language-python">`; Telegram's form is `<code class="language-python">`. By
#   TDLib, Telegram's own library, the result is code without a language. Nothing fails. `md_text` keeps the language.
# Matters: a bot that mirrors a room, or edits its own message, makes plain text of every highlighted block, and a
#   second program that looks for the language (an agent that runs Python and not shell) no longer finds it.
#   dotagent's bridge reads and writes entities, in which the language is a field.
# With: aiogram 3.31.0, tdjson 1.8.69 (TDLib), 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q aiogram==3.31.0 tdjson==1.8.69

cat >"$tmp/try.py" <<'END'
import json
from datetime import datetime, timezone
from importlib.metadata import version

import tdjson
from aiogram.types import Chat, Message, MessageEntity


def read(text, **mode):
    request = {"@type": "parseTextEntities", "text": text, "parse_mode": mode}
    told = json.loads(tdjson.td_execute(json.dumps(request).encode()))
    return [{key: word for key, word in one["type"].items()} for one in told["entities"]]


tdjson.td_execute(b'{"@type": "setLogVerbosityLevel", "new_verbosity_level": 0}')
print("aiogram", version("aiogram"), "tdjson", version("tdjson"))
message = Message(
    message_id=1, date=datetime.now(timezone.utc), chat=Chat(id=1, type="private"), text="print(1)",
    entities=[MessageEntity(type="pre", offset=0, length=8, language="python")],
)
html, markdown = message.html_text, message.md_text
print(html, "->", read(html, **{"@type": "textParseModeHTML"}))
right = html.replace("language=", "class=")
print(right, "->", read(right, **{"@type": "textParseModeHTML"}))
print(repr(markdown), "->", read(markdown, **{"@type": "textParseModeMarkdown", "version": 2}))
END
cat >"$tmp/seen" <<'END'
aiogram 3.31.0 tdjson 1.8.69
<pre><code language="language-python">print(1)</code></pre> -> [{'@type': 'textEntityTypePre'}, {'@type': 'textEntityTypeCode'}]
<pre><code class="language-python">print(1)</code></pre> -> [{'@type': 'textEntityTypePreCode', 'language': 'python'}]
'```python\nprint\\(1\\)\n```' -> [{'@type': 'textEntityTypePreCode', 'language': 'python'}]
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

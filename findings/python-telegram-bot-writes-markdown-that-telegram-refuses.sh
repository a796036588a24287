#!/usr/bin/env bash
# Guess: `message.text_markdown_v2` of python-telegram-bot gives a message back as Telegram's own Markdown, so it can be
#   sent again as it is. Its page says that it is for that.
# Seen: for a word that is italic and underlined it gives `___word___`. TDLib, Telegram's own library, which knows the
#   same rules, refuses it: it reads the first two signs as an underline, and misses the end of the italics. Bold and
#   underline, or italic and bold, come back whole; so does `text_html` of the same message.
# Matters: a bot that quotes, forwards or edits what a person wrote fails for some words of some people only, with
#   "can't parse entities", and the message is not sent. Send the text with its entities, as dotagent does, or HTML.
# With: python-telegram-bot 22.8, tdjson 1.8.69 (TDLib), 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q python-telegram-bot==22.8 tdjson==1.8.69

cat >"$tmp/try.py" <<'END'
import json
from datetime import datetime, timezone
from importlib.metadata import version

import tdjson
from telegram import Chat, Message, MessageEntity

KINDS = {"textEntityTypeItalic": "italic", "textEntityTypeUnderline": "underline", "textEntityTypeBold": "bold"}


def tdlib(**request):
    return json.loads(tdjson.td_execute(json.dumps(request).encode()))


def read(text, mode, **more):
    told = tdlib(**{"@type": "parseTextEntities", "text": text, "parse_mode": {"@type": mode, **more}})
    if told["@type"] == "error":
        return None, told["message"]
    kinds = [MessageEntity(KINDS[one["type"]["@type"]], one["offset"], one["length"]) for one in told["entities"]]
    return told["text"], kinds


tdlib(**{"@type": "setLogVerbosityLevel", "new_verbosity_level": 0})
print("python-telegram-bot", version("python-telegram-bot"), "tdjson", version("tdjson"))
for written in ("<u><i>word</i></u> here", "<b><i>word</i></b> here", "<u><b>word</b></u> here", "<i>word</i> here"):
    text, entities = read(written, "textParseModeHTML")
    message = Message(1, datetime.now(timezone.utc), Chat(1, "private"), text=text, entities=entities)
    print(written)
    again = {
        message.text_markdown_v2: {"mode": "textParseModeMarkdown", "version": 2},
        message.text_html: {"mode": "textParseModeHTML"},
    }
    for form, mode in again.items():
        back = read(form, **mode)
        print(" ", form, "->", "the same" if back == (text, entities) else back[1])
END
cat >"$tmp/seen" <<'END'
python-telegram-bot 22.8 tdjson 1.8.69
<u><i>word</i></u> here
  ___word___ here -> Can't parse entities: Can't find end of Italic entity at byte offset 9
  <i><u>word</u></i> here -> the same
<b><i>word</i></b> here
  *_word_* here -> the same
  <b><i>word</i></b> here -> the same
<u><b>word</b></u> here
  *__word__* here -> the same
  <b><u>word</u></b> here -> the same
<i>word</i> here
  _word_ here -> the same
  <i>word</i> here -> the same
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

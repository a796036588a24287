#!/usr/bin/env bash
# Guess: a library that takes the reply out of a mail removes what is quoted (`> …`, "On … wrote:") and a signature
#   below the line `-- `. A list that the person typed, or a sentence that begins with "-5", is the reply.
# Seen: a paragraph that begins with a dash and a letter or digit is a signature for both: it and all below it are gone.
#   mail-parser-reply also takes each list with a dash and a blank for one. Where the person's own lines begin with
#   "From:" and "Sent:", the reply of both is empty. Neither says that something was left out.
# Matters: the mail "buy: - milk - eggs" reaches an agent as "buy:", and it answers that nothing was named. What people
#   send to an agent has lists far more often than what they write to support desks. Keep the whole mail as the record.
# With: email-reply-parser 0.5.12, mail-parser-reply 1.36, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q email-reply-parser==0.5.12 mail-parser-reply==1.36

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from email_reply_parser import EmailReplyParser as Zapier
from mailparser_reply import EmailReplyParser as Other

print("email-reply-parser", version("email-reply-parser"), "mail-parser-reply", version("mail-parser-reply"))
for text in (
    "Please buy:\n\n-milk\n-eggs\n\nThanks!",
    "Please buy:\n- milk\n- eggs",
    "Yes to both.\n\n-5 degrees is too cold.",
    "Use this:\n\n--verbose shows more.",
    "From: Monday on we are away.\nSent: three boxes.\nPlease water the plants.",
):
    print(repr(text))
    print("  email-reply-parser:", repr(Zapier.parse_reply(text)))
    print("  mail-parser-reply: ", repr(Other(languages=["en"]).read(text).replies[0].body))
END
cat >"$tmp/seen" <<'END'
email-reply-parser 0.5.12 mail-parser-reply 1.36
'Please buy:\n\n-milk\n-eggs\n\nThanks!'
  email-reply-parser: 'Please buy:'
  mail-parser-reply:  'Please buy:'
'Please buy:\n- milk\n- eggs'
  email-reply-parser: 'Please buy:\n- milk\n- eggs'
  mail-parser-reply:  'Please buy:'
'Yes to both.\n\n-5 degrees is too cold.'
  email-reply-parser: 'Yes to both.'
  mail-parser-reply:  'Yes to both.'
'Use this:\n\n--verbose shows more.'
  email-reply-parser: 'Use this:'
  mail-parser-reply:  'Use this:\n\n--verbose shows more.'
'From: Monday on we are away.\nSent: three boxes.\nPlease water the plants.'
  email-reply-parser: ''
  mail-parser-reply:  ''
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

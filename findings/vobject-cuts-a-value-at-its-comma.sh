#!/usr/bin/env bash
# Guess: a contact or an event that is read and written by vobject keeps its values. What the library does not know,
#   such as Apple's X- fields, it carries along as it stands.
# Seen: of a field that it does not know, and of NICKNAME, it keeps what stands before the first bare comma, and drops
#   the rest without a word. The place that Apple's calendar adds to an event, `geo:52.5,13.4`, becomes `geo:52.5`; of
#   two nicknames one is left, of a list in an X- field the first. CATEGORIES and ORG, which it knows, are kept whole.
# Matters: whoever changes one field of a contact deletes parts of others, on all devices that sync it. An agent that
#   keeps a person's contacts must change the one line, and leave all others as they are.
# With: vobject 0.9.9, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q vobject==0.9.9

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import vobject

CARD = """BEGIN:VCARD
VERSION:3.0
N:Roe;Ana;;;
FN:Ana Roe
NICKNAME:Annie,Nan
CATEGORIES:friends,choir
X-DIET:no nuts,no milk
END:VCARD
"""
EVENT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//EN
BEGIN:VEVENT
UID:one@example.org
DTSTAMP:20270101T000000Z
DTSTART:20270104T080000Z
SUMMARY:Physio
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE="Main St 1":geo:52.5,13.4
END:VEVENT
END:VCALENDAR
"""
print("vobject", version("vobject"))
for text in (CARD, EVENT):
    told = vobject.readOne(text.replace("\n", "\r\n")).serialize()
    after = set(told.replace("\r\n ", "").splitlines())
    for line in text.splitlines():
        name = line.split(":")[0].split(";")[0]
        if line not in after:
            print(line, "->", *(one for one in after if one.startswith(name)))
END
cat >"$tmp/seen" <<'END'
vobject 0.9.9
NICKNAME:Annie,Nan -> NICKNAME:Annie
X-DIET:no nuts,no milk -> X-DIET:no nuts
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE="Main St 1":geo:52.5,13.4 -> X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=Main St 1:geo:52.5
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

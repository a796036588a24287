#!/usr/bin/env bash
# Guess: recurrent makes two runs a day of “every day at 9am and 5pm”, and of “every tuesday at 9 and 17”, on that day.
#   Of what it does not understand, it makes None.
# Seen: a second hour with am or pm is left out without a word. Without them it becomes something else: “every tuesday
#   at 9 and 17” is at 9 in each seventeenth week, and “every day at 8 and 20” is at 8 on the 20th day of each year. “at
#   noon” is no time of day, and “every first monday” is each Monday. Each result is a valid rule.
# Matters: a reminder to take a medicine at 8 and 20 comes once a year. dotagent reads times with its own tables of
#   words, and asks back if a word beside a time is not understood.
# With: recurrent 0.4.1, parsedatetime 2.6, 29 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq recurrent==0.4.1 parsedatetime==2.6

cat >"$tmp/try.py" <<'END'
import datetime
from importlib.metadata import version

from recurrent.event_parser import RecurringEvent

print("recurrent", version("recurrent"), "parsedatetime", version("parsedatetime"))
now = datetime.datetime(2026, 11, 29, 2, 0)
for text in (
    "every tuesday at 9",
    "every tuesday at 9 and 17",
    "every day at 8 and 20",
    "every day at 9am and 5pm",
    "every day at noon",
    "every first monday",
    "every morning",
):
    rule = RecurringEvent(now_date=now).parse(text)
    parts = rule.removeprefix("RRULE:").split(";") if isinstance(rule, str) else [str(rule)]
    print(text, "->", *sorted(parts))
END
cat >"$tmp/seen" <<'END'
recurrent 0.4.1 parsedatetime 2.6
every tuesday at 9 -> BYDAY=TU BYHOUR=9 BYMINUTE=0 FREQ=WEEKLY INTERVAL=1
every tuesday at 9 and 17 -> BYDAY=TU BYHOUR=9 BYMINUTE=0 FREQ=WEEKLY INTERVAL=17
every day at 8 and 20 -> BYHOUR=8 BYMINUTE=0 BYYEARDAY=20 FREQ=YEARLY INTERVAL=1
every day at 9am and 5pm -> BYHOUR=9 BYMINUTE=0 FREQ=DAILY INTERVAL=1
every day at noon -> FREQ=DAILY INTERVAL=1
every first monday -> BYDAY=MO FREQ=WEEKLY INTERVAL=1
every morning -> None
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: ics.py reads a calendar, a title is changed, the calendar is written: the rest stays as it was, also an event
#   each Monday at 9 in Berlin.
# Seen: it writes the start in UTC (`08:00Z`), without the zone, and keeps the RRULE, which it does not read. Until the
#   clocks change in March the event is at 9, then at 10. An event each Monday at 00:30 becomes 23:30Z of the Sunday,
#   with a rule that still says Monday: it is on Tuesday. And a calendar that does not name its calendar scale is
#   written with `CALSCALE:GEORGIAN`, a word that does not exist: recurring-ical-events refuses the file.
# Matters: a helper that only adds a reminder to a person's calendar moves all repeated events, months later, when
#   nobody thinks of it. An agent must write a calendar by icalendar, which keeps the zone, or change its lines.
# With: ics 0.7.3, recurring-ical-events 3.8.2, icalendar 7.3.2, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q ics==0.7.3 recurring-ical-events==3.8.2 icalendar==7.3.2

cat >"$tmp/try.py" <<'END'
import warnings
from importlib.metadata import version
from zoneinfo import ZoneInfo

import icalendar
import ics
import recurring_ical_events

warnings.simplefilter("ignore", FutureWarning)  # one of ics.py about its next version
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//EN
CALSCALE:GREGORIAN
BEGIN:VEVENT
UID:one@example.org
DTSTAMP:20270101T000000Z
DTSTART;TZID=Europe/Berlin:20270104T{time}00
DURATION:PT30M
RRULE:FREQ=WEEKLY;BYDAY=MO
SUMMARY:Physio
END:VEVENT
END:VCALENDAR
"""


def starts(text):
    try:
        found = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between((2027, 3, 20), (2027, 4, 7))
    except recurring_ical_events.InvalidCalendar as error:
        return [f"refused: {error}"]
    return [one.start.astimezone(ZoneInfo("Europe/Berlin")).strftime("%a %d %b %H:%M") for one in found]


print(*(f"{name} {version(name)}" for name in ("ics", "recurring-ical-events", "icalendar")))
for time, scale in (("0900", "CALSCALE:GREGORIAN\r\n"), ("0030", "CALSCALE:GREGORIAN\r\n"), ("0900", "")):
    before = CALENDAR.format(time=time).replace("\n", "\r\n").replace("CALSCALE:GREGORIAN\r\n", scale)
    after = ics.Calendar(before).serialize()
    print(*(line for line in after.splitlines() if line.startswith(("CALSCALE", "DTSTART", "RRULE"))))
    print("  before:", *starts(before), sep="  ")
    print("  after: ", *starts(after), sep="  ")
END
cat >"$tmp/seen" <<'END'
ics 0.7.3 recurring-ical-events 3.8.2 icalendar 7.3.2
CALSCALE:GREGORIAN RRULE:FREQ=WEEKLY;BYDAY=MO DTSTART:20270104T080000Z
  before:  Mon 22 Mar 09:00  Mon 29 Mar 09:00  Mon 05 Apr 09:00
  after:   Mon 22 Mar 09:00  Mon 29 Mar 10:00  Mon 05 Apr 10:00
CALSCALE:GREGORIAN RRULE:FREQ=WEEKLY;BYDAY=MO DTSTART:20270103T233000Z
  before:  Mon 22 Mar 00:30  Mon 29 Mar 00:30  Mon 05 Apr 00:30
  after:   Tue 23 Mar 00:30  Tue 30 Mar 01:30  Tue 06 Apr 01:30
CALSCALE:GEORGIAN RRULE:FREQ=WEEKLY;BYDAY=MO DTSTART:20270104T080000Z
  before:  Mon 22 Mar 09:00  Mon 29 Mar 09:00  Mon 05 Apr 09:00
  after:   refused: Only Gregorian calendars are supported.
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: `next(CronSim(rule, start))` comes after `start`, also in the night when the clocks go back.
# Seen: in the second pass of the hour that comes twice, a rule with a fixed time gives the time of the first pass: from
#   2:10 (the second) on, `30 2 * * *` is due at 2:30 summer time, 40 minutes ago. A rule with a star gives a later
#   time. The two values compare as if all were well (`found > start`), because Python compares the clocks' faces in one
#   zone; only their timestamps tell.
# Matters: a loop that runs whatever is due before now runs such a job at each look, for 20 minutes, once a year.
#   dotagent did so with a job that was written in this hour, until it compared timestamps (text/schedule.py).
# With: cronsim 2.8, tzdata 2026.6, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q cronsim==2.8 tzdata==2026.6

cat >"$tmp/try.py" <<'END'
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim

print("cronsim", version("cronsim"))
for fold in (0, 1):
    start = datetime(2026, 10, 25, 2, 10, tzinfo=ZoneInfo("Europe/Berlin"), fold=fold)
    for rule in ("30 2 * * *", "*/30 2 * * *"):
        found = next(CronSim(rule, start))
        minutes = (found.timestamp() - start.timestamp()) / 60
        print(f"{rule} after {start:%H:%M %Z}: {found:%d %H:%M %Z}, {minutes:+.0f} minutes, later: {found > start}")
END
cat >"$tmp/seen" <<'END'
cronsim 2.8
30 2 * * * after 02:10 CEST: 25 02:30 CEST, +20 minutes, later: True
*/30 2 * * * after 02:10 CEST: 25 02:30 CEST, +20 minutes, later: True
30 2 * * * after 02:10 CET: 25 02:30 CEST, -40 minutes, later: True
*/30 2 * * * after 02:10 CET: 25 02:30 CET, +20 minutes, later: True
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

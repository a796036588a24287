#!/usr/bin/env bash
# Guess: three libraries that read crontab's five fields agree on `0 9 */2 * MON`, as they do on `0 9 1,15 * MON`.
# Seen: for cronsim, as for Debian's cron, a field that begins with a star is a star: day and weekday must both match,
#   two or three Mondays a month. For croniter and croner `*/2` names days, and either suffices: about 18 days. None
#   warns. With `1-31/2`, the same days written without a star, all three take either.
# Matters: agents move between programs with their jobs. A job of OpenClaw (which runs croner) that came on most days
#   comes on some Mondays in dotagent (cronsim), under the same five fields; the other way round it costs nine times
#   as much. `dotagent cron add` says the next time, so look at it.
# With: cronsim 2.8, croniter 7.0.0, croner 11.0.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q cronsim==2.8 croniter==7.0.0
npm install --silent --prefix "$tmp" croner@11.0.1

cat >"$tmp/try.py" <<'END'
from datetime import datetime
from importlib.metadata import version
from itertools import takewhile

from croniter import croniter
from cronsim import CronSim

START, END = datetime(2026, 11, 30, 12), datetime(2027, 1, 1)
RULES = ("0 9 1,15 * MON", "0 9 */2 * MON", "0 9 1-31/2 * MON")


def said(rule, times):
    days = [f"{one:%d}" for one in takewhile(lambda one: one < END, times)]
    print(f"  {rule}: {' '.join(days)}")


for name in ("cronsim", "croniter"):
    print(name, version(name))
    for rule in RULES:
        said(rule, CronSim(rule, START) if name == "cronsim" else croniter(rule, START).all_next(datetime))
END
cat >"$tmp/try.mjs" <<'END'
import { Cron } from "croner";
import { readFileSync } from "node:fs";

console.log("croner", JSON.parse(readFileSync(`${import.meta.dirname}/node_modules/croner/package.json`)).version);
for (const rule of ["0 9 1,15 * MON", "0 9 */2 * MON", "0 9 1-31/2 * MON"]) {
  const times = new Cron(rule, { timezone: "UTC" }).nextRuns(40, new Date("2026-11-30T12:00:00Z"));
  const days = times.filter((one) => one < new Date("2027-01-01")).map((one) => one.toISOString().slice(8, 10));
  console.log(`  ${rule}: ${days.join(" ")}`);
}
END
cat >"$tmp/seen" <<'END'
cronsim 2.8
  0 9 1,15 * MON: 01 07 14 15 21 28
  0 9 */2 * MON: 07 21
  0 9 1-31/2 * MON: 01 03 05 07 09 11 13 14 15 17 19 21 23 25 27 28 29 31
croniter 7.0.0
  0 9 1,15 * MON: 01 07 14 15 21 28
  0 9 */2 * MON: 01 03 05 07 09 11 13 14 15 17 19 21 23 25 27 28 29 31
  0 9 1-31/2 * MON: 01 03 05 07 09 11 13 14 15 17 19 21 23 25 27 28 29 31
croner 11.0.1
  0 9 1,15 * MON: 01 07 14 15 21 28
  0 9 */2 * MON: 01 03 05 07 09 11 13 14 15 17 19 21 23 25 27 28 29 31
  0 9 1-31/2 * MON: 01 03 05 07 09 11 13 14 15 17 19 21 23 25 27 28 29 31
END
{ "$tmp/venv/bin/python" "$tmp/try.py" && node "$tmp/try.mjs"; } | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

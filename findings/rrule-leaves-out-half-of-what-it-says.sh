#!/usr/bin/env bash
# Guess: rrule (npm) says a rule in words by `toText()`; where its words do not suffice, `isFullyConvertibleToText()` is
#   false. `RRule.fromText()` reads such words, and throws at what it does not understand.
# Seen: the minutes are never said ("at 9" for 9:30), nor the hour behind "weekday" or a day of the month; of "the last
#   working day" only "on weekdays" is left; "every 2 hours" is said of a rule for Mondays. It is "fully convertible"
#   each time. Of words, `at 5pm` is 5 in the morning, `at 9:30` is 9:00, `except sunday` is dropped, and `until
#   december 24` is that day of 2001, so the rule never comes due. Nothing throws.
# Matters: an agent says a repeat back so that the person can object. With these words it asks about another rule than
#   the one that it saves. dotagent reads a repeat only if every word was used, and says the next time itself.
# With: rrule 2.8.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --silent --prefix "$tmp" rrule@2.8.1

cat >"$tmp/try.mjs" <<'END'
process.env.TZ = 'UTC'
import { createRequire } from 'node:module'
const { version } = createRequire(import.meta.url)('rrule/package.json')
import rrule from 'rrule'
const { RRule } = rrule

console.log('rrule', version)
for (const rule of [
  'FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=30',
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9',
  'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=HOURLY;INTERVAL=2;BYDAY=MO',
]) {
  const made = RRule.fromString(rule)
  console.log(rule, '->', made.toText(), '| fully:', made.isFullyConvertibleToText())
}
for (const text of [
  'every weekday at 9:30',
  'every 2 weeks on monday at 5pm',
  'every day at 9 until december 24',
  'every day except sunday',
]) console.log(text, '->', RRule.fromText(text).toString())
END
cat >"$tmp/seen" <<'END'
rrule 2.8.1
FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=30 -> every week on Monday, Wednesday at 9 | fully: true
FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9 -> every weekday | fully: true
FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9 -> every month on the last Friday | fully: true
FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 -> every month on weekdays | fully: true
FREQ=HOURLY;INTERVAL=2;BYDAY=MO -> every 2 hours | fully: true
every weekday at 9:30 -> RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9
every 2 weeks on monday at 5pm -> RRULE:INTERVAL=2;FREQ=WEEKLY;BYDAY=MO;BYHOUR=5
every day at 9 until december 24 -> RRULE:FREQ=DAILY;BYHOUR=9;UNTIL=20011224T000000Z
every day except sunday -> RRULE:FREQ=DAILY
END
node "$tmp/try.mjs" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

#!/usr/bin/env bash
# Guess: what follows the five fields of a crontab is the command, up to the end of the line: crontab(5) has no comments
#   behind a command. So `job.command` is all of it.
# Seen: python-crontab ends the command at the first blank with a `#` behind it, inside quotes too, and calls the rest a
#   comment. The command is left with an open quote; who reads `job.command`, or runs `job.run()`, gets half of it.
#   Written back, the line is whole again, but `#12` became `# 12`, in a job that nobody touched.
# Matters: jobs of an agent are sentences, and sentences name rooms (`#general`), issues and numbers. A program that
#   takes another agent's crontab along has half a prompt, and one that adds a job changes the others.
# With: python-crontab 3.4.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q python-crontab==3.4.0

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

from crontab import CronTab

LINES = """0 9 * * * agent say "report # 5 is due"
30 7 * * * agent say 'look at #12 and #13'
0 6 * * * agent say "no hash here"
"""
print("python-crontab", version("python-crontab"))
table = CronTab(tab=LINES)
for job in table:
    print(repr(job.command), "comment:", repr(job.comment))
print(table.render(), end="")
END
cat >"$tmp/seen" <<'END'
python-crontab 3.4.0
'agent say "report' comment: '5 is due"'
"agent say 'look at" comment: "12 and #13'"
'agent say "no hash here"' comment: ''
0 9 * * * agent say "report # 5 is due"
30 7 * * * agent say 'look at # 12 and #13'
0 6 * * * agent say "no hash here"
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

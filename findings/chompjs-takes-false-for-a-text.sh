#!/usr/bin/env bash
# Guess: chompjs reads the objects in a page's scripts, so it reads `!0` and `!1`, which every minifier writes for true
#   and false, and `+1`. What it cannot read is an error.
# Seen: `!0` and `!1` become the texts "!0" and "!1", without an error. Both count as true in Python. `+1` and `+.5` are
#   texts, too, though -1 is a number. demjson3 reads the signs, and refuses `!0`.
# Matters: an agent reads a shop's data out of its page, and takes an article for one in stock where the page says
#   false. The same page reads right until its makers minify it. A program that an agent writes must look for such
#   texts, or let a JavaScript engine read the object.
# With: chompjs 1.4.1, demjson3 3.0.6, 29 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq chompjs==1.4.1 demjson3==3.0.6

cat >"$tmp/try.py" <<'END'
from importlib.metadata import version

import chompjs
import demjson3

print(*(f"{name} {version(name)}" for name in ("chompjs", "demjson3")))
for text in (
    "{name: 'bread', stock: false, sugar: true}",
    "{name:'bread',stock:!1,sugar:!0}",
    "{up: +1, half: +.5, down: -1}",
):
    print(text)
    for reader in (chompjs.parse_js_object, demjson3.decode):
        try:
            found = reader(text)
        except demjson3.JSONDecodeError:
            print(f"  {reader.__module__}: refused")
            continue
        true = [name for name, value in found.items() if value]
        print(f"  {reader.__module__.partition('.')[0]}: {found}, true: {', '.join(true)}")
END
cat >"$tmp/seen" <<'END'
chompjs 1.4.1 demjson3 3.0.6
{name: 'bread', stock: false, sugar: true}
  chompjs: {'name': 'bread', 'stock': False, 'sugar': True}, true: name, sugar
  demjson3: {'name': 'bread', 'stock': False, 'sugar': True}, true: name, sugar
{name:'bread',stock:!1,sugar:!0}
  chompjs: {'name': 'bread', 'stock': '!1', 'sugar': '!0'}, true: name, stock, sugar
  demjson3: refused
{up: +1, half: +.5, down: -1}
  chompjs: {'up': '+1', 'half': '+.5', 'down': -1}, true: up, half, down
  demjson3: {'up': 1, 'half': 0.5, 'down': -1}, true: up, half, down
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

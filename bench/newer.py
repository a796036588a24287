"""Does the newer of two facts come first, and does the older say so? `python bench/newer.py [--beam BEAM/chats/100K]
[--locomo FOLDER] [--lethe generate.py] [--held-out] [--show 30]`. Without options it asks for bench/data/newer.json:
pairs in several languages of which the later corrects the older, or only repeats it, adds to it or is of another thing.
BEAM has questions on what was updated or contradicted (chats 1 to 10 were tuned to, --held-out takes the others);
ForgetEval of deeplethe/lethe makes facts and later ones (families supersession and drift: all is only said). The other
questions of BEAM and all of LoCoMo are asked for marks that should not be there; --show prints some of these."""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import common
from recall import TUNED
from recall_ranks import mean
from recall_sets import AGENT, PERSON, Talk, beam, load
from tables import markdown

from dotagent.search.index import Hit, Index
from dotagent.search.turn import Passage

DATA = common.ROOT / "bench/data"
FOUND = 10  # hits that are looked at
KINDS = ("knowledge_update", "contradiction_resolution")
GAP = 20  # turns of other talk before, between and after a made pair
MADE = 60  # cases of a family of ForgetEval


@dataclass(frozen=True)
class Pair:
    """What is asked, and the ids of the turns that say the older and the newer."""

    name: str
    asked: str
    older: frozenset[str]
    newer: frozenset[str]


def sides(hits: Iterable[Hit]) -> Iterator[Hit]:
    for hit in hits:
        yield hit
        if hit.beside:
            yield hit.beside


def judged(index: Index, pair: Pair) -> list[float]:
    """Whether the newer is before the older, is first, and the older, being there, says so by the newer."""
    hits = index.search(pair.asked, FOUND)
    ids = [hit.turn.id for hit in hits]
    old, new = (min((ids.index(id) for id in of if id in ids), default=FOUND) for of in (pair.older, pair.newer))
    says = any(hit.later and hit.turn.id in pair.older and hit.later.id in pair.newer for hit in sides(hits))
    return [float(new < old), float(new == 0), float(old < FOUND and new < FOUND), float(says)]


def beams(folder: Path, one: Talk) -> Iterator[Pair]:
    """BEAM's questions on what was said twice, once otherwise."""
    asked = json.loads((folder / one.name / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8"))
    known = {turn.id for turn in one.turns}
    for kind in KINDS:
        for told in asked[kind]:
            groups = [frozenset(str(id) for id in ids) & known for ids in told["source_chat_ids"].values()]
            groups = sorted(filter(None, groups), key=lambda ids: min(map(int, ids)))
            if len(groups) == 2 and not groups[0] & groups[1]:
                yield Pair(kind, told["question"], groups[0], groups[1])


def made(folder: Path) -> Iterator[tuple[str, Index, Pair]]:
    """The pairs of our own, each in a life of a person and an agent."""
    talk = [turn.text for one in load(DATA / "talk.json") for turn in one.turns]
    for n, told in enumerate(json.loads((DATA / "newer.json").read_text(encoding="utf-8"))):
        between = () if told.get("at once") else talk[GAP : 2 * GAP]
        said = [*talk[:GAP], told["older"], "Noted.", *between, told["newer"], "All right.", *talk[2 * GAP :]]
        name = "ours, corrected" if told["corrects"] else "ours, not corrected"
        yield name, *_life(folder / f"made-{n}.db", said, told["asked"], told["older"], told["newer"])


def lethe(path: Path, folder: Path) -> Iterator[tuple[str, Index, Pair]]:
    """ForgetEval's facts of a family, and the later ones, said by one person."""
    spec = importlib.util.spec_from_file_location("forgeteval", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for n, case in enumerate(module.generate(MADE)):
        if case.family in ("supersession", "drift"):
            later = [one[2] for one in case.mutations]
            (first,) = (fact for fact in case.setup_facts if any(word in fact for word in case.must_not_contain))
            said = [words for fact in (*case.setup_facts, *later) for words in (fact, "Noted.")]
            yield f"ForgetEval, {case.family}", *_life(folder / f"f-{n}.db", said, case.final_query, first, later[-1])


def _life(path: Path, said: Sequence[str], asked: str, older: str, newer: str) -> tuple[Index, Pair]:
    turns = [Passage(n + 1, str(n), "talk", (PERSON, AGENT)[n % 2], "", text) for n, text in enumerate(said)]
    index = Index(path)
    index.add(turns)
    return index, Pair("", asked, frozenset({str(said.index(older))}), frozenset({str(said.index(newer))}))


def filed(folder: Path, one: Talk) -> Index:
    """The talk, to be searched."""
    index = Index(folder / f"{one.name}.db")
    index.add(one.turns)
    return index


def marks(name: str, index: Index, asked: Sequence[str], seen: list[str]) -> list[list[float]]:
    """Of each question the share of its hits that are marked, and whether any is."""
    rows = list[list[float]]()
    for question in asked:
        hits = list(sides(index.search(question, FOUND)))
        rows.append([sum(bool(hit.later) for hit in hits) / max(1, len(hits)), float(any(hit.later for hit in hits))])
        for hit in hits:
            if hit.later:
                seen.append(
                    f"{name}: {question}\n   older: {hit.turn.text[:200]!r}\n   later: {hit.later.text[:200]!r}"
                )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beam", type=Path, help="BEAM's chats/100K")
    parser.add_argument("--locomo", type=Path, help="holds locomo5.json")
    parser.add_argument("--lethe", type=Path, help="bench/forgeteval/generate.py of deeplethe/lethe")
    parser.add_argument("--show", type=int, default=0, help="print so many marks of other questions")
    parser.add_argument("--held-out", action="store_true", help="BEAM: only the chats that were not tuned to")
    asked = parser.parse_args()
    found: dict[str, list[list[float]]] = {}
    other: dict[str, list[list[float]]] = {}
    seen = list[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for of, index, pair in (*made(folder), *(lethe(asked.lethe, folder) if asked.lethe else ())):
            found.setdefault(of, []).append(judged(index, pair))
        chats = beam(asked.beam) if asked.beam else []
        for of, one in (("BEAM", one) for one in chats if (int(one.name) > TUNED) == asked.held_out):
            pairs = list(beams(asked.beam, one))
            for pair in pairs:
                found.setdefault(f"{of}, {pair.name}", []).append(judged(filed(folder, one), pair))
            rest = [question.text for question in one.questions if question.text not in {pair.asked for pair in pairs}]
            other.setdefault(of, []).extend(marks(one.name, filed(folder, one), rest, seen))
        for one in load(asked.locomo / "locomo5.json") if asked.locomo else ():
            questions = [question.text for question in one.questions]
            other.setdefault("LoCoMo's five", []).extend(marks(one.name, filed(folder, one), questions, seen))
    judged_by = ("newer before older", "newer first", "both among ten", "older says so")
    markdown(("%", *judged_by), [[f"{of} ({len(rows)})", *mean(rows)] for of, rows in found.items()])
    heads = ("hits marked", "questions with one")
    markdown(("other questions, %", *heads), [[f"{of} ({len(rows)})", *mean(rows)] for of, rows in other.items()])
    for line in random.Random(1).sample(seen, min(asked.show, len(seen))):
        print(line)


if __name__ == "__main__":
    main()

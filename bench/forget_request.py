"""How well `forget …` finds what is meant and leaves the rest: ForgetEval's cases, in homes of their own.

`--cases FILE` is bench/forgeteval/generate.py of deeplethe/lethe, or adversarial.py or adversarial_generated.py beside
it, brought by whoever judges; it is not part of this.
What is inscribed is said in a private room. `release` and `purge` are `forget …`, all that is found, `supersede` the
same for the best of what is found, and then the new fact is said. What is recalled is what RECALL finds and, as far as
ten have room, what was said last, since an agent's context shows that.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import common

from dotagent.erasure import matches, sweep
from dotagent.life.events import Boot, Hear
from dotagent.search.feed import Feed
from dotagent.store import home, log, rooms
from dotagent.store.blobs import BlobMissing
from dotagent.store.home import Home
from dotagent.text import tag, times

MEMORY = Path("/dev/shm")


class Adapter:
    """A home with one life, whose person says facts."""

    name = "dotagent"

    def __init__(self, base: Path) -> None:
        self._base, self._count = base, 0

    def reset(self) -> None:
        shutil.rmtree(self._base / str(self._count), ignore_errors=True)
        self._count += 1
        self.where = Home(self._base / str(self._count))
        home.prepare(self.where)
        self.store = self.where.store()
        self.id = self.store.put(b"audience: private ana\n\nA soul.", at=times.now(), gist="SOUL")
        self.path = self.where.agent(self.id)
        self.path.mkdir(parents=True)
        rooms.create(self.where.room("dev"), "private")
        life = log.Log(self.path / "LIFE.md")
        life.append(Boot.WORD, "private ana", self.id, "SOUL")
        life.close()

    def inscribe(self, text: str) -> None:
        line = rooms.line_of("USER", "ana", times.now(), text)
        rooms.append(self.where.room("dev"), line)
        end = rooms.end(self.where.room("dev"))
        id = self.store.put(line, at=times.now(), gist=f"ana: {text}", agent=self.id)
        life = log.Log(self.path / "LIFE.md")
        life.append(Hear.WORD, f"dev {end.offset} {end.mark} USER:ana", id, f"ana: {text}")
        life.close()

    def recall_texts(self, query: str, k: int = 5) -> list[str]:
        feed = Feed(self.path, self.store, "ana")
        found = [hit.turn.text for hit in feed.search(query, k)]
        feed.close()
        return [*found, *self._context()][:k]

    def _context(self) -> list[str]:
        told = []
        for line in log.lines(self.path / "LIFE.md"):
            if line.event == Hear.WORD:
                try:
                    told.append(tag.words(self.store.get(line.id).body.decode()))
                except BlobMissing:
                    continue
        return told[::-1]

    def supersede(self, old: str, new: str) -> None:
        self._forget(matches.find(self.where, old)[:1])
        self.inscribe(new)

    def release(self, query: str) -> int:
        return self._forget(matches.find(self.where, query))

    purge = release

    def _forget(self, found: list[matches.Telling]) -> int:
        if found:
            sweep.announce(self.where, [one.words for one in found], "ana")
            sweep.finish(self.where)
        return len(found)


def cases(path: Path, each: int) -> list[Any]:
    """The cases that the judge's own generator makes, or that it has."""
    sys.path.insert(0, str(path.absolute().parents[2]))  # as one of them imports the other
    spec = importlib.util.spec_from_file_location("forgeteval_generate", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if hasattr(module, "ADVERSARIAL_GENERATED"):
        return [case for some in module.ADVERSARIAL_GENERATED.values() for case in some]
    return list(module.generate(each)) if hasattr(module, "generate") else list(module.ADVERSARIAL_TESTS)


def kind(case: Any) -> str:
    """What it is counted under: of an adversarial one what makes it hard, of another its family."""
    return re.sub(r"^adv_|_\d+$", "", case.id) if case.id.startswith("adv_") else str(case.family)


def main() -> int:
    """Run them, and tell how many of each family pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True, help="generate.py of ForgetEval")
    parser.add_argument("--each", type=int, default=200, help="cases of each family (default: 200)")
    parser.add_argument("--failed", action="store_true", help="name those that fail")
    asked = parser.parse_args()
    passed, all_of, began = Counter[str](), Counter[str](), time.monotonic()
    with common.scratch(MEMORY if MEMORY.is_dir() else None) as base:
        adapter = Adapter(base)
        for case in cases(asked.cases, asked.each):
            all_of[kind(case)] += 1
            if case.run(adapter):
                passed[kind(case)] += 1
            elif asked.failed:
                print(case.id, case.setup_facts, case.mutations, adapter.recall_texts(case.final_query, 10))
    for of, many in all_of.items():
        print(f"{of:<24} {passed[of]:>4} of {many:>4}  {passed[of] / many:.1%}")
    whole = sum(all_of.values())
    print(
        f"{'all':<24} {passed.total():>4} of {whole:>4}  {passed.total() / whole:.1%}, {time.monotonic() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

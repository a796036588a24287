"""Whether `forget … --yes` deletes what it says and nothing else, in each language of a table of short texts.

`--gold FILE` is JSON: for each language a list of texts, each a list of its sentences. It is not part of this. A person
says the texts of a language to one agent, which answers as the offline provider does. Each sentence is then forgotten
in a copy of the home, in three ways: by a word that no other sentence has, by its words, and by its words in quotes.
The search for what is left compares only letters, marks and digits, and shares no code with `forget`.

A case is exact if the sentence is gone from every file, except for words of files that the receipt names as files of
dotagent, and each other sentence is in the room as before. “Shown” says that nothing was deleted, but the sentence was
listed for a person to choose. A receipt is false if `forget` ended with status 0 after a deletion, but a ticked
sentence is still in a file, and the receipt names no file that keeps its words. “Not shown” counts deleted sentences
that no ticked row contained.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import lru_cache
from pathlib import Path
from shutil import copytree, rmtree

import common

sys.path.insert(0, str(common.ROOT / "tests"))

from world import offline, world  # type: ignore[import-not-found]

from dotagent import commands
from dotagent.errors import Misuse, Trouble

WAYS = ("word", "sentence", "quoted sentence")
MEMORY = Path("/dev/shm")
CLUSTERS = 3  # characters, with their marks, of a word in a script without spaces
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
BEFORE = "เแโใไເແໂໃໄ\u17d2\u1039"  # signs of Thai, Lao, Khmer and Burmese that belong to the next character


@lru_cache(maxsize=1 << 11)  # most files are the same after a deletion
def bare(text: str) -> str:
    """Return the letters, marks and digits of a text in small letters, with one blank for everything else."""
    signs = unicodedata.normalize("NFC", text.casefold())
    return " ".join("".join(one if unicodedata.category(one)[0] in "LMN" else " " for one in signs).split())


def within(part: str, text: str) -> bool:
    """Return True if a bare text has these bare words, also inside of longer words of a script without spaces."""
    return f" {part} " in f" {text} " if part.isascii() else part in text


def word_of(sentence: str, others: list[str]) -> str:
    """Return the longest word of a bare sentence that no other sentence has, or ""."""
    pieces = [one for piece in sentence.split() for one in (_middle(piece), piece)]
    own = [one for one in pieces if len(one) > 1 and not any(one in other for other in others)]
    return max(own, key=lambda one: (not one.isdigit(), len(one)), default="")


def _middle(piece: str) -> str:
    """Return the characters in the middle of a long run of a script without spaces."""
    clusters = list[str]()
    for sign in piece:
        if clusters and (unicodedata.category(sign)[0] == "M" or clusters[-1][-1] in BEFORE):
            clusters[-1] += sign
        else:
            clusters.append(sign)
    if len(clusters) <= CLUSTERS or not unicodedata.name(piece[0], "").startswith(UNSPACED):
        return piece
    at = (len(clusters) - CLUSTERS) // 2
    return "".join(clusters[at : at + CLUSTERS])


def files(root: Path) -> dict[str, str]:
    """Return the bare text of every file of a home."""
    there = (one for one in sorted(root.rglob("*")) if one.is_file() and not one.is_symlink())
    return {str(one.relative_to(root)): bare(one.read_bytes().decode("utf-8", "replace")) for one in there}


def forget(root: Path, asked: str) -> tuple[int, list[str], list[str], str]:
    """Run `forget … --yes`, and return its status, the bare ticked rows and other rows, and the receipt."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            status = commands.run("forget", ["--home", str(root), "--yes", "--json", asked])
        except (Misuse, Trouble):
            status = 1
    rows = [json.loads(line) for line in out.getvalue().split("\n") if line.startswith("{")]
    ticked, doubtful = (
        [bare(one["sentence"]) for one in rows if bool(one["doubt"]) is doubt] for doubt in (False, True)
    )
    receipt = "\n".join(line for line in out.getvalue().split("\n") if not line.startswith("{"))
    return status, ticked, doubtful, receipt


def judged(root: Path, asked: str, sentence: str, others: list[str]) -> tuple[list[str], str]:
    """Forget one sentence in a copy of a home. Return what is counted, and the details of a fault."""
    room = "chats/dev.md"
    before = files(root)
    status, ticked, doubtful, receipt = forget(root, asked)
    after = files(root)
    known = before[room]
    gone = [one for one in others if within(one, known) and not within(one, after[room])]
    hidden = [one for one in gone if not any(one in row or row in one for row in ticked)]
    named = [text for path, text in after.items() if path in receipt]  # these keep words that no person wrote
    left = [path for path, text in after.items() if within(sentence, text) and not _is_part(sentence, named)]
    # a row that is a part of what stays, such as one word, proves nothing
    stays = [one for one in others if one not in gone]
    kept = [row for row in ticked if any(row in one for one in stays) or _is_part(row, named)]
    still = [row for row in ticked if row not in kept and any(within(row, text) for text in after.values())]
    said = ["cases"]
    said += ["exact"] if not left and not gone and not status else []
    said += ["shown"] if left and not ticked and any(sentence in one for one in doubtful) else []
    said += ["false receipts"] if ticked and not status and still else []
    said += ["not shown"] * len(hidden)
    return (
        said,
        f"left in {left[:3]}, gone {gone}, not shown {hidden}, still {still}, ticked {ticked}, other {doubtful}",
    )


def _is_part(part: str, texts: list[str]) -> bool:
    return any(within(part, text) for text in texts)


def cases(texts: list[list[str]]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the way, the words to ask for, the bare sentence and the bare other sentences."""
    spoken = list({bare(one): one.strip() for text in texts for one in text}.items())
    for sentence, said in spoken:
        others = [one for one, _ in spoken if one not in sentence and sentence not in one]
        if len(others) < len(spoken) - 1:
            continue  # another sentence has all its words
        for way, asked in zip(WAYS, (word_of(sentence, others), said, f'"{said}"'), strict=True):
            if asked:
                yield way, asked, sentence, others


def main() -> int:
    """Print a row for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, required=True, help="JSON: languages with their texts and sentences")
    parser.add_argument("--languages", default="", help="such as zh,ja (default: all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth sentence (default: 1)")
    parser.add_argument("--failed", action="store_true", help="print each case that is not exact")
    asked = parser.parse_args()
    gold = {name: texts for name, texts in json.loads(asked.gold.read_text()).items() if isinstance(texts, list)}
    rows, all_of = list[list[str]](), Counter[str]()
    for language in asked.languages.split(",") if asked.languages else gold:
        count = Counter[str]()
        with common.scratch(MEMORY if MEMORY.is_dir() else None) as base:
            with redirect_stdout(io.StringIO()), world(base / "home", offline) as it:
                for text in gold[language]:
                    it.say("".join(text))
                    it.run()
            for at, (way, words, sentence, others) in enumerate(cases(gold[language])):
                if at // len(WAYS) % asked.every:
                    continue
                copytree(base / "home", base / "copy", symlinks=True)
                said, told = judged(base / "copy", words, sentence, others)
                rmtree(base / "copy")
                count.update(said)
                count.update(f"{way}, {one}" for one in said)
                if asked.failed and said != ["cases", "exact"]:
                    print(f"{language}, {way}: {words!r}: {', '.join(said[1:])}; {told}", flush=True)
        rows.append(_row(language, count))
        all_of += count
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    common.markdown(("language", *WAYS, "exact", "shown", "false receipts", "not shown"), [*rows, _row("all", all_of)])
    return 0


def _row(name: str, count: Counter[str]) -> list[str]:
    ways = [f"{count[f'{way}, exact']} of {count[f'{way}, cases']}" for way in WAYS]
    whole = f"{count['exact'] / max(1, count['cases']):.0%}"
    return [name, *ways, whole, *(str(count[one]) for one in ("shown", "false receipts", "not shown"))]


if __name__ == "__main__":
    sys.exit(main())

"""People with several names, from files about people: `Aliases: Ani, Аня`, a title, a `Name:`, or the file's name.

A request about one name includes the others: to forget everything about Ana includes Ani. Nothing is guessed; a name in
another script or a short form counts only if a file lists it. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dotagent.store import disk
from dotagent.text import words

MOST, MANY, LONGEST = 1 << 18, 20, 60  # bytes of a file; names of a person, and characters of one
PLACES = re.compile(
    r"(?:.*/)?(?:USER\.md|personal/(?P<actor>[^/]+)/profile\.ya?ml|(?:people|entities)/(?P<page>[^/]+)\.(?:md|ya?ml))"
)
_KEY = re.compile(
    r"(?:[-*+] +)?[*_`]*(?P<key>name|full name|preferred name|what to call them|alias(?:es)?|also known as|also called"
    r"|aka|nick(?:name)?s?|handles?)[*_`]*\s*:[*_`]*[ \t]*(?P<told>[^\n]*)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s+[-*+] +(\S.*)|[-*+] +([^:\n]+)")


def find_people(root: Path, names: Iterable[str]) -> list[frozenset[str]]:
    """Return the names of each person with several names in these files of a home or project."""
    found = list[frozenset[str]]()
    for name in names:
        place = PLACES.fullmatch(name)
        if not place or not disk.is_file(root / name):
            continue
        text = disk.read(root / name, MOST).decode("utf-8", "replace")
        own = re.sub(r"[-_]+", " ", place["page"] or place["actor"] or "")
        told = list(_names_in(text, page=place["page"] is not None))
        if any(also for _, also in told) or len({one for one, _ in told}) > 1:
            group = frozenset([*([own] if own else []), *(one for one, _ in told)][:MANY])
            if len(group) > 1:
                found.append(group)
    return found


def find_names(people: Iterable[frozenset[str]], name: str) -> frozenset[str]:
    """Return all names of the only person with this name, or with this first name, otherwise an empty set."""
    folded = name.casefold()
    whole = [group for group in people if folded in {one.casefold() for one in group}]
    whole = whole or [group for group in people if folded in {one.casefold().split()[0] for one in group}]
    return whole[0] if len(whole) == 1 else frozenset()


def map_stems(people: Iterable[frozenset[str]], stems: Iterable[str]) -> dict[str, str]:
    """Map the stems of a person's other one-word names to the stem used here."""
    asked, found = set(stems), dict[str, str]()
    for group in people:
        single = {words.stems(one)[0] for one in group if len(words.stems(one)) == 1}
        if len(called := single & asked) == 1:
            found |= dict.fromkeys(single - called, *called)
    return found


def _names_in(text: str, *, page: bool) -> Iterator[tuple[str, bool]]:
    """Yield each name in a file, and whether it is an alias. A page about a person also gives its title."""
    rows = text.split("\n")
    if page and (title := next((row for row in rows if row.startswith("# ")), "")):
        yield from ((one, False) for one in _names(title[2:]))
    for number, row in enumerate(rows):
        if not (found := _KEY.fullmatch(row.strip())):
            continue
        below = list[str]()
        for item in rows[number + 1 :] if not found["told"].strip() else ():
            if not (listed := _ITEM.fullmatch(item)):
                break
            below.append(listed[1] or listed[2])
        also = not found["key"].lower().endswith("name") or found["key"].lower().startswith("nick")
        yield from ((one, also) for one in _names(found["told"], *below))


def _names(*told: str) -> Iterator[str]:
    for one in re.split(r"[,;|]| or | aka ", " , ".join(told)):
        bare = one.split(" #")[0].strip(" \t\"'`“”„[]()*_.").removeprefix("@")
        if 1 < len(bare) <= LONGEST and any(sign.isalpha() for sign in bare):
            yield bare

"""A life's talk to be searched: turns at given places, and fillers around them. Owns nothing on disk."""

from __future__ import annotations

from pathlib import Path

from dotagent.search.index import Hit, Index
from dotagent.search.turn import Passage

FILLER = (
    "The kettle is on.",
    "I mended the fence behind the shed.",
    "Rain again, all through the valley.",
    "My neighbour bought a red tractor.",
    "We counted the sheep twice.",
    "The baker had no rye left.",
    "Her violin needs new strings.",
    "Nobody answered the telephone.",
)


def turn(number: int, text: str, speaker: str = "ana", room: str = "dev", at: str = "2024-03-04T10:00:00Z") -> Passage:
    return Passage(number, f"{number:032x}", room, speaker, at, text)


def life(folder: Path, *turns: Passage) -> Index:
    """The turns, with fillers before, between and after, four to a gap, so that no two are neighbours by chance."""
    index = Index(folder / "recall.db")
    numbers = {one.number for one in turns}
    rest = [turn(n, FILLER[n % 8], ("ana", "bo")[n % 2]) for n in range(1, max(numbers) + 6) if n not in numbers]
    index.add(sorted([*turns, *rest], key=lambda one: one.number))
    return index


def numbers(hits: list[Hit]) -> list[int]:
    return [hit.turn.number for hit in hits]


def first_of(hits: list[Hit], *among: int) -> int:
    return next(number for number in numbers(hits) if number in among)


def remembered(folder: Path) -> Index:
    return life(
        folder,
        turn(5, "Which seat did they give you on the flight to Tokyo?", "bo"),
        turn(6, "14A, by the window.", "ana"),
        turn(40, "My sister breeds alpacas near Cusco.", "ana"),
    )

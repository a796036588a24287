"""The places in the index of the turns that a context shows, which a reminder leaves out. A long context has thousands
of them, so each is looked up once, and a query skips long runs of them. Owns nothing on disk."""

from collections.abc import Iterable, Sequence
from heapq import nlargest

from dotagent.search.rank import PLACE, REACH

RUNS = 4  # runs that a query skips; each run costs one more query for each word
TOP = 2**63 - 1  # the highest key in SQLite
ALL = [(0, TOP)]  # the range of all keys


class ShownTurns:
    """The places of some turns. `numbers` are the turns' numbers; the caller may append to this sequence, but may not
    change it otherwise."""

    def __init__(self, numbers: Sequence[int] = ()) -> None:
        self.numbers = numbers
        self.places = set[int]()
        self._read, self._late = 0, list[int]()  # how many numbers were read; those of them that were not yet filed
        self._runs: dict[int, int] = {}  # the first place of each run of places, by its last place

    def due(self, last: int) -> list[int]:
        """Return, each once, the numbers that must be looked up now: those up to `last`, the highest in the index."""
        new = [*self._late, *self.numbers[self._read :]]
        self._read = len(self.numbers)
        self._late = [number for number in new if number > last]
        return [number for number in new if number <= last]

    def add(self, places: Iterable[int]) -> None:
        """Add the places of turns."""
        for place in sorted({*places} - self.places):
            self.places.add(place)
            self._runs[place] = self._runs.pop(place - 1, place)

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of keys (the lowest and the highest), the highest range first, that contain all turns except
        most of those in the longest runs. The ends of a run remain, because they count for the turns next to it."""
        ends = ((last - REACH, first + REACH) for last, first in self._runs.items())
        found, high = list[tuple[int, int]](), TOP
        for last, first in sorted(nlargest(RUNS, ends, key=lambda run: run[0] - run[1]), reverse=True):
            if first <= last:
                found.append(((last + 1) * PLACE, high))
                high = first * PLACE - 1
        return [*found, (0, high)]

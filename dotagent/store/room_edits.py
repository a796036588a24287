"""Find a reader's place again in a room that was changed elsewhere than at its end.

A line is known by its company, not by its own words: the lines that the reader knows and the lines of the file are
compared as sequences. A line that the reader does not know is news, at any place. A line that the reader knows and the
file lacks is lost, unless it was corrected or moved. Owns nothing on disk.
"""

from __future__ import annotations

import codecs
import difflib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path

from dotagent.store import disk, lines, room_completion, rooms
from dotagent.store.rooms import Message, Position
from dotagent.text import lazy, tag, words
from dotagent.text.lazy import dataclass

NEAR = 1 << 17  # bytes at the end of the file that should contain the known lines
SAME = 16  # equal lines at the end that need no comparison
PAIRS = 10_000  # the most pairs of lines that are compared to find corrected lines
ALIKE = 0.6  # a line with this share of equal characters is a corrected form of another
_CR = lazy.compile(rb"(?:\xef\xbb\xbf)?# [^\r\n]*\r(?!\n)")  # a heading that ends in CR alone
_CONFLICT = lazy.compile(rb"([<>|=%+-])\1{6,}(?: .*)?")  # the marks of git and jj between two versions


@dataclass(frozen=True)
class Edits:
    """The changes of a room: the messages that its reader does not know, the known messages that it lacks, and the
    position where reading continues. `above` is True if the room grew above all known messages."""

    new: list[Message]
    lost: list[bytes]
    position: Position
    above: bool = False


def find(
    path: Path, known: Sequence[bytes], since: str, earlier: Collection[str], place: Position | None = None
) -> Edits:
    """Compare the room with the messages that its reader knows, in their order. `place` is where the reader was.

    If none of them is left, everything is new after the last line whose mark is in `earlier`, and after the last
    message whose time is not later than `since`.
    """
    with disk.reading(path) as file:
        fd = file.fileno()
        stop = lines.end_before(fd, os.fstat(fd).st_size)
        known_lines = [line for raw in known for line in _lines(raw)]
        known_keys = [_key(line) for line in known_lines]
        size = NEAR + 2 * sum(map(len, known))
        while True:
            window = _Window(fd, stop, size)
            blocks = _compare(window.keys, known_keys)
            if (blocks and blocks[0][1] == 0) or not window.start or size > rooms.LARGEST:
                break
            size *= 16
        if not blocks:
            end = rooms.position_before(fd, stop)  # the agent reads later what others write meanwhile
            return Edits(window.messages(window.after(since, earlier)), list(known), end)
        begun = next((found["at"] for line in known_lines if (found := tag.BYTES.match(line))), b"")
        there = {of + step: at + step for at, of, count in blocks for step in range(count)}
        matched = set(there.values())
        moved = Counter(key for at, key in enumerate(known_keys) if at not in there)
        fresh, twice = set[int](), _find_copies(window, known_keys)
        for at, (_, line) in enumerate(window.lines):
            tagged = tag.BYTES.match(line)
            if at < blocks[0][0]:  # above all known lines: only lines that are certainly later are new
                old = not tagged or not begun or tagged["at"] <= begun
            else:
                old = bool(tagged and tagged["at"] < begun)
            if at not in matched and not old and at not in twice and not _take(moved, window.keys[at]):
                fresh.add(at)
        mended, gone = _find_mended(window, known_lines, blocks, fresh, moved)
        above = place is not None and window.grew_above(known, there, fresh | twice - matched, place)
        end = rooms.position_before(fd, stop)
        return Edits(window.messages(fresh - mended), _whole(known, gone), end, above)


def _find_mended(
    window: _Window, known: list[bytes], blocks: list[tuple[int, int, int]], fresh: set[int], moved: Counter[bytes]
) -> tuple[set[int], set[int]]:
    """Return the new lines that are corrected known lines, and the known lines that are gone. `moved` counts the known
    lines that are outside the equal runs and not found elsewhere."""
    known_keys, matched = [_key(line) for line in known], {at + step for at, _, size in blocks for step in range(size)}
    there = {of + step for _, of, size in blocks for step in range(size)}
    gaps, short = _gaps(blocks, len(window.lines), len(known)), Counter(known_keys) - Counter(window.keys)
    mended, gone = set[int](), set[int]()
    first = set(range(blocks[0][0] - blocks[0][1], blocks[0][0])) - matched  # perhaps corrected first known lines
    for number, (inside, before) in enumerate(gaps):
        added = [at for at in inside if at in fresh] + [at for at in sorted(first) if at >= 0 and number == 0]
        missing = [at for at in before if at not in there and moved[known_keys[at]] > 0 and short[known_keys[at]]]
        pairs = product(added, missing) if len(added) * len(missing) <= PAIRS else ()
        alike = [(at, one) for at, one in pairs if _alike(window.lines[at][1], known[one])]
        mended |= {at for at, _ in alike if number < len(gaps) - 1}  # a corrected last line is news
        gone |= set(missing) - {one for _, one in alike}
    return mended, gone


def without_heard(new: Sequence[Message], heard: Iterable[bytes]) -> list[Message]:
    """Return the messages without those with a tag whose first line was heard: messages that arrive late stand in
    another order in the room than in the log, where known ones are cut."""
    there = {_key(line) for raw in heard for line in _lines(raw) if tag.BYTES.match(line)}
    return [one for one in new if not one.kind or _key(one.raw.partition(b"\n")[0]) not in there]


def restore_encoding(path: Path) -> bool:
    """Write a room as UTF-8 again that a program saved as UTF-16, or with CR as the end of each line. Return True if it
    was. Raises Held."""
    with disk.reading(path) as file:
        head = file.read(4096)
    wrong = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or bool(_CR.match(head))
    if wrong:
        room_completion.rewrite(path, _decode)
    return wrong


def _decode(data: bytes) -> bytes:
    """Return the text as UTF-8 with LF. Others may have appended to it in UTF-8 meanwhile."""
    form = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(data[:2])
    if not form:
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends, begin = "\n".encode(form), max(2, (data.rfind(b"\0") + 2) // 2 * 2)  # UTF-8 text contains no NUL
    cuts = (at for at in range(begin, len(data), 2) if data[at : at + 1] == b"\n" or data[at - 2 : at] == ends)
    cut = next((at for at in cuts if data.endswith(b"\n") and _is_utf8(data[at:])), len(data))
    return data[2:cut].decode(form, "replace").encode("utf-8", "replace") + data[cut:]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Window:
    """The last lines of a room that are not blank: the offset of each, and its bytes without blanks at its end."""

    def __init__(self, fd: int, stop: int, size: int) -> None:
        self.start = lines.end_before(fd, stop - size) if stop > size else 0
        self._fd, self._stop = fd, stop
        self._data = os.pread(fd, stop - self.start, self.start)
        self.lines, offset = list[tuple[int, bytes]](), self.start
        for line in self._data.split(b"\n")[:-1]:
            if line.strip(rooms.NOTHING) and not rooms.is_heading(line, offset):
                self.lines.append((offset, line.rstrip()))
            offset += len(line) + 1
        self.keys = [_key(line) for _, line in self.lines]
        heading = os.pread(fd, 4096, 0).partition(b"\n")[0]
        self.heading = _key(heading.removeprefix(codecs.BOM_UTF8))
        self.bom = codecs.BOM_UTF8 if heading.startswith(codecs.BOM_UTF8) else b""

    def after(self, since: str, earlier: Collection[str]) -> Collection[int]:
        """Return the lines after the last line that is certainly old."""
        old = -1
        for at, (_, line) in enumerate(self.lines):
            tagged = tag.BYTES.match(line)
            if (tagged and tagged["at"].decode()[:19] <= since[:19]) or rooms.mark(line) in earlier:
                old = at
        while old + 1 < len(self.lines) and self.lines[old + 1][1].startswith(b"  ") and old >= 0:
            old += 1
        return range(old + 1, len(self.lines))

    def grew_above(
        self, known: Sequence[bytes], pairs: Mapping[int, int], added: Collection[int], place: Position
    ) -> bool:
        """Return True if the reader's place moved down by more bytes than the added and blank lines above it have.
        `pairs` are the known lines that are in the window. If a program changed their form, the answer is False."""
        before = [line for raw in known for line in raw.split(b"\n") if line.strip(rooms.NOTHING)]
        there = {of: self._line(at) for of, at in pairs.items()}
        at = max((of for of, line in there.items() if rooms.mark(line) == place.mark), default=-1)
        if at < 0 or any(before[of] != line for of, line in there.items()):
            return False
        if not self.start and not set(range(min(pairs.values()))).difference(added):
            return False  # only the heading is longer
        end = self.lines[pairs[at]][0] + len(there[at]) + 1
        inside = set(range(pairs[min(pairs)], pairs[at])) - set(pairs.values())
        more = sum(len(self._line(one)) + 1 for one in inside.union(added) if one < pairs[at])
        more += sum(len(line) + 1 for line in self._data[: end - self.start].split(b"\n") if not line.strip())
        return end - place.offset > more + len(self.bom)

    def _line(self, at: int) -> bytes:
        begin = self.lines[at][0] - self.start
        return self._data[begin : self._data.index(b"\n", begin)]

    def messages(self, chosen: Collection[int]) -> list[Message]:
        """Return the messages in these lines. Lines with blanks in front continue the message above, even a message
        that is not chosen."""
        conflict = any(_CONFLICT.fullmatch(line) and line[:1] == b"<" for _, line in self.lines)
        kept = [at for at in sorted(chosen) if not (conflict and _CONFLICT.fullmatch(self.lines[at][1]))]
        found, run = list[Message](), list[int]()
        for at in [*kept, -1]:
            if run and at != run[-1] + 1:
                found += self._messages(run)
                run = []
            run.append(at)
        return found

    def _messages(self, run: list[int]) -> list[Message]:
        begin = self.lines[run[0]][0]
        last = self.lines[run[-1]][0] - self.start
        end = self.start + self._data.index(b"\n", last) + 1
        return rooms.parse(self._fd, self._data[begin - self.start : end - self.start], begin, end)


def _lines(raw: bytes) -> Iterator[bytes]:
    return (line.rstrip() for line in raw.split(b"\n") if line.strip(rooms.NOTHING))


def _key(line: bytes) -> bytes:
    """Return what stays of a line when a program formats the file: it may change the indentation, or write `\\[`."""
    return line.strip().replace(b"\\", b"")


def _find_copies(window: _Window, known: Collection[bytes]) -> set[int]:
    """Return the lines of known messages with a tag, whose time makes them unique, and of the heading, also if they are
    in the room more than once."""
    found, copied, there = set[int](), False, set(known)
    for at, (_, line) in enumerate(window.lines):
        key = window.keys[at]
        tagged = bool(tag.BYTES.match(key))
        copied = key in there and (tagged or (copied and line.startswith(b"  ")))
        if copied or (key == window.heading and key.startswith(b"# ")):
            found.add(at)
    return found


def _compare(there: list[bytes], known: list[bytes]) -> list[tuple[int, int, int]]:
    """Return the runs of equal lines: where each begins in the window and among the known lines, and its length."""
    same = 0
    while same < min(len(there), len(known)) and there[-1 - same] == known[-1 - same]:
        same += 1  # most edits leave the end unchanged, and a comparison can cost the product of both lengths
    same = same if same >= SAME else 0  # else the new last line may only sound like the last known one
    matcher = difflib.SequenceMatcher(None, there[: len(there) - same], known[: len(known) - same], autojunk=False)
    blocks = [(one.a, one.b, one.size) for one in matcher.get_matching_blocks() if one.size]
    blocks += [(len(there) - same, len(known) - same, same)] if same else []
    counts, mine = Counter(there), Counter(known)
    while len(blocks) > 1 and all(counts[one] > mine[one] for one in there[blocks[0][0] :][: blocks[0][2]]):
        del blocks[0]  # the same words are also elsewhere, perhaps long before the known lines
    return blocks


def _gaps(blocks: list[tuple[int, int, int]], end: int, known: int) -> list[tuple[range, range]]:
    """Return the lines between the equal runs, in the window and among the known lines. The last gap is the end."""
    gaps, at, of = list[tuple[range, range]](), blocks[0][0], 0
    for begin, first, count in blocks:
        gaps.append((range(at, begin), range(of, first)))
        at, of = begin + count, first + count
    return [*gaps, (range(at, end), range(of, known))]


def _take(left: Counter[bytes], line: bytes) -> bool:
    if left[line] <= 0:
        return False
    left[line] -= 1
    return True


def _alike(one: bytes, other: bytes) -> bool:
    """Return True if a line is a corrected form of another: it has the same tag, or most of the same words."""
    tagged, theirs = tag.BYTES.match(one), tag.BYTES.match(other)
    if tagged or theirs:
        return bool(tagged and theirs and tagged[0].rstrip() == theirs[0].rstrip())
    before, after = _words(one), _words(other)
    most = max(before.total(), after.total())
    return most > 0 and (before & after).total() >= ALIKE * most


@lru_cache(256)
def _words(line: bytes) -> Counter[str]:
    """Return the words of a line, which a program may have saved in Latin-1 or with other accents of Unicode."""
    return Counter(words.raw(line.decode() if _is_utf8(line) else line.decode("latin-1")))


def _whole(known: Sequence[bytes], gone: set[int]) -> list[bytes]:
    """Return the known messages whose lines are all gone."""
    found, at = list[bytes](), 0
    for raw in known:
        count = len(list(_lines(raw)))
        if count and gone.issuperset(range(at, at + count)):
            found.append(raw)
        at += count
    return found

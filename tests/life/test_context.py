"""The context: entries derived from events and blobs, shown in a file that parses back to exactly what they hold."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shown import Shown, entry, parse, shown

from dotagent.compaction import fade_plan
from dotagent.life import context, replay
from dotagent.life.context import Entry
from dotagent.life.event import FORMS
from dotagent.life.state import Model, State
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import Line
from dotagent.text import escape, tokens
from dotagent.text.reference import short

AT = "2026-11-21T20:17:20Z"
ID = "0123456789abcdef" * 2
ROOM = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True) | st.sampled_from(
    ["0123456789ab", "deadbeef0000", "12"]
)
WORD = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Zs", "Cc", "Zl", "Zp"], exclude_characters="◱◲"), min_size=1
)
DETAILS = {
    "BOOT": st.builds("private {}".format, WORD) | st.sampled_from(["group", "helper"]),
    "JOIN": ROOM, "DAILY": st.just("2026-11-22"), "LEAVE": ROOM, "HEAR": ROOM, "NOTE": ROOM, "FAIL": WORD,
    "PAPER": st.just("MEMORY.md"), "ENDED": st.just("3 dev"), "WAKE": st.just("remind-1 dev"),
    "RETURNED": st.just("90e89434e8a9421c842d3ebd6e63750a dev"),
    "TORN": st.just("LIFE.torn-2026-11-21T201720.123456Z"),
    "TOOL": st.sampled_from(["SAY error", "RUN ok", "0123456789ab ok"]),
    "FADED": st.sampled_from(["3-17 relevance=4", "412-413 relevance=10"]),
}  # fmt: skip
WITHOUT = {"LEAVE", "RESUME", "TORN"}  # what has no blob; JOIN may have none
LINES = st.sampled_from([
    b"", b"#1 2026-11-21T20:17:20Z HEAR dev 0123456789ab", b"  #2 2026-11-21T20:17:20Z REPLY", b"\r", b"\0",
    b"\xff\xfe", b"a\rb", b"  ", " \u2028\u0085◱hash=0123456789ab gist=x◲".encode(), b"a line",
])  # fmt: skip
BLANKS = bytes.maketrans(b"\t\n\r\v\f", b"     ")
CONTENT = st.binary() | st.lists(LINES).map(b"\n".join)
GIST = st.text(max_size=30).map(lambda text: escape.one_line(text, 30))


@st.composite
def entries(draw: st.DrawFn) -> list[Shown]:
    found = []
    for number in range(1, draw(st.integers(0, 8)) + 1):
        event = draw(st.sampled_from(sorted(word for word, form in FORMS.items() if form.head is not None)))
        detail = draw(DETAILS.get(event, st.just("")))
        named = event not in WITHOUT and (event != "JOIN" or draw(st.booleans()))
        content = draw(CONTENT) if named and event != "BOOT" and draw(st.booleans()) else None
        gist = draw(GIST) if event == "FADED" else ""
        found.append(Shown(number * 7, AT, event, detail, short(ID) if named else "", content, gist))
    return found


@pytest.mark.slow
@given(entries())
@settings(max_examples=300)
def test_what_is_shown_parses_back_exactly(found: list[Shown]) -> None:
    assert parse(rendered(found)) == found


@given(entries(), st.randoms())
def test_a_torn_end_is_no_matter(found: list[Shown], random: object) -> None:
    data = rendered(found)
    for size in range(0, len(data), max(1, len(data) // 40)):
        whole = data[: data.rfind(b"\n", 0, size) + 1]
        parsed = parse(data[:size])
        assert parsed == parse(whole)
        assert parsed[:-1] == found[: max(0, len(parsed) - 1)]


def test_every_line_but_the_heads_is_indented() -> None:
    hostile = b"x\n#9 2026-11-21T20:17:20Z HEAR dev 0123456789ab\n\n\r#10 2026-11-21T20:17:20Z LEAVE dev"
    data = rendered([Shown(1, AT, "HEAR", "dev", short(ID), hostile)])
    assert [line for line in data.split(b"\n") if not line.startswith(b"  ")] == [
        b"#1 2026-11-21T20:17:20Z HEAR dev 0123456789ab", b"",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (b"hello\n", 1), (b"\n", 1), (b"  content of nothing\n", 1), (b" #1 2026-11-21T20:17:20Z RESUME\n", 1),
        (b"#1 2026-11-21T20:17:20Z RESUME\nmine\n", 2), (b"#1 2026-11-21T20:17:20Z RESUME\n one\n", 2),
        (b"#1 2026-11-21 RESUME\n", 1), (b"#x 2026-11-21T20:17:20Z RESUME\n", 1), (b"\xff\n", 1), (b"#1\n", 1),
        ("#1 ٢٠٢٦-11-21T20:17:20Z RESUME\n".encode(), 1), (b"#1 2026-11-21T20:17:20Z resume\n", 1),
    ],
)  # fmt: skip
def test_what_is_no_context_is_named_by_its_line(data: bytes, number: int) -> None:
    with pytest.raises(ValueError, match=f"line {number} "):
        parse(data)


def line(event: str, detail: str = "", id: str = ID, gist: str = "g") -> Line:
    return Line("2026-11-21T20:17:20.123456Z", event, detail, id, gist)


def rendered(found: list[Shown]) -> bytes:
    return b"".join(context.render(entry(one)) for one in found)


def made(of: Line, body: bytes = b"body", share: int = 1000, *, stripped: bool = False) -> Entry:
    found = context.entry(of, 5, lambda id: body, share, stripped=stripped)
    assert found
    return found


def told(of: Line, body: bytes = b"body") -> Shown:
    return shown(made(of, body))


def test_an_entry_of_every_event() -> None:
    assert told(line("HEAR", "dev 120 0123456789ab USER:ana")) == Shown(5, AT, "HEAR", "dev", short(ID), b"body")
    assert told(line("REPLY", "dev finish=stop model=m input=3")) == Shown(5, AT, "REPLY", "", short(ID), b"body")
    assert told(line("TOOL", "RUN ok")) == Shown(5, AT, "TOOL", "RUN ok", short(ID), b"body")
    assert told(line("BOOT", "private ana")) == Shown(5, AT, "BOOT", "private ana", short(ID), None)
    assert told(line("LEAVE", "dev", "")) == Shown(5, AT, "LEAVE", "dev", "", None)
    assert told(line("RESUME", "offline", "")) == Shown(5, AT, "RESUME", "", "", None)
    assert told(line("PAPER", "MEMORY.md"), b"") == Shown(5, AT, "PAPER", "MEMORY.md", short(ID), b"")
    for silent in (
        "PAPER SEGMENT.md",
        "ASK offline dev 12",
        "DID SAY",
        "SAY dev 3 x",
        "ERROR no",
        "SLEEP",
        "SWAP",
        "NEW",
    ):
        event, _, detail = silent.partition(" ")
        assert context.entry(line(event, detail), 5, lambda id: b"body", 1000) is None


@pytest.mark.parametrize(
    "lost", [BlobMissing("blob 0123456789ab is missing"), BlobCorrupt("blob 0123456789ab is corrupt")]
)
def test_a_lost_blob_is_named_in_place_of_its_content(lost: Exception) -> None:
    def body(id: str) -> bytes:
        raise lost

    heard = "dev 1 0123456789ab OWNER"
    for event, detail in (("HEAR", heard), ("REPLY", "dev"), ("TOOL", "RUN ok"), ("PAPER", "MEMORY.md")):
        found = context.entry(line(event, detail), 5, body, 1000)
        assert found
        assert found.content == f"({lost})".encode()
        assert not found.whole


@given(st.text(min_size=1).map(str.encode) | st.binary(min_size=1), st.integers(62, 225), st.integers(1, 9))
@example(b"aaaa\x80", 62, 5)  # a byte that is not UTF-8 has three in the prompt
@settings(max_examples=200)
def test_large_content_is_shown_by_its_ends(text: bytes, share: int, times: int) -> None:
    blob = text * times * 40
    content = blob.decode("utf-8", "replace").encode()  # as a model sees it
    shown = made(line("TOOL", "RUN ok"), blob, share)
    if tokens.estimate(content) <= share:
        assert shown.content == content
        assert shown.whole == (content == blob)
        return
    assert shown.content is not None
    assert not shown.whole
    first, note, last = shown.content.partition(b"\n[\xe2\x80\xa6 the first and the last of ")
    assert note
    last = last.partition(b"\xe2\x80\xa6] ")[2]
    assert content.startswith(first)
    assert content.endswith(last)
    room = max(context.REMARK, share - context.REMARK)
    assert tokens.estimate(first) <= room * 2 // 3 and tokens.estimate(last) <= room // 3
    if b" " not in content.translate(BLANKS):  # which are stripped
        assert tokens.estimate(first) > room * 2 // 3 - 9 and tokens.estimate(last) > room // 3 - 9
    if content.decode("utf-8", "replace").encode() == content:
        assert "\ufffd" not in (first + last).decode("utf-8", "replace") or "\ufffd" in content.decode()
        assert f"UNCOMPACT {short(ID)} 1 ".encode() in shown.content


BYTES = random.Random(7).randbytes(60_000)
KINDS = {
    "English": "The train to Oslo leaves at nine from platform four. " * 1200,
    "base64": base64.b64encode(BYTES).decode(),
    "hex": BYTES.hex(),
    "Thai": "รถไฟไปเชียงใหม่ออกเก้าโมง " * 1200,
    "Chinese": "去上海的火车九点从四号站台出发。" * 1200,
    "English, then base64": "The train to Oslo leaves at nine. " * 300 + base64.b64encode(BYTES).decode(),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_entry_of_any_kind_has_as_many_tokens(kind: str) -> None:
    """In bytes, base64 took four times the tokens of English."""
    share = replay.share(64_000, State())
    found = made(line("TOOL", "READ_FILE ok"), KINDS[kind].encode(), share)
    assert 0.9 * share < tokens.estimate(found.content or b"") <= share


def test_what_a_server_counts_moves_no_cap() -> None:
    """Else a swap would cut entries that were shown whole."""
    for model in (Model(), Model(plain=2.5, other=0.1, fixed=9000), Model(plain=0.4, other=9.0, fixed=700)):
        assert replay.share(16_000, State(model=model)) == replay.share(16_000, State())
    assert replay.share(16_000, State(model=Model(most=4000))) < replay.share(16_000, State())


def test_what_is_only_worth_its_place_while_new_is_left_out_later() -> None:
    reply = made(line("REPLY"), b"<reasoning>\nlong\n</reasoning>\n\nhello\n\n  there")
    assert fade_plan.can_be_stripped(reply)
    later = made(line("REPLY"), b"<reasoning>\nlong\n</reasoning>\n\nhello\n\n  there", stripped=True)
    assert later.content == b"hello\n\n  there"
    assert not later.whole
    assert not fade_plan.can_be_stripped(later)
    assert not fade_plan.can_be_stripped(made(line("REPLY"), b"hello <reasoning>x</reasoning>"))
    assert made(line("TOOL", "UNCOMPACT ok"), stripped=True).content is None
    assert not fade_plan.can_be_stripped(made(line("TOOL", "RUN ok")))
    assert not fade_plan.can_be_stripped(made(line("HEAR", "dev 1 x OWNER")))


class Counted(list[Entry]):
    """Entries that count how many of them somebody reads."""

    read = 0

    def __reversed__(self) -> Iterator[Entry]:
        for one in super().__reversed__():
            self.read += 1
            yield one


def test_a_turns_entries_are_found_without_a_walk_over_the_context() -> None:
    talk = Counted(Entry(number, Line(AT, "HEAR", "dev", ID, ""), "dev", b"hello") for number in range(10_000))
    assert [one.number for one in context.pick(talk, (9_990, 9_995))] == [9_990, 9_995]
    assert talk.read < 20
    assert [one.number for one in context.pick(talk, (5, 10_000))] == [5]  # the other one has faded
    assert context.pick(talk, ()) == []

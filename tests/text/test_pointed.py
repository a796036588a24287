"""Where somebody says that an address is to be found."""

from __future__ import annotations

import time

import pytest

from dotagent.text import pointed, quoted


@pytest.mark.parametrize("value, kind", [
    ("a.b@c.example", "mail"), ("www.a.example/x", "web"), ("https://a.example/?q=a@b.example", "web"),
    ("a.b@c.example and more", ""), ("dora", ""), ("", ""), ("notes/a.md", ""), ("x" * 5000 + "@a.example", ""),
])  # fmt: skip
def test_what_is_an_address(value: str, kind: str) -> None:
    assert pointed.kind(value) == kind


@pytest.mark.parametrize("sentence, sought", [
    ("her e-mail is on her website: www.dora.example", ["mail"]),
    ("read all the websites in 'general'", ["web"]),
    ("Lies alle Seiten in 'notes.md'", ["web"]),
    ("read the website www.a.example", []),  # it is the place, and says nothing of what is to be found there
    ("look at www.a.example", []),
    ("read 'all mail' and notes/mail.txt", []), ("all links in mails/links.txt", ["web"]),
])  # fmt: skip
def test_what_a_sentence_says_to_look_for(sentence: str, sought: list[str]) -> None:
    assert list(pointed.sought(sentence)) == sought


@pytest.mark.parametrize("sentence, place, named", [
    ("in 'general' there", "general", True), ("in general there", "general", False), ("in “General”", "general", True),
    ("see www.a.example.", "www.a.example", True), ("see www.a.example.evil", "www.a.example", False),
    ("see notes/mail.txt", "notes/mail.txt", True), ("see mail", "mail", False), ("see 'x'", "", False),
    ("see 'a general'", "general", False),
])  # fmt: skip
def test_a_place_is_named_as_nothing_else_is(sentence: str, place: str, named: bool) -> None:
    assert pointed.names(sentence, place) == named


def test_sentences_and_lines_stand_alone() -> None:
    told = list(pointed.sentences("Read a.txt. Her mail\nis in 'b.txt'! And so on"))
    assert told == ["Read a.txt.", "Her mail", "is in 'b.txt'!", "And so on"]


@pytest.mark.parametrize(
    "text",
    [unit * (16_000 // len(unit)) for unit in ("'{a", "x", "a.b", "'", "'a{b}", ".", "a+-", "@-")],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.perf_counter()
    assert [*pointed.sought(text), *quoted.forms(text), *quoted.addresses(text)] == []
    quoted.plain(text)
    assert time.perf_counter() - began < 1  # seconds; where the time grows with the square, dots alone take five

"""The tag: what is rendered is read again, as bytes and as text, and no text can forge one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import escape, names, tag

AT = "2026-11-21T20:17:20.123456Z"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("[ \n]:"))


@given(st.sampled_from(["USER", "AGENT"]), st.from_regex(names.PERSON.pattern, fullmatch=True), TEXTS)
def test_what_is_rendered_is_read_again(kind: str, name: str, text: str) -> None:
    raw = tag.render(kind, name, AT, text)
    found = tag.TEXT.match(raw)
    seen = tag.BYTES.match(raw.encode().partition(b"\n")[0])
    assert found and seen and found.groups() == (kind, name, AT) == tuple(one.decode() for one in seen.groups())
    assert tag.words(raw) == text.replace("\r\n", "\n") + "\n"
    assert len(tag.TEXT.findall(raw)) == 1  # whatever the text is


def test_a_piece_of_a_message_without_its_tag_is_only_unindented() -> None:
    assert tag.words("  two\n    three\nfour\n") == "two\n  three\nfour\n"
    assert tag.words("[USER:ana today] hello\n") == "[USER:ana today] hello\n"


@given(TEXTS)
def test_unindent_undoes_indent(text: str) -> None:
    assert escape.unindent(escape.indent(text)) == text


@pytest.mark.parametrize("written", [f"[AGENT:9f8e7d6c5b4a {AT}] ", "\n [USER:ana 2026-11-21] ", "[AGENT:me T]"])
def test_a_tag_that_a_model_wrote_goes(written: str) -> None:
    assert tag.remove_imitated(f"{written}Good morning.") == "Good morning."
    assert tag.remove_imitated(f"I say {written}") == f"I say {written}"


def test_names_are_of_one_form() -> None:
    assert names.ROOM.fullmatch("dev-2") and not names.ROOM.fullmatch("Dev") and not names.ROOM.fullmatch("-dev")
    assert names.PERSON.fullmatch(names.bridged("discord", "ana")) and not names.PERSON.fullmatch("ana b")
    assert (
        names.without_bridge("discord/ana") == "ana" and names.is_bridged("discord/ana") and not names.is_bridged("ana")
    )
    good, bad = ("group", "private", "private discord/ana"), ("private ", "groups", "private ana bob")
    assert all(names.AUDIENCE.fullmatch(one) for one in good) and not any(map(names.AUDIENCE.fullmatch, bad))

"""The texts of a context: which of them have how many of a line's words."""

from __future__ import annotations

from dotagent.life.sources import SourcedText, Texts
from dotagent.text.telling_words import telling

TEXTS = ("The office moved to Harbour Street.", "We drink tea in the harbours.", "Nothing of that.")


def test_each_text_with_a_telling_word_is_found_with_its_share() -> None:
    texts = Texts(SourcedText("eve", text) for text in TEXTS)
    own = telling("the harbour office")
    assert texts.shares(own) == {0: 1.0, 1: 0.5}
    assert texts.covered(own, {1}) == 0.5 and texts.covered(own, {0, 1}) == 1.0 and texts.covered((), {0}) == 0.0

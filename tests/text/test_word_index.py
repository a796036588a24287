"""The index of telling words: which texts have how many of them, whatever their forms."""

from __future__ import annotations

from dotagent.text import word_index
from dotagent.text.word_index import WordIndex, telling

TEXTS = ("The office moved to Harbour Street.", "We drink tea in the harbours.", "Nothing of that.")


def test_each_text_with_a_telling_word_is_found_with_its_share() -> None:
    index = WordIndex()
    for text in TEXTS:
        index.index(text)
    own = telling("the harbour office")
    assert index.shares(own) == {0: 1.0, 1: 0.5}
    assert index.covered(own, {1}) == 0.5 and index.covered(own, {0, 1}) == 1.0 and index.covered((), {0}) == 0.0


def test_two_sentences_that_follow_each_other_count_together() -> None:
    own, text = telling("the harbour office opens"), "The office. It opens. Many words. The harbour."
    assert max(word_index.share(own, part) for part in word_index.passages(text)) == 2 / 3
    assert word_index.share(own, word_index.keys(text)) == 1.0

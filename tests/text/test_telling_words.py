"""The telling words of texts, whatever their forms."""

from __future__ import annotations

from dotagent.text import telling_words
from dotagent.text.telling_words import telling


def test_two_sentences_that_follow_each_other_count_together() -> None:
    own, text = telling("the harbour office opens"), "The office. It opens. Many words. The harbour."
    assert max(telling_words.share(own, part) for part in telling_words.passages(text)) == 2 / 3
    assert telling_words.share(own, telling_words.keys(text)) == 1.0

"""Find names that a model can know only from the example in its prompt: a small model mistakes the example for real
events.

The model's request contains the example conversation. A name from it that the agent never read elsewhere is borrowed.
Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import persona
from dotagent.life.context import SHOWN
from dotagent.life.event import parse
from dotagent.life.events import Document
from dotagent.life.origins import WORDS
from dotagent.life.session import Session
from dotagent.store import lineage
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import Part
from dotagent.text import lexicon, words

ONLY = "only in the example of your prompt"
"""Part of the message about a borrowed name: an entry with this text does not show that the name is known."""
_HEAD = re.compile(  # the room and the speaker of a message in an example
    r"#0\d+ (?:\S* ?\d{4}-\d\d-\d\d )?(?:\d\d:\d\d )?[a-z0-9][a-z0-9_-]* ([^\W\d_]+): "
)
_EXAMPLE = re.compile(r"#0\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_BEFORE = " \t\"'“‘„«([*_`"  # characters between the end of a sentence and the next word
_ENDS = ".!?…:\n>-•"
_PLAIN = frozenset(map(words.stem, (*words.STOP, *lexicon.DAYS.split(), *lexicon.MONTHS.split())))


def names(session: Session, text: str) -> list[str]:
    """Return the borrowed names in a text that the model's last reply asks to keep."""
    if not any(_names(text, persona.example_life(session.store, session.state, "\n".join(extensions.tools().forms)))):
        return []  # usually, and then the request, which has the whole context, is not read
    shown, own = _split_examples(_parts(session))
    found = list(dict.fromkeys(_names(text, shown)))
    for heard in ((session.owner, *own), _texts_read(session)):
        for one in heard:
            if not found:
                return []
            if ONLY not in one:
                known = set(map(_form, _WORD.findall(one)))
                found = [name for name in found if _form(name) not in known]
    return found


def _split_examples(parts: Iterable[Part]) -> tuple[list[Part], list[str]]:
    """Return the examples in these parts of a prompt, and the other texts without the model's own."""
    shown, own, example = list[Part](), list[str](), False
    for part in parts:
        if part.role != "assistant":
            example = part.role == "user" and bool(_EXAMPLE.match(part.text))
        if example:
            shown.append(part)
        elif part.role != "assistant":
            own.append(part.text)
    return shown, own


def _parts(session: Session) -> Sequence[Part]:
    """Return the parts of the request of the last reply, or none if it is lost."""
    try:
        return Rebuilder(session.store).request(session.store.get(session.state.turn.reply).parent).parts
    except (Trouble, BlobMissing, BlobCorrupt):
        return ()


def _names(text: str, shown: Iterable[Part]) -> Iterator[str]:
    """Return the words of a text that are names in these examples.

    A name has a capital within a sentence, in the example or in the text. Speakers count as names in any spelling.
    """
    speakers, within, anywhere = set[str](), set[str](), set[str]()
    for part in shown:
        head = _HEAD.match(part.text)
        speakers |= {_form(head[1])} if head else set()
        said = part.text[head.end() :] if head else part.text
        for word, inner in _words(said):
            anywhere.add(_form(word))
            if inner and word[0].isupper():
                within.add(_form(word))
    for word, inner in _words(text):
        form = _form(word)
        capital = word[0].isupper() and (form in within or (inner and form in anywhere))
        if form not in _PLAIN and (form in speakers or capital):
            yield word


def _form(word: str) -> str:
    """Return the form of a word for comparing: "Fridays" becomes "friday"."""
    return words.stem(word.casefold())


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Return the words of a text. The flag of each is True if the word is within a sentence and not its first."""
    for found in _WORD.finditer(text):
        before = text[: found.start()].rstrip(_BEFORE)
        yield found[0], bool(before) and before[-1] not in _ENDS


def _texts_read(session: Session) -> Iterator[str]:
    """Return every text that the agent ever read, including faded ones. This is slow, and needed only for a doubtful
    name."""
    for line in lineage.picked(session.store, session.path, WORDS):
        event = parse(line) if line.id else None
        if event and not (isinstance(event, Document) and event.name in SHOWN):
            try:
                yield session.store.get(line.id).body.decode("utf-8", "replace")
            except (BlobMissing, BlobCorrupt):
                continue

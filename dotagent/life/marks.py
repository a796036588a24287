"""The marks of lines that an agent writes down: whose words a line rests on.

`[from notes/mail.txt]` before a line means that the agent read the words there, and that its person did not say them. A
line without a mark has the person's own words. When the agent writes the line, the code compares its words with the
entries in the context to find the mark, so a model can neither forget nor forge it. A line of others gets no mark only
if the person answered yes to the call. Owns nothing on disk.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import origins, sources
from dotagent.life.context import Entry
from dotagent.life.events import Hear
from dotagent.life.facts import ADDED
from dotagent.life.session import Session
from dotagent.life.sources import SOME, Context, SourcedText, Texts
from dotagent.text import escape, lazy, speakers, standing_instructions, truth_questions, words
from dotagent.text.lazy import replace
from dotagent.text.source_marks import FENCE, LINE, LONGEST, list_marked, source_of, split, without
from dotagent.text.telling_words import telling

OWN, HALF = 0.8, 0.5
"""The share of a line's telling words that the person's words must contain: for the line to be the person's own, and
for the same in a turn without others' words."""
LEAST = 3  # telling words that an old line must have, so that its source is certain
MANY = 3  # sources that a mark names
NOTHING = Texts()  # no text from before a turn
LATELY = 40  # the newest entries that are searched for the question that a line answers
KEPT_OUT = (
    "nothing was written: this may rest on {}, which my owner's settings (admission) keep out of all that lasts: {}"
)
_NUMBER = lazy.compile(r"(?!(?:19|20)\d\d$)\w*\d{3}\w*")  # it names one thing, such as an account, and not a year


def mark(session: Session, text: str, before: str = "", *, yaml: bool = False) -> str:
    """Return the text with a mark before each new line that rests on words of others. The lines of `before` do not
    change, and a line that was made from a marked line of `before` keeps the mark. Raises Trouble for a line that
    settings keep out."""
    known, old = set(before.split("\n")), [SourcedText(name, row) for name, row in list_marked(before)]
    state, begin = session.state, session.state.turn.message or sources.NEVER
    foreign = bool(old or (origins.foreign(state.heard.origins) and not state.turn.instead))  # not of a second look
    lately = (sources.content(one) for one in session.entries[-LATELY:] if one.event == Hear.WORD)
    if not (foreign or session.settings.admission or any(map(truth_questions.QUESTION.search, lately))):
        return text
    context, rows = sources.of_session(session), list[str]()
    context = context.with_texts(old) if old else context
    for head, said, row in split(text, yaml=yaml):
        plain, said = head + said == row, without(said)
        bare = ADDED.sub("", said)
        every, own = frozenset(words.stems(bare)), telling(bare) - context.names
        if every and not (row in known or FENCE.fullmatch(row)):
            found = _find_sources(own or every, context, begin)
            if not own and not any(one.number >= begin for one in found):  # common words and names can be anybody's
                found = ()
            if not foreign:
                found = [one for one in found if one.kept_out or one.is_question]
            if any(one.kept_out for one in found):
                raise Trouble(KEPT_OUT.format(_format_mark(found)[6:-2], escape.one_line(said, LONGEST)))
            row = f"{head}{_format_mark(found)}{said}" if found or plain else row
        rows.append(row)
    return "\n".join(rows)


def find_unmarked(context: Context, text: str, *, yaml: bool) -> Iterator[tuple[int, str]]:
    """Yield the number, from 0, and the marked form of each line of the text that has words of others and no mark,
    because an earlier version wrote it. The context has all entries since the agent's creation."""
    for number, (head, said, _) in enumerate(split(text, yaml=yaml)):
        own = telling(ADDED.sub("", said)) - context.names
        if len(own) < LEAST or head.startswith("#") or source_of(f"{head}{said}") or context.nearest(own)[0] < OWN:
            continue
        if found := _find_sources(own, context):
            yield number, f"{head}{_format_mark(found)}{without(said)}"


def mark_summary(session: Session, members: Sequence[Entry], text: str) -> str:
    """Return the text of a summary of these entries with a mark before each sentence that rests on words of others,
    without sentences that settings keep out. The label of a person stays only before that person's own words."""
    context = Context(members, session.state, session.owner, session.id, session.settings.admission)
    context.add_imported(session)
    if not any(one.is_others for one in context.all):
        return text
    spoken = [pair for one in members
              for pair in speakers.words(one.event, one.detail, sources.content(one), extensions.tools())]  # fmt: skip
    context.add([SourcedText(sources.AGENT, "\n".join(said for who, said in spoken if who == speakers.ME))])
    asked, foreign = copy.copy(context), origins.foreign(session.state.heard.origins)
    asked.all = [replace(one, name="") if one.is_question else one for one in context.all]
    last, told, rows = "", set[str](), list[str]()
    for row in text.split("\n"):
        head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
        label, last = "", last if last.startswith("[") else "\n"
        for sentence in map(without, standing_instructions.sentences(said)):
            who, sentence = speakers.split_label(sentence)
            label = who or label
            known = asked if standing_instructions.asks(sentence) else context  # a question names who asked it
            found = _find_summarised(telling(sentence) - context.names, known)
            found = [one for one in found if foreign or one.kept_out or one.is_question]
            if any(one.kept_out for one in found):
                continue
            begin = f"{label}: " if label else ""
            if found and [one.name for one in found] != [label]:
                begin = _format_mark(found) + (begin if label == speakers.ME else "")
            if begin + sentence in told:
                continue
            told.add(begin + sentence)
            if last == begin and (not who or begin.startswith("[")):
                rows[-1] += f" {sentence}"
            else:
                rows.append(f"{head}{begin}{sentence}")
            last = begin
    return "\n".join(rows)


def mark_repeated(said: str, strange: Texts, earlier: Texts = NOTHING) -> str:
    """Return an answer of the agent with a mark if it repeats one of these texts. `earlier` texts are from before its
    turn, so it must contain nearly only their words."""
    own = telling(said)
    most, first = strange.nearest(own)
    if most < SOME and len(own) >= LEAST:
        most, first = earlier.nearest(own)
        first = first if most >= OWN else None
    return f"{_format_mark([first])}{said}" if first and most >= SOME else said


def _find_sources(own: frozenset[str], texts: Texts, begin: int = sources.NEVER) -> Sequence[SourcedText]:
    """Return the sources of a line with these telling words, none if it is the person's own. The present turn begins
    with the entry of this number."""
    shares = {at: share for at, share in texts.shares(own).items() if not texts.all[at].name}
    mine = max([texts.covered(own, {at for at in shares if texts.all[at].number >= begin}), *shares.values()])
    most, first = texts.nearest(own)
    theirs = most > mine or mine < OWN or (most == mine and len(own) > 1)  # one word can be anybody's
    if first and most >= SOME and theirs:
        return [first]
    strange = (one for one in reversed(texts.all) if one.is_others and not one.is_question)
    here = [one for one in strange if one.number >= begin]
    if mine >= (OWN if here else HALF):
        return _find_added(own, texts)
    return here or [one for one in texts.all if one.kept_out] or [SourcedText(sources.OTHERS, "")]


def _find_summarised(own: frozenset[str], texts: Texts) -> Sequence[SourcedText]:
    """Return the sources of a summary's sentence, none if the person or the agent said it: a paraphrase, so more of the
    person's words than of others' are enough."""
    shares = {at: share for at, share in texts.shares(own).items() if not texts.all[at].name}
    most, first = texts.nearest(own)
    if first and most >= SOME and most > max(shares.values(), default=0.0):
        return [first]
    if max(texts.covered(own, shares), texts.covered(own, {len(texts.all) - 1})) >= most:  # the last has the replies
        return _find_added(own, texts)
    return [one for one in reversed(texts.all) if one.is_others and not one.is_question]


def _find_added(own: frozenset[str], texts: Texts) -> list[SourcedText]:
    """Return the source of what a line adds to the person's own words, or nothing: some words, or a number, that one
    text of others has and no text of the person."""
    shares = {at: share for at, share in texts.shares(own).items() if not texts.all[at].is_others}
    nearest = {max(shares, key=shares.__getitem__)} if shares else set()
    added = frozenset(one for one in own if not texts.covered([one], nearest))
    numbers = frozenset(one for one in added if _NUMBER.fullmatch(one))
    added = numbers or (added if len(added) > 1 else frozenset())
    most, first = texts.nearest(added)
    known = (share for at, share in texts.shares(added).items() if not texts.all[at].is_others)
    return [first] if first and most >= OWN and all(share < most for share in known) else []


def _format_mark(found: Iterable[SourcedText]) -> str:
    """Return the mark of a line with these sources, or "" without any."""
    names = list(dict.fromkeys(one.name for one in found))[:MANY]
    return f"[from {', '.join(names)}] " if names else ""

"""The marks of lines that an agent writes down: whose words a line rests on.

`[from notes/mail.txt]` before a line means that the agent read the words there, and that its person did not say them. A
line without a mark has the person's own words. When the agent writes the line, the code compares its words with the
entries in the context to find the mark, so a model can neither forget nor forge it. A line of others gets no mark only
if the person answered yes to the call. Owns nothing on disk.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from urllib.parse import urlsplit

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.context import Entry
from dotagent.life.events import Ended, Faded, Faint, Hear, Join, Recent, Reply, Result, Returned, Wishes, parse
from dotagent.life.facts import ADDED
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import bootstrap
from dotagent.text import escape, grammar, lazy, lexicon, reasoning, speakers, standing_instructions, words
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short
from dotagent.text.source_marks import KEY, LINE, MARK, list_marked, names_source, source_of, without

OTHERS = "what others said"  # the name of a source that is not known
ASKED = "a question of "  # before the name of the person who asks whether something is true
IMPORT = "import"  # the name of the source of all lines that came from another program
OWN, SOME, HALF = 0.8, 0.4, 0.5
"""The share of a line's telling words (words that are not common) that a text must contain: for the line to be the
person's own, for the text to be its source, and for the line to be the person's own in a turn without others' words."""
LEAST = 3  # telling words that an old line must have, so that its source is certain
YAML = (".yaml", ".yml")
MANY = 3  # sources that a mark names
LATELY = 40  # the newest entries that are searched for the question that a line answers
LONGEST = 40  # characters of a source's name
KEPT_OUT = (
    "nothing was written: this may rest on {}, which my owner's settings (admission) keep out of all that lasts: {}"
)
_FENCE = lazy.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+#.-]*\s*")  # a mark before it would open or close no block
_FOUND = lazy.compile(r"\S+  [\d: T-]+Z?  ([^:]{1,80}?)(?: in \S+)?: (.*)")  # a line of a search's result
_VALUE = lazy.compile(rf"(\s*(?:- )?{KEY})([^\s#].*[^:]|[^\s#:])")  # a line of YAML
_ODD = re.compile(r"[^\w./:@%+=,-]+")
_NUMBER = lazy.compile(r"(?!(?:19|20)\d\d$)\w*\d{3}\w*")  # it names one thing, such as an account, and is no year
_LETTER = lazy.compile(r"[^\W_]")
_HOST = lazy.compile(r"https?://([\w.:-]+)")
_SENTENCE = lazy.compile(r"(?<=[.!?。！？])\s*|\n")
_ASKS = r"did|has|have|had|does|is|are|was|were|ist|sind|war(?:en)?|hat(?:te)?|haben|wurden?|est-ce que"
_US = (
    r"I|me|my|we|us|our|you|your|ich|mi[rc]h?|mein\w*|wir|uns|unser\w*|di[rc]h?|dein\w*|Sie|Ihnen"
    r"|je|j['’]|mo[ni]|nous|notre|tu|vous"
)
_DOUBT = lazy.compile(
    r"\b(?:is|was) it true\b|\bist es wahr\b|\bstimmt(?: es)?,? dass\b|\best-ce vrai\b|\bc['’]est vrai\b"
    r"|\bes (?:verdad|cierto)\b|\bè vero\b|\bé verdade\b|\bправда ли\b|是真的|是不是真|本当(?:に|です)|정말"
    rf"|(?:^|(?<=[.!?:\]]) ?)(?:{_ASKS})\s(?![^?\n]{{0,200}}\b(?:{_US})\b)[^?\n]{{0,200}}\?"
    r"|^[^我你您咱\n]{0,80}[吗嗎][？?]",
    re.IGNORECASE | re.MULTILINE,
)
_DERIVED = origins.OF_FILES | {one.WORD for one in (Faded, Faint, Recent, Wishes)}
_COMMON = frozenset(map(words.stem, lexicon.OTHERS.split()))


@dataclass(frozen=True)
class _Source:
    """A text in the context: its speaker ("" for the person), whether it belongs to the present turn, and whether
    settings keep it out of everything that lasts."""

    name: str
    text: str
    now: bool
    kept_out: bool = False

    @property
    def is_question(self) -> bool:
        """Return True for what a person asked to be true."""
        return self.name.startswith(ASKED)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of its telling words."""
        return frozenset(_stems(self.text))

    @cached_property
    def passages(self) -> list[frozenset[str]]:
        """Return the telling words of each two sentences that follow each other."""
        rows = [frozenset(_stems(one)) for one in _SENTENCE.split(self.text) if one.strip()]
        return [one | two for one, two in zip(rows, [*rows[1:], frozenset[str]()], strict=True)]


def mark(session: Session, text: str, before: str = "", *, yaml: bool = False) -> str:
    """Return the text with a mark before each new line that rests on words of others. The lines of `before` do not
    change, and a line that was made from a marked line of `before` keeps the mark. Raises Trouble for a line that
    settings keep out."""
    known, old = set(before.split("\n")), [_Source(name, row, False) for name, row in list_marked(before)]
    rules, state = session.settings.admission, session.state
    foreign = bool(old or (origins.foreign(state.heard.origins) and not state.turn.instead))  # a second look has none
    lately = (_text(one) for one in session.entries[-LATELY:] if one.event == Hear.WORD)
    if not (foreign or rules or any(map(_DOUBT.search, lately))):
        return text
    sources, names = list[_Source](), _names(session.entries, session.owner)
    rows = list[str]()
    for head, said, row in _split(text, yaml=yaml):
        plain = head + said == row
        said = without(said)
        every = frozenset(words.stems(ADDED.sub("", said)))
        telling = every - _COMMON - names
        if every and not (row in known or _FENCE.fullmatch(row)):
            sources = sources or [*_sources(session.entries, state, session.owner, session.id, rules), *old]
            found = _find_sources(telling or every, sources)
            if not telling and not any(one.now for one in found):  # common words and names can be anybody's
                found = ()
            if not foreign:
                found = [one for one in found if one.kept_out or one.is_question]
            if any(one.kept_out for one in found):
                raise Trouble(KEPT_OUT.format(_format_mark(found)[6:-2], escape.one_line(said, LONGEST)))
            row = f"{head}{_format_mark(found)}{said}" if found or plain else row
        rows.append(row)
    return "\n".join(rows)


def _split(text: str, *, yaml: bool) -> Iterator[tuple[str, str, str]]:
    """Yield each line's part before a mark's place, the rest, and the line. In YAML, also at the beginning of a
    Markdown file, a mark's place is inside the quoted value."""
    head_end = found[0].count("\n") if (found := re.match(r"---\n(?:.*\n)*?---\n", text)) else 0
    for number, row in enumerate(text.split("\n")):
        if not (yaml or number < head_end) or source_of(row):
            head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
            yield head, said, row
        elif (value := _VALUE.fullmatch(row)) and not row.startswith("name:"):  # a skill's name must fit its folder
            said = value[2].strip("\"'").replace("\\", "\\\\").replace('"', '\\"')
            yield f'{value[1]}"', f'{said}"', row
        else:
            yield row, "", row


def mark_all(text: str, name: str, *, titles: bool = False, yaml: bool = False) -> str:
    """Return a text from outside with the mark of its source before each line that has words. With `titles`, headings
    get a mark, too."""
    rows = list[str]()
    for head, said, row in _split(text, yaml=yaml):
        bare = not _LETTER.search(said) or (head.startswith("#") and not titles) or row.startswith("---")
        bare = bare or _FENCE.fullmatch(row) is not None
        rows.append(row if bare else f"{head}[from {name}] {without(said)}")
    return "\n".join(rows)


def find_unmarked(
    texts: Iterable[tuple[str, str]], entries: Sequence[Entry], state: State, owner: str, self_id: str
) -> Iterator[tuple[str, int, str]]:
    """Yield the name of the text, the number, from 0, and the marked form of each line that has words of others and no
    mark, because an earlier version wrote it. `entries` are all entries since the agent's creation."""
    names, sources = _names(entries, owner), list(_sources(entries, state, owner, self_id))
    strange = [one for one in sources if one.name]
    for name, text in texts:
        for number, (head, said, _) in enumerate(_split(text, yaml=name.endswith(YAML))):
            telling = frozenset(_stems(ADDED.sub("", said))) - names
            if len(telling) < LEAST or head.startswith("#") or source_of(f"{head}{said}"):
                continue
            if _find_nearest(telling, strange)[0] >= OWN and (found := _find_sources(telling, sources)):
                yield name, number, f"{head}{_format_mark(found)}{without(said)}"


def mark_summary(session: Session, members: Sequence[Entry], text: str) -> str:
    """Return the text of a summary of these entries with a mark before each sentence that rests on words of others,
    without sentences that settings keep out. The label of a person stays only before that person's own words."""
    sources = list(_sources(members, session.state, session.owner, session.id, session.settings.admission))
    if not origins.foreign(session.state.heard.origins):
        sources = [one if one.kept_out or one.is_question else replace(one, name="") for one in sources]
    if not any(one.name for one in sources):
        return text
    asked = [replace(one, name="") if one.is_question else one for one in sources]
    replies, names, rows = _replies(members), _names(members, session.owner), list[str]()
    last, told = "", set[str]()
    for row in text.split("\n"):
        head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
        label, last = "", last if last.startswith("[") else "\n"
        for sentence in map(without, standing_instructions.sentences(said)):
            if who := speakers.label(sentence):
                label, sentence = who, speakers.unlabelled(sentence)
            texts = asked if standing_instructions.asks(sentence) else sources  # a question names who asked it
            found = _find_summarised(frozenset(_stems(sentence)) - names, texts, replies)
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


def mark_repeated(said: str, strange: Iterable[tuple[str, str]], earlier: Iterable[tuple[str, str]] = ()) -> str:
    """Return an answer of the agent with a mark if it repeats one of these texts, (name of the source, text). `earlier`
    texts are from before its turn, so it must contain nearly only their words."""
    telling = frozenset(_stems(said))
    most, first = _find_nearest(telling, itertools.starmap(_repeatable, strange))
    if most < SOME and len(telling) >= LEAST:
        most, first = _find_nearest(telling, itertools.starmap(_repeatable, earlier))
        first = first if most >= OWN else None
    return f"{_format_mark([first])}{said}" if first and telling and most >= SOME else said


@lru_cache(256)
def _repeatable(name: str, text: str) -> _Source:
    return _Source(_named(name), text, True)


def tool_source(tool: str, reply: str, number: int) -> str:
    """Return the name of the source of a tool's result: the file, the host, or the tool with its arguments. It is the
    result of the tool's call in the reply with this number, from 0."""
    calls = [one.args for one in grammar.read(reasoning.strip(reply), extensions.tools()).calls if one.name == tool]
    said = calls[min(number, len(calls) - 1)].strip() if calls else ""
    plain = escape.one_line(_ODD.sub(" ", said), LONGEST).strip()
    if said.startswith(("http://", "https://")) and (host := urlsplit(said.split(" ")[0]).netloc):
        return host[:LONGEST]
    is_file = origins.tool_origin(tool) == "file" and ("/" in plain or "." in plain)
    return plain if is_file else f"{tool} {plain}".strip()


def _text(entry: Entry) -> str:
    return (entry.content or b"").decode("utf-8", "replace")


def _replies(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the telling words of what the agent itself said in these entries."""
    pairs = (pair for one in entries for pair in speakers.words(one.event, one.detail, _text(one), extensions.tools()))
    return frozenset(word for who, said in pairs if who == speakers.ME for word in _stems(said))


def _find_sources(telling: frozenset[str], sources: Sequence[_Source]) -> Sequence[_Source]:
    """Return the sources of a line with these telling words, none if it is the person's own."""
    said, strange = [one for one in sources if not one.name], [one for one in sources if one.name]
    turn = frozenset[str]().union(*(one.words for one in said if one.now))
    mine = max(_share(telling, one) for one in (turn, *(one.words for one in said)))
    most, first = _find_nearest(telling, strange)
    here = [one for one in reversed(strange) if one.now and not one.is_question]
    if first and most >= SOME and (most >= mine or mine < OWN):
        return [first]
    if mine >= (OWN if here else HALF):
        return _find_added(telling, [one.words for one in said], strange)
    return here or [one for one in sources if one.kept_out] or [_Source(OTHERS, "", False)]


def _find_summarised(telling: frozenset[str], sources: Sequence[_Source], replies: frozenset[str]) -> Sequence[_Source]:
    """Return the sources of a summary's sentence, none if the person or the agent said it: a paraphrase, so more of the
    person's words than of others' are enough."""
    own, strange = [one.words for one in sources if not one.name], [one for one in sources if one.name]
    mine = max((_share(telling, one) for one in own), default=0.0)
    most, first = _find_nearest(telling, strange)
    if first and most >= SOME and most > mine:
        return [first]
    known = max(mine, _share(telling, frozenset[str]().union(*own)), _share(telling, replies))
    if known >= most:
        return _find_added(telling, [*own, replies], strange)
    return [one for one in reversed(strange) if not one.is_question]


def _find_added(telling: frozenset[str], own: Sequence[frozenset[str]], strange: Sequence[_Source]) -> list[_Source]:
    """Return the source of what a line adds to the person's own words, or nothing: some words, or a number, that one
    text of others has and no text of the person."""
    nearest = max(own, key=lambda said: _share(telling, said), default=frozenset[str]())
    added = frozenset(one for one in telling if not _share(frozenset([one]), nearest))
    numbers = frozenset(one for one in added if _NUMBER.fullmatch(one))
    added = numbers or (added if len(added) > 1 else frozenset())
    most, first = _find_nearest(added, strange)
    return [first] if first and most >= OWN and all(_share(added, said) < most for said in own) else []


def _find_nearest(telling: frozenset[str], strange: Iterable[_Source]) -> tuple[float, _Source | None]:
    """Return the text with most of the telling words near each other, and their share. The newest counts if equal, and
    a question last."""
    shares = [(_best(telling, one), -1 if one.is_question else at, one) for at, one in enumerate(strange)]
    most, _, first = max(shares, key=lambda one: one[:2], default=(0.0, 0, None))
    host = _host(telling, first) if first else ""
    return most, replace(first, name=host) if first and host else first


def _format_mark(found: Iterable[_Source]) -> str:
    """Return the mark of a line with these sources, or "" without any."""
    names = list(dict.fromkeys(one.name for one in found))[:MANY]
    return f"[from {', '.join(names)}] " if names else ""


def _stems(text: str) -> Iterator[str]:
    return (one for one in words.stems(text) if one not in _COMMON)


def _share(telling: frozenset[str], said: frozenset[str]) -> float:
    """Return the share of the telling words that `said` contains. Another form of the same word counts, too."""
    begun = _begin(said)
    found = sum(one in said or (_root(one) < len(one) and one[: _root(one)] in begun) for one in telling)
    return found / max(1, len(telling))


@lru_cache(1024)
def _begin(said: frozenset[str]) -> frozenset[str]:
    return frozenset(one[: _root(one)] for one in said)


def _root(word: str) -> int:
    """Return how many first letters two forms of this word share."""
    return 5 if len(word) > 6 and word.isalpha() else 4 if len(word) > 4 and word.isalpha() else len(word)


def _best(telling: frozenset[str], one: _Source) -> float:
    """Return the largest share of the telling words in two sentences of a text that follow each other."""
    near = _share(telling, one.words) >= SOME
    return max((_share(telling, part) for part in one.passages), default=0.0) if near else 0.0


def _names(entries: Iterable[Entry], owner: str) -> frozenset[str]:
    """Return the names of people in the rooms: a name does not show where a line comes from."""
    heard = {entry.line.detail.rpartition(":")[2] for entry in entries if entry.event == Hear.WORD}
    return frozenset(word for name in (*heard, owner) for word in words.stems(name))


def _sources(
    entries: Iterable[Entry], state: State, owner: str, self_id: str, rules: Mapping[str, Sequence[str]] = {}
) -> Iterator[_Source]:
    """Yield the texts of these entries, each with its speaker. `rules` are those of the setting `admission`."""
    turn, reply, results = state.turn, "", list[str]()
    mine = owner if bootstrap.kind(state.audience) != "private" else ""  # the person; "": all people
    for entry in entries:
        event, text = parse(entry.line), _text(entry)
        now = entry.number >= turn.message > 0
        kinds = origins.foreign(origins.find_origins(event, state)) if event else ()
        found: Iterable[_Source] = ()
        if isinstance(event, Reply):
            reply, results = text, []
        elif isinstance(event, Hear | Join):
            own = origins.is_persons(event, state.audience) if isinstance(event, Hear) else not mine
            told = speakers.messages(entry.event, text, owner)
            found = [part for one in told if one.name != short(self_id) for part in
                     _parts("" if own and one.person else _named(one.name), one.name, one.text, now)]  # fmt: skip
        elif entry.event in _DERIVED:
            found = _derived(entry.event, text, mine)
        elif isinstance(event, Result):
            name = tool_source(event.tool, reply, results.count(event.tool)) if kinds else ""
            results.append(event.tool)
            found = [_Source(name, text, now)] if kinds else _derived(entry.event, text, mine)
        elif kinds:
            found = [_Source({Returned.WORD: "a helper", Ended.WORD: "a command"}.get(entry.event, OTHERS), text, now)]
        room = str(getattr(event, "room", ""))
        yield from ((_keep_out(one, room, kinds, rules) for one in found) if rules else found)


def _parts(name: str, who: str, text: str, now: bool) -> Iterator[_Source]:
    """Yield a message as a text of its person or of a stranger. The person states nothing by a question."""
    sentences = list(standing_instructions.sentences(text)) if not name and _DOUBT.search(text) else []
    asked = [said for said in sentences if standing_instructions.asks(said) and _DOUBT.search(said)]
    if asked:
        yield _Source(f"{ASKED}{_named(who)}", "\n".join(asked), now)
    yield _Source(name, "\n".join(said for said in sentences if said not in asked) if asked else text, now)


def _keep_out(one: _Source, room: str, kinds: Sequence[str], rules: Mapping[str, Sequence[str]]) -> _Source:
    """Return the text, marked as kept out if the settings name its room, its sender, or the kind or the name of its
    source."""
    named = [*rules.get("senders", ()), *rules.get("sources", ())] if one.name else []
    out = room in rules.get("rooms", ()) or any(word in kinds or names_source(one.name, word) for word in named)
    return replace(one, name=one.name or f"the room {room}", kept_out=True) if out else one


def _derived(event: str, text: str, mine: str) -> Iterator[_Source]:
    """Yield the lines of an entry that repeats other texts: summaries, notes, documents and results of searches. A line
    of a summary or a search counts only if it names the speaker of its words."""
    for row in text.split("\n"):
        if found := MARK.search(row):  # a reminder's entry begins with words of dotagent
            yield _Source(found[1], without(row[found.start() :]), False)
        elif event == Faded.WORD:
            yield from _told(speakers.label(row.strip()), speakers.unlabelled(row.strip()), mine)
        elif event not in (Faint.WORD, Recent.WORD, Result.WORD):
            yield _Source("", row, False)
        elif found := _FOUND.match(row):
            yield from _told(found[1], found[2], mine)


def _told(who: str, said: str, mine: str) -> Iterator[_Source]:
    """Yield what a speaker of a summary or a search said, unless it is the agent."""
    if who not in ("", speakers.ME, "me"):
        person = who == mine or (not mine and " " not in who and who not in ("tool", "helper"))
        name = who.split(" ")[1] if who.startswith("TOOL ") else who
        yield from _parts("" if person else _named(name), who, said, False)


def _named(who: str) -> str:
    """Return the name of a speaker for a mark."""
    person = who.removesuffix(speakers.PASSED)
    name = escape.one_line(_ODD.sub(" ", person), LONGEST).strip() or "somebody"
    return f"what {name} passed on" if person != who else name


def _host(telling: frozenset[str], one: _Source) -> str:
    """Return the host whose part of a list of pages has most of the words, or ""."""
    tool = one.name.partition(" ")[0]
    if tool not in extensions.tools().forms or origins.tool_origin(tool) != "web":
        return ""
    found = [(_share(telling, frozenset(_stems(part))), at, host[1])
             for at, part in enumerate(re.split(r"\n\s*\n", one.text)) if (host := _HOST.search(part))]  # fmt: skip
    return max(found)[2][:LONGEST] if found else ""

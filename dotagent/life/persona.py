"""Who a life is, as its prompts show it: SOUL in the version that its person wrote last, then its bootstrap files.

Each file has a part of its own, cut to its share; one that nobody has filled in has none. All of it is derived from
the versions that LIFE names, so that a prompt is the same bytes until one of them changes. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import example, prompt, replay
from dotagent.life.context import EXAMPLE
from dotagent.life.state import State
from dotagent.store import bootstrap
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.bootstrap import EVIL, SOUL
from dotagent.store.home import Home, Settings
from dotagent.store.requests import Part
from dotagent.text.grammar import Toolset
from dotagent.text.reference import short

EXTRA, HERE = "system_prompt_extra", "here"  # documents that are no files: a setting, and where the life runs
HEAD = frozenset((SOUL, *bootstrap.PROMPT, EXTRA, HERE))
"""The documents of which the newest version stands in the prompt's head."""
NOTES = "MEMORY.md is your notes, always in front of you; "
FIRST, LAST = 0.7, 0.2  # of its share: what is shown of a file that is too long


def soul(store: Blobs, self_id: str, state: State) -> str:
    """The SOUL in force: the newest version that was heard, else that of the birth. Raises BlobMissing, BlobCorrupt."""
    id = state.heard.documents.get(SOUL)
    try:
        return store.get(id).body.decode("utf-8", "replace") if id else replay.soul(store, self_id)[1]
    except (BlobMissing, BlobCorrupt):
        return replay.soul(store, self_id)[1]  # the first one is better than none


def in_force(store: Blobs, self_id: str, state: State) -> str:
    """The SOUL of its prompts: the alternate one while that is in force, else its own. Raises BlobMissing,
    BlobCorrupt."""
    id = state.heard.documents.get(EVIL)
    try:
        return store.get(id).body.decode("utf-8", "replace") if id else soul(store, self_id, state)
    except (BlobMissing, BlobCorrupt):
        return soul(store, self_id, state)


def texts(store: Blobs, self_id: str, state: State, settings: Settings) -> dict[str, str]:
    """SOUL and what else of its documents this life may see, by their names, in the order of the prompt."""
    hidden = bootstrap.kind(state.audience) == "group" and not settings.group_soul
    found = {SOUL: bootstrap.HIDDEN_SOUL if hidden else in_force(store, self_id, state)}
    for name in (HERE, *bootstrap.PROMPT, EXTRA):
        if name in bootstrap.PROMPT and name not in bootstrap.seen(state.audience):
            continue
        try:
            id = state.heard.documents.get(name)
            body = store.get(id).body.strip() if id else b""
        except (BlobMissing, BlobCorrupt) as lost:
            body = f"({lost})".encode()
        if body and (name not in bootstrap.PROMPT or name in bootstrap.STANDING
                     or not bootstrap.is_untouched(name, body)):  # fmt: skip
            found[name] = body.decode("utf-8", "replace")
    return found


def shares(found: Mapping[str, str], state: State, settings: Settings) -> dict[str, int]:
    """How many characters of each are shown: `bootstrap_max_chars`, and of all as many as make about a quarter of the
    context's limit as it was at the last swap, of which the short ones leave to the long ones what they do not need."""
    room = min(settings.context_limit, state.model.head or settings.context_limit)  # a token is about four characters
    left, given = len(found), dict[str, int]()
    for name in sorted(found, key=lambda one: len(found[one])):
        given[name] = min(settings.bootstrap_max_chars, max(200, room // left), len(found[name]))
        room, left = room - given[name], left - 1
    return given


def is_shorter(store: Blobs, self_id: str, states: tuple[State, State], settings: Settings) -> bool:
    """Whether less of the files is shown in the second of these states."""
    found = texts(store, self_id, states[0], settings)
    before, after = (sum(shares(found, state, settings).values()) for state in states)
    return after < before


def parts(found: Mapping[str, str], state: State, settings: Settings) -> list[Part]:
    """What of them stands in the prompt behind the harness's facts."""
    given = shares(found, state, settings)
    made = [_titled(name, cut(name, text, given[name])) for name, text in found.items() if name != SOUL]
    return [Part("system", prompt.instruction(text.encode("utf-8", "replace"))) for text in made]


def cut(name: str, text: str, most: int) -> str:
    """The text, or when it has more characters its head and its tail around a mark."""
    if len(text) <= most:
        return text
    head, tail = int(FIRST * most), int(LAST * most)
    mark = f"[… {name} has {len(text):,} characters; its first {head:,} and its last {tail:,} are shown …]"
    return f"{text[:head].rstrip()}\n\n{mark}\n\n{text[-tail:].lstrip()}"


def too_long(found: Mapping[str, str], state: State, settings: Settings) -> dict[str, str]:
    """The files of which only a part is shown, each with what is to be said of it."""
    given = shares(found, state, settings)
    return {
        name: f"{name} has {len(text):,} characters, and {given[name]:,} fit: its middle is not shown to the agent"
        for name, text in found.items()
        if len(text) > given[name]
    }


def example_life(store: Blobs, state: State, usage: str) -> list[Part]:
    """The example life of the head, without turns that call what `usage` does not tell of; none in a life that has not
    read one yet, or that lost it."""
    if EXAMPLE not in state.heard.shown:
        return []
    try:
        text = store.get(state.heard.shown[EXAMPLE]).body.decode("utf-8", "replace")
        return example.parts(text, _told(usage))
    except (BlobMissing, BlobCorrupt, Trouble):
        return []


def _told(usage: str) -> Toolset:
    """The tools that a usage tells of, and those by which a life speaks and is silent anyway."""
    known = extensions.tools()
    named = {line.split(" ")[0] for line in map(str.strip, usage.split("\n")) if line}
    forms = {name: form for name, form in known.forms.items() if name in named}
    return replace(known, forms=forms)


def _titled(name: str, text: str) -> str:
    """The text below its file's name, unless it has one, or is one line."""
    if not name.endswith(".md") or text.startswith(f"# {name.removesuffix('.md')}"):
        return text
    return f"# {name}\n\n{text}" if "\n" in text else f"{name}: {text}"


def head(home: Home, self_id: str, state: State, usage: str, settings: Settings) -> list[Part]:
    """The head of the life's prompts; `usage` tells how its tools are called."""
    found = texts(home.store(), self_id, state, settings)
    soul = cut(SOUL, found[SOUL], shares(found, state, settings)[SOUL])
    notes = "" if bootstrap.kind(state.audience) == "helper" else NOTES
    facts = {"self": short(self_id), "audience": state.audience, "tools": usage, "notes": notes}
    fixed = prompt.system(soul, state.heard.shown, facts)
    return [*fixed, *parts(found, state, settings), *example_life(home.store(), state, usage)]

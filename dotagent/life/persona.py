"""The identity of an agent as its prompts show it: the latest version of SOUL, then its bootstrap files.

Each edited file becomes a separate part, cut to its share. All of it comes from the versions in LIFE, so that a prompt
has the same bytes until a version changes. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import prompt, replay
from dotagent.life.context import EXAMPLE
from dotagent.life.state import State
from dotagent.store import bootstrap
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.bootstrap import EVIL, SOUL
from dotagent.store.home import Home, Settings
from dotagent.store.requests import Part
from dotagent.text import times
from dotagent.text.grammar import Toolset
from dotagent.text.lazy import replace
from dotagent.text.reference import short

EXTRA, HERE = "system_prompt_extra", "here"  # documents that are not files: a setting, and the machine and model
HEAD = frozenset((SOUL, *bootstrap.PROMPT, EXTRA, HERE))
"""The documents whose newest version is in the prompt's head."""
NOTES = "MEMORY.md contains your notes, which you always see. "
SOULS = 2 / 3  # share of the room of all files that SOUL may take
FIRST, LAST = 0.7, 0.2  # the shown parts of a file that is longer than its share


def soul(store: Blobs, self_id: str, state: State, *, alternate: bool = False) -> str:
    """Return the agent's own SOUL: the newest recorded version, or the one in the birth blob. With `alternate`, the
    alternate character comes first, if it is in effect. Raises BlobMissing, BlobCorrupt."""
    for name in (EVIL, SOUL) if alternate else (SOUL,):
        with suppress(BlobMissing, BlobCorrupt):  # an earlier version is better than no SOUL
            if id := state.heard.documents.get(name):
                return store.body(id).decode("utf-8", "replace")
    return replay.soul(store, self_id)[1]


def texts(store: Blobs, self_id: str, state: State, settings: Settings) -> dict[str, str]:
    """Return the texts of SOUL and the other visible documents, by name, in the order of the prompt."""
    hidden = bootstrap.kind(state.audience) == "group" and not settings.group_soul
    found = {SOUL: bootstrap.HIDDEN_SOUL if hidden else soul(store, self_id, state, alternate=True)}
    for name in (HERE, *bootstrap.PROMPT, EXTRA):
        if name in bootstrap.PROMPT and name not in bootstrap.visible_files(state.audience):
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
    """Return how many characters of each are shown: at most `bootstrap_max_chars`, and for all together about a quarter
    of the prompt that the model accepted at the last swap. SOUL comes first, and long documents get the room that short
    ones do not need."""
    room = min(settings.context_limit, state.model.head or settings.context_limit)  # a token is about four characters
    given = dict[str, int]()
    if SOUL in found:
        given[SOUL] = min(settings.bootstrap_max_chars, max(200, int(SOULS * room)), len(found[SOUL]))
        room -= given[SOUL]
    left = len(found) - len(given)
    for name in sorted(found.keys() - given, key=lambda one: len(found[one])):
        given[name] = min(settings.bootstrap_max_chars, max(200, room // left), len(found[name]))
        room, left = room - given[name], left - 1
    return given


def saved(store: Blobs, self_id: str, states: tuple[State, State], settings: Settings) -> int:
    """Return by how many characters the second state shows less of the files than the first."""
    found = texts(store, self_id, states[0], settings)
    before, after = (sum(shares(found, state, settings).values()) for state in states)
    return before - after


def cut(name: str, text: str, most: int) -> str:
    """Return the text. If it has more than `most` characters, return its head and tail around a mark."""
    if len(text) <= most:
        return text
    head, tail = int(FIRST * most), int(LAST * most)
    mark = f"[… {name} has {len(text):,} characters; its first {head:,} and its last {tail:,} are shown …]"
    return f"{text[:head].rstrip()}\n\n{mark}\n\n{text[-tail:].lstrip()}"


def too_long(found: Mapping[str, str], state: State, settings: Settings) -> dict[str, tuple[str, str]]:
    """Return the files that are shown only in part, each with the message about it and the setting to raise."""
    given, most = shares(found, state, settings), settings.bootstrap_max_chars
    return {
        name: (
            f"{name} has {len(text):,} characters, but only {given[name]:,} fit; the agent does not see the middle",
            "bootstrap_max_chars" if given[name] == most else "context_limit, if the model's window is larger",
        )
        for name, text in found.items()
        if len(text) > given[name]
    }


def example_life(store: Blobs, state: State, usage: str) -> list[Part]:
    """Return the example conversation for the head, without turns that call a tool outside `usage`. Return nothing if
    the agent has no example yet, or lost it."""
    if EXAMPLE not in state.heard.shown:
        return []
    from dotagent.life import example  # loaded with the first request

    try:
        text = store.get(state.heard.shown[EXAMPLE]).body.decode("utf-8", "replace")
        return example.parts(text, _parse_tools(usage))
    except (BlobMissing, BlobCorrupt, Trouble):
        return []


def _parse_tools(usage: str) -> Toolset:
    """Return the tools that a usage text lists, with the roles of speech and silence unchanged."""
    known = extensions.tools()
    named = {line.split(" ")[0] for line in map(str.strip, usage.split("\n")) if line}
    forms = {name: form for name, form in known.forms.items() if name in named}
    return replace(known, forms=forms)


def _titled(name: str, text: str) -> str:
    """Return the text under its file's name, unless it has a title, or on the same line if it has only one line."""
    if not name.endswith(".md") or text.startswith(f"# {name.removesuffix('.md')}"):
        return text
    return f"# {name}\n\n{text}" if "\n" in text else f"{name}: {text}"


def head(home: Home, self_id: str, state: State, usage: str, settings: Settings) -> list[Part]:
    """Return the head of the agent's prompts; `usage` explains how its tools are called."""
    found = texts(home.store(), self_id, state, settings)
    given = shares(found, state, settings)
    shown = {name: cut(name, text, given[name]) for name, text in found.items()}
    notes = "" if bootstrap.kind(state.audience) == "helper" else NOTES
    facts = {"self": short(self_id), "audience": state.audience, "tools": usage, "notes": notes, "zone": times.zone()}
    fixed = prompt.system(shown.pop(SOUL), state.heard.shown, facts)
    told = (prompt.instruction(_titled(name, text).encode("utf-8", "replace")) for name, text in shown.items())
    return [*fixed, *(Part("system", text) for text in told), *example_life(home.store(), state, usage)]

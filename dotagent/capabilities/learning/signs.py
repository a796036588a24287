"""Repetitions in a project's events, counted without a model: commands, failures, files, decisions, preferences.

A sign counts only if it was seen in more than one session, so that a tool's loop is not a habit. Messages of a room are
other people's text and do not count. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath

from dotagent.capabilities.learning import proposal
from dotagent.capabilities.learning.proposal import EVIDENCE, Proposal
from dotagent.project.episodes import Episode
from dotagent.text import passages

OFTEN, TWICE, SESSIONS = 3, 2, 2
COMMANDS = frozenset(("command", "run", "shell", "test", "build"))
FAILURES = frozenset(("failure", "fail", "failed", "error", "bug", "crash", "test-failure"))
DECISIONS = frozenset(("decision", "rule", "convention", "lesson"))
PREFERENCES = frozenset(("preference", "prefer", "prefers"))
MENDS = re.compile(r"(?:fix|fixes|fixed|bugfix|hotfix|revert|reverts)\b", re.I)
TYPED = re.compile(r"[a-z]{2,12}(?:\([^()]{1,40}\))?!?: \S")
WIDE = 20  # files of a commit too large to show which files belong together
SHARE, MOSTLY, MANY, EDITS = 0.75, 0.8, 10, 20
PAIRS = 100  # the most pairs examined
LANGUAGES = {"py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "rs": "rust", "go": "go",
             "java": "java", "rb": "ruby", "c": "c", "cpp": "c++", "cs": "c#", "kt": "kotlin", "swift": "swift",
             "php": "php", "ex": "elixir", "hs": "haskell"}  # fmt: skip
EDITORS = frozenset(("vim", "nvim", "neovim", "emacs", "vscode", "code", "cursor", "zed", "helix", "pycharm", "idea"))


@dataclass(frozen=True)
class Noted:
    """An event and its place: `episodic/2026/11/22/alice__5f.jsonl:3`."""

    ref: str
    event: Episode


def proposals(noted: Iterable[Noted], actor: str) -> list[Proposal]:
    """Return proposals for all repetitions; preferences only of this actor."""
    mine = sorted((one for one in noted if not one.event.room), key=lambda one: (one.event.ts, one.ref))
    own = [one for one in mine if one.event.actor == actor]
    found = [repeated_texts(mine, COMMANDS, OFTEN, "pattern", "commands", "`{}` is run again and again"),
             repeated_texts(mine, FAILURES, OFTEN, "pattern", "failures", "it fails again and again: {}"),
             repeated_texts(mine, DECISIONS, TWICE, "rule", "decisions", "{}"),
             _repeated_files(mine, "failures", lambda one: one.kind in FAILURES, "failures come back in `{}`"),
             _repeated_files(mine, "files", _mends, "`{}` was repaired again and again: check each change"),
             _together(mine), _messages(mine), _personal(own)]  # fmt: skip
    return [one for each in found for one in each]


def _propose(kind: str, category: str, title: str, sign: str, seen: Sequence[Noted]) -> Proposal:
    title = proposal.clean(title)
    return Proposal(kind, category, title, sign, len(seen), seen[-1].event.ts, references(seen))


def references(seen: Sequence[Noted]) -> tuple[str, ...]:
    """Return references to the last events: place, time, actor, and a commit's name."""
    rows = [(one.ref, one.event.ts[:16], one.event.actor, one.event.diff_sha[:12]) for one in seen[-EVIDENCE:]]
    return tuple(" ".join(filter(None, row)) for row in rows)


def _often(seen: Sequence[Noted], least: int) -> bool:
    return len(seen) >= least and len({(one.event.actor, one.event.session) for one in seen}) >= SESSIONS


def repeated_texts(noted: Sequence[Noted], kinds: frozenset[str], least: int, *told: str) -> Iterator[Proposal]:
    """Yield proposals for repeated text in events of these kinds."""
    kind, category, form = told
    groups = defaultdict[str, list[Noted]](list)
    for one in noted:
        if one.event.kind in kinds and one.event.summary and not passages.is_gone(one.event.summary):
            groups[proposal.normalise(one.event.summary)].append(one)
    for seen in groups.values():
        if _often(seen, least):
            words = " ".join(seen[0].event.summary.split())
            yield _propose(kind, category, form.format(words), f"the same {category} again", seen)


def _mends(one: Episode) -> bool:
    return one.kind == "commit" and bool(MENDS.match(one.summary))


def _repeated_files(
    noted: Sequence[Noted], category: str, fits: Callable[[Episode], bool], form: str
) -> Iterator[Proposal]:
    """Yield proposals for files that repeat in matching events."""
    groups = defaultdict[str, list[Noted]](list)
    for one in noted:
        if fits(one.event) and len(one.event.files) <= WIDE:
            for name in dict.fromkeys(one.event.files):
                groups[name].append(one)
    for name, seen in groups.items():
        if _often(seen, OFTEN):
            yield _propose("pattern", category, form.format(name), f"the same file in {category} again", seen)


def _together(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """Yield pairs of files that commits nearly always change together."""
    commits = [one for one in noted if one.event.kind == "commit" and len(one.event.files) <= WIDE]
    alone, pairs = Counter[str](), defaultdict[tuple[str, str], list[Noted]](list)
    for one in commits:
        names = sorted(set(one.event.files))
        alone.update(names)
        for pair in combinations(names, 2):
            pairs[pair].append(one)
    found = [
        (pair, seen)
        for pair, seen in pairs.items()
        if _often(seen, OFTEN) and len(seen) >= SHARE * max(alone[pair[0]], alone[pair[1]])
    ]
    for (one_name, other), seen in sorted(found, key=lambda row: (-len(row[1]), row[0]))[:PAIRS]:
        yield _propose("pattern", "files", f"`{one_name}` and `{other}` change together", "files of one commit", seen)


def _messages(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """Yield a proposal if messages of commits usually begin with a type."""
    commits = [one for one in noted if one.event.kind == "commit"]
    typed = [one for one in commits if TYPED.match(one.event.summary)]
    if _often(typed, MANY) and len(typed) >= MOSTLY * len(commits):
        title = "a commit's message begins with its type, as in `fix: …`"
        yield _propose("rule", "commits", title, "messages of commits", typed)


def _personal(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """Yield preferences that an actor stated twice, and the language and editor of most edits."""
    yield from repeated_texts(noted, PREFERENCES, TWICE, "profile", "preferences", "{}")
    edits = [one for one in noted if one.event.kind == "edit"]
    for key, of in (("favorite_lang", _language), ("editor", _editor)):
        groups = defaultdict[str, list[Noted]](list)
        for one in edits:
            if name := of(one.event):
                groups[name].append(one)
        for name, seen in groups.items():
            if _often(seen, EDITS) and len(seen) >= SHARE * len(edits):
                yield _propose("profile", key, name, "most of the edits", seen)


def _language(one: Episode) -> str:
    ends = (PurePosixPath(name).suffix.removeprefix(".") for name in one.files)
    return next((LANGUAGES[end] for end in ends if end in LANGUAGES), "")


def _editor(one: Episode) -> str:
    return one.tool.lower() if one.tool.lower() in EDITORS else ""

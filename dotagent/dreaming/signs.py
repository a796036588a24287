"""What repeats in a project's events, counted without a model: commands, failures, files, decisions, preferences.

A sign counts once it was seen in more than one session, so that no loop of a tool is a habit. What was heard in a room
is somebody else's text and counts for nothing. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath

from dotagent.dreaming import proposal
from dotagent.dreaming.proposal import EVIDENCE, Proposal
from dotagent.project.episodes import Episode
from dotagent.text import passages

OFTEN, TWICE, SESSIONS = 3, 2, 2
COMMANDS = frozenset(("command", "run", "shell", "test", "build"))
FAILURES = frozenset(("failure", "fail", "failed", "error", "bug", "crash", "test-failure"))
DECISIONS = frozenset(("decision", "rule", "convention", "lesson"))
PREFERENCES = frozenset(("preference", "prefer", "prefers"))
MENDS = re.compile(r"(?:fix|fixes|fixed|bugfix|hotfix|revert|reverts)\b", re.I)
TYPED = re.compile(r"[a-z]{2,12}(?:\([^()]{1,40}\))?!?: \S")
WIDE = 20  # files of a commit that says nothing about which belong together
SHARE, MOSTLY, MANY, EDITS = 0.75, 0.8, 10, 20
PAIRS = 100  # that are looked at
LANGUAGES = {"py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "rs": "rust", "go": "go",
             "java": "java", "rb": "ruby", "c": "c", "cpp": "c++", "cs": "c#", "kt": "kotlin", "swift": "swift",
             "php": "php", "ex": "elixir", "hs": "haskell"}  # fmt: skip
EDITORS = frozenset(("vim", "nvim", "neovim", "emacs", "vscode", "code", "cursor", "zed", "helix", "pycharm", "idea"))


@dataclass(frozen=True)
class Noted:
    """An event, and where it stands: `episodic/2026/11/22/alice__5f.jsonl:3`."""

    ref: str
    event: Episode


def proposals(noted: Iterable[Noted], actor: str) -> list[Proposal]:
    """All that repeats; of preferences this actor's alone."""
    mine = sorted((one for one in noted if not one.event.room), key=lambda one: (one.event.ts, one.ref))
    own = [one for one in mine if one.event.actor == actor]
    found = [said(mine, COMMANDS, OFTEN, "pattern", "commands", "`{}` is run again and again"),
             said(mine, FAILURES, OFTEN, "pattern", "failures", "it fails again and again: {}"),
             said(mine, DECISIONS, TWICE, "rule", "decisions", "{}"),
             _in_files(mine, "failures", lambda one: one.kind in FAILURES, "failures come back in `{}`"),
             _in_files(mine, "files", _mends, "`{}` was mended again and again: look twice at a change of it"),
             _together(mine), _messages(mine), _personal(own)]  # fmt: skip
    return [one for each in found for one in each]


def _made(kind: str, category: str, title: str, sign: str, seen: Sequence[Noted]) -> Proposal:
    title = proposal.clean(title)
    return Proposal(kind, category, title, sign, len(seen), seen[-1].event.ts, references(seen))


def references(seen: Sequence[Noted]) -> tuple[str, ...]:
    """Where the last of them stand, when they were, whose they are, and of a commit its name."""
    rows = [(one.ref, one.event.ts[:16], one.event.actor, one.event.diff_sha[:12]) for one in seen[-EVIDENCE:]]
    return tuple(" ".join(filter(None, row)) for row in rows)


def _often(seen: Sequence[Noted], least: int) -> bool:
    return len(seen) >= least and len({(one.event.actor, one.event.session) for one in seen}) >= SESSIONS


def said(noted: Sequence[Noted], kinds: frozenset[str], least: int, *told: str) -> Iterator[Proposal]:
    """The same words again, in events of these kinds."""
    kind, category, form = told
    groups = defaultdict[str, list[Noted]](list)
    for one in noted:
        if one.event.kind in kinds and one.event.summary and not passages.is_gone(one.event.summary):
            groups[proposal.plain(one.event.summary)].append(one)
    for seen in groups.values():
        if _often(seen, least):
            words = " ".join(seen[0].event.summary.split())
            yield _made(kind, category, form.format(words), f"the same {category} again", seen)


def _mends(one: Episode) -> bool:
    return one.kind == "commit" and bool(MENDS.match(one.summary))


def _in_files(noted: Sequence[Noted], category: str, fits: Callable[[Episode], bool], form: str) -> Iterator[Proposal]:
    """The same file again, in events that fit."""
    groups = defaultdict[str, list[Noted]](list)
    for one in noted:
        if fits(one.event) and len(one.event.files) <= WIDE:
            for name in dict.fromkeys(one.event.files):
                groups[name].append(one)
    for name, seen in groups.items():
        if _often(seen, OFTEN):
            yield _made("pattern", category, form.format(name), f"the same file in {category} again", seen)


def _together(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """Two files that commits change together, hardly ever one of them alone."""
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
        yield _made("pattern", "files", f"`{one_name}` and `{other}` change together", "files of one commit", seen)


def _messages(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """Commits whose messages begin with a type."""
    commits = [one for one in noted if one.event.kind == "commit"]
    typed = [one for one in commits if TYPED.match(one.event.summary)]
    if _often(typed, MANY) and len(typed) >= MOSTLY * len(commits):
        title = "a commit's message begins with its type, as in `fix: …`"
        yield _made("rule", "commits", title, "messages of commits", typed)


def _personal(noted: Sequence[Noted]) -> Iterator[Proposal]:
    """What one actor says to prefer, twice; the language and the editor of most of the edits."""
    yield from said(noted, PREFERENCES, TWICE, "profile", "preferences", "{}")
    edits = [one for one in noted if one.event.kind == "edit"]
    for key, of in (("favorite_lang", _language), ("editor", _editor)):
        groups = defaultdict[str, list[Noted]](list)
        for one in edits:
            if name := of(one.event):
                groups[name].append(one)
        for name, seen in groups.items():
            if _often(seen, EDITS) and len(seen) >= SHARE * len(edits):
                yield _made("profile", key, name, "most of the edits", seen)


def _language(one: Episode) -> str:
    ends = (PurePosixPath(name).suffix.removeprefix(".") for name in one.files)
    return next((LANGUAGES[end] for end in ends if end in LANGUAGES), "")


def _editor(one: Episode) -> str:
    return one.tool.lower() if one.tool.lower() in EDITORS else ""

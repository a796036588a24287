"""Forget something for good, once you have seen what tells of it, in rooms, LIFE, blobs, notes, and what repeats it.

`forget that my PIN is 4711` lists the sentences and asks; `forget '"these very words"'` takes words as they stand. What
was not meant stays. LIFE says that something was forgotten, not what; RECALL, UNCOMPACT, a backup bring nothing back.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from dotagent import commands
from dotagent.arguments import typed
from dotagent.errors import Misuse
from dotagent.forgetting import finding, ledger, people, retention, sweep
from dotagent.forgetting.finding import Telling
from dotagent.project import aged, build, forgotten, place, render
from dotagent.project.place import Project
from dotagent.store import home
from dotagent.text import escape
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to forget."""
    parser.add_argument("words", nargs="*", metavar="WORDS", help='what to forget: that …, about …, or "quoted words"')
    parser.add_argument("--old", action="store_true", help="what is older than the settings keep ([retention]), now")
    told = "with --old and --project: what all actors did, not only you (theirs are changed in git, too)"
    parser.add_argument("--everyone", action="store_true", help=told)
    told = "from a project's .agent/ instead of a home; without DIR the one of this directory; stands last"
    parser.add_argument("--project", metavar="DIR", nargs="?", const=commands.UPWARD, help=told)
    parser.add_argument("--yes", action="store_true", help="forget all that is found, without asking")
    parser.add_argument("--only", metavar="N,N", help="forget these of the list, without asking")
    told = "how long agents and bridges that run may take to begin anew (default: 60)"
    parser.add_argument("--wait", type=float, default=sweep.PATIENT, metavar="S", help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Find, show, ask, forget. Raises Misuse."""
    if asked.everyone and not (asked.old and asked.project is not None):
        raise Misuse("--everyone is for forget --old --everyone --project DIR")
    if asked.project is not None:
        return _of_project(asked)
    where = commands.home_of(asked)
    if sweep.due(where):
        _finish(where, asked.wait)
    elif not asked.words and not asked.old:
        raise Misuse("forget what? forget that my PIN at the bank is 4711")
    if asked.old:
        _old(where, asked)
    if not asked.words:
        return 0
    if chosen := _meant(asked, finding.find(where, " ".join(asked.words))):
        sweep.announce(where, [one.words for one in chosen], home.owner(home.settings(where)))
        _finish(where, asked.wait)
    return 0


def _meant(asked: argparse.Namespace, found: list[Telling]) -> list[Telling]:
    """Show what was found; what of it shall go. Raises Misuse."""
    chosen = _chosen(found, asked.only) if asked.only else found
    rows = [_row(number, one) for number, one in enumerate(found, 1)]
    commands.listed(asked, ">n where sentence", rows, "nothing tells of that", wrap=True)
    if found and not (asked.yes or asked.only):
        return [] if asked.json or not sys.stdin.isatty() else _answered(found)
    return chosen


def _of_project(asked: argparse.Namespace) -> int:
    """The same in a project's memory. Raises Misuse."""
    project = place.find(None if asked.project == commands.UPWARD else asked.project)
    if not (asked.words or asked.old or forgotten.due(project)):
        raise Misuse("forget what? forget that the staging password is blue --project .")
    if forgotten.due(project):
        _told(forgotten.finish(project))
    told, known = " ".join(asked.words), people.known(project.root, forgotten.names(project))
    if told and (chosen := _meant(asked, finding.among(forgotten.texts(project), told, known))):
        forgotten.announce(project, [one.words for one in chosen])
        _told(forgotten.finish(project))
    if asked.old:
        _old_of(project, asked)
    return 0


def _old_of(project: Project, asked: argparse.Namespace) -> None:
    """Let go what is too old by the project's settings, and bring what is rendered up to date. Raises Misuse where
    these keep all, Trouble, OSError."""
    days, actor = aged.kept(project), place.actor(project.root)
    if not days:
        told = f"in {project.agent / aged.SETTINGS} says for how many days"
        raise Misuse(f"all is kept: [retention] episodes = 90, audit = 365 {told}")
    found = aged.old(project, days, datetime.now(UTC), "" if asked.everyone else actor)
    rows = [Telling(one.what, 0.0, [one.path]) for one in found]
    if not rows:
        whose = "anybody's" if asked.everyone else f"{actor}'s"
        print(f"nothing of {whose} is older than {_days(days)}")
    elif chosen := _meant(asked, rows):
        gone = aged.let_go(project, (one.places[0] for one in chosen))
        shown = [name for name in render.FILES if render.is_in(project.root / name)]
        _told([*gone, *(render.write(project.root, build.build(project, actor)) if shown else ())])


def _days(kept: Mapping[str, int]) -> str:
    return ", ".join(f"{many} days ({name})" for name, many in kept.items())


def _told(changed: Sequence[str]) -> None:
    print(f"forgotten for good, in {plural(len(changed), 'file')}; git keeps what was committed: git filter-repo")
    for path in changed:
        print(f"  {escape.one_line(path, 300)}")


def _old(where: home.Home, asked: argparse.Namespace) -> None:
    """Let go what is too old by the settings. Raises Misuse where these keep all."""
    settings = home.settings(where)
    if not settings.retention:
        raise Misuse("all is kept: [retention] episodes = 90, audit = 365 in dotagent.toml says for how many days")
    if retention.begin(where, settings, datetime.now(UTC)):
        _finish(where, asked.wait)
    else:
        print(f"nothing is older than {_days(settings.retention)}")


def _row(number: int, item: Telling) -> commands.Row:
    more = f" and {len(item.places) - 2} more" if len(item.places) > 2 else ""
    told = {"n": number, "sentence": item.words, "score": round(item.score, 3), "places": item.places}
    return told, (number, f"{', '.join(item.places[:2])}{more}", item.words)


def _chosen(found: Sequence[Telling], which: str) -> list[Telling]:
    """Those of these numbers. Raises Misuse."""
    if not re.fullmatch(r"\d{1,4}(?:[\s,]+\d{1,4})*", which) or not all(1 <= n <= len(found) for n in _numbers(which)):
        raise Misuse(f"{which[:40]!r}: say numbers of the list, 1 to {len(found)}, with commas between")
    return [found[number - 1] for number in dict.fromkeys(_numbers(which))]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _answered(found: Sequence[Telling]) -> list[Telling]:
    """What a person at the terminal wants of it to be forgotten."""
    said = typed(f"forget {'this' if len(found) == 1 else f'these {len(found)}'} for good? yes, no, or numbers: ")
    if said.lower() in ("yes", "y", "ja"):
        return list(found)
    return _chosen(found, said) if re.match(r"\d", said) else []


def _finish(where: home.Home, wait: float) -> None:
    done = sweep.finish(where, wait)
    if done and done.ages != ledger.NEVER:
        print(f"gone for good: {plural(done.items, 'event')} by their age, {plural(len(done.blobs), 'blob')} changed")
    elif done:
        many = plural(done.items, "sentence")
        print(f"forgotten for good: {many}, {plural(len(done.blobs), 'blob')} changed; LIFE says that, not what")
    for path in done.left if done else ():
        print(f"not looked through, too large or not to be read or written: {escape.one_line(path, 300)}")

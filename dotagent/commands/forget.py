"""Permanently forget something, after showing each match.

`forget that my PIN is 4711` lists the matching sentences, and removes them only after you agree. `forget '"these very
words"'` finds exactly the words in double quotes. Uncertain matches are at the end of the list, and the command removes
such a match only if you choose its number. The log LIFE.md then says that something was forgotten, but not what. A
search (RECALL), a summary's originals (UNCOMPACT) and `restore` cannot bring the sentences back.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from dotagent import commands, errors
from dotagent.answers import read_answer
from dotagent.erasure import ledger, matches, people, requests, retention, sweep
from dotagent.erasure.matches import Telling
from dotagent.errors import Misuse, Trouble
from dotagent.project import age, build, erasure, place, render
from dotagent.project.place import Project
from dotagent.store import home
from dotagent.text import escape, passages
from dotagent.text.sizes import plural

GROUP = "daily"
NO_DAYS = (
    "{} does not say for how many days to keep things. For example, write `[retention]`, and in the next lines "
    "`episodes = 90` ({}) and `audit = 365` ({})"
)
ROUNDS = 5  # removals of one command with --yes and quoted words


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words to forget, and options."""
    parser.add_argument("words", nargs="*", metavar="WORDS", help='what to forget: that …, about …, or "quoted words"')
    parser.add_argument(
        "--old", action="store_true", help="delete now everything that is older than the setting [retention] allows"
    )
    told = "with --old and --project: also the old events of other people (this changes their files in git)"
    parser.add_argument("--everyone", action="store_true", help=told)
    told = "delete in a project's .agent/, not in dotagent's data (default DIR: this directory); put this option last"
    parser.add_argument("--project", metavar="DIR", nargs="?", const=commands.UPWARD, help=told)
    parser.add_argument("--yes", action="store_true", help="forget every match without asking")
    parser.add_argument("--only", metavar="N,N", help="forget the matches with these numbers without asking")
    told = "seconds to wait for running agents and bridges to restart (default: 60)"
    parser.add_argument("--wait", type=float, default=sweep.PATIENT, metavar="S", help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Find matches, show them, ask, and forget. Raise Misuse."""
    if asked.everyone and not (asked.old and asked.project is not None):
        raise Misuse("--everyone works only as `forget --old --everyone --project DIR`")
    if asked.words and not passages.words(" ".join(asked.words)):
        raise Misuse(matches.NO_WORD)
    if asked.project is not None:
        return _forget_in_project(asked)
    where = commands.home_of(asked)
    if not (asked.words or asked.old or ledger.is_unfinished(where)):
        raise Misuse("say what to forget, for example: forget that my PIN at the bank is 4711")
    _finish(where, asked.wait)
    if asked.old:
        _old(where, asked)
    if not asked.words:
        return 0
    return _removed(where, asked, " ".join(asked.words))


def _removed(where: home.Home, asked: argparse.Namespace, said: str) -> int:
    """Show the matches, remove the chosen ones, and return the exit status. With --yes and quoted words, whose matches
    are certain, also remove the matches that running agents wrote before they restarted."""
    status, listed = 0, list[Telling]()
    for _ in range(ROUNDS if asked.yes and requests.parse_wording(said).exact else 1):
        found = matches.find_choices(where, said)
        rows = found.listed()
        if listed and not {one.words for one in rows if not one.doubt} - {one.words for one in listed}:
            break  # nothing new
        listed += rows
        for one in found.stay if rows else ():
            print(f"dotagent cannot search or change {escape.one_line(one, 300)}", file=sys.stderr)
        chosen = _choose_matches(asked, rows)
        if not chosen:
            return status
        deleted = [one.places[0] for one in chosen if one.score == matches.DELETED]
        wished = [one.words for one in chosen if one.score != matches.DELETED]
        sweep.announce(where, wished, home.owner(home.settings(where)), deleted)
        status = max(status, _finish(where, asked.wait, wished))
    for left in matches.find_remaining(where, said, listed):
        print(f"still present: {escape.one_line(left, 300)}")
    return status


def _choose_matches(asked: argparse.Namespace, found: list[Telling]) -> list[Telling]:
    """Show the matches, and return those to remove. If there are none, say so. Raise Misuse, also if there is no
    terminal on which to ask; Trouble if all are uncertain."""
    chosen = _parse_choice(found, asked.only) if asked.only else [one for one in found if not one.doubt]
    rows = [_row(number, one) for number, one in enumerate(found, 1)]
    commands.print_list(asked, ">n where sentence", rows, "no sentence matches", wrap=True)
    if found and not (asked.yes or asked.only):
        if asked.json:
            return []
        if not sys.stdin.isatty():
            raise Misuse(
                "nothing was deleted, because there is no terminal on which to ask you; add --yes, or --only N,N"
            )
        if not (wanted := _ask_person(found)):
            errors.tell("nothing was deleted")
        return wanted
    if found and not chosen:
        raise Trouble(
            "nothing was deleted, because these sentences match only partly; to delete some of them, add --only N,N"
        )
    return chosen


def _forget_in_project(asked: argparse.Namespace) -> int:
    project = place.find(None if asked.project == commands.UPWARD else asked.project)
    if not (asked.words or asked.old or erasure.is_unfinished(project)):
        raise Misuse("say what to forget, for example: forget that the staging password is blue --project .")
    if erasure.is_unfinished(project):
        _print_files(erasure.finish(project))
    told, known = " ".join(asked.words), people.find_people(project.root, erasure.names(project))
    if told and (chosen := _choose_matches(asked, matches.match_sentences(erasure.texts(project), told, known))):
        erasure.announce(project, [one.words for one in chosen])
        _print_files(erasure.finish(project))
    if asked.old:
        _old_of(project, asked)
    return 0


def _old_of(project: Project, asked: argparse.Namespace) -> None:
    """Remove files that are too old by the project's settings, and update the rendered files. Raise Misuse if the
    settings keep everything, Trouble, OSError."""
    days, actor = age.retention_days(project), place.actor(project.root)
    if not days:
        raise Misuse(
            NO_DAYS.format(project.agent / age.SETTINGS, "events and proposals", "decisions and retired rules")
        )
    found = age.old(project, days, datetime.now(UTC), "" if asked.everyone else actor)
    rows = [Telling(one.what, 0.0, [one.path]) for one in found]
    if not rows:
        whose = "anybody" if asked.everyone else actor
        print(f"no event of {whose} is older than {_days(days)}")
    elif chosen := _choose_matches(asked, rows):
        gone = age.let_go(project, (one.places[0] for one in chosen))
        shown = [name for name in render.FILES if render.is_in(project.root / name)]
        _print_files([*gone, *(render.write(project.root, build.build(project, actor)) if shown else ())])


def _days(kept: Mapping[str, int]) -> str:
    return ", ".join(f"{plural(many, 'day')} ({name})" for name, many in kept.items())


def _print_files(changed: Sequence[str]) -> None:
    print(
        f"permanently removed the text from {plural(len(changed), 'file')}; to clean old commits, use git filter-repo"
    )
    for path in changed:
        print(f"  {escape.one_line(path, 300)}")


def _old(where: home.Home, asked: argparse.Namespace) -> None:
    """Remove events that are too old by the settings. Raise Misuse if they keep everything."""
    settings = home.settings(where)
    if not settings.retention:
        raise Misuse(NO_DAYS.format(home.SETTINGS, "conversations", "old versions of files"))
    if retention.begin(where, settings, datetime.now(UTC)):
        _finish(where, asked.wait)
    else:
        print(f"nothing is older than {_days(settings.retention)}")


def _row(number: int, item: Telling) -> commands.Row:
    more = f" and {len(item.places) - 2} more" if len(item.places) > 2 else ""
    told = {"n": number, "sentence": item.words, "score": round(item.score, 3), "places": item.places}
    words = f"{item.words} (perhaps you do not mean this: {item.doubt})" if item.doubt else item.words
    return {**told, "doubt": item.doubt}, (number, f"{', '.join(item.places[:2])}{more}", f"{words}{item.hidden}")


def _parse_choice(found: Sequence[Telling], which: str) -> list[Telling]:
    """Return the matches with these numbers. Raise Misuse."""
    if not re.fullmatch(r"\d{1,4}(?:[\s,]+\d{1,4})*", which) or not all(1 <= n <= len(found) for n in _numbers(which)):
        raise Misuse(f"{which[:40]!r}: give numbers from 1 to {len(found)}, separated by commas")
    return [found[number - 1] for number in dict.fromkeys(_numbers(which))]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _ask_person(found: Sequence[Telling]) -> list[Telling]:
    sure = [one for one in found if not one.doubt]
    which = "this" if len(found) == 1 else f"number{'s' * (len(sure) > 1)} 1{f' to {len(sure)}' * (len(sure) > 1)}"
    said = read_answer(
        f"Permanently forget {which}? [yes, no, or numbers] "
        if sure
        else "Which sentences must dotagent forget? [numbers, or no] "
    )
    if said.lower() in ("yes", "y", "ja"):
        return sure
    return _parse_choice(found, said) if re.match(r"\d", said) else []


def _finish(where: home.Home, wait: float, wished: Sequence[str] = ()) -> int:
    """Do the announced removal, print the result, and return the exit status. Raise Trouble if nothing was removed."""
    done = sweep.finish(where, wait)
    if not done:
        return 0
    if wished and not (done.blobs or done.changed or done.deleted):
        raise Trouble("nothing was removed: no file of dotagent has these words; please report this as a bug")
    many = plural(done.items, "sentence") + (f" and {plural(done.deleted, 'file')}" if done.deleted else "")
    changed = f"{plural(len(done.blobs), 'blob')} and {plural(done.changed, 'other file')} changed"
    if done.ages != ledger.NEVER:
        print(f"permanently removed {plural(done.items, 'old event')}; {changed}")
    elif not done.remains:
        print(f"permanently deleted {many}; {changed}. The log LIFE.md keeps none of the words")
    for exception in done.list_exceptions():
        print(exception)
    if done.remains:
        for path in done.remains:
            print(f"not removed from {escape.one_line(path, 300)}")
        still = plural(len(done.remains), "file still contains", "files still contain")
        raise Trouble(f"{still} text that you chose; delete the text there, then run the same command again")
    return 1 if done.left else 0

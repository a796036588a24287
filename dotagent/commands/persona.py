"""Who an agent is, and was: its files as it is shown them, every version, what each changed, and any put back.

`persona show`, `persona revisions`, `persona diff N`, and `persona rollback [N]`, which puts a file back as revision N
had it, or as it was before the last one; the agent hears that at its next turn, as one revision more. What the agent
would write of itself or of you and waits for you: `persona candidates [pending|applied|rejected]`, `persona apply N`,
`persona reject N`.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.life import candidates, persona, revisions
from dotagent.life.replay import derive
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.store.supervised import MARK
from dotagent.text import escape
from dotagent.text.reference import short

WHAT = ("show", "revisions", "diff", "rollback", "candidates", "apply", "reject")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, with which revision, of whom."""
    parser.add_argument("what", choices=WHAT, nargs="?", default="show")
    which = "a revision's number, or a candidate's, or their status"
    parser.add_argument("number", nargs="?", default="", metavar="N", help=which)
    parser.add_argument("--agent", dest="self", metavar="AGENT", help="the agent (default: the only one there is)")
    parser.add_argument("--last", action="store_true", help="of several agents the one that lived last")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Show it, or put it back."""
    where = commands.home_of(asked)
    settings, self_id = home.settings(where), commands.life_of(asked, where)
    if asked.what == "show":
        found = persona.texts(where.store(), self_id, derive(where, self_id, settings.context_limit).state, settings)
        for name, text in found.items():
            commands.tell({"name": name, "text": text}, f"{name}:", asked)
            if not asked.json:
                print(escape.indent(escape.printable(text.strip())))
    elif asked.what == "revisions":
        cells = (({**asdict(one), "characters": size}, (one.number, one.at[:19], one.name, short(one.id), f"{size:,}"))
                 for one, size in revisions.listed(where, self_id))  # fmt: skip
        commands.listed(asked, ">n at file id >characters", cells, "nothing was heard of it yet")
    elif asked.what == "candidates":
        _candidates(where, self_id, asked)
    elif asked.what == "diff":
        one = revisions.of(where, self_id, _number(asked.number, "which revision? `persona revisions` lists them"))
        print(escape.printable("\n".join(revisions.diff(where, self_id, one))))
    elif os.environ.get(MARK):
        raise Misuse("an agent decides nothing of who it is: its person does")
    elif asked.what == "rollback":
        number = _number(asked.number, "") if asked.number else None
        one = revisions.roll_back(where, self_id, number)
        print(f"{one.name} is as revision {one.number} had it: the agent hears that at its next turn")
    else:
        print(candidates.leave(where, self_id, asked.what, asked.number))
    return 0


def _number(text: str, why: str) -> int:
    if not text.isdecimal():
        raise Misuse(why or f"{text!r} is no revision's number: `persona revisions` lists them")
    return int(text)


def _candidates(where: Home, self_id: str, asked: argparse.Namespace) -> None:
    """The newest first, each with where its evidence stands."""
    rows = list[commands.Row]()
    for one in candidates.listed(where, self_id, asked.number):
        said = f"#{one.entry} {short(one.id)}: {one.words}" if one.entry else short(one.id) or "none"
        became = f"{one.status} by {one.by}" if one.by else one.status
        cells = (one.number, became, one.file, f"{one.sure:.2f}", escape.row(one.told), escape.row(said))
        rows.append((asdict(one), cells))
    commands.listed(asked, ">n status file >sure what evidence", rows, "there is no such candidate", wrap=True)

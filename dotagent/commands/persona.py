"""Show and restore versions of an agent's character files.

`persona show` prints the files, `persona revisions` lists their versions, and `persona diff N` shows what changed in
version N. `persona rollback N` restores version N of a file. Without N, `persona rollback` undoes the latest change.
The agent reads the restored file before its next answer. A rollback becomes a new version, so you can undo the
rollback, too.

An agent can propose lines about itself or about you for these files. A proposed line is called a candidate, and waits
for your decision. `persona candidates [pending|applied|rejected]` lists the candidates. `persona apply N` accepts
candidate N, and `persona reject N` rejects it.
"""

from __future__ import annotations

import argparse
import os

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.life import candidates, persona, revisions
from dotagent.life.replay import derive
from dotagent.processes.background import MARK
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.lazy import asdict
from dotagent.text.reference import short

GROUP = "inside"

WHAT = ("show", "revisions", "diff", "rollback", "candidates", "apply", "reject")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the number and the agent."""
    parser.add_argument("what", choices=WHAT, nargs="?", default="show", help="what to do (default: show)")
    which = (
        "`diff`, `rollback`: the number of a revision; `apply`, `reject`: the number of a proposed change of SOUL.md; "
        "`candidates`: only the proposals with this status, such as `pending`"
    )
    parser.add_argument("number", nargs="?", default="", metavar="N", help=which)
    parser.add_argument("--agent", dest="self", metavar="AGENT", help="the agent (default: the only agent)")
    parser.add_argument("--last", action="store_true", help="use the most recently active agent")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Show revisions, or restore one."""
    where = commands.home_of(asked)
    commands.refuse_unused(asked, asked.what, {"N number": "diff rollback apply reject candidates"})
    settings, self_id = home.settings(where), commands.life_of(asked, where)
    if asked.what == "show":
        found = persona.texts(where.store(), self_id, derive(where, self_id, settings.context_limit).state, settings)
        for name, text in found.items():
            commands.tell({"name": name, "text": text}, f"{name}:", asked)
            if not asked.json:
                print(escape.indent(escape.printable(text.strip())))
    elif asked.what == "revisions":
        cells = (({**asdict(one), "characters": size},
                  (one.number, times.format_stamp(one.at, 19), one.name, short(one.id), f"{size:,}"))
                 for one, size in revisions.list_revisions(where, self_id))  # fmt: skip
        commands.print_list(asked, ">n at file id >characters", cells, "no revisions recorded yet")
    elif asked.what == "candidates":
        _candidates(where, self_id, asked)
    elif asked.what == "diff":
        one = revisions.find_revision(
            where, self_id, _number(asked.number, "the revision's number is missing; `persona revisions` lists them")
        )
        print(escape.printable("\n".join(revisions.diff(where, self_id, one))))
    elif os.environ.get(MARK):
        raise Misuse("refused: only the owner can change an agent's identity, not a command that the agent runs")
    elif asked.what == "rollback":
        number = _number(asked.number, "") if asked.number else None
        one = revisions.roll_back(where, self_id, number)
        print(f"restored {one.name} from revision {one.number}; the agent reads the restored file at its next turn")
    else:
        print(candidates.leave(where, self_id, asked.what, asked.number))
    return 0


def _number(text: str, why: str) -> int:
    if not text.isdecimal():
        raise Misuse(why or f"{text!r} is not the number of a revision; `persona revisions` lists them")
    return int(text)


def _candidates(where: Home, self_id: str, asked: argparse.Namespace) -> None:
    """List the candidates, newest first, each with the source of its evidence."""
    rows = list[commands.Row]()
    for one in candidates.list_candidates(where, self_id, asked.number):
        said = f"#{one.entry} {short(one.id)}: {one.words}" if one.entry else short(one.id) or "none"
        became = f"{one.status} by {one.by}" if one.by else one.status
        cells = (one.number, became, one.file, f"{one.sure:.2f}", escape.row(one.told), escape.row(said))
        rows.append((asdict(one), cells))
    commands.print_list(asked, ">n status file >sure what evidence", rows, "no proposals", wrap=True)

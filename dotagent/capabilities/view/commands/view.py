"""Serve a web page on which you talk with your agents.

The command prints a link to the page. The link works once, within ten minutes. For another link, run the command again.
Only browsers on this machine can open the page, unless you use --listen. docs/view.md explains the page.
"""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from dotagent import commands, installed, packages
from dotagent.errors import Misuse, Trouble
from dotagent.store import agent_search, disk, home, lives
from dotagent.store.home import Home
from dotagent.text import escape
from dotagent.text.sizes import amount, plural

GROUP = "daily"

USES = {
    **dict.fromkeys(("--port", "--open", "--name", "--host", "--listen", "--cert", "--key"), "view"),
    **dict.fromkeys(("--picture", "--export"), "--picture --export"),
    **dict.fromkeys(("--agent", "--last"), "--picture --export"),
    **dict.fromkeys(("--room", "--from at_from", "--to at_to", "--redact"), "--export"),
}
"""The actions that use each option; `view` serves the page."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the page's address and its person."""
    parser.add_argument("--port", type=_port, metavar="N", help="the TCP port; 0: any free port (default: 7373)")
    parser.add_argument("--open", action="store_true", help="open the page in this machine's browser")
    parser.add_argument(
        "--name", metavar="NAME", help="your name in rooms (default: the setting `owner`, otherwise your login name)"
    )
    parser.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="the host name of an HTTPS proxy that serves the page",
    )
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="also listen at this address of the machine, with HTTPS; needs --cert and --key",
    )
    parser.add_argument("--cert", metavar="FILE", help="the certificate for --listen, in PEM format")
    parser.add_argument("--key", metavar="FILE", help="the private key of the certificate, in PEM format")
    parser.add_argument(
        "--picture", metavar="FILE.svg", help="write a picture of an agent's context over time, and exit"
    )
    parser.add_argument(
        "--export", metavar="FILE.html", help="write a page that shows an agent's context over time, and exit"
    )
    told = "with --picture or --export: the agent (default: the only agent)"
    parser.add_argument("--agent", metavar="AGENT", help=told)
    parser.add_argument(
        "--last", action="store_true", help="with --picture or --export: use the most recently active agent"
    )
    told = "with --export: write the agents and the messages of this room"
    parser.add_argument("--room", metavar="ROOM", help=told)
    for name, when in (("from", "first"), ("to", "last")):
        told = f"with --export: the {when} moment, such as 2026-11-21 or 2026-11-21T20:17 (UTC)"
        parser.add_argument(f"--{name}", dest=f"at_{name}", type=_moment, metavar="TIME", help=told)
    parser.add_argument("--redact", action="store_true", help="with --export: leave out all words, names and ids")
    parser.add_argument("--sign-out", action="store_true", help="sign out all browsers, and exit")


def run(asked: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, or print another link to the page that is served already."""
    where = commands.home_of(asked)
    do = "--sign-out" if asked.sign_out else "--export" if asked.export else "--picture" if asked.picture else "view"
    commands.refuse_unused(asked, do, USES)
    if asked.sign_out:
        from dotagent.capabilities.view import keys

        count = keys.Keys(where.root / "view").sign_out()
        print(f"signed out {plural(count, 'browser')}")
        return 0
    if asked.picture or asked.export:
        return _write(where, asked)
    try:
        from dotagent.capabilities.view import serve  # which takes a third of a second to load
    except ModuleNotFoundError as missing:
        raise Misuse(packages.lacks(missing, "view")) from None
    wanted = serve.Serving(asked.port, asked.name, tuple(asked.host), asked.listen, asked.cert, asked.key)
    return serve.run(where, wanted, asked.open)


def _write(where: Home, asked: argparse.Namespace) -> int:
    """Write the picture or the page."""
    from dotagent.capabilities.view import export, picture
    from dotagent.capabilities.view.frames import Scenes

    for file in filter(None, (asked.picture, asked.export)):
        _check_file(file)
    if asked.picture and not asked.picture.lower().endswith(".svg"):
        raise Misuse(f"{escape.row(asked.picture)} does not end in .svg; name a file that does")
    if asked.room and (asked.agent or asked.last):
        raise Misuse("--agent, --last and --room cannot be used together; give only one of them")
    if asked.room and not lives.find_agents(where, asked.room):
        raise Misuse(f"no agent has joined room {asked.room}")
    agents = (
        lives.find_agents(where, asked.room)
        if asked.room
        else [agent_search.find_agent(where, asked.agent, asked.last)]
    )
    scenes = Scenes(where, home.settings(where).context_limit)
    if asked.picture:
        drawn = picture.draw("The context of an agent", picture.columns(scenes, agents[0]))
        _put(asked.picture, drawn)
    if asked.export:
        times = (asked.at_from or "", asked.at_to or "9")
        wanted = export.ExportRange(agents, asked.room or "", *times, asked.redact)
        _put(asked.export, export.page(scenes, wanted))
        if unread := export.find_unread(scenes, wanted):
            others = f" and {len(unread) - 1} more" if unread[1:] else ""
            doctor = installed.program("doctor")
            raise Trouble(
                f"the page lacks {plural(len(unread), 'text')}: {unread[0]}{others}; `{doctor}` says what to do"
            )
    return 0


def _check_file(file: str) -> None:
    """Raise Misuse unless a file of this name can be written."""
    if Path(file).is_dir():
        raise Misuse(f"{escape.row(file)} is a directory; name a file")
    if not Path(file).parent.is_dir():
        raise Misuse(f"there is no directory {escape.row(str(Path(file).parent))}; create it, or name another file")


def _put(file: str, text: str) -> None:
    disk.replace(Path(file), text.encode("utf-8", "replace"), mode=0o644)
    print(f"{escape.row(file)}: {amount(len(text))}")


def _moment(text: str) -> str:
    if re.fullmatch(r"\d{4}-\d\d-\d\d(?:T\d\d(?::\d\d(?::\d\d)?)?)?", text, re.ASCII):
        with suppress(ValueError):  # a day or an hour that does not exist
            datetime.fromisoformat(text)
            return text
    raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 2026-11-21 or 2026-11-21T20:17")


def _port(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)

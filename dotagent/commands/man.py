"""Print the manual page of a command.

pip installs the manual pages, so that `man dotagent` and `man dotagent-status` work. dotagent generates the pages from
the options of its commands.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from copy import copy

from dotagent import __version__, commands, errors, installed

GROUP = "setup"

MAIN = """Talk to your agent, and inspect everything it did and knows. Without a command, a chat starts. If no agent
exists, one is created and runs in the background. If the agent is stopped, you are asked whether to start it.

All data is in one directory, the data directory. Choose it with --home, before or after the command, or with
DOTAGENT_HOME. The default is the checkout that dotagent runs from, otherwise ~/.dotagent."""
_SPECIAL = str.maketrans(
    {"\\": r"\e", "-": r"\-", "~": r"\(ti", "`": r"\(ga", "'": r"\(aq", "^": r"\(ha", '"': r"\(dq"}
)

ENVIRONMENT = {
    "DOTAGENT_HOME": "the data directory",
    "DOTAGENT_PROVIDER, DOTAGENT_MODEL, DOTAGENT_CONTEXT_LIMIT, DOTAGENT_NEARBY": "override the file dotagent.toml",
    "ANTHROPIC_API_KEY, DEEPSEEK_API_KEY, …": "the providers' API keys; they can also be in .env in the data directory",
    "NO_COLOR": "print without colours",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's name."""
    told = "the command to describe (default: dotagent itself)"
    parser.add_argument("command", nargs="?", choices=commands.names(), metavar="COMMAND", help=told)


def run(asked: argparse.Namespace) -> int:
    """Print the page."""
    print(page(asked.command or ""), end="")
    if sys.stdout.isatty():
        errors.tell(
            f"this page is in the format of man(1); to read it, run `{installed.program('man')} "
            f"{asked.command or ''}".rstrip()
            + " | man -l -`"
        )
    return 0


def page(name: str) -> str:
    """Return the page of a command, or dotagent's own for ""."""
    return "\n".join(_command_page(name) if name else _main()) + "\n"


def _command_page(name: str) -> Iterator[str]:
    parser = copy(commands.parser(name))  # others use the same parser
    parser.prog = f"dotagent {name}"  # as in an installed page
    yield from _head(f"dotagent-{name}", commands.description(name))
    usage = " ".join(parser.format_usage().split()).removeprefix(f"usage: {parser.prog} ")
    yield from (".SH SYNOPSIS", f".B {_roff(parser.prog)}", _roff(usage))
    if more := commands.detail(name):
        yield from (".SH DESCRIPTION", *_paragraphs(more))
    yield ".SH OPTIONS"
    for action in parser._actions:
        value = str(action.metavar or (f"{{{','.join(action.choices)}}}" if action.choices else action.dest))
        names = [option if action.nargs == 0 else f"{option} {value}" for option in action.option_strings]
        yield from (".TP", f".B {_roff(', '.join(names) or value)}", _roff((action.help or "").replace("%%", "%")))
    yield from (".SH SEE ALSO", ".BR dotagent (1)")


def _main() -> Iterator[str]:
    yield from _head("dotagent", "a personal AI assistant that keeps everything in files")
    yield from (".SH SYNOPSIS", ".B dotagent", _roff("[--home DIR] [COMMAND] …"), ".SH DESCRIPTION", *_paragraphs(MAIN))
    yield ".SH COMMANDS"
    for name in commands.names():
        yield from (".TP", f".BR dotagent\\-{name} (1)", _roff(commands.description(name)))
    yield ".SH ENVIRONMENT"
    for name, told in ENVIRONMENT.items():
        yield from (".TP", f".B {_roff(name)}", _roff(told))
    yield from (
        ".SH EXIT STATUS",
        "0: success. 1: a failure, described in one line. 2: wrong usage. 130: ended by Ctrl-C.",
    )


def _head(name: str, about: str) -> Iterator[str]:
    yield "'\\\" -*- coding: UTF-8 -*-"
    yield f'.TH {_roff(name.upper())} 1 "" "dotagent {__version__}" "dotagent"'
    yield from (".nh", ".ad l")  # never break commands at a line's end
    yield from (".SH NAME", f"{_roff(name)} \\- {_roff(about)}")


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        yield from ([".PP"] if number else [])
        yield _roff(" ".join(paragraph.split()))


def _roff(text: str) -> str:
    """Return the text for roff, with escaped special characters and without requests."""
    plain = text.translate(_SPECIAL)
    return f"\\&{plain}" if plain.startswith(".") else plain

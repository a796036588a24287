"""Print the manual page of a command, or without one that of dotagent, as man(1) reads it.

pip puts these pages where man finds them: `man dotagent`, `man dotagent-status`. They are made from what the commands
themselves understand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from dotagent import __version__, commands, errors, installed

MAIN = """Talk to your agent, and look at all it did and knows. Without a command it talks: where no agent was ever
born, one is, and lives on in the background; where one sleeps, you are asked whether it shall wake.

A home is a directory; everything lives in it. It is --home, which may stand before or behind the command, or
DOTAGENT_HOME, or a checkout if dotagent runs from one, or ~/.dotagent."""
_SPECIAL = str.maketrans(
    {"\\": r"\e", "-": r"\-", "~": r"\(ti", "`": r"\(ga", "'": r"\(aq", "^": r"\(ha", '"': r"\(dq"}
)

ENVIRONMENT = {
    "DOTAGENT_HOME": "the home",
    "DOTAGENT_PROVIDER, DOTAGENT_MODEL, DOTAGENT_CONTEXT_LIMIT, DOTAGENT_NEARBY": "go before dotagent.toml of the home",
    "ANTHROPIC_API_KEY, DEEPSEEK_API_KEY, …": "the providers' keys; .env of the home may hold them, too",
    "NO_COLOR": "show no colours",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which command."""
    parser.add_argument("command", nargs="?", choices=commands.names(), metavar="COMMAND", help="of this command")


def run(asked: argparse.Namespace) -> int:
    """Print it."""
    print(page(asked.command or ""), end="")
    if sys.stdout.isatty():
        errors.tell(
            f"this is for man(1): `{installed.typed('man')} {asked.command or ''}".rstrip() + " | man -l -` shows it"
        )
    return 0


def page(name: str) -> str:
    """The page of a command; of none: dotagent's own."""
    return "\n".join(_of(name) if name else _main()) + "\n"


def _of(name: str) -> Iterator[str]:
    parser = commands.parser(name)
    parser.prog = f"dotagent {name}"  # as it is where man pages are, whoever prints this
    yield from _head(f"dotagent-{name}", commands.about(name))
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
    yield from _head("dotagent", "a personal agent whose life is files, and which forgets well")
    yield from (".SH SYNOPSIS", ".B dotagent", _roff("[--home DIR] [COMMAND] …"), ".SH DESCRIPTION", *_paragraphs(MAIN))
    yield ".SH COMMANDS"
    for name in commands.names():
        yield from (".TP", f".BR dotagent\\-{name} (1)", _roff(commands.about(name)))
    yield ".SH ENVIRONMENT"
    for name, told in ENVIRONMENT.items():
        yield from (".TP", f".B {_roff(name)}", _roff(told))
    yield from (
        ".SH EXIT STATUS",
        "0 for success, 1 for trouble that is told in one line, 2 for a wrong use, 130 where Ctrl-C ended it.",
    )


def _head(name: str, about: str) -> Iterator[str]:
    yield "'\\\" -*- coding: UTF-8 -*-"
    yield f'.TH {_roff(name.upper())} 1 "" "dotagent {__version__}" "dotagent"'
    yield from (".nh", ".ad l")  # what is to be typed is never broken
    yield from (".SH NAME", f"{_roff(name)} \\- {_roff(about)}")


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        yield from ([".PP"] if number else [])
        yield _roff(" ".join(paragraph.split()))


def _roff(text: str) -> str:
    """The text as roff holds it: characters that it would show as others, and what would begin a request."""
    plain = text.translate(_SPECIAL)
    return f"\\&{plain}" if plain.startswith(".") else plain

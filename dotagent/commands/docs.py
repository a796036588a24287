"""Check, build or serve the documentation of a checkout.

`check` looks for dead links, for commands in pages that do not run, and for generated pages that are out of date.
`check` also runs the recipes in docs/how-to/. `refresh` writes the generated pages again. `build` makes a website from
the pages, and `serve` shows this website in a browser on this machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dotagent import commands
from dotagent.commands import man
from dotagent.documentation import check, reference, site
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE

GROUP = "repair"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and its options."""
    parser.add_argument("do", choices=("build", "serve", "check", "refresh"), help="what to do")
    parser.add_argument(
        "--to", metavar="DIR", default="site", help="the folder that `build` writes the site to (default: site)"
    )
    parser.add_argument("--port", type=commands.many, default=8000, help="the port of `serve` (default: 8000)")
    parser.add_argument("--only", metavar="NAME", help="the only recipe that `check` runs (default: all recipes)")


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    if not (CODE / "docs").is_dir():
        raise Misuse("the documentation pages are not installed; run this command in a checkout of the repository")
    if asked.do == "refresh":
        for name in reference.refresh(CODE, command_help()):
            print(name)
        return 0
    if asked.do == "check":
        found = [*wrong(CODE, asked.only)]
        for line in found:
            print(line, file=sys.stderr)
        print("no problems found in the documentation" if not found else f"{len(found)} problems found", flush=True)
        return int(bool(found))
    with tempfile.TemporaryDirectory(prefix="dotagent-docs-") as scratch:
        built = site.build(CODE, Path(scratch))
        if asked.do == "serve":
            return _serve(built, asked.port)
        site.place(built, Path(asked.to))
    print(f"open {Path(asked.to) / 'index.html'}")
    return 0


def wrong(code: Path, only: str | None = None) -> Iterator[str]:
    """Yield a line for each problem of the pages."""
    for name in reference.stale(code, command_help()):
        yield f"{name} is out of date: run `python -m dotagent docs refresh`"
    yield from check.links(code)
    yield from check.commands(code, _read, _options)
    yield from check.recipes(code, only)
    with tempfile.TemporaryDirectory(prefix="dotagent-docs-") as scratch:
        try:
            site.build(code, Path(scratch))
        except Trouble as trouble:
            yield str(trouble)


def command_help() -> reference.CommandHelp:
    """Return the help texts of the command line, as in a checkout."""
    names = commands.names()
    helps = {name: commands.parser(name).format_help() for name in sorted(names)}
    return reference.CommandHelp(commands.overview(), helps, {name: man.page(name) for name in ("", *names)})


def _read(name: str, words: tuple[str, ...]) -> object:
    """Parse the words with the command's own parser. Raise Misuse."""
    name, meant = commands.resolve(name, words)
    rest = [word for word in meant if word not in ("-h", "--help", "--version")]  # these end the process
    return commands.parser(name).parse_intermixed_args(rest)


def _options(name: str) -> set[str]:
    """Return the options of a command. Raise Misuse for an unknown command."""
    more = {"-m", "--message"} if name == "agent" else set()
    return more | {option for action in commands.parser(name)._actions for option in action.option_strings}


def _serve(built: Path, port: int) -> int:
    """Show the built site until Ctrl-C; return the exit status."""
    words = ["--bind", "127.0.0.1", "--directory", str(built), str(port)]
    print(f"http://127.0.0.1:{port} shows the documentation; Ctrl-C ends it", flush=True)
    done = subprocess.run([sys.executable, "-m", "http.server", *words], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Trouble(f"port {port}: {done.stderr.strip().split(chr(10))[-1]}; choose another with --port")
    return 0

"""How the process of a provider, a bridge or a command receives credentials: from standard input, or from a pipe after
it restarted itself with a clean environment. Owns nothing on disk."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Collection, Iterator, Mapping

from dotagent import extensions
from dotagent.errors import Misuse
from dotagent.store import options
from dotagent.store.credentials import close, env_file, variable
from dotagent.store.home import Home, settings
from dotagent.store.variables import proxies, split


def tokens_without_bridge(asked: Collection[str], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each bridge that has a token but is not among those `asked` for, with the variable of its token."""
    for name in extensions.names("bridges"):
        tokens = extensions.constants("bridges", name).get("TOKENS")
        if name not in asked and isinstance(tokens, tuple):
            yield from ((name, one) for one in tokens if environ.get(one))


def option(parser: ArgumentParser) -> None:
    """Add the option that lets a command read credentials from standard input."""
    words = "read the keys from stdin, as a JSON object"
    parser.add_argument("--keys-on-stdin", action="store_true", help=words)


def take_over(home: Home, on_stdin: bool) -> dict[str, str]:
    """Return the caller's credentials, and those of the home's .env that the caller does not set.

    If the environment contains more than an agent may have, this process restarts itself without it, and reads the
    variables of providers and bridges from a pipe. Raises Misuse if stdin or .env is invalid.
    """
    given: object = json.loads(sys.stdin.buffer.read() or b"null") if on_stdin else {}  # null if the parent died
    if not isinstance(given, dict):
        raise Misuse("--keys-on-stdin: stdin must be a JSON object of names and values")
    asked = settings(home)
    clean, rest = split(os.environ, asked.environment)
    if rest:
        servers = {*options.presets(), *asked.providers}
        keys = {str(asked.table(name).get("key", "")) for name in servers}
        servers |= {*extensions.names("providers"), *extensions.names("bridges")}
        whose = tuple(variable(name, "") for name in servers)
        theirs = {name: value for name, value in rest.items() if name in keys or name.startswith(whose)}
        theirs.update(proxies(rest))
        read, write = os.pipe()
        os.write(write, json.dumps({**theirs, **given}).encode())
        os.close(write)
        os.dup2(read, 0)
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:], "--keys-on-stdin"], clean)
    close()
    held = {**env_file(home), **{str(name): str(value) for name, value in given.items()}}
    os.environ.update(proxies(held))  # after `close`, no other process sees this
    return held

"""Set up a home: who answers, its key, a live try; then an agent is born, and you talk.

At a terminal it asks; a key is not shown while you type it, and kept in .env, for you alone. A script gives options and
the key on standard input (--key-from-stdin) or in the environment; without a terminal it prints the agent's id and
leaves. No setting is written unless the provider answers. Done again it changes what you answer otherwise.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dotagent import errors, extensions, installed, providers
from dotagent.arguments import typed
from dotagent.bridges.pattern import rules
from dotagent.chatting import waking
from dotagent.chatting.talk import Talk
from dotagent.commands.providers import row_of
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import credentials, home, launch, lives, options, written
from dotagent.store.home import Home, Settings
from dotagent.text import near
from dotagent.text.reference import short

TRIES = 3  # keys that are asked for


@dataclass(frozen=True)
class Answers:
    """What a person wants: who answers, which model, at which address, and the variable and value of a new key."""

    provider: str
    model: str = ""
    base: str = ""
    variable: str = ""
    key: str = ""

    def over(self, settings: Settings) -> Settings:
        """The settings as they would be."""
        mine = {**settings.providers.get(self.provider, {}), **({"base": self.base} if self.base else {})}
        tables = {**settings.providers, **({self.provider: mine} if mine else {})}
        return replace(settings, provider=self.provider, model=self.model or None, providers=tables)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What else is asked."""
    parser.add_argument("--provider", metavar="P", help="who answers; `providers` lists them")
    parser.add_argument("--model", metavar="M", help="which of its models (default: its own)")
    parser.add_argument("--base", metavar="ADDRESS", help="where it is, for a server of your own")
    parser.add_argument("--key-from-stdin", action="store_true", help="read the key from standard input, a line")
    parser.add_argument("--no-check", action="store_true", help="write without asking the provider")
    parser.add_argument("--no-agent", action="store_true", help="settings only: no agent is born, nobody talks")
    parser.add_argument("-m", dest="text", metavar="TEXT", help="say this to the agent, print its answer, and leave")


def run(asked: argparse.Namespace) -> int:
    """Ask, try, write; then talk."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    rules.check(settings)
    credentials.close()  # it is about to hold a key
    environ = {**credentials.env_file(where), **os.environ}
    person = sys.stdin.isatty() and sys.stdout.isatty() and not asked.key_from_stdin
    answers = _answers(where, settings, environ, asked, person)
    if not asked.no_check:
        answers = _tried(where, settings, environ, answers, person)
    _write(where, settings, answers)
    if asked.no_agent:
        return 0
    return _talk(where, asked, person)


def _answers(
    where: Home, settings: Settings, environ: Mapping[str, str], asked: argparse.Namespace, person: bool
) -> Answers:
    """What is wanted, by options or, where these say nothing, by a person. Raises Misuse."""
    usual = launch.choose(where, settings.provider, environ)
    near_by = launch.nearby(settings.nearby) if usual == launch.LAST else None
    if near_by and not asked.provider and not person:
        usual = near_by[0]
    provider = asked.provider or (_choice(settings, environ, usual, near_by) if person else usual)
    if not settings.kind(provider):
        known = tuple(dict.fromkeys((*settings.names(), *options.presets())))
        raise Misuse(f"no provider {provider!r}{near.among(provider, known)}")
    base = asked.base or (near_by[1] if near_by and near_by[0] == provider else "")
    model = asked.model or ""
    if person and not base and provider != launch.LAST and _is_own(settings, environ, provider):
        usual = providers.configure(provider, environ, settings.table(provider)).base
        base = typed(f"At which address? [{usual}] ")
    if person and not asked.model and provider != launch.LAST:
        old = settings.model if settings.provider == provider and settings.model else ""
        model = typed(f"Which model? [{old or 'its usual one'}] ") or old
    answers = Answers(provider, model, base)
    variable, missing = _key(settings, environ, answers)
    if asked.key_from_stdin:
        if not variable:
            raise Misuse(f"{provider} takes no key: leave out --key-from-stdin")
        return replace(answers, variable=variable, key=sys.stdin.readline().strip())
    if missing and not person:
        raise Misuse(f"{missing} (a script: set {variable}, or give it by --key-from-stdin)")
    return replace(answers, variable=variable, key=_typed(variable)) if missing and variable else answers


def _choice(settings: Settings, environ: Mapping[str, str], usual: str, near_by: tuple[str, str] | None) -> str:
    """The provider that a person chooses from the list."""
    names = [name for name in (*launch.ORDER, *launch.OWN, launch.LAST) if name in settings.names()]
    names += [name for name in settings.names() if name not in names and settings.kind(name)]
    names += [name for name in options.presets() if name not in names]
    print("Who shall answer?")
    for number, name in enumerate(names, 1):
        variable, missing = _key(settings, environ, Answers(name))
        told = "answers by rules, without a model" if name == launch.LAST else \
            f"runs at {near_by[1]}" if near_by and near_by[0] == name else \
            f"needs {variable or 'to be set up'}" if missing else \
            "is a server of your own" if _is_own(settings, environ, name) else "is set up"  # fmt: skip
        print(f"  {number:>2}  {name:<14}{told}")
    best = near_by[0] if near_by else usual
    while True:
        said = typed(f"A number or a name [{best}]: ").lower() or best
        if said.isdecimal() and 0 < int(said) <= len(names):
            return names[int(said) - 1]
        if settings.kind(said):
            return said
        print(f"There is no {said[:40]!r}{near.hint(said, names)}")


def _key(settings: Settings, environ: Mapping[str, str], answers: Answers) -> tuple[str, str]:
    """The variable of the provider's key, and what is missing, "" for nothing."""
    asked = answers.over(settings)
    module = providers.load(asked.kind(answers.provider))
    config = providers.configure(answers.provider, environ, asked.table(answers.provider))
    own = (
        extensions.constants("providers", answers.provider) if answers.provider in extensions.names("providers") else {}
    )
    keys = own.get("KEYS", ())
    variable = config.variable if config.server else str(keys[0]) if isinstance(keys, tuple) and keys else ""
    return variable, module.why_not(config) or ""


def _is_own(settings: Settings, environ: Mapping[str, str], name: str) -> bool:
    """Whether it needs no key, and nobody said where it is."""
    said = settings.providers.get(name) or credentials.credentials(name, environ)
    return not (said or _key(settings, environ, Answers(name))[1])


def _typed(variable: str) -> str:
    """The key, typed unseen. Raises Trouble where the person gives none."""
    key = typed(f"{variable} (it is not shown): ", getpass.getpass)
    if not key:
        raise Trouble("no key, so nothing is changed; `offline` needs none")
    return key


def _tried(where: Home, settings: Settings, environ: Mapping[str, str], answers: Answers, person: bool) -> Answers:
    """The answers by which the provider answered; a person may give another key. Raises Trouble with what is wrong."""
    for left in reversed(range(TRIES)):
        known = {**environ, **({answers.variable: answers.key} if answers.key else {})}
        print(f"asking {answers.provider} …", flush=True)
        row = row_of(where, answers.provider, answers.over(settings), known, live=True)
        if row.get("ok"):
            print(f"{answers.provider} answered in {row['ms']} ms, model {row['model']}", flush=True)
            return answers
        why = str(row.get("hint") or row.get("why") or "it does not answer")
        if not (person and left and answers.key and row.get("kind") == "auth"):
            break
        errors.tell(why)
        answers = replace(answers, key=_typed(answers.variable))
    raise Trouble(f"{answers.provider}: {why} (nothing is changed; --no-check writes all the same)")


def _write(where: Home, settings: Settings, answers: Answers) -> None:
    """Write what is other than it was."""
    if answers.key:
        written.secret(where, answers.variable, answers.key)
    if answers.base and answers.base != settings.table(answers.provider).get("base"):
        written.change(where, f"providers.{answers.provider}.base", [answers.base], rules.check)
    if answers.provider != settings.provider:
        written.change(where, "provider", [answers.provider], rules.check)
    if answers.model and answers.model != settings.model:
        written.change(where, "model", [answers.model], rules.check)
    elif settings.model and not answers.model and answers.provider != settings.provider:
        written.change(where, "model", [], rules.check)  # it was another provider's
    print(
        f"{where.root / home.SETTINGS} is written" + (f", and the key in {where.root / '.env'}" if answers.key else "")
    )


def _talk(where: Home, asked: argparse.Namespace, person: bool) -> int:
    """A conversation; without a person the agent's id."""
    if person or asked.text:
        words = ["--home", str(where.root), "--start"]
        words += ["-m", asked.text, "--wait", "120"] if asked.text else []
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, str(CODE / "chat.py"), *words])
    if not home.lives(where):
        waking.born(Talk(where, "dev", home.owner(home.settings(where))))
    there = home.lives(where)
    print(f"agent {short(lives.newest(where, there))}; talk with it by `{installed.typed('chat')}{where.flag}`")
    return 0

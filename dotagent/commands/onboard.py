"""Set up dotagent: choose a provider, test its key, start.

At a terminal, the command asks questions. The screen does not show a key while you type it. The command saves the key
in .env, which only you can read. If there is no agent yet, the command also asks for your name and for the agent's
name, and writes them into USER.md and IDENTITY.md.

In a script, give your answers as options, and give the key on standard input (--key-from-stdin) or in the environment.
Without a terminal, the command prints the agent's id and exits. The command saves your settings only after the provider
has answered a test. To change your answers, run the command again.
"""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from dotagent import errors, extensions, installed, providers
from dotagent.answers import read_answer
from dotagent.bridges.pattern import rules
from dotagent.commands.providers import row_of
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import agent_search, bootstrap, credentials, disk, home, launch, options, settings_edit
from dotagent.store.home import Home, Settings
from dotagent.terminal import agent_start
from dotagent.terminal.talk import Talk
from dotagent.text import escape, suggestions
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short

GROUP = "setup"

TRIES = 3  # keys that are asked for
LONGEST = 200  # characters of an answer in USER.md or IDENTITY.md
INTRODUCED = (
    ("call_me", "USER.md", "What to call them", "What should the agent call you?"),
    ("name", "IDENTITY.md", "Name", "What is the agent's name?"),
    ("purpose", "IDENTITY.md", "Purpose", "What is the agent for?"),
)
"""Questions about a new agent: the option, the file, the field in it, and the question."""
CHAT = ("local", "openai")  # providers of the chat format
CLAUDE = re.compile(r"claude|anthropic|\b(?:opus|sonnet|haiku)\b", re.IGNORECASE)  # in names of Anthropic's models
MESSAGES, GATEWAY = "anthropic", "gateway"  # the provider of Anthropic's format, and the name of a server for it
PROPOSAL = (
    "{name} also serves the model {model} in Anthropic's format (/v1/messages). There, dotagent sees whether an "
    "answer is complete. With the chat format, some gateways report an incomplete answer as complete."
)


@dataclass(frozen=True)
class Answers:
    """A person's choices: the provider, model and address, and the variable and value of a new key. `like` is the
    provider whose format a server uses, if that changes, and `named` the variable of its key. `automatic` is True if
    dotagent uses this provider without a setting, until there is a key."""

    provider: str
    model: str = ""
    base: str = ""
    variable: str = ""
    key: str = ""
    like: str = ""
    named: str = ""
    automatic: bool = False

    @property
    def table(self) -> dict[str, str]:
        """Return the choices that belong into the provider's table."""
        return {name: one for name, one in (("like", self.like), ("base", self.base), ("key", self.named)) if one}

    def over(self, settings: Settings) -> Settings:
        """Return the settings with these choices."""
        mine = {**settings.providers.get(self.provider, {}), **self.table}
        tables = {**settings.providers, **({self.provider: mine} if mine else {})}
        return replace(settings, provider=self.provider, model=self.model or None, providers=tables)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choices as options."""
    parser.add_argument("--provider", metavar="P", help="the model provider; `providers` lists them")
    parser.add_argument("--model", metavar="M", help="the model (default: the provider's usual model)")
    parser.add_argument("--base", metavar="ADDRESS", help="the server's address, if you run the server yourself")
    parser.add_argument("--key-from-stdin", action="store_true", help="read the key from one line of standard input")
    parser.add_argument("--call-me", metavar="NAME", help="your name for the first agent, written into USER.md")
    parser.add_argument("--name", metavar="NAME", help="the first agent's name, written into IDENTITY.md")
    parser.add_argument("--purpose", metavar="TEXT", help="the first agent's purpose, written into IDENTITY.md")
    parser.add_argument("--no-check", action="store_true", help="save the settings without testing the provider")
    parser.add_argument(
        "--no-agent", action="store_true", help="only save the settings; create no agent and start no chat"
    )
    parser.add_argument("-m", dest="text", metavar="TEXT", help="send TEXT to the agent, print its answer and exit")


def run(asked: argparse.Namespace) -> int:
    """Ask, test the provider, save, and start the chat."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    rules.check(settings)
    credentials.close()  # it is about to hold a key
    environ = {**credentials.env_file(where), **os.environ}
    person = sys.stdin.isatty() and sys.stdout.isatty() and not asked.key_from_stdin
    free = _free(where, asked)
    answers = _answers(where, settings, environ, asked, person)
    if not asked.no_check:
        answers, model = _tried(where, settings, environ, answers, person)
        answers = _propose_messages(where, settings, environ, answers, model, person)
    papers = _introduced(asked, free, person)
    _write(where, settings, answers)
    for path, data in papers.items():
        disk.make_dir(path.parent)
        disk.replace(path, data)
        print(f"saved {path}")
    if asked.no_agent:
        return 0
    return _talk(where, asked, person)


def _answers(
    where: Home, settings: Settings, environ: Mapping[str, str], asked: argparse.Namespace, person: bool
) -> Answers:
    """Return the choices from options, otherwise from a person's answers. Raise Misuse."""
    usual = launch.choose(where, settings.provider, environ)
    near_by = launch.nearby(settings.nearby) if usual == launch.LAST else None
    if near_by and not asked.provider and not person:
        usual = near_by[0]
    provider = asked.provider or (_choice(settings, environ, usual, near_by) if person else usual)
    if not settings.kind(provider):
        known = tuple(dict.fromkeys((*settings.names(), *options.presets())))
        raise Misuse(f"no provider {provider!r}{suggestions.suggest_all(provider, known)}")
    base = asked.base or (near_by[1] if near_by and near_by[0] == provider else "")
    model = asked.model or ""
    chosen = near_by or asked.provider or settings.provider or base or model
    automatic = provider == usual == launch.LAST and not chosen
    if person and not base and provider != launch.LAST and _is_own(settings, environ, provider):
        usual = providers.configure(provider, environ, settings.table(provider)).base
        base = read_answer(f"Address of the server? [{usual}] ")
    if person and not asked.model and provider != launch.LAST:
        old = settings.model if settings.provider == provider and settings.model else ""
        model = read_answer(f"Which model? [{old or 'the usual model'}] ") or old
    answers = Answers(provider, model, base, automatic=automatic)
    variable, missing = _key(settings, environ, answers)
    if asked.key_from_stdin:
        if not variable:
            raise Misuse(f"{provider} does not need a key; leave out --key-from-stdin")
        return replace(answers, variable=variable, key=sys.stdin.readline().strip())
    if missing and not person:
        raise Misuse(f"{missing}; in a script, set {variable} or use --key-from-stdin")
    return replace(answers, variable=variable, key=_read_key(variable) if missing and variable else "")


def _choice(settings: Settings, environ: Mapping[str, str], usual: str, near_by: tuple[str, str] | None) -> str:
    names = [name for name in (*launch.ORDER, *launch.OWN, launch.LAST) if name in settings.names()]
    names += [name for name in settings.names() if name not in names and settings.kind(name)]
    names += [name for name in options.presets() if name not in names]
    print("Which provider should answer?")
    for number, name in enumerate(names, 1):
        variable, missing = _key(settings, environ, Answers(name))
        told = "answers from built-in rules, without a model" if name == launch.LAST else \
            f"runs at {near_by[1]}" if near_by and near_by[0] == name else \
            f"needs {variable or 'settings'}" if missing else \
            "is your own server" if _is_own(settings, environ, name) else "is set up"  # fmt: skip
        print(f"  {number:>2}  {name:<14}{told}")
    best = near_by[0] if near_by else usual
    while True:
        said = read_answer(f"Number or name [{best}]: ").lower() or best
        if said.isdecimal() and 0 < int(said) <= len(names):
            return names[int(said) - 1]
        if settings.kind(said):
            return said
        print(f"No provider {said[:40]!r}{suggestions.hint(said, names)}")


def _key(settings: Settings, environ: Mapping[str, str], answers: Answers) -> tuple[str, str]:
    """Return the variable of the provider's key, and the reason why the provider cannot be used, or ""."""
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
    """Return True if the provider needs no key and no settings give its address."""
    said = settings.providers.get(name) or credentials.credentials(name, environ)
    return not (said or _key(settings, environ, Answers(name))[1])


def _read_key(variable: str) -> str:
    """Return the key, typed without echo. Raise Trouble if it is empty."""
    key = read_answer(f"{variable} (input is hidden): ", getpass.getpass)
    if not key:
        raise Trouble("no key given, so nothing was changed; the provider `offline` does not need a key")
    return key


def _tried(
    where: Home, settings: Settings, environ: Mapping[str, str], answers: Answers, person: bool
) -> tuple[Answers, str]:
    """Test the provider and return the choices, and the model that answered; a person may correct the key. Raise
    Trouble with the reason."""
    for left in reversed(range(TRIES)):
        known = {**environ, **({answers.variable: answers.key} if answers.key else {})}
        print(f"asking {answers.provider} …", flush=True)
        row = row_of(where, answers.provider, answers.over(settings), known, live=True)
        if row.get("ok"):
            print(f"{answers.provider} answered in {row['ms']} ms, model {row['model']}", flush=True)
            return answers, str(row["model"])
        why = str(row.get("hint") or row.get("why") or "no answer")
        typed = answers.variable and (answers.key or answers.variable not in environ)
        if not (person and left and typed and row.get("kind") == "auth"):
            break
        errors.tell(why)
        answers = replace(answers, key=_read_key(answers.variable))
    raise Trouble(f"{answers.provider}: {why} (nothing was changed; --no-check saves the settings anyway)")


def _propose_messages(
    where: Home, settings: Settings, environ: Mapping[str, str], answers: Answers, model: str, person: bool
) -> Answers:
    """Return the choices for Anthropic's format if a gateway offers one of Anthropic's models in it and the person
    agrees. Without a person, print how to choose it, and return the choices unchanged."""
    asked, name = answers.over(settings), answers.provider
    known = {**environ, **({answers.variable: answers.key} if answers.key else {})}
    config = providers.configure(name, known, asked.table(name))
    if asked.kind(name) not in CHAT or not CLAUDE.search(model):
        return answers
    better = replace(answers, model=model, like=MESSAGES)
    if not config.server:  # a bundled provider cannot speak another format, so the address gets a name
        better = replace(better, provider=GATEWAY, base=config.base, named=_key(settings, environ, answers)[0])
    if not row_of(where, better.provider, better.over(settings), known, live=True).get("ok"):
        return answers
    print(PROPOSAL.format(name=name, model=model), flush=True)
    if person:
        return answers if read_answer("Use this format? [Y/n] ").lower() in ("n", "no") else better
    program = installed.program("config")
    chosen = {**{f"providers.{better.provider}.{key}": one for key, one in better.table.items()},
              "provider": better.provider, "model": model}  # fmt: skip
    print(f"to use it: {'; '.join(f'{program} set {key} {one}' for key, one in chosen.items())}", flush=True)
    return answers


def _free(where: Home, asked: argparse.Namespace) -> dict[str, Path]:
    """Return the unchanged files for new agents, by name; {} if an agent exists. Raise Misuse for an option whose file
    was changed."""
    free = dict[str, Path]()
    for name in dict.fromkeys(file for _, file, _, _ in INTRODUCED) if not home.lives(where) else ():
        path = where.draft(name)
        if not os.path.lexists(path) or bootstrap.is_untouched(name, disk.read(path, follow=True)):
            free[name] = path
    for option, name, _, _ in INTRODUCED:
        if getattr(asked, option) and name not in free:
            there = where.draft(name) if not home.lives(where) else where.agents / "ID" / name
            why = "already has text" if not home.lives(where) else "is a file of an agent that exists"
            raise Misuse(f"--{option.replace('_', '-')}: {there} {why}; edit that file")
    return free


def _introduced(asked: argparse.Namespace, free: Mapping[str, Path], person: bool) -> dict[Path, bytes]:
    """Return the content of these files with the answers of options or a person. Raise Trouble if the person
    cancels."""
    said = {one: getattr(asked, one) or "" for one, *_ in INTRODUCED}
    if person and free:
        print(
            "The next questions are about you and your first agent, which reads your answers. To skip one, press Enter."
        )
        for option, name, _, question in INTRODUCED:
            if name in free and not said[option]:
                said[option] = read_answer(f"{question} ")
    made = dict[Path, bytes]()
    for option, name, field, _ in INTRODUCED:
        if answer := escape.one_line(said[option], LONGEST):
            text = made.get(free[name], bootstrap.template(name)).decode()
            line = f"- **{field}:**"
            text = text.replace(line, f"{line} {answer}") if line in text else f"{text.rstrip()}\n{line} {answer}\n"
            made[free[name]] = text.encode("utf-8", "replace")
    return made


def _write(where: Home, settings: Settings, answers: Answers) -> None:
    if answers.key:
        settings_edit.secret(where, answers.variable, answers.key)
    for name, said in answers.table.items():
        if said != settings.table(answers.provider).get(name):
            settings_edit.change(where, f"providers.{answers.provider}.{name}", [said], rules.check)
    if answers.automatic:
        print(f"dotagent uses {answers.provider} until you set a key; no setting was changed")
        return
    if answers.provider != settings.provider:
        settings_edit.change(where, "provider", [answers.provider], rules.check)
    if answers.model and answers.model != settings.model:
        settings_edit.change(where, "model", [answers.model], rules.check)
    elif settings.model and not answers.model and answers.provider != settings.provider:
        settings_edit.change(where, "model", [], rules.check)  # it was another provider's
    print(f"saved {where.root / home.SETTINGS}" + (f", and the key in {where.root / '.env'}" if answers.key else ""))


def _talk(where: Home, asked: argparse.Namespace, person: bool) -> int:
    """Start a chat, or without a person print the agent's id."""
    if person or asked.text:
        words = ["--home", str(where.root), "--start"]
        words += ["-m", asked.text, "--wait", "120"] if asked.text else []
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, str(CODE / "chat.py"), *words])
    if not home.lives(where):
        agent_start.born(Talk(where, "dev", home.owner(home.settings(where))))
    there = home.lives(where)
    print(
        f"agent {short(agent_search.newest(where, there))} is ready; to talk with the agent, run "
        f"`{installed.program('chat')}{where.flag}`"
    )
    return 0

"""What a person gets wrong at the command line and in settings: one line, exit status 2, and nothing changed."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from alive import forked, live
from hurt import goes_on, the_life
from support import ROOT

import agent
from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store.home import Home

MISUSE = {
    "deadbeef": "no agent deadbeef",
    "zz": "is not an agent's id",
    "": "AGENT is empty",
    "\x1b[31m\udcff": "is not an agent's id",
    "0" * 33: "is not an agent's id",
    "../../../etc": "is not an agent's id",
    "a b": "is not an agent's id",
    "--nonsense": "unrecognized arguments",
    "--room=A b": "cannot be a room",
    "--room=../x": "cannot be a room",
    "--audience=everybody": 'use private, "private NAME" or group',
    "--audience=group": "add --audience ",
    "--soul=/nowhere": "/nowhere does not exist",
    "--provider=nobody": "no provider 'nobody'",
    "--provider=../new": "no provider",
    "--home=": "--home is empty: write DIR after it",
}


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("word", MISUSE, ids=lambda word: ascii(word[:24]))
def test_misuse_is_one_line_and_changes_nothing(where: Home, word: str) -> None:
    before = sorted(where.root.rglob("*"))
    ended = live(where, word)
    ended.complains(MISUSE[word])
    assert ended.status == 2
    assert ended.out == ""
    assert sorted(where.root.rglob("*")) == before


IGNORED = """cron list tea --at 9:00
cron remove tea words
cron enable tea --room ops
skills list pdf
skills show pdf words
skills install pdf --for group
skills remove pdf --agent 01234567
plugins list shout
plugins refuse shout --id 01234567
persona revisions 3
calls list 01234567
calls cancel 01234567 --hint why
calls answer 01234567 --wait
toolpacks list weather
toolpacks enable weather --hosts example.org
toolpacks install weather --env KEY
agents end 01234567 --all
gateway logs --detach
dream list --rationale why"""


@pytest.mark.parametrize("line", IGNORED.split("\n"))
def test_what_an_action_would_ignore_is_refused(where: Home, line: str) -> None:
    name, *words = line.split()
    with pytest.raises(Misuse, match=f"has no effect with `{words[0]}"):
        commands.run(name, [*words, "--home", str(where.root)])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("cron list nothing", "no job 'nothing'"),
        ("clock --lock 9999999999999999999999", "only dotagent itself"),
        ("clock --lock -1", "only dotagent itself"),
        ("clock --lock 0", "only dotagent itself"),
        ("provider offline --lock 0", "only dotagent itself"),
        ("provider --lock 0", "needs the name"),
        ("toolpacks install weather --mcp run --url https://example.org", "without --openapi"),
        ("agent -m hello --new", "`agent -m` takes the options of `python chat.py`, which has no --new"),
        ("config set name Otto", "name is not a setting of dotagent: an agent has its name in its file IDENTITY.md"),
    ],
)
def test_words_that_name_nothing_are_refused(where: Home, line: str, why: str) -> None:
    name, *words = line.split()
    with pytest.raises(Misuse, match=why):
        commands.run(name, [*words, "--home", str(where.root)])


@pytest.mark.parametrize("line", ["blob nothing", "blob 0123456", "forgotten nothing"])
def test_what_is_no_id_is_misuse(where: Home, line: str) -> None:
    the_life(where)
    name, *words = line.split()
    with pytest.raises(Trouble, match=f"'{words[0]}' is not an id; an id has 8 to 32 hex digits") as refused:
        commands.run(name, [*words, "--home", str(where.root)])
    assert refused.value.status == 2


def test_an_ambiguous_hash_names_the_candidates(where: Home) -> None:
    first = the_life(where).name
    other = first[:12] + "0" * 20
    shutil.copytree(where.agent(first), where.agent(other), symlinks=True)
    ended = live(where, first[:10])
    ended.complains("matches several agents", first[:12], other[:12])
    assert ended.status == 2
    assert live(where, first).status == 0


SETTINGS = {
    "nonsense": "dotagent.toml",
    "context_limit = 5": "context_limit must be a whole number",
    "context_limit = true": "context_limit must be a whole number",
    "roots = 3": "roots must be lists",
    "provider = 7": "provider must be a text",
    "colour = 'red'": "unknown setting 'colour'",
    "owner = 'a b'": "owner must be one name",
    "providers = 3": "providers must be a table for each provider",
    "\udcff": "dotagent.toml",
    "[" * 5000: "dotagent.toml",
}


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("text", SETTINGS, ids=lambda text: ascii(text[:16]))
def test_settings_that_cannot_be_read(where: Home, text: str) -> None:
    (where.root / "dotagent.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    ended = live(where, the_life(where).name)
    ended.complains(str(where.root / "dotagent.toml"), SETTINGS[text])
    assert ended.status == 2
    (where.root / "dotagent.toml").write_text("")
    goes_on(where)


@pytest.mark.parametrize(
    ("text", "mode", "why"), [("A=b\n", 0o644, "chmod 600"), ("no equals sign\n", 0o600, "line 1")]
)
def test_secrets_that_others_can_read_or_nobody(where: Home, text: str, mode: int, why: str) -> None:
    (where.root / ".env").write_text(text)
    (where.root / ".env").chmod(mode)
    live(where, the_life(where).name).complains(str(where.root / ".env"), why)


def test_nobody_runs_this_without_a_name(where: Home) -> None:
    """A user whom the system does not know, as in some containers: the home is of whom it was."""

    def main() -> int:
        os.environ.pop("USER")
        os.setuid(54321)
        sys.argv = ["agent.py", "--home", str(where.root), "--provider", "scripted", "--until-idle"]
        return agent.main()

    if os.getuid() or not all(path.stat().st_mode & 0o001 for path in (ROOT, *ROOT.parents)):
        pytest.skip("that takes root, and a checkout that others can read")
    for path in (where.root, *where.root.rglob("*")):
        os.chown(path, 54321, 54321, follow_symlinks=False)
    os.chmod(where.root.parent, 0o755)
    ended = forked(main)
    ended.complains('dotagent.toml now contains owner = "ana"', status=(0,))
    assert 'owner = "ana"' in (where.root / "dotagent.toml").read_text()

"""What a command tries in order to get out, on each kind of sandbox: none of it succeeds, and the tests say of each
that it would have been seen."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cages import OTHER, a_root, caged, run
from hands import Hands
from support import until

from dotagent import sandbox
from dotagent.processes import background
from dotagent.sandbox import view
from dotagent.store import roots


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param) as life:
        yield life


def test_what_it_may_it_can(hands: Hands, tmp_path: Path) -> None:
    root = a_root(hands, tmp_path)
    notes = hands.path / "files/notes.md"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text("mine\n")
    shown = run(hands, f"cat notes.md; echo more >> notes.md; echo x > new; echo y > {root}/y; ls /usr | wc -l")
    assert shown.startswith("exit status 0\nmine\n"), shown
    assert notes.read_text() == "mine\nmore\n"
    assert (hands.path / "files/new").read_text() == "x\n"
    assert (root / "y").read_text() == "y\n"


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_a_home_below_var_tmp_has_its_commands_too(kind: str) -> None:
    """A link stands there for bubblewrap's commands elsewhere, and nothing can be mounted behind one."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as there, caged(Path(there).resolve(), kind) as life:
        assert run(life, "echo mine > new; cat new") == "exit status 0\nmine\n"
        assert (life.path / "files/new").read_text() == "mine\n"


def test_nothing_else_of_the_home_is_read_or_written(hands: Hands) -> None:
    home = hands.where.root
    (hands.path / "SOUL.md").write_text("SECRET=sesame")
    paths = [home / name for name in (".env", f"agents/{OTHER}/LIFE.md", "calls/new/x/call", "blobs/ab/blob")]
    paths += [hands.path / name for name in ("LIFE.md", "context.md", "SOUL.md")]
    paths += [home / "chats/dev.md", home / "SOUL.md"]
    before = [path.read_bytes() for path in paths]
    names = " ".join(map(str, paths))
    shown = run(
        hands,
        f"for f in {names}; do cat $f; cp $f stolen; ln $f hard; echo x >> $f; truncate -s 0 $f; "
        f"rm -f $f; mv $f moved; chmod 777 $f; done; ls -A",
    )
    assert "sesame" not in shown
    assert "BOOT" not in shown
    after = [path.read_bytes() for path in paths]
    assert [one for one in zip(paths, before, after, strict=True) if not one[2].startswith(one[1])] == []
    assert not any(path.read_bytes() for path in (hands.path / "files").iterdir() if path.name != "stolen")
    assert not [path for path in paths if stat.S_IMODE(path.stat().st_mode) == 0o777]
    assert "\nx\n" not in (hands.path / "LIFE.md").read_text()


@pytest.mark.slow
def test_a_link_in_what_it_may_write_leads_nowhere(hands: Hands, tmp_path: Path) -> None:
    root, home = a_root(hands, tmp_path), hands.where.root
    (root / "env").symlink_to(home / ".env")
    (root / "agents").symlink_to(home / "agents")
    run(hands, f"ln -s {home}/.env env; ln -s ../LIFE.md life; ln -s {home}/calls {root}/calls")
    tried = (f"{root}/env", f"{root}/agents/{OTHER}/LIFE.md", f"{root}/calls/new/x/call", "env", "life")
    for path in tried:
        shown = run(hands, f"cat {path}; echo x >> {path}")
        assert "sesame" not in shown, path
        assert "BOOT" not in shown, path
    assert (home / ".env").read_text() == "SECRET=sesame\n"


def test_what_is_missing_cannot_be_made_in_the_harness_stead(hands: Hands) -> None:
    """So nobody is killed whose pid a command wrote, and no room is heard that it linked."""
    shutil.rmtree(hands.path / "processes", ignore_errors=True)
    (hands.path / "run/recall.db").unlink(missing_ok=True)
    before = sorted(os.listdir(hands.path / "subs"))
    run(
        hands,
        "cd ..; mkdir -p processes/9; echo 1 > processes/9/pid; echo 1 > run/now/pid; mkdir -p run/later; "
        "echo 1 > run/pid; "
        "echo x > run/recall.db; for f in fade unfade standing; do echo '{\"drop\": 1}' > run/$f; done; "
        "ln -s ../../../chats/ops.md subs/ops.md; echo x > due/job@20260101T000000Z.json; "
        "rm -rf run processes subs due; mv run files/r; mv processes files/p; mv due files/d",
    )
    assert not (hands.path / "due").exists() or not list((hands.path / "due").iterdir())
    assert not (hands.path / "processes").exists()
    own = {name for name in os.listdir(hands.path / "run") if name != "recall.db"}
    assert own == {"now", "pid", "machine"} and (hands.path / "run" / "pid").read_text().split()[0] == str(os.getpid())
    assert sorted(os.listdir(hands.path / "subs")) == before
    assert (hands.path / "run/now/pid").read_text() != "1\n"
    assert not list((hands.path / "files").iterdir())


def test_what_is_hidden_stays_hidden_while_a_process_goes_on(hands: Hands) -> None:
    """The harness moves and makes files beside it: a mount over one of them would be gone then."""
    late = "until [ -e now ]; do sleep 0.02; done; cd ..; cat run/now/pid LIFE.md; echo 1 > run/now/pid; "
    late += "echo 1 > processes/2/pid; mkdir processes/7; echo x >> LIFE.md; echo done"
    hands.shows(f"PROCESS start {late}")
    folder = hands.path / "processes/1"
    for _ in range(2):
        run(hands, "true")
    hands.shows("PROCESS start sleep 100")
    pid = (hands.path / "processes/2/pid").read_text()
    (hands.path / "files/now").touch()
    until(lambda: background.describe_end(folder), folder)
    printed = background.output(folder, 0)[0]
    assert b"done" in printed
    assert b"BOOT" not in printed
    assert (hands.path / "processes/2/pid").read_text() == pid
    assert not (hands.path / "processes/7").exists()
    assert (hands.path / "run/now/pid").read_text() != "1\n"


def test_a_root_that_holds_the_home_is_not_shown(hands: Hands, tmp_path: Path) -> None:
    for root in (tmp_path, hands.where.root, hands.where.agents, hands.where.agents / OTHER, hands.where.blobs):
        hands.session.settings = replace(hands.session.settings, roots={"private": (str(root),)})
        shown = run(hands, f"cat {hands.where.root}/.env {hands.where.agents}/{OTHER}/LIFE.md; ls {root}/ab; echo end")
        assert "sesame" not in shown and shown.rstrip().endswith("end"), shown
        assert view.find_left_out(hands.where, hands.session.settings) == [str(root)]


def test_another_audiences_root_is_not_shown(hands: Hands, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/file").write_text("sesame")
    hands.session.settings = replace(hands.session.settings, roots={"group": (str(tmp_path / "theirs"),)})
    assert "sesame" not in run(hands, f"cat {tmp_path}/theirs/file; echo x > {tmp_path}/theirs/file")
    assert (tmp_path / "theirs/file").read_text() == "sesame"


def test_a_workspace_may_be_read_only_or_none(hands: Hands) -> None:
    (hands.path / "files").mkdir(exist_ok=True)
    (hands.path / "files/notes.md").write_text("mine\n")
    hands.session.settings = replace(hands.session.settings, workspace="ro")
    shown = run(hands, "cat notes.md; echo x >> notes.md; echo x > x")
    assert "mine" in shown
    hands.session.settings = replace(hands.session.settings, workspace="none")
    assert "mine" not in run(hands, f"cat {hands.path}/files/notes.md; echo x >> {hands.path}/files/notes.md")
    assert (hands.path / "files/notes.md").read_text() == "mine\n"


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_where_others_speak_its_character_is_out_of_reach(tmp_path: Path, kind: str) -> None:
    with caged(tmp_path, kind, "--audience", "group", "--room", "all") as hands:
        (hands.path / "IDENTITY.md").write_text("sesame")
        shown = run(hands, "pwd; echo x > new; cat new ../IDENTITY.md ../SOUL.md; echo x > ../SOUL_EVIL.md; "
                           "echo x >> ../IDENTITY.md; rm ../AGENTS.md; mv ../IDENTITY.md .")  # fmt: skip
        assert f"\n{hands.path}/files\nx\n" in shown
        assert "sesame" not in shown
        assert (hands.path / "IDENTITY.md").read_text() == "sesame"
        assert (hands.path / "files/new").read_text() == "x\n"
        assert not (hands.path / "SOUL_EVIL.md").exists()


@pytest.mark.slow
def test_no_command_makes_an_alternate_soul_or_writes_who_it_is(hands: Hands) -> None:
    names = ("SOUL_EVIL.md", "SOUL.md")
    before = {name: (hands.path / name).read_bytes() for name in (*names[1:], "USER.md", "IDENTITY.md")}
    for how in (
        "echo x > {}",
        "echo x >> {}",
        "touch x; mv x {}",
        "ln -s notes.md {}",
        "rm -f {}; echo x > {}",
    ):
        for name in (*names, "USER.md", "IDENTITY.md"):
            run(hands, f"{how.replace('{}', f'../{name}')}; true")
            for one in names[:1]:
                assert not os.path.lexists(hands.path / one) or (hands.path / one).read_bytes() == b""
            assert {one: (hands.path / one).read_bytes() for one in before} == before, (how, name)


def test_the_persons_own_files_and_the_systems_are_not_changed(hands: Hands, tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("sesame")
    outside = f"dotagent-{os.getpid()}"
    run(hands, f"cat {tmp_path}/diary; echo x > {tmp_path}/diary; touch /etc/{outside} /usr/{outside} /tmp/{outside} "
               f"/dev/shm/{outside} /var/tmp/{outside}; rm -f {tmp_path}/diary")  # fmt: skip
    assert (tmp_path / "diary").read_text() == "sesame"
    assert not [one for one in ("/etc", "/usr", "/tmp", "/dev/shm", "/var/tmp") if Path(one, outside).exists()]
    assert "root:" not in run(hands, "cat /etc/shadow")
    private = "find /etc -type f ! -perm -o+r -exec cat {} + ; find /etc -type d ! -perm -o+rx -exec cat {}/* \\;"
    assert run(hands, f"({private}) 2> /dev/null").partition("\n")[2] == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel hides them from any other user")
def test_what_others_may_not_read_is_private_at_any_depth(tmp_path: Path) -> None:
    for name, mode in (("top", 0o600), ("ssh/key", 0o640), ("ssl/private/deep/key", 0o644), ("ssh/config", 0o644)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(mode)
    (tmp_path / "ssl/private").chmod(0o711)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert sorted(view.secret(str(tmp_path))) == [tmp_path / one for one in ("ssh/key", "ssl/private", "top")]


@pytest.mark.parametrize("through", ["{root}/inner", "{root}/../root/inner", "{link}", "{files}/inner"])
def test_a_link_in_a_root_leads_to_no_other_root(hands: Hands, tmp_path: Path, through: str) -> None:
    """A root may lie inside another, or in `files/`. What a command puts there opens nothing in the next command."""
    root, outside, link = a_root(hands, tmp_path), tmp_path / "outside", tmp_path / "link"
    outside.mkdir()
    (outside / "plan").write_text("sesame")
    link.symlink_to(root / "inner")
    inner = through.format(root=root, link=link, files=hands.path / "files")
    hands.session.settings = replace(hands.session.settings, roots={"private": (str(root), inner)})
    told = run(hands, f"for one in {root} .; do rm -rf $one/inner; ln -s {outside} $one/inner; done; ls {root}")
    assert "inner" in told
    assert "sesame" not in run(hands, f"cat {outside}/plan; cat {inner}/plan")
    assert "sesame" not in hands.one(f"READ_FILE {outside}/plan")
    hands.one(f"WRITE_FILE {outside}/new <<X\nhacked\nX")
    assert os.listdir(outside) == ["plan"]
    assert roots.astray(hands.where, hands.session.settings) == [inner]


def test_a_link_in_a_root_leads_to_no_programs(hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project's programs may be in PATH, as those of its virtual environment are."""
    root, outside = a_root(hands, tmp_path), tmp_path / "outside"
    outside.mkdir()
    (outside / "plan").write_text("sesame")
    (root / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{root}/bin", prepend=":")
    run(hands, f"rmdir {root}/bin; ln -s {outside} {root}/bin")
    assert (root / "bin").is_symlink()
    assert "sesame" not in run(hands, f"cat {outside}/plan {root}/bin/plan")


# --- processes, sockets, the kernel

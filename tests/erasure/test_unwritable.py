"""Forgetting what files that cannot be rewritten say, and names: named before the yes, and deleted after it."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import io
import json
import lzma
import os
import sqlite3
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import wrap
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import run
from unforgotten import traces
from world import offline, said, world

from dotagent.commands import forget
from dotagent.erasure import file_text, matches, sweep, unwritable, verification
from dotagent.store import zstd
from dotagent.store.home import Home
from dotagent.text import passages

WORD = "zebrafish7741"
SECRET = f"the locker of ana opens with {WORD}"
TWIN = "the locker of bea opens with goldfish"
DATA = SECRET.encode()
B85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A home in which the secret and its twin were said."""
    with world(tmp_path, offline) as it:
        for words in (f"{SECRET}.", f"{TWIN}."):
            it.say(words)
            it.run()
        (it.session.path / "files").mkdir(exist_ok=True)
        made = it.where
    yield made


def files(where: Home) -> Path:
    """The folder for the agent's files."""
    return next(where.agents.iterdir()) / "files"


def zipped(data: bytes, name: str = "word/document.xml") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(name, data)
    return out.getvalue()


def tarred(data: bytes, mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as made:
        member = tarfile.TarInfo("a/b")
        member.size = len(data)
        made.addfile(member, io.BytesIO(data))
    return out.getvalue()


def database(data: bytes, encoding: str = "UTF-8") -> bytes:
    db = sqlite3.connect(":memory:")
    db.execute(f"pragma encoding = '{encoding}'")
    db.execute("create table said (who, what)")
    db.execute("insert into said values (?, ?)", ("ana", data.decode()))
    db.commit()
    return db.serialize()


def pdf(data: bytes) -> bytes:
    return b"%PDF-1.7\n1 0 obj <</Filter /FlateDecode>>\nstream\n" + zlib.compress(data) + b"\nendstream\nendobj\n"


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "a.gz": gzip.compress,
    "two members.gz": lambda data: gzip.compress(b"first") + gzip.compress(data),
    "twice.gz": lambda data: gzip.compress(gzip.compress(data)),
    "cut.gz": lambda data: gzip.compress(data + os.urandom(20_000))[:-9_000],
    "a.z": zlib.compress,
    "a.bz2": bz2.compress,
    "a.xz": lzma.compress,
    "a.lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    "a.zst": lambda data: zstd.load().compress(data),
    "a.zip": zipped,
    "a.docx": lambda data: zipped(b"<w:t>" + data + b"</w:t>"),
    "names.zip": lambda data: zipped(b"x", f"{WORD}.txt"),
    "a.tar": tarred,
    "a.tar.xz": lambda data: tarred(zipped(data), "w:xz"),
    "a.db": database,
    "wide.db": lambda data: database(data, "UTF-16le"),
    "a.pdf": pdf,
    "le.txt": lambda data: data.decode().encode("utf-16"),
    "be.txt": lambda data: data.decode().encode("utf-16-be"),
    "four.txt": lambda data: data.decode().encode("utf-32"),
    "a.bin": lambda data: b"\0\1\2" + data + b"\0",
    "packed.b64": lambda data: base64.encodebytes(gzip.compress(data)),
    "inner.gz": lambda data: gzip.compress(base64.b64encode(data)),
    "no ending": gzip.compress,
    "runs.docx": lambda data: zipped(b"<w:t>" + data[:-6] + b"</w:t></w:r><w:r><w:t>" + data[-6:] + b"</w:t>"),
    "a.png": lambda data: b"\x89PNG\r\n\x1a\n\0\0\0\x40zTXtComment\0\0" + zlib.compress(data) + b"\0\0IEND",
    "behind a head.bin": lambda data: b"HEAD\0\1" + gzip.compress(data),
    "packed rows.db": lambda data: database(b"x") + zlib.compress(data),
    "a soft end.eml": lambda data: data[:-6] + b"=\r\n" + data[-6:],
    "signs of no width.pdf": lambda data: b"%PDF-1.4\n" + data[:-6] + "\u00ad\u200b".encode() + data[-6:],
    "a folded line.ics": lambda data: b"SUMMARY:" + data[:-6] + b"\r\n " + data[-6:] + b"\r\n",
    "inline.html": lambda data: data[:-6] + b"<b>" + data[-6:-2] + b"</b>" + data[-2:],
    "hyphens.txt": lambda data: data[:-6] + b"-\n" + data[-6:],
}


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_what_cannot_be_rewritten_is_named_and_deleted_and_its_twin_stays(where: Home, name: str) -> None:
    (files(where) / name).write_bytes(FORMS[name](DATA))
    twin = files(where) / f"twin {name}"
    twin.write_bytes(FORMS[name](TWIN.encode()) if name != "names.zip" else zipped(b"x", "y"))
    path = str((files(where) / name).relative_to(where.root))
    for asked in (f'"{WORD}"', f"that {SECRET}") if name != "names.zip" else (f'"{WORD}"',):
        found = matches.find_choices(where, asked)
        assert list(found.things) == [path], (asked, found.things)
    before = twin.read_bytes()
    sweep.announce(where, [one.words for one in found.tellings], "ana", list(found.things))
    assert sweep.finish(where)
    assert not (where.root / path).exists() and twin.read_bytes() == before
    assert not traces(where.root, SECRET)
    assert not matches.find_remaining(where, asked, found.listed())
    assert not verification.list_left(where.root, where.store(), [SECRET])


TEXTS: dict[str, Callable[[str], str]] = {
    "base64": lambda told: base64.b64encode(told.encode()).decode(),
    "in lines": lambda told: base64.encodebytes((told + " and more " * 20).encode()).decode(),
    "url-safe": lambda told: base64.urlsafe_b64encode(f"{told}?>?>".encode()).decode().rstrip("="),
    "powershell": lambda told: base64.b64encode(told.encode("utf-16-le")).decode(),
    "hex": lambda told: told.encode().hex(),
    "an address": lambda told: f"https://example.org/?q={quote(told)}&x=1",
    "a mail": lambda told: told.replace(" ", "=20"),
    "html": lambda told: told.replace(" ", "&nbsp;"),
}


@pytest.mark.wide
@pytest.mark.parametrize("form", TEXTS)
def test_an_encoded_sentence_in_a_text_is_rewritten(where: Home, form: str) -> None:
    path = files(where) / "a.txt"
    path.write_text(f"before\n{TEXTS[form](SECRET)}\n{TEXTS[form](TWIN)}\nbehind\n")
    found = matches.find_choices(where, f"that {SECRET}")
    assert not found.things
    sweep.announce(where, [one.words for one in found.tellings], "ana")
    assert sweep.finish(where)
    left = path.read_text()
    assert TEXTS[form](SECRET).split("\n")[0] not in left and "[forgotten]" in left
    assert all(words in left for words in ("before\n", TEXTS[form](TWIN), "\nbehind\n"))


def test_what_a_command_showed_in_base64_is_found_and_goes_from_every_form(tmp_path: Path) -> None:
    packed = base64.b64encode(DATA).decode()
    with world(tmp_path, offline) as it:
        it.say(f"here it is: {packed}")
        it.run()
    found = matches.find_choices(it.where, f'"{WORD}"')
    assert [one.words for one in found.tellings] == [SECRET]
    sweep.announce(it.where, [SECRET], "ana")
    assert sweep.finish(it.where)
    assert not traces(tmp_path, packed)


def escaped(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(byte) for byte in text.encode())


OTHER_FORMS: dict[str, Callable[[str], str]] = {
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "small base32": lambda text: base64.b32encode(text.encode()).decode().lower(),
    "base32hex": lambda text: base64.b32hexencode(text.encode()).decode(),
    "base32 in lines": lambda text: "\n".join(wrap(base64.b32encode(f"{text}. {text}.".encode()).decode(), 76)),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "hex escapes": escaped("\\x{:02x}"),
    "hex escapes of some letters": lambda text: text.replace("z", "\\x7A").replace("o", "\\x6F"),
    "octal escapes": escaped("\\{:03o}"),
    "escapes of JSON": escaped("\\u{:04x}"),
    "escapes of JavaScript": escaped("\\u{{{:x}}}"),
    "decimal entities": escaped("&#{};"),
    "hex entities": escaped("&#x{:X};"),
    "an address": escaped("%{:02X}"),
    "an address in part": lambda text: text.replace(" ", "+").replace("z", "%7a").replace("e", "%65"),
    "mail": escaped("={:02X}"),
    "signs of no width": lambda text: text.replace("z", "\u00adz\u200b"),
}
NAMED = {
    "base85": lambda data: base64.b85encode(data),
    "Ascii85": base64.a85encode,
    "Ascii85 in lines": lambda data: base64.a85encode(data, adobe=True, wrapcol=30),
    "Z85": lambda data: base64.b85encode(data).translate(bytes.maketrans(B85, Z85)),
}


@pytest.mark.wide
@pytest.mark.parametrize("form", OTHER_FORMS)
def test_in_another_form_it_is_found_and_only_it_is_overwritten(where: Home, form: str) -> None:
    path, turn = files(where) / "notes.ini", OTHER_FORMS[form]
    path.write_text(f"first line\n{turn(SECRET)}\n\n{turn(TWIN)}\nlast line\n")
    found = matches.find_choices(where, f'"{WORD}"')
    (told,) = (one for one in found.tellings if SECRET in one.words)
    assert f"agents/{path.relative_to(where.agents)} (" in told.hidden and not found.things
    assert told.hidden in forget._row(1, told)[1][-1]
    sweep.announce(where, [one.words for one in found.tellings], "ana")
    assert sweep.finish(where)
    left = path.read_text()
    assert left == f"first line\n[forgotten]{'.' * left.count('].')}\n\n{turn(TWIN)}\nlast line\n"
    assert not matches.find_remaining(where, f'"{WORD}"', found.listed())


@pytest.mark.parametrize("form", NAMED)
def test_in_base85_it_is_named_and_deleted_and_its_twin_stays(where: Home, form: str) -> None:
    for name, text in (("a.ini", SECRET), ("twin.ini", TWIN)):
        (files(where) / name).write_bytes(b"key: " + NAMED[form](text.encode() + b" and so on. ") + b"\nlast line\n")
    found = matches.find_choices(where, f'"{WORD}"')
    assert [(Path(path).name, form) for path, form in found.things.items()] == [("a.ini", "base85")]


def test_a_room_names_a_file_with_another_form_before_the_yes(where: Home) -> None:
    (files(where) / "odd.ini").write_text(codecs.encode(SECRET, "rot13"))
    with world(where.root, offline, "--last") as it:
        it.say(f"/forget that {SECRET}")
        it.run()
        assert "files/odd.ini (rot13)" in said(where)[-1]


@pytest.mark.parametrize("pair", ["envy rail", "green terra", "nowhere abjurer", "be or"])
def test_a_short_word_does_not_stand_for_another_in_rot13(pair: str) -> None:
    one, other = pair.split()
    assert passages.Passages([one]).gone(f"{other}\n{one}\n") == f"{other}\n[forgotten]\n"


def test_a_file_of_another_encoding_is_rewritten(where: Home) -> None:
    with world(where.root, offline, "--last") as it:
        it.say("the key is under Müllers Gänseblümchen.")
        it.run()
    path = files(where) / "a.txt"
    path.write_bytes("before: the key is under Müllers Gänseblümchen.\nbehind ü\n".encode("latin-1"))
    found = matches.find_choices(where, '"under Müllers Gänseblümchen"')
    sweep.announce(where, [one.words for one in found.tellings], "ana", list(found.things))
    assert sweep.finish(where)
    assert path.read_bytes() == "before: [forgotten].\nbehind ü\n".encode("latin-1")


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_a_git_repository_is_one_thing(where: Home, bare: bool, packed: bool) -> None:
    place = files(where) / "work"
    place.mkdir()

    def git(*words: str) -> None:
        who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a"}
        subprocess.run(["git", *words], cwd=place, check=True, capture_output=True, env={**os.environ, **who})

    git("init", "-q")
    for text in (f"{SECRET}\n", "nothing\n"):
        (place / "a.txt").write_text(text)
        git("add", ".")
        git("commit", "-qm", "a change")
    if packed:
        git("gc", "-q")
    if bare:
        git("clone", "-q", "--bare", str(place), str(files(where) / "copy.git"))
        subprocess.run(["rm", "-r", str(place)], check=True)
    unit = "copy.git/" if bare else "work/.git/"
    found = matches.find_choices(where, f'"{WORD}"')
    assert [path.partition("/files/")[2] for path in found.things] == [unit]
    sweep.announce(where, [SECRET], "ana", list(found.things))
    assert sweep.finish(where)
    assert not (files(where) / unit).exists() and files(where).is_dir()


def test_names_of_files_and_folders_are_named_and_those_of_the_home_stay(where: Home) -> None:
    for name in (f"{WORD}.txt", f"the-{WORD}_x", f"{WORD}/deep/x", "other/Zebrafish7741.PNG", "4711.pdf", "47110.pdf"):
        (files(where) / name).parent.mkdir(parents=True, exist_ok=True)
        (files(where) / name).write_text("x")
    found = matches.find_choices(where, f'"{WORD}"')
    assert sorted(path.partition("/files/")[2] for path in found.things) == [
        "other/Zebrafish7741.PNG", "the-zebrafish7741_x", "zebrafish7741.txt", "zebrafish7741/"
    ]  # fmt: skip
    assert [Path(one).name for one in matches.find_choices(where, "that my PIN is 4711").things] == ["4711.pdf"]
    for asked in ("memory", "life", "that the SOUL is dark", "blobs", "dev", "dotagent", "files", "agents"):
        assert not matches.find_choices(where, f'"{asked}"').things, asked


OTHER_TEXTS = ("files/table.csv", "files/page.html", "files/run.py", "files/no-ending", "files/mail.eml",
               "undo/1/old.sh", "skills/mine/run.sh", "bank/clip.markdown")  # fmt: skip


@pytest.mark.wide
@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_it_is_found_in_any_text_that_says_it_in_other_words(where: Home, name: str) -> None:
    path = files(where).parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"ana;goldfish;1\nbob;{WORD};2\n")
    found = matches.find_choices(where, f'"{WORD}"')
    assert not found.things and str(path.relative_to(where.root)) in {
        place for one in found.tellings for place in one.places
    }
    sweep.announce(where, [one.words for one in found.tellings], "ana")
    assert sweep.finish(where)
    assert path.read_text() == "ana;goldfish;1\n[forgotten]\n"


@pytest.mark.parametrize("name", ["files/pins.csv", "bank.dat", "work/notes/page.html"])
def test_it_is_found_in_a_text_file_anywhere_in_the_home(where: Home, name: str) -> None:
    (where.root / name).parent.mkdir(parents=True, exist_ok=True)
    (where.root / name).write_text(f"ana;goldfish;1\nbob;{WORD};2\n")
    found = matches.find_choices(where, f'"{WORD}"')
    assert name in {place for one in found.tellings for place in one.places}


@pytest.mark.night
def test_a_sparse_file_is_looked_into_once_for_all_its_hard_links(where: Home) -> None:
    with (files(where) / "a.img").open("wb") as file:
        file.truncate(8 << 20)
        file.seek(5 << 20)
        file.write(DATA)
    for name in ("b.img", "c.img"):
        os.link(files(where) / "a.img", files(where) / name)
    texts = [one for one in unwritable.forms(where.root, where.store(), []) if one.form == "binary file"]
    assert len({one.path for one in texts}) == 1 and sum(len(one.text) for one in texts) < 10_000
    found = matches.find_choices(where, f'"{WORD}"')
    assert sorted(Path(one).name for one in found.things) == ["a.img", "b.img", "c.img"]
    left = verification.list_left(where.root, where.store(), [SECRET])
    assert {Path(one).name for one in left if one.endswith(".img")} == {"a.img", "b.img", "c.img"}


def test_a_file_that_nobody_may_read_ends_no_search(where: Home) -> None:
    (files(where) / "closed.csv").write_text(WORD)
    (files(where) / "closed.csv").chmod(0)
    found = matches.find_choices(where, f'"{WORD}"')
    assert found.tellings and (os.geteuid() == 0 or "closed.csv" in found.stay[0])


def test_a_link_that_names_it_is_deleted_and_where_it_leads_stays(where: Home, tmp_path: Path) -> None:
    outside = tmp_path / f"outside-{WORD}"
    outside.mkdir()
    (files(where) / "a-folder").symlink_to(outside)
    (files(where) / "a-file").symlink_to(f"nowhere/{WORD}.txt")
    (files(where) / WORD).symlink_to("/")
    (files(where) / "twin").symlink_to("nowhere/goldfish")
    found = matches.find_choices(where, f'"{WORD}"')
    assert sorted(Path(one).name for one in found.things) == ["a-file", "a-folder", WORD]
    sweep.announce(where, [one.words for one in found.tellings], "ana", list(found.things))
    assert sweep.finish(where)
    assert os.listdir(files(where)) == ["twin"] and outside.is_dir()


@pytest.mark.slow
def test_the_history_of_backups_has_neither_the_file_nor_its_name(where: Home) -> None:
    for name, data in ((f"{WORD}/ä b.txt", b"x"), ("a.gz", gzip.compress(DATA)), ("stays.gz", gzip.compress(b"ok"))):
        (files(where) / name).parent.mkdir(exist_ok=True)
        (files(where) / name).write_bytes(data)
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    done = run(where, "-m", "dotagent", "forget", f'"{WORD}"', "--yes")
    assert (done.returncode, "still there" in done.stdout) == (0, False), done.stdout
    history = ["git", "--git-dir", str(where.root / "backup.git")]
    names = subprocess.run([*history, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, check=True).stdout
    assert b"stays.gz" in names and b"a.gz" not in names and WORD.encode() not in names
    every = [*history, "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.run(every, capture_output=True, check=True).stdout
    assert WORD.encode() not in objects and gzip.compress(DATA)[10:-8] not in objects


@pytest.mark.slow
def test_it_is_named_before_the_yes_and_what_its_person_keeps_is_told(where: Home) -> None:
    (files(where) / "a.gz").write_bytes(gzip.compress(DATA))
    (files(where) / "a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c")
    listed = run(where, "-m", "dotagent", "forget", f'"{WORD}"', "--json")
    rows = [json.loads(line) for line in listed.stdout.split("\n")[:-1]]
    assert (
        rows[-1]["sentence"]
        == "delete this file, because dotagent cannot remove the text from it in another way (gzip)"
    )
    assert rows[-1]["places"][0].endswith("files/a.gz")
    assert "dotagent cannot search or change" in listed.stderr and "a.7z (7z)" in listed.stderr
    kept = ",".join(str(one["n"]) for one in rows[:-1])
    done = run(where, "-m", "dotagent", "forget", f'"{WORD}"', "--only", kept)
    assert "still present: " in done.stdout and "files/a.gz (gzip)" in done.stdout
    assert (files(where) / "a.gz").exists() and not traces(where.chats, SECRET)
    done = run(where, "-m", "dotagent", "forget", f'"{WORD}"', "--yes")
    assert "still there" not in done.stdout and "1 file" in done.stdout and not (files(where) / "a.gz").exists()


def test_a_room_names_it_too_and_a_yes_there_deletes_it(where: Home) -> None:
    (files(where) / "a.zip").write_bytes(zipped(DATA))
    with world(where.root, offline, "--last") as it:
        it.say(f"/forget that {SECRET}")
        it.run()
        assert "a.zip: delete this file, because dotagent cannot remove the text from it" in said(where)[-1]
        it.say("yes")
        it.run()
    with world(where.root, offline, "--last"):
        assert not (files(where) / "a.zip").exists()


@pytest.mark.slow
def test_a_backup_brings_no_packed_copy_back(where: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    apart = tmp_path_factory.mktemp("apart")
    (files(where) / "a.gz").write_bytes(gzip.compress(DATA))
    saved = apart / "saved"
    assert run(where, "-m", "dotagent", "backup", str(saved)).returncode == 0
    assert run(where, "-m", "dotagent", "forget", f"that {SECRET}", "--yes").returncode == 0
    record = where.root / "forgotten/record.jsonl"
    other = Home(apart / "other")
    done = run(other, "-m", "dotagent", "restore", str(saved), "--forgotten", str(record))
    assert done.returncode == 0, done.stderr
    assert not (files(other) / "a.gz").exists() and other.agents.is_dir()


def test_a_link_in_its_place_is_not_followed(where: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.gz").write_bytes(b"precious")
    (files(where) / "link").symlink_to(outside)
    for path in ("link/a.gz", "link/"):
        unwritable.delete(where.root, str((files(where) / path).relative_to(where.root)) + "/" * path.endswith("/"))
    assert (outside / "a.gz").read_bytes() == b"precious"


@given(st.binary(max_size=300), st.sampled_from(sorted(FORMS)), st.integers(0, 400))
def test_whatever_a_file_is_it_is_looked_into(noise: bytes, name: str, at: int) -> None:
    data = FORMS[name](DATA)
    for one in (noise, data[:at] + noise + data[at:], data[: at % (len(data) + 1)]):
        try:
            assert all(isinstance(text, str) for _, text in file_text.views(one))
        except file_text.Closed as why:
            assert str(why)


@pytest.mark.slow
def test_a_bomb_is_said_to_be_too_large() -> None:
    bomb = gzip.compress(gzip.compress(bytes(1 << 24)))
    for one in (bomb, zipped(bytes(1 << 24)), tarred(bytes(1 << 24), "w:gz"), lzma.compress(bytes(1 << 24))):
        with pytest.raises(file_text.Closed, match="too large"):
            list(file_text.views(one, 1 << 22))

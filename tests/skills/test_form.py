"""A SKILL.md is read as the format's own reader reads it, which judges it here (PyPI skills-ref)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.skills import folder, form
from dotagent.skills.folder import Folder

GOOD = {
    "the least": "name: x\ndescription: d",
    "folded": "name: x\ndescription: >\n  a\n  b",
    "kept lines": "name: x\ndescription: |\n a\n b\nlicense: MIT",
    "quoted": "name: x\ndescription: \"a: \\tb # no comment\"\nlicense: 'it''s'",
    "over lines": "name: x\ndescription: one\n  and two",
    "a comment": "# hello\nname: x\ndescription: a # what it is",
    "all fields": "name: x\ndescription: d\nlicense: MIT\ncompatibility: git\nmetadata:\n  author: a\n  version: 1.0\n"
    "allowed-tools: Bash(git:*) Read",
    "a list of tools": "name: x\ndescription: d\nallowed-tools:\n- Read\n- Write",
    "no text but true": "name: x\ndescription: true",
    "indented": "  name: x\n  description: d",
    "another directory of yaml": "? name\n: x\ndescription: d",
    "the longest": f"name: x\ndescription: {'d' * 1024}\ncompatibility: {'c' * 500}",
    "dashes in it": "name: x\ndescription: a --- b",
}
BAD = {
    "nothing": "",
    "a list": "- name",
    "a text": "name",
    "no name": "description: d",
    "no description": "name: x",
    "empty": "name: x\ndescription:",
    "blank": "name: x\ndescription: '  '",
    "another's name": "name: y\ndescription: d",
    "capitals": "name: X\ndescription: d",
    "too long": f"name: x\ndescription: {'d' * 1025}",
    "too long for it": f"name: x\ndescription: d\ncompatibility: {'c' * 501}",
    "a list as a description": "name: x\ndescription:\n- d",
    "a table as a name": "name:\n  x: y\ndescription: d",
    "twice": "name: x\nname: x\ndescription: d",
    "a field of its own": "name: x\ndescription: d\nversion: 1",
    "flow": "name: x\ndescription: d\nallowed-tools: [Read]",
    "flow in flow": "{name: x, description: d}",
    "an anchor": "name: x\ndescription: &a d",
    "an alias": "name: x\ndescription: *a",
    "a bomb": "name: &a x\ndescription: d\nmetadata:\n  b: *a\n  c: *a",
    "a tag": "name: x\ndescription: !!python/object/apply:os.system ['true']",
    "another tag": "name: x\ndescription: !!str d",
    "a colon": "name: x\ndescription: a: b",
    "crooked": "name: x\n description: d",
    "control characters": "name: x\ndescription: \x07",
    "never closed": "name: x\ndescription: 'd",
}
STRICTER = {  # what the reader takes and we refuse, and why
    "a name of other letters": "name: é\ndescription: d",  # one that looks like another's
    "a table in metadata": "name: x\ndescription: d\nmetadata:\n  a:\n    b: c",  # it is texts, by the specification
}


def read(text: str | bytes, name: str = "x") -> tuple[str, ...]:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return form.read(Folder(name, {"SKILL.md": data})).flaws


def whole(head: str) -> str:
    return f"---\n{head}\n---\nDo it.\n"


@pytest.mark.parametrize("name", GOOD)
def test_what_is_a_skill(name: str) -> None:
    assert read(whole(GOOD[name])) == ()


@pytest.mark.parametrize("name", [*BAD, *STRICTER])
def test_what_is_none_is_told(name: str) -> None:
    (flaw, *_) = read(whole({**BAD, **STRICTER}[name]), "é" if "letters" in name else "x")
    assert flaw and "\n" not in flaw


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "name: x",
        "---\nname: x\ndescription: d\n",
        b"---\nname: \xff\xfe\xfd\n---\n",
        "---\n" + "a" * (1 << 18),
    ],
)
def test_what_has_no_frontmatter_is_none(text: str | bytes) -> None:
    assert len(read(text)) == 1


def test_a_description_that_yaml_cuts_is_told() -> None:
    (flaw,) = read(whole("name: x\ndescription: Handle issue #12 and C# code"))
    assert (
        flaw == "line 3: in YAML, “ #” begins a comment, so the description ends there; put the description in quotes"
    )
    assert read(whole("name: x\ndescription: 'Handle issue #12 and C# code'")) == ()
    assert read(whole("name: x # the name\ndescription: Write C# code")) == ()


@pytest.mark.parametrize("name", ["a", "a-b", "0", "a" * 64])
def test_names(name: str) -> None:
    assert read(whole(f"name: '{name}'\ndescription: d"), name) == ()


@pytest.mark.parametrize("name", ["-a", "a-", "a--b", "a_b", "a.b", "..", "a" * 65, "a b", "a/b", ""])
def test_what_cannot_be_a_name(name: str) -> None:
    assert read(whole(f"name: '{name}'\ndescription: d"), name)


def test_what_it_says() -> None:
    found = form.read(Folder("x", {"SKILL.md": whole(GOOD["all fields"]).replace("\n", "\r\n").encode()}))
    assert found.fields["metadata"] == {"author": "a", "version": "1.0"} and found.body == "Do it."
    folded = form.read(Folder("x", {"SKILL.md": whole(GOOD["folded"]).encode()}))
    assert folded.description == "a b"


PUBLISHED = {  # fields and forms of skills that are published for other programs, each with a flaw
    "a mapping in braces": 'metadata: {"nanobot":{"emoji":"t","requires":{"bins":["tmux"]}}}',
    "braces over lines": 'metadata:\n  {\n    "openclaw": { "requires": { "bins": ["curl"] }, },\n  }',
    "a table in a table": "metadata:\n  openclaw:\n    install:\n      - id: brew\n        bins:\n          - curl",
    "fields of its own": "homepage: https://example.org\nversion: 1.0.0\nauthor: Ana\nuser-invocable: true",
    "how it is called": "argument-hint: [pr-number]\ndisable-model-invocation: true\nwhen_to_use: at a change",
    "a list of tools": "allowedTools:\n  - read_file\nallowed-tools: [Read, Write]",
    "an anchor and its alias": "metadata: &a\n  b: c\nother: *a",
    "a tag": "version: !!str 1.0",
    "a field twice": "license: MIT\nlicense: MIT",
    "too long for it": f"compatibility: {'c' * 501}",
    "a list that was no text": "compatibility: [git, gh]",
    "a colon in a text": "license: MIT: as usual",
    "a tab": "metadata:\n\tauthor: Ana",
    "a quote amid": "license: 'MIT' or so",
    "very deep": "metadata: " + "[" * 200 + "]" * 200,
}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_a_name_and_a_description_suffice(kind: str) -> None:
    text = whole(f"name: x\n{PUBLISHED[kind]}\ndescription: Do x when asked.")
    found = form.read(Folder("x", {"SKILL.md": text.encode()}))
    assert found.lacks == () and found.description == "Do x when asked." and found.flaws


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("name: x\ndescription: Use when: the person asks", "Use when: the person asks"),
        ("name: x\ndescription: >\n  a: b\n  c\nlicense: a: b", "a: b c"),
        ("name: x\ndescription: 'a: b'\nlicense: a: b", "a: b"),
        (f"name: x\ndescription: {'d' * 2000}", "d" * 2000),
        ("name: Another Name\ndescription: d", "d"),
    ],
)
def test_what_it_is_described_by_is_read_where_the_form_is_odd(head: str, said: str) -> None:
    found = form.read(Folder("x", {"SKILL.md": whole(head).encode()}))
    assert found.description == said and found.lacks == () and found.flaws


@pytest.mark.parametrize("above", ["\n", "\ufeff\n \n", "<!-- SPDX-License-Identifier: MIT -->\n", "<!-- a\nb -->\n\n"])
@pytest.mark.parametrize("end", ["---", "..."])
def test_a_frontmatter_is_found_below_empty_lines_and_comments(above: str, end: str) -> None:
    text = f"{above}---\nname: x\ndescription: d\n{end}\nDo it.\n"
    found = form.read(Folder("x", {"SKILL.md": text.encode()}))
    assert (found.description, found.body, found.lacks) == ("d", "Do it.", ())
    assert found.flaws == ("the frontmatter must begin on the first line of SKILL.md",)


def test_words_above_a_rule_are_no_frontmatter() -> None:
    assert form.read(Folder("x", {"SKILL.md": b"Hello\n---\nname: x\ndescription: d\n---\n"})).lacks


@pytest.mark.parametrize("head", ["homepage: x", "name: x", "description: d", "name: x\ndescription: ''", "a: b: c"])
def test_without_them_it_cannot_be_used(head: str) -> None:
    found = form.read(Folder("x", {"SKILL.md": whole(head).encode()}))
    assert found.lacks and set(found.lacks) <= set(found.flaws)


def test_a_long_text_is_one_as_well() -> None:
    text = whole("name: x\ndescription: d") + "a line of it\n" * 30_000
    assert len(text) > 390_000 and read(text) == ()


def test_deep_ones_are_refused_and_break_nothing() -> None:
    deep = "\n".join(f"{' ' * n}a:" for n in range(300))
    assert "too deep" in read(whole(f"name: x\ndescription: d\nmetadata:\n{deep}"))[0]


@given(ANY_TEXT)
def test_no_text_breaks_it(text: str) -> None:
    assert read(text) and isinstance(read(whole(text)), tuple)


# --- by the format's own reader


def theirs(place: Path, name: str, data: bytes) -> list[str]:
    """What skills-ref finds wrong with the folder; what it dies of is wrong, too."""
    validator = pytest.importorskip("skills_ref.validator")
    (place / name).mkdir(exist_ok=True)
    (place / name / "SKILL.md").write_bytes(data)
    try:
        found: list[str] = validator.validate(place / name)
    except (ValueError, AttributeError) as died:  # UnicodeDecodeError; of a control character
        return [str(died)]
    return found


@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_the_formats_own_reader_agrees(tmp_path: Path, name: str) -> None:
    data = whole({**GOOD, **BAD}[name]).encode()
    found = theirs(tmp_path, "x", data)
    assert bool(found) == bool(form.read(folder.read_folder(tmp_path, "x")).flaws), found


@pytest.mark.parametrize("name", STRICTER)
def test_where_we_are_stricter(tmp_path: Path, name: str) -> None:
    assert theirs(tmp_path, "é" if "letters" in name else "x", whole(STRICTER[name]).encode()) == []


_PLAIN = """x|a b|'q'|"d"|a: b|[a]|{a: b}|&a b|*a|!!str a|- a|~|1|a # b|#a|%a|@a|? a|a:b|'|"|""".split("|")
_WORDS = st.sampled_from([*_PLAIN, "|\n  a", ">\n  a", "\n  a", "\n- a", "\n  b: c"])
_FIELDS = st.lists(
    st.tuples(st.sampled_from([*form.FIELDS, "other"]), _WORDS).map(lambda one: f"{one[0]}: {one[1]}"), max_size=5
)


@given(_FIELDS)
def test_it_agrees_on_generated_ones(tmp_path: Path, fields: list[str]) -> None:
    head = "\n".join(["name: x", *fields])
    if any(one.startswith("metadata") and "b: c" in one for one in fields):
        return  # a table in a table, perhaps, in which we are stricter
    assert bool(theirs(tmp_path, "x", whole(head).encode())) == bool(read(whole(head))), head

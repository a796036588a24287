"""Notes in two parts: each line stands below the headings that it stood below, and no block is cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.capabilities.migration import sections
from dotagent.text import fences

MANY = "".join(f"- On day {day} she told of the garden.\n" for day in range(60))


def places(text: str) -> dict[str, list[str]]:
    """The headings above each line that is not blank, the outermost first."""
    path, found = dict[int, str](), dict[str, list[str]]()
    for line, fence in fences.marked(text.split("\n")):
        if not fence and (heading := re.match(r" {0,3}(#{1,6})[ \t]+(.*)", line)):
            path = {level: name for level, name in path.items() if level < len(heading[1])} | {
                len(heading[1]): heading[2]
            }
        elif line.strip():
            found[line] = [path[level] for level in sorted(path)]
    return found


def test_what_has_no_room_keeps_its_headings() -> None:
    text = f"# Memory\n\n## Bo\n\n- tea\n\n## Ana\n\n{MANY}\n### Never\n\n- walnuts\n\n## House\n\n- the key\n"
    kept, rest = sections.split(text, 800)
    assert len(kept) <= 800 and places(kept)["- tea"] == ["Memory", "Bo"]
    both = places(kept) | places(rest)
    assert both["- walnuts"] == ["Memory", "Ana", "Never"] and both["- the key"] == ["Memory", "House"]
    assert places(kept)["- On day 0 she told of the garden."] == ["Memory", "Ana"]
    assert places(rest)["- On day 59 she told of the garden."] == ["Memory", "Ana"]


@pytest.mark.parametrize(("ana", "bo"), [("Ana\n---", "Bo\n---"), ("Ana\n====", "Bo\n==="), ("**Ana**", "**Bo:**")])
def test_what_has_no_room_keeps_a_heading_of_another_form(ana: str, bo: str) -> None:
    kept, rest = sections.split(f"# Memory\n\n{ana}\n\n- no walnuts\n\n{bo}\n\n" + "- tea\n" * 300, 800)
    assert ana in kept and rest.count(bo) == 1 and rest.index(bo) < rest.index("- tea")


def test_a_rule_and_frontmatter_are_no_headings() -> None:
    kept, rest = sections.split("---\nname: notes\n---\n# Memory\n\nword\n\n---\n\n" + "- tea\n" * 300, 800)
    assert kept.startswith("---\nname: notes\n---\n# Memory") and rest.startswith("# Memory\n\n- tea")


@pytest.mark.parametrize("mark", ["```", "~~~~"])
def test_a_fenced_block_is_never_cut(mark: str) -> None:
    code = "".join(f"# step {number}\nssh step{number}.example\n" for number in range(90))
    kept, rest = sections.split(f"# Memory\n\n## Tunnel\n\n{mark}bash\n{code}{mark}\n\n## Rules\n\n- not early\n", 800)
    assert not kept.count(mark) % 2 and not rest.count(mark) % 2
    assert f"{mark}bash\n{code}{mark}\n" in rest and places(kept + rest)["- not early"] == ["Memory", "Rules"]


def test_a_comment_with_headings_is_one_block() -> None:
    comment = "<!-- old:\n\n## Ana\n\n- walnuts\n\n## Cy\n-->\n"
    tea, doors = "- tea\n" * 70, "- a door\n" * 60
    for room in range(400, 800, 25):
        text = f"# Memory\n\n## Bo\n\n{tea}\n{comment}\n- a key\n\n## House\n\n{doors}"
        kept, rest = sections.split(text, room)
        assert (comment in kept) != (comment in rest)
        for part in (kept, rest):
            plain = part.replace(comment, "")
            assert "<!--" not in plain and "-->" not in plain
            if "- a key" in plain:
                assert places(plain)["- a key"] == ["Memory", "Bo"]
    kept, rest = sections.split(f"# Memory\n\n<!-- never closed\n\n## Bo\n\n{tea * 4}", 800)
    assert rest.startswith("# Memory\n\n## Bo\n\n- tea")


def test_an_item_and_a_table_are_not_cut() -> None:
    item = "- Ana must not eat\n" + "".join(f"  - nut {number}\n" for number in range(20))
    table = "| a | b |\n|---|---|\n" + "".join(f"| {number} | x |\n" for number in range(20))
    for block in (item, table):
        kept, rest = sections.split("# Notes\n" + "a line\n" * 60 + block + "more\n" * 100, 500)
        assert (block in kept) != (block in rest)


_LINES = st.sampled_from(["# a", "## b", "### c", "- item", "  - below", "```", "~~~", "words of it", "", "| x |"])


@given(st.lists(_LINES, max_size=60))
def test_each_line_stays_below_its_headings(lines: list[str]) -> None:
    told = [f"{line} {number}" if line.strip("`~# ") else line for number, line in enumerate(lines)]
    text = "\n".join(told)
    kept, rest = sections.split(text, 250)
    assert len(kept) <= 250
    if list(fences.marked([*told, ""]))[-1][1]:
        return  # a block without an end
    for part in (kept, rest):
        assert not list(fences.marked([*part.split("\n"), ""]))[-1][1]
    found = places(kept) | places(rest)
    for line, above in places(text).items():
        assert "`" in line or "~" in line or found[line] == above

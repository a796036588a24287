"""Regular expressions and dataclasses that are made late are the same as those that are made at once."""

from __future__ import annotations

import copy
import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from support import ROOT, environment

from dotagent.text import lazy

Decorator = Callable[..., Callable[[type], Any]]


def classes(dataclass: Decorator, field: Any = field, **options: bool) -> tuple[type[Any], type[Any]]:
    """A class with all that ours have, and one that inherits from it."""

    @dataclass(**options)
    class Base:
        """A base."""

        kind: ClassVar[str] = "base"
        name: str
        size: int = 3
        found: list[str] = field(default_factory=list)
        secret: str = field(default="s", repr=False, compare=False)

        def doubled(self) -> int:
            return self.size * 2

    @dataclass(**options)
    class Inner(Base):
        """It adds a field, and looks at its base."""

        more: str = "m"

        def __post_init__(self) -> None:
            object.__setattr__(self, "seen", super().doubled())

    return Base, Inner


def told(base: type[Any], inner: type[Any]) -> list[object]:
    """What a caller sees of the two classes."""
    one, two, same = inner("a", size=5), base("b"), base("b", 3, [])
    changed = dataclasses.replace(one, more="n")
    return [
        repr(one), repr(two), two == same, two == dataclasses.replace(same, secret="t"),
        two == base("c"), one == two, one.seen, two.kind, two.found is same.found,
        dataclasses.asdict(changed), [(each.name, each.type) for each in dataclasses.fields(inner)],
        inner.__match_args__, copy.deepcopy(one) == one, base.size, inner.__doc__, hasattr(base, "found"),
        base.__hash__ is None,
    ]  # fmt: skip


@pytest.mark.parametrize("frozen", [True, False])
def test_a_dataclass_is_the_same(frozen: bool) -> None:
    at_once = told(*classes(dataclasses.dataclass, frozen=frozen))
    assert told(*classes(lazy.dataclass, frozen=frozen)) == at_once
    assert told(*classes(lazy.dataclass, lazy.field, frozen=frozen)) == at_once


def test_the_fields_of_a_class_without_instances_are_known() -> None:
    base, inner = classes(lazy.dataclass)
    assert dataclasses.is_dataclass(inner)
    assert [one.name for one in dataclasses.fields(inner)] == ["name", "size", "found", "secret", "more"]
    assert inner("a").found == []
    assert base("a").size == 3


@pytest.mark.parametrize("dataclass", [dataclasses.dataclass, lazy.dataclass])
def test_instances_are_read_and_changed_in_the_same_way(dataclass: Decorator) -> None:
    """Whoever made a class, our functions do with it what Python's do."""
    base, inner = classes(dataclass, frozen=True)
    one = inner("a", found=[base("b"), {"c": (base("d"),)}])
    assert [each.name for each in lazy.fields(inner)] == [each.name for each in dataclasses.fields(inner)]
    assert lazy.asdict(one) == dataclasses.asdict(one)
    assert lazy.replace(one, size=9) == dataclasses.replace(one, size=9)
    assert hash(base(1, found=())) == hash(base(1, found=()))


def test_a_list_is_no_default() -> None:
    @lazy.dataclass
    class Shared:
        """Its instances would share a list."""

        found: list[str] = []  # noqa: RUF012 (this is the mistake)

    with pytest.raises(ValueError, match="default"):
        Shared()


def test_a_frozen_one_refuses_changes() -> None:
    one = classes(lazy.dataclass, frozen=True)[1]("a")
    with pytest.raises(FrozenInstanceError):
        one.size = 4
    with pytest.raises(FrozenInstanceError):
        del one.size


def test_what_is_wrong_with_an_instance_is_said_each_time() -> None:
    base, _ = classes(lazy.dataclass)
    for _ in range(2):
        with pytest.raises(TypeError, match="name"):
            base()


def test_a_class_with_its_own_beginning_keeps_it() -> None:
    @lazy.dataclass(frozen=True)
    class Own:
        """It is made in its own way."""

        size: int

        def __init__(self) -> None:
            object.__setattr__(self, "size", 7)

    assert repr(Own()).endswith("Own(size=7)")


@pytest.mark.parametrize(("pattern", "text"), [(r"(a)(b)?", "xab ab"), (rb"(a)(b)?", b"xab ab")])
def test_a_regular_expression_is_the_same(pattern: Any, text: Any) -> None:
    at_once, made = re.compile(pattern, re.IGNORECASE), lazy.compile(pattern, re.IGNORECASE)
    assert made.pattern == at_once.pattern
    assert made.findall(text) == at_once.findall(text)
    assert made.sub(pattern[:1], text) == at_once.sub(pattern[:1], text)
    assert made.search(text).span(2) == at_once.search(text).span(2)  # type: ignore[union-attr]
    assert (made.groups, made.flags) == (at_once.groups, at_once.flags)
    assert copy.deepcopy(made).findall(text) == at_once.findall(text)


def test_a_wrong_one_is_named_when_it_is_used() -> None:
    wrong = lazy.compile("(")
    with pytest.raises(re.error):
        wrong.search("")


MADE = """
import dataclasses, re, sys
made = []
compile, process = re._compile, dataclasses._process_class
re._compile = lambda *given: made.append(sys._getframe(2).f_globals["__name__"]) or compile(*given)
dataclasses._process_class = lambda cls, *given: made.append(cls.__module__) or process(cls, *given)
import agent
print(*[one for one in made if one.startswith("dotagent")], sep="\\n")
"""


def test_the_start_of_an_agent_makes_few() -> None:
    """A module that an agent imports makes its dataclasses and regular expressions late."""
    done = subprocess.run(
        [sys.executable, "-c", MADE], env=environment(), capture_output=True, text=True, check=True, cwd=ROOT
    )
    made = done.stdout.split()
    assert len(made) <= 30, sorted(made)


def test_the_start_of_an_agent_imports_little() -> None:
    """Modules that take long to import, and that few starts need, are imported where they are used."""
    words = [sys.executable, "-c", "import agent, sys; print(*sys.modules)"]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True, cwd=ROOT)
    costly = {"calendar", "importlib.resources", "zipfile"}
    costly |= {"rich", "shutil", "sqlite3", "subprocess", "tempfile", "tomllib", "zoneinfo"}
    assert not costly & {*done.stdout.split()}


STARTED = """
import runpy, sys
sys.argv = ["agent.py", "--home", sys.argv[1], "--provider", "offline", "--until-idle"]
try:
    runpy.run_path("agent.py", run_name="__main__")
finally:
    print("loaded:", *sys.modules)
"""


def test_an_agent_without_messages_imports_little(tmp_path: Path) -> None:
    """With all capabilities, up to the wait for a message. Programs are started by a child that ends."""
    words = [sys.executable, "-c", STARTED, str(tmp_path)]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True, cwd=ROOT)
    costly = {"calendar", "importlib.resources", "zipfile"}
    assert not costly & {*done.stdout.partition("loaded: ")[2].split()}

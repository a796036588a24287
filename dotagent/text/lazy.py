"""Regular expressions and dataclasses that are made at their first use instead of at the import of their module.

Making them takes half of the time of an import, and a process uses few of them. `compile` is used like that of Python's
module `re`, and the other functions like those of `dataclasses`. They do not import that module, because it imports
many others. Python makes a dataclass in its own way only when other code asks for `__dataclass_fields__`. Pure; owns
nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, AnyStr, NoReturn, cast

if TYPE_CHECKING:
    from dataclasses import MISSING as MISSING
    from dataclasses import Field as Field
    from dataclasses import asdict as asdict
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
else:

    class _Missing:
        """The type of MISSING."""

    MISSING = _Missing()
    """The mark of a field without a default."""

    class Field:
        """A field of a dataclass, with what its class says about it."""

        name = type = ""

        def __init__(self, default: Any, default_factory: Any, repr: bool, compare: bool, metadata: Any) -> None:
            self.default, self.default_factory = default, default_factory
            self.repr, self.compare, self.metadata = repr, compare, metadata or {}

    def field(
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        repr: bool = True,
        compare: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return a field with a new default for each instance, or a field that is not shown or compared."""
        return Field(default, default_factory, repr, compare, metadata)

    def dataclass(cls: type | None = None, *, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
        """Make a dataclass of a class when it gets its first instance, or when a caller asks for its fields."""
        options = {"frozen": frozen, "eq": eq, "repr": repr}
        return _prepare(cls, options) if cls else lambda cls: _prepare(cls, options)

    def fields(one: Any) -> tuple[Any, ...]:
        """Return the fields of a dataclass or of its instance."""
        kind = one if isinstance(one, type) else type(one)
        if late := _find_late(kind):
            return tuple(late.fields.values())
        import dataclasses

        return dataclasses.fields(one)

    def replace(one: Any, /, **changes: object) -> Any:
        """Return a copy of an instance with these fields changed."""
        same = {each.name: getattr(one, each.name) for each in fields(one) if each.name not in changes}
        return type(one)(**same, **changes)

    def asdict(one: Any) -> dict[str, Any]:
        """Return the fields of an instance as a dictionary. Instances in fields become dictionaries, too."""
        return {each.name: _convert_value(getattr(one, each.name)) for each in fields(one)}


_METHODS = "search match fullmatch split findall finditer sub subn".split()


def compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(pattern, flags))


class _Pattern:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        made = re.compile(self.pattern, self._given)
        self.__dict__.update({method: getattr(made, method) for method in _METHODS})
        return getattr(made, name)


class _Late:
    """A class that becomes a dataclass. It is the `__dataclass_fields__` of the class; its own `fields` are ours."""

    def __init__(self, cls: Any, options: Mapping[str, bool]) -> None:
        self.cls, self.options = cls, options
        self.own = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        self.made: dict[str, Any] | None = None
        self.real: dict[str, Any] | None = None
        self.first = True  # there was no instance yet

    @property
    def fields(self) -> dict[str, Any]:
        """Our fields, with those of the bases first. The class is a dataclass once they are known."""
        if self.made is None:
            found = _collect_fields(self.cls, self.own)
            _add_methods(self.cls, self.own, self.options, found)
            self.made = found
        return self.made

    def __get__(self, one: object, of: type) -> dict[str, Any]:
        """Return Python's fields, for the module `dataclasses`, which gets a copy of the class to make them of."""
        if self.real is None:
            import dataclasses

            given = {
                name: _convert_field(value) if isinstance(value, Field) else value for name, value in self.own.items()
            }
            copied = type(self.cls)(self.cls.__name__, self.cls.__bases__, given)
            made: Any = dataclasses.dataclass(**self.options)(copied)
            self.cls.__dataclass_params__, self.real = made.__dataclass_params__, made.__dataclass_fields__
        return self.real


def _prepare(cls: Any, options: Mapping[str, bool]) -> Any:
    """Prepare a class that its first instance makes a dataclass."""
    late = cls.__dataclass_fields__ = _Late(cls, options)
    if options["frozen"]:
        cls.__setattr__ = cls.__delattr__ = _refuse
    if "__init__" in late.own:
        late.fields  # noqa: B018 (it is made at once)
        return cls

    def init(self: object, *given: object, **named: object) -> None:
        known, first, late.first = late.fields.values(), late.first, False
        if (
            not first
            or given
            or named
            or not all(_is_given(one.default) or _is_given(one.default_factory) for one in known)
        ):
            cls.__init__ = _write_init(cls, options["frozen"], late.fields)
            cls.__init__(self, *given, **named)
            return
        for one in known:  # many classes have one instance, a default, for which no function must be compiled
            object.__setattr__(self, one.name, one.default if _is_given(one.default) else one.default_factory())
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    cls.__init__ = init
    return cls


def _find_late(kind: type) -> _Late | None:
    """Return how a class becomes a dataclass, or None if Python makes it one."""
    for one in kind.__mro__:
        if found := vars(one).get("__dataclass_fields__"):
            return found if isinstance(found, _Late) else None
    return None


def _collect_fields(cls: Any, own: Mapping[str, Any]) -> dict[str, Any]:
    found = dict[str, Any]()
    for base in reversed(cls.__mro__[1:]):
        known = vars(base).get("__dataclass_fields__", {})
        found |= known.fields if isinstance(known, _Late) else known
    for name, kind in own.get("__annotations__", {}).items():
        if "ClassVar" not in str(kind):
            given = own.get(name, MISSING)
            one = given if hasattr(given, "default_factory") else field(default=given)
            if one.default.__class__.__hash__ is None:
                raise ValueError(f"mutable default {type(one.default)} for field {name} is not allowed")
            one.name, one.type = name, kind
            found[name] = one
    return found


def _add_methods(cls: Any, own: Mapping[str, Any], options: Mapping[str, bool], found: Mapping[str, Any]) -> None:
    """Give a class the methods of a dataclass, except `__init__`."""
    for name in own.get("__annotations__", {}):
        if name in found and name in own:
            if _is_given(found[name].default):
                setattr(cls, name, found[name].default)
            else:
                with suppress(AttributeError):
                    delattr(cls, name)
    made: dict[str, Any] = {"__match_args__": tuple(found)}
    if options["repr"]:
        made["__repr__"] = _write_repr([one.name for one in found.values() if one.repr])
    if options["eq"]:
        compared = [one.name for one in found.values() if one.compare]
        told: Callable[[object], object] = attrgetter(*compared) if compared else lambda one: ()
        made["__eq__"] = lambda self, other: (
            told(self) == told(other) if other.__class__ is self.__class__ else NotImplemented
        )
        made["__hash__"] = (lambda self: hash(told(self))) if options["frozen"] else None
    for name, value in made.items():
        if name not in own or (name == "__hash__" and own[name] is None):
            setattr(cls, name, value)


def _write_repr(names: list[str]) -> Callable[[object], str]:
    def __repr__(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _write_init(cls: Any, frozen: bool, found: Mapping[str, Any]) -> Any:
    """Return the function `__init__`, as quick as if someone had written it for this class."""
    known: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    words, lines = ["self"], list[str]()
    for name, one in found.items():
        value = name
        if _is_given(one.default):
            known[f"_default_{name}"] = one.default
            words.append(f"{name}=_default_{name}")
        elif _is_given(one.default_factory):
            known[f"_new_{name}"] = one.default_factory
            words.append(f"{name}=_missing")
            value = f"_new_{name}() if {name} is _missing else {name}"
        else:
            words.append(name)
        lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(words)}):\n" + "\n".join(lines or [" pass"]), known)
    known["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return known["__init__"]


def _is_given(default: object) -> bool:
    """Return True unless this is the mark of a field without a default, our mark or Python's."""
    return default is not MISSING and type(default).__name__ != "_MISSING_TYPE"


def _convert_field(ours: Any) -> Any:
    """Return Python's field for ours."""
    import dataclasses

    given = {name: value for name, value in vars(ours).items() if name not in ("name", "type") and _is_given(value)}
    return dataclasses.field(**given)


def _convert_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _convert_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        found = [_convert_value(one) for one in value]
        return type(value)(*found) if hasattr(value, "_fields") else type(value)(found)
    return asdict(value) if any("__dataclass_fields__" in vars(one) for one in type(value).__mro__) else value


def _refuse(self: object, name: str, *value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")

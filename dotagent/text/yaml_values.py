"""The values of a YAML document as version 1.2 reads them, so that the country NO and the hour 22:30 stay texts.

Owns nothing on disk. The module must be imported only where there is YAML, because it imports PyYAML.
"""

from __future__ import annotations

import re

import yaml  # type: ignore[import-untyped,unused-ignore]

TYPES = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    "float": (r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-0123456789")),
    "merge": (r"<<", ["<"]),
}
"""By type: how a value without quotes looks, and its first characters. The numbers are those of JSON: 007 is a text.
From the YAML 1.2.2 specification, 10.2 and 10.3; `<<` is of YAML 1.1, but documents use it."""


class _Loader(yaml.SafeLoader):  # type: ignore[misc,unused-ignore]
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 as in PyYAML


for _name, (_form, _first) in TYPES.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"(?:{_form})\Z"), _first)


def read(text: str | bytes) -> object:
    """Return the document's value: tables, lists, texts, numbers, truth values or None. Raises ValueError."""
    try:
        found: object = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    return found

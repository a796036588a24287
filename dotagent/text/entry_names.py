"""Find how a model names an entry: `412`, `#412`, `entry 412, please`, an id, or a whole reference. Pure.

Models add words around a name and copy more than the name. Such extra text is accepted.
"""

from __future__ import annotations

import re

from dotagent.text.lazy import dataclass

_REFERENCE = re.compile(r"[◱⟪]?\s*\bhash=([0-9a-f]{8,32})\b(?:\s+gist=[^◲⟫\n]*)?\s*[◲⟫]?", re.IGNORECASE)
_ID = re.compile(r"(?<![\w/.])([0-9a-f]{8,32})(?![\w/]|\.\w)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w/.:-])#?(0*[1-9]\d{0,6})(?:-#?\d{1,7})?(?![\w/:-]|\.\d)")
_MARKED = re.compile(
    r"(?:(?<!\w)#|\b(?:entry|entries|number|no\.?)\s+#?)(0*[1-9]\d{0,6})(?:-#?\d{1,7})?\b", re.IGNORECASE
)
_FULL = re.compile(r"\b(?:full|all)\b", re.IGNORECASE)
_PAGE = re.compile(r"\bpage\s+(\d+)|\A\s+(\d+)\b(?!\s*[-:/])", re.IGNORECASE)
_AROUND = frozenset(
    "entry entries number no id hash message original originals the of please me bring back show".split()
)


@dataclass(frozen=True)
class Named:
    """A name as written: the prefix of an `id`, or an entry's `number` (then `id` is empty), the wanted `page`, and
    whether everything below is wanted (`full`). `only`: no meaningful other words. `marked`: it cannot be anything but
    a name."""

    id: str
    number: int
    page: int = 1
    full: bool = False
    only: bool = True
    marked: bool = True

    @property
    def text(self) -> str:
        """Return the name."""
        return self.id or str(self.number)


def find_name(text: str) -> Named | None:
    """Return the first name in a text, or None. An id goes before a number, and a marked number before a bare one."""
    found = _REFERENCE.search(text) or _ID.search(text)
    number = None if found else _MARKED.search(text) or _NUMBER.search(text)
    if found is None and number is None:
        return None
    match = found or number
    assert match
    rest, full = _FULL.subn("", text[match.end() :])
    page = _PAGE.search(rest)
    around = re.findall(r"\w+", f"{text[: match.start()]} {_PAGE.sub(' ', rest)}".lower())
    return Named(
        id=found[1].lower() if found else "",
        number=int(number[1]) if number else 0,
        page=int((page[1] or page[2])[:12]) if page else 1,
        full=bool(full),
        only=_AROUND.issuperset(around),
        marked=bool(found) or bool(_MARKED.search(text)),
    )

"""Ask a person, once, about new plug-ins: tools, providers, bridges and commands of the person.

The answer applies to that version. Owns nothing on disk; store/plugins.py saves the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dotagent import extensions
from dotagent.store import plugins
from dotagent.store.plugins import Plugin
from dotagent.text import escape


def ask(root: Path, waiting: Iterable[Plugin]) -> None:
    """Ask about each. Without an answer nothing is decided."""
    for one in waiting:
        about = str(extensions.read_constants(plugins.text(one).decode("utf-8"))["help"])
        print(escape.row(f"{one.called} is {one.state}, from {one.origin}: {one.path}"))
        print(escape.row(f"  {about or '(without a description)'}"))
        print(
            "  The plug-in would run inside dotagent with all of your permissions. Read its code before you trust it."
        )
        try:
            said = input("Trust this version? [y = yes, n = no, Enter = decide later] ").strip().lower()
        except EOFError:
            return
        if said:
            plugins.decide(root, one, said in ("y", "yes"))
    plugins.use(root)

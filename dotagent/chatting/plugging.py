"""Asking a person, once, about what is new among their own tools, providers, bridges and commands.

What they answer holds for that version. Owns nothing on disk; store/plugins.py keeps the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dotagent import extensions
from dotagent.store import plugins
from dotagent.store.plugins import Plugin
from dotagent.text import escape


def ask(root: Path, waiting: Iterable[Plugin]) -> None:
    """Ask about each; without an answer nothing is decided."""
    for one in waiting:
        about = str(extensions.told(plugins.text(one).decode("utf-8"))["help"])
        print(escape.row(f"{one.called} is {one.state}, from {one.origin}: {one.path}"))
        print(escape.row(f"  {about or '(it does not say what it is for)'}"))
        print("  It would run as dotagent itself does, with all that you may. Look at it before you trust it.")
        try:
            said = input("Trust this version? [y/N, Enter decides later] ").strip().lower()
        except EOFError:
            return
        if said:
            plugins.decide(root, one, said in ("y", "yes"))
    plugins.use(root)

"""The Python packages of optional parts: the command that installs them here. Owns nothing on disk."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dotagent.installed import CODE, DISTRIBUTION, INSTALLED


def lacks(missing: ImportError, extra: str = "") -> str:
    """Return one line that names the missing module, and the command that installs it: one of this extra's packages, or
    of what every dotagent needs."""
    return f"the Python module {missing.name} is not installed: run `{bring(extra)}`"


def bring(extra: str) -> str:
    """Return the command that installs an extra's packages here, or with "" what every dotagent needs.

    It names packages instead of dotagent's own extra, so that it is right for a checkout and for any installation.
    """
    if not extra and not INSTALLED:
        return _install("-r", str(CODE / "requirements.txt"))
    return _install(*_packages(extra))


def _install(*what: str) -> str:
    """Return the command that installs these packages into the running environment."""
    import importlib.util
    import shlex
    import tomllib

    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx inject {prefix.name} {shlex.join(what)}"
    if (prefix / "uv-receipt.toml").is_file():
        return _uv_tool(tomllib.loads((prefix / "uv-receipt.toml").read_text("utf-8"))["tool"]["requirements"], what)
    if not importlib.util.find_spec("pip"):  # uv makes venvs without pip
        return f"uv pip install --python {shlex.quote(str(prefix))} {shlex.join(what)}"
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.join(what)}"


def _uv_tool(requirements: Sequence[Mapping[str, str]], what: Sequence[str]) -> str:
    """Return the command that reinstalls the tool from the same source with more packages, because uv cannot only add
    them."""
    import shlex

    ours = next(one for one in requirements if one["name"] == DISTRIBUTION)
    source = next((ours[key] for key in ("directory", "path", "url", "git") if key in ours), DISTRIBUTION)
    others = [one["name"] + one.get("specifier", "") for one in requirements if one is not ours]
    packages = [word for name in (*others, *what) for word in ("--with", name)]
    return f"uv tool install {shlex.join([*packages, source])}"


def _packages(extra: str) -> Sequence[str]:
    """Return the packages of an extra with their versions, from pyproject.toml or the installed package."""
    if not INSTALLED:
        import tomllib

        extras = tomllib.loads((CODE / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
        return tuple(extras[extra])
    from importlib import metadata

    found = [one.partition(";") for one in metadata.requires(DISTRIBUTION) or ()]
    wanted = f"extra == {extra!r}" if extra else ""
    return tuple(name.strip() for name, _, when in found if when.strip().replace('"', "'") == wanted)

"""Time zones by name, by the newer of two tables: the system's and that of the package tzdata. Reads no settings.

The table is read again each day, because rules change while a process runs. A zone of this machine that has no name
means what it means to the C library: TZ may hold a POSIX rule (`JST-9`) or a path, and /etc/localtime may be a copy.
"""

from __future__ import annotations

import os
import re
import sys
import time
from datetime import tzinfo
from functools import lru_cache
from pathlib import Path

from dotagent.text import lazy

LOCAL = "/etc/localtime"
_TREE = lazy.compile(r"(?:.*/zoneinfo(?:\.default)?/)?(?:posix/|right/)?")
_ABBREVIATION = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_POSIX = lazy.compile(rf"{_ABBREVIATION}[+-]?\d[\d:]*(?:{_ABBREVIATION}.*)?", re.ASCII)
_VERSION = lazy.compile(r"(\d{4}[a-z]+)")


def machine_zone() -> str:
    """Return the name of this machine's time zone: from TZ, otherwise from /etc/localtime, otherwise UTC."""
    return _machine(os.environ.get("TZ"), _day())


def find_zone(name: str) -> tzinfo:
    """Return the time zone of this name. Raises KeyError, ValueError or OSError."""
    return _find(name, _day())


def is_zone(name: str) -> bool:
    """Return True if this is the name of a time zone."""
    try:
        find_zone(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def table() -> tuple[str, str]:
    """Return the name of the table in use, `tzdata` or `system`, and the versions of both."""
    package, system = _package_version(), _system_version()
    versions = f"tzdata {package or 'is not installed'}, system {system or 'unknown'}"
    return "tzdata" if _takes_package(package, system) else "system", versions


def _day() -> int:
    return int(time.time() // 86_400)


@lru_cache(maxsize=64)
def _find(name: str, day: int) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    _choose_table(day)
    try:
        return ZoneInfo.no_cache(name)
    except (ZoneInfoNotFoundError, ValueError):
        if os.path.isabs(name) and name in (LOCAL, os.environ.get("TZ", "").lstrip(":")):
            with open(name, "rb") as file:
                return ZoneInfo.from_file(file, key=name)
        if _POSIX.fullmatch(name):
            from dotagent.text import unnamed_zones  # few machines have such a zone

            return unnamed_zones.from_rule(name)
        raise


@lru_cache(maxsize=1)
def _choose_table(day: int) -> None:
    """Make Python read the newer table."""
    import zoneinfo

    system = [str(folder) for folder in _system_folders()]
    if _takes_package(_package_version(), _system_version()):
        package = str(sys.modules["tzdata"].__file__)  # a path, because Python loads ten modules to find the package
        system = [os.path.join(os.path.dirname(os.path.abspath(package)), "zoneinfo")]
    zoneinfo.reset_tzpath(system)


def _takes_package(package: str, system: str) -> bool:
    return "PYTHONTZPATH" not in os.environ and package > system  # a person who sets the path means it


@lru_cache(maxsize=1)
def _package_version() -> str:
    from importlib import import_module

    try:
        return str(import_module("tzdata").IANA_VERSION)
    except ImportError:
        return ""


def _system_version() -> str:
    """Return the version of the system's table, from the first line of one of its files."""
    for folder in _system_folders():
        for name in ("tzdata.zi", "+VERSION"):
            try:
                with open(folder / name, encoding="ascii", errors="replace") as file:
                    if found := _VERSION.search(file.readline(40)):
                        return found[1]
            except OSError:
                continue
    return ""


@lru_cache(maxsize=1)
def _system_folders() -> tuple[Path, ...]:
    """Return the folders that may contain the system's table, as Python's build or PYTHONTZPATH says."""
    import zoneinfo

    return tuple(Path(one) for one in zoneinfo.TZPATH)


@lru_cache(maxsize=4)
def _machine(named: str | None, day: int) -> str:
    if named is not None:
        name = named.lstrip(":")
        names = [_TREE.sub("", name, count=1), name]
        return next((one for one in names if one and is_zone(one)), "UTC")
    link = _TREE.sub("", os.path.realpath(LOCAL), count=1)
    if link != LOCAL and is_zone(link):
        return link
    from dotagent.text import unnamed_zones  # few machines have such a zone

    return unnamed_zones.find_same(LOCAL, _system_folders()) or (LOCAL if is_zone(LOCAL) else "UTC")

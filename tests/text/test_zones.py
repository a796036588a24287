"""Time zones: the newer of two tables, and what a machine means whose zone has no name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest
from support import clock

from dotagent.text import zones

DECEMBER, JULY = datetime(2026, 12, 1, 12, tzinfo=UTC), datetime(2026, 7, 1, 12, tzinfo=UTC)
TOKYO = Path(str(files("tzdata.zoneinfo.Asia"))) / "Tokyo"
SYSTEM = Path("/usr/share/zoneinfo/Asia/Tokyo")
ASK = """
import sys
from datetime import UTC, datetime
from dotagent.text import zones
if len(sys.argv) > 1:
    zones.LOCAL = sys.argv[1]
name = zones.machine_zone()
print(name, datetime(2026, 12, 1, 12, tzinfo=UTC).astimezone(zones.find_zone(name)).strftime("%H:%M"))
"""
VERSION = """
import zoneinfo, sys
zoneinfo.reset_tzpath([sys.argv[1]])
from datetime import UTC, datetime
from dotagent.text import zones
zone = zones.find_zone("America/Vancouver")
print(zones.table()[0], datetime(2026, 12, 1, 12, tzinfo=UTC).astimezone(zone).strftime("%H:%M"))
"""


def told(code: str, *words: str, zone: str | None = None) -> str:
    env = {name: value for name, value in os.environ.items() if name not in ("TZ", "PYTHONTZPATH")}
    env |= {} if zone is None else {"TZ": zone}
    return subprocess.run(
        [sys.executable, "-c", code, *words], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize(
    ("rule", "december", "july"),
    [
        ("JST-9", "21:00", "21:00"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "13:00", "14:00"),
        ("<+0330>-3:30", "15:30", "15:30"),
        ("EST5EDT,M3.2.0,M11.1.0", "07:00", "08:00"),
    ],
)
def test_a_rule_is_a_zone(rule: str, december: str, july: str) -> None:
    zone = zones.find_zone(rule)
    assert [f"{one.astimezone(zone):%H:%M}" for one in (DECEMBER, JULY)] == [december, july]


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../x", "\0", "/etc/passwd", "X9", "JST-99999", "JST-9,foo"])
def test_what_is_no_zone_is_none(name: str) -> None:
    assert not zones.is_zone(name)


@pytest.mark.parametrize(
    ("zone", "means"),
    [
        ("JST-9", "JST-9 21:00"),
        ("Asia/Tokyo", "Asia/Tokyo 21:00"),
        (":Asia/Tokyo", "Asia/Tokyo 21:00"),
        (str(TOKYO), "Asia/Tokyo 21:00"),
        (f":{TOKYO}", "Asia/Tokyo 21:00"),
        ("CET-1CEST", "CET-1CEST 13:00"),
        ("posix/Asia/Tokyo", "Asia/Tokyo 21:00"),
        ("", "UTC 12:00"),
        ("Mars/Olympus", "UTC 12:00"),
    ],
)
def test_the_machine_means_what_the_c_library_means(zone: str, means: str) -> None:
    assert told(ASK, zone=zone) == means
    if SYSTEM.exists():
        hour = subprocess.run(["date", "-d@1796126400", "+%H:%M"], env={"TZ": zone}, capture_output=True, text=True)
        assert hour.stdout.strip() == means.split()[1]


def test_a_path_to_rules_without_a_name_is_read(tmp_path: Path) -> None:
    copy = tmp_path / "here"
    shutil.copyfile(TOKYO, copy)
    assert told(ASK, zone=str(copy)) == f"{copy} 21:00"


@pytest.mark.skipif(not SYSTEM.exists(), reason="this system has no table of time zones")
def test_a_copied_localtime_is_the_zone_with_the_same_rules(tmp_path: Path) -> None:
    copy = tmp_path / "localtime"
    shutil.copyfile(SYSTEM, copy)
    assert told(ASK, str(copy)) == "Asia/Tokyo 21:00"
    copy.write_bytes(copy.read_bytes().replace(b"JST", b"XST"))  # rules of nowhere
    assert told(ASK, str(copy)) == f"{copy} 21:00"


@pytest.mark.parametrize(
    ("version", "table"), [("2000a", "tzdata 05:00"), ("9999z", "system 21:00"), ("", "tzdata 05:00")]
)
def test_the_newer_table_is_taken(tmp_path: Path, version: str, table: str) -> None:
    """The system's table of this test takes Vancouver for Tokyo."""
    (tmp_path / "America").mkdir()
    shutil.copyfile(TOKYO, tmp_path / "America" / "Vancouver")
    if version:
        (tmp_path / "tzdata.zi").write_text(f"# version {version}\n# This zic input file is in the public domain.\n")
    assert told(VERSION, str(tmp_path)) == table


def test_rules_are_read_anew_each_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "rules"
    shutil.copyfile(TOKYO, rules)
    monkeypatch.setenv("TZ", str(rules))
    now = [86_400.0 * 20_000]
    with clock(lambda: now[0]):
        assert f"{DECEMBER.astimezone(zones.find_zone(str(rules))):%H:%M}" == "21:00"
        shutil.copyfile(TOKYO.parent / "Kolkata", rules)
        assert f"{DECEMBER.astimezone(zones.find_zone(str(rules))):%H:%M}" == "21:00"
        now[0] += 86_400
        assert f"{DECEMBER.astimezone(zones.find_zone(str(rules))):%H:%M}" == "17:30"

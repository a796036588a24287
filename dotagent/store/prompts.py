"""The prompts that come with the program, and how to recognise unedited copies.

If a home's or an agent's copy equals that of any version, no one edited it, and the current text replaces it. Edited
copies stay. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dotagent.installed import CODE
from dotagent.store import disk
from dotagent.store.blobs import content_id

PRESENT = {  # content ids of this version's prompts; in a checkout, a person may edit the files themselves
    "SOUL.md": "5cfdf43783adbf75798a39505c79ad0a",
    "EXAMPLE.md": "4dbf0cadf5fe42bab3f78ddaa3bccf1e",
    "SEGMENT.md": "c41b603fc6a9a2fa5516b55d3d3c9af0",
    "SUMMARISE.md": "2fc012d5c468d88dc2f74408b1074530",
}
FORMER: Mapping[str, str] = {  # content ids of the prompts of earlier versions
    "SOUL.md": "a20e5c0f98266e66a3fe2f1b11c247da 7e01b96a1dcc27f3519b849945c39bb7",
    "EXAMPLE.md": (
        "5633b1fe3656f62bac856a571b53d1a6 b19a8492f2c3170dc38163ec7dc94462 67c22b441bd745597835645bd4c19d3c "
        "d81146d9dd2758e206645dc924d826c6 eb8638d400d7c24bbdf6babc1d069a2b 561bc66953028052ed8369a0680f380c "
        "5c5cf5d968a71216f2bacf8fa3385dd2 1fc7383376af937f5584ad76f32bdc46"
    ),
    "SEGMENT.md": (
        "8791c2ae607680d07037d1f0f04240b2 d926d55a5d19247b727cba716ceb6bd5 61cf33ef5ca6cc0a0be5e549043b5b78 "
        "ff034a9b3d0bf25d19981f489be6b2bb"
    ),
    "SUMMARISE.md": (
        "25d3f0b7051f42dc64dc18329f9bf05d d6e2ce189ab84306209c793251192c65 148b2a1dbbcb917c7714721434140d08 "
        "14716cafb715101210268cebf0ca52ac 2259fedf367bd0109957415756f2375f a68bbfba496916f055d1922d21001f86"
    ),
}


def brought(name: str) -> bytes:
    """Return this version's prompt."""
    return disk.read(CODE / name, follow=True)


def is_former(name: str, data: bytes) -> bool:
    """Return True if the data equals the prompt of an earlier version."""
    return content_id(data) in FORMER.get(name, "").split()


def outdated(path: Path) -> bool:
    """Return True if the file is an unedited copy from an earlier version."""
    try:
        return is_former(path.name, disk.read(path))
    except OSError:
        return False  # the code that needs the file reports the error


def is_edited(name: str, data: bytes) -> bool:
    """Return True if someone edited the prompt: it equals neither this version's, apart from surrounding white space,
    nor an earlier one's."""
    if is_former(name, data) or content_id(data) == PRESENT[name]:
        return False
    ours = brought(name)
    return content_id(ours) != PRESENT[name] or data.strip() != ours.strip()

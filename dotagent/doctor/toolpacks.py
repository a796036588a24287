"""Tool packs: whether each manifest is right, and what was enabled is what stands there. Nothing of them is started."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from dotagent.doctor import Finding, entries, ok, open_to_others, warning
from dotagent.doctor.skills import half
from dotagent.errors import Misuse
from dotagent.store import credentials, leftover, packs
from dotagent.store.home import Home
from dotagent.text.sizes import plural

NEEDS = {"mcp": "mcp", "command": "jsonschema", "openapi": "jsonschema"}  # by a pack's kind what pip must have brought


def toolpacks(where: Home) -> Iterator[Finding]:
    """Each pack that its person enabled can be called."""
    well = 0
    for id in packs.listed(where):
        place = f"packs/{id}"
        try:
            one = packs.read(where, id)
            known = credentials.env_file(where) if one.manifest.env else {}
        except Misuse as wrong:
            yield warning(str(wrong), place, f"mend it, or `toolpacks remove {id}`")
            continue
        if one.why and not one.tools:
            continue  # it was never enabled
        missing = [name for name in one.manifest.env if not known.get(name)]
        if "changed" in one.why or "cannot be read" in one.why:
            yield warning(f"the pack {id}: {one.why}", place, "until then its tools are not there")
        elif missing and not one.why:
            yield warning(f"the pack {id} needs {', '.join(missing)}", place, "put it into .env")
        elif not one.why and not find_spec(NEEDS[one.manifest.kind]):
            lacks = f"{NEEDS[one.manifest.kind]} is missing for the pack {id}"
            yield warning(lacks, place, "pip install 'dotagent[packs]'")
        else:
            well += not one.why
    yield from half(where, where.packs)
    for entry in entries(where.packs):
        name = entry.name.removesuffix(".json")
        if name not in packs.listed(where) and not entry.name.startswith(leftover.ASIDE):
            yield warning("is no tool pack", f"packs/{entry.name}", "move it away")
    if well:
        yield ok(plural(well, "tool pack"), "packs")
    yield from open_to_others([where.packs] if where.packs.is_dir() else [], "packs")

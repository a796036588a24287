"""Tool packs: each manifest is valid, and the files are unchanged since they were enabled. No pack is started."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from dotagent import packages
from dotagent.capabilities.toolpacks import packs
from dotagent.doctor import Finding, entries, ok, open_to_others, warning
from dotagent.doctor.skills import half
from dotagent.errors import Misuse
from dotagent.store import credentials, partial_installs
from dotagent.store.home import Home
from dotagent.text.sizes import plural

NEEDS = {"mcp": "mcp", "command": "jsonschema", "openapi": "jsonschema"}  # the package that each kind of pack needs


def toolpacks(where: Home) -> Iterator[Finding]:
    """Check that each enabled pack can be called."""
    well = 0
    for id in packs.list_ids(where):
        place = f"packs/{id}"
        try:
            one = packs.read(where, id)
            known = credentials.env_file(where) if one.manifest.env else {}
        except Misuse as wrong:
            yield warning(str(wrong), place, f"fix the tool pack, or run `toolpacks remove {id}`")
            continue
        missing = [name for name in one.manifest.env if not known.get(name)]
        if "changed" in one.why or "unreadable" in one.why:
            yield warning(f"the tool pack {id}: {one.why}", place, "fix this; until then, agents do not have its tools")
        elif missing and not one.why:
            yield warning(f"the tool pack {id} needs {', '.join(missing)}", place, "add the variable to .env")
        elif not one.why and not find_spec(NEEDS[one.manifest.kind]):
            lacks = f"{NEEDS[one.manifest.kind]} is missing for the tool pack {id}"
            yield warning(lacks, place, f"run `{packages.bring('packs')}`")
        else:
            well += not one.why
    yield from half(where, where.packs)
    for entry in entries(where.packs):
        name = entry.name.removesuffix(".json")
        if name not in packs.list_ids(where) and not entry.name.startswith(partial_installs.ASIDE):
            yield warning("the folder is not a tool pack", f"packs/{entry.name}", "move it away")
    if well:
        yield ok(plural(well, "tool pack"), "packs")
    yield from open_to_others([where.packs] if where.packs.is_dir() else [], "packs")

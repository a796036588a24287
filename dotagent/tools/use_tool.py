"""USE_TOOL: a tool of a pack that its person enabled (store/packs.py), called in the pack's own process.

A tool that has effects is announced like any effect, by the key of its call. When a process dies over it, the next one
takes the answer that came meanwhile, or says that nobody knows: the call is never made twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.showing import Worded
from dotagent.store import disk, home, packed, packs
from dotagent.store.packed import Fate, Use
from dotagent.store.packs import Pack, Tool
from dotagent.store.watch import Watcher
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.tools import UNKNOWN, ToolError, Whose

FOR = "Use a tool of a pack; without arguments its description is shown"
USAGE = ('USE_TOOL pack.tool {"name": "value"}',)
EFFECT = "tool"
ORIGIN = "command"
SOME = True
TELLS = True

LOOK = 0.25  # seconds between two looks at whether we shall end
LINES, LINE = 40, 160  # tools that a prompt tells of, and characters of each
WORDS = 8000  # characters of a description
UNSURE = "if the tool has effects, whether it happened is not known: find out before you do it again"


def given(life: Whose) -> bool:
    """Whether this life has a tool of a pack."""
    return bool(_packs(life))


def told(life: Whose) -> str:
    """The tools of packs that this life has, a line each, for its prompt."""
    lines = [f"    {_line(pack, tool)}" for pack in _packs(life) for tool in pack.tools]
    more = f"\n    … and {len(lines) - LINES} more: USE_TOOL and a pack's name lists its tools" * (len(lines) > LINES)
    return "Tools of packs, in their makers' words (? may be left out):\n" + "\n".join(lines[:LINES]) + more


def effect(session: Session, call: ToolCall) -> Act | None:
    """What is called, unless it only reads; of its arguments each text counts."""
    with suppress(ToolError):
        pack, tool, args = _meant(session, call)
        if args is not None and tool and not pack.manifest.only_reads(tool.name):
            named = tool.name.replace("_", " ")  # what is done counts as much as with what
            return Act(EFFECT, f"{pack.id}.{tool.name}", (named, *_values(args)))
    return None


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Use it, and wait for its answer."""
    pack, tool, args = _meant(session, call)
    if tool is None or args is None:
        return Worded(_described(pack, tool).encode("utf-8", "replace"), by=_origin(pack))
    key = session.next().replace(":", "")
    if not pack.manifest.only_reads(tool.name):
        session.announce(call, f"{pack.id}.{tool.name} {key}")
    there = packed.folder(session.path, pack.id)
    heard = session.state.audience, session.state.heard.bridged
    packed.put(there, Use(key, tool.name, args, tool.mark, *heard))
    return _shown(pack.id, _answer(session, pack, key), _origin(pack))


def recover(session: Session, call: ToolCall, what: str) -> bytes | Worded:
    """The answer that came meanwhile, or that nobody knows whether it happened."""
    name, _, key = what.partition(" ")
    there = packed.folder(session.path, name.partition(".")[0])
    found = packed.answered(there, key)
    packed.drop(there, key)
    if found is None:
        raise ToolError(UNKNOWN)
    return _shown(name.partition(".")[0], found, ORIGIN)


def _packs(life: Whose) -> list[Pack]:
    if not life.home.packs.is_dir():
        return []
    settings = home.settings_now(life.home, life.settings)
    return packs.given(life.home, settings, life.id, (life.state.audience, life.state.heard.bridged))


def _meant(session: Session, call: ToolCall) -> tuple[Pack, Tool | None, Mapping[str, Any] | None]:
    """The pack, its tool, and the arguments, as far as the call names them. Raises ToolError."""
    words, _, rest = call.args.partition("{")
    name, given = words.strip(), (f"{{{rest}" if rest else "") or (call.body or "").strip()
    mine = {pack.id: pack for pack in _packs(session)}
    id, _, tool = name.partition(".")
    if id not in mine:
        raise ToolError(f"which tool? there are tools of {', '.join(mine) or 'no pack'}: {USAGE[0]}")
    pack = mine[id]
    found = pack.tool(tool)
    if tool and found is None:
        raise ToolError(f"{id} has no tool {tool!r}; it has {', '.join(one.name for one in pack.tools)}")
    if not given:
        bare = found and not found.schema.get("required") and not found.schema.get("properties")
        return pack, found, {} if bare else None
    try:
        args = json.loads(given)
    except (ValueError, RecursionError) as wrong:
        raise ToolError(f"the arguments are no JSON object ({wrong}): {USAGE[0]}") from None
    if not isinstance(args, dict):
        raise ToolError(f"the arguments are no JSON object: {USAGE[0]}")
    return pack, found, args


def _answer(session: Session, pack: Pack, key: str) -> Fate:
    """What the pack's process says. Raises ToolError, and Leaving when the agent shall end."""
    there, end = packed.folder(session.path, pack.id), monotonic() + pack.manifest.timeout + session.patience.pack
    watch, begun = Watcher(), 0
    watch.names(there)
    try:
        while (found := packed.answered(there, key)) is None:
            waits = (there / f"{key}.call").exists()
            if not packed.is_served(there):
                if not waits and packed.answered(there, key) is None:
                    raise ToolError(f"{pack.id}: its process died over this; {UNSURE}")
                if begun == 3:
                    raise ToolError(f"{pack.id}: its process does not start: {_said(there)}")
                packed.serve(session.home, session.id, pack.id)
                begun += 1
                _begins(watch, there, key, session.patience.pack)
            elif monotonic() > end:
                packed.end(session.path, pack.id)
                raise ToolError(f"{pack.id}: nothing came in time, and it was stopped; {UNSURE}")
            else:
                watch.wait(LOOK)
            session.check_leaving()
    finally:
        watch.close()
        if not session.leaving:
            packed.drop(there, key)
    return found


def _begins(watch: Watcher, there: Path, key: str, seconds: float) -> None:
    """Wait until the process that was just started has its lock, or has ended."""
    end = monotonic() + seconds / 4
    while monotonic() < end and not packed.is_served(there) and (there / f"{key}.call").exists():
        watch.wait(LOOK)


def _said(there: Path) -> str:
    """What the pack's process said last."""
    with suppress(OSError):
        return escape.one_line(disk.read(there / "said").decode("utf-8", "replace").strip()[-300:], 300)
    return "it says nothing"


def _shown(id: str, said: Fate, by: str) -> Worded:
    if not said.good:
        raise ToolError(f"{id}: {said.text}" + ("" if said.sure else f"; {UNSURE}"))
    return Worded(said.text.encode("utf-8", "replace") or b"done; it tells nothing", by=by)


def _origin(pack: Pack) -> str:
    return "web" if pack.manifest.remote else "command"


def _line(pack: Pack, tool: Tool) -> str:
    """How a tool is called, and what for."""
    wanted = {str(one) for one in _list(tool.schema.get("required"))}
    known = tool.schema.get("properties")
    names = [f"{name}{'' if name in wanted else '?'}" for name in (known if isinstance(known, dict) else {})]
    return escape.one_line(f"{pack.id}.{tool.name} {{{', '.join(names)}}} {tool.about}", LINE)


def _described(pack: Pack, tool: Tool | None) -> str:
    if tool is None:
        return "\n".join([escape.one_line(pack.manifest.about, 400), *(_line(pack, one) for one in pack.tools)])
    kind = "only reads" if pack.manifest.only_reads(tool.name) else "has effects"
    schema = json.dumps(tool.schema, ensure_ascii=False)
    return f"{pack.id}.{tool.name} ({kind}): {tool.about}\nits arguments, as a JSON schema: {schema}"[:WORDS]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _values(given: object) -> Iterator[str]:
    """The texts and numbers within arguments."""
    if isinstance(given, Mapping):
        for one in given.values():
            yield from _values(one)
    elif isinstance(given, list):
        for one in given:
            yield from _values(one)
    elif isinstance(given, str):
        yield given
    elif given is not None:
        yield json.dumps(given)

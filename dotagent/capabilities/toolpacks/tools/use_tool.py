"""USE_TOOL: call a tool of an enabled tool pack. The tool runs in a separate process of the tool pack.

A tool with effects is announced by the key of its call. After a crash, the next process uses the answer if one came, or
reports that the result is unknown. A call is never repeated. Owns nothing on disk.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from dotagent.capabilities.toolpacks import pack_calls, packs
from dotagent.capabilities.toolpacks.pack_calls import Fate, Use
from dotagent.capabilities.toolpacks.packs import Pack, Tool
from dotagent.life import media_results
from dotagent.life.policy import Act
from dotagent.life.session import Session, Stopped
from dotagent.life.tool_results import Worded
from dotagent.store import disk, home
from dotagent.store.watch import Watcher
from dotagent.text import escape, media
from dotagent.text.grammar import ToolCall
from dotagent.tools import UNKNOWN, ToolError, Whose

FOR = "Use a tool of a pack; without arguments its description is shown"
USAGE = ('USE_TOOL pack.tool {"name": "value"}',)
EFFECT = "tool"
ORIGIN = "command"
SOME = True
TELLS = True

LOOK = 0.25  # seconds between two checks for leaving
LINES, LINE = 40, 160  # tools listed in a prompt, and characters of each
WORDS = 8000  # characters of a description
UNSURE = (
    "if this tool changes something, the change may or may not have happened; check that before you repeat the call"
)


def given(life: Whose) -> bool:
    """Return True if the agent has a tool of a pack."""
    return bool(_packs(life))


def told(life: Whose) -> str:
    """Return the agent's pack tools for its prompt, one a line."""
    lines = [f"    {_line(pack, tool)}" for pack in _packs(life) for tool in pack.tools]
    more = f"\n    … and {len(lines) - LINES} more: USE_TOOL and a tool pack's name lists its tools" * (
        len(lines) > LINES
    )
    head = "Tools of packs, described by their makers (? marks what may be left out):\n"
    return head + "\n".join(lines[:LINES]) + more


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the call of a tool with effects."""
    with suppress(ToolError):
        pack, tool, args = _parse_call(session, call)
        if args is not None and tool and not pack.manifest.only_reads(tool.name):
            return Act(EFFECT, f"{pack.id}.{tool.name}")
    return None


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Call the tool and wait for its answer."""
    pack, tool, args = _parse_call(session, call)
    if tool is None or args is None:
        return Worded(_described(pack, tool).encode("utf-8", "replace"), by=_origin(pack))
    key = session.next().replace(":", "")
    if not pack.manifest.only_reads(tool.name):
        session.announce(call, f"{pack.id}.{tool.name} {key}")
    there = pack_calls.folder(session.path, pack.id)
    heard = session.state.audience, session.state.heard.bridged
    pack_calls.put(there, Use(key, tool.name, args, tool.mark, *heard))
    return _make_result(session, call, _answer(session, pack, key), _origin(pack))


def recover(session: Session, call: ToolCall, what: str) -> bytes | Worded:
    """Return the answer if it came. Otherwise raise ToolError, because the result is unknown."""
    name, _, key = what.partition(" ")
    there = pack_calls.folder(session.path, name.partition(".")[0])
    found = pack_calls.find_result(there, key)
    pack_calls.drop(there, key)
    if found is None:
        raise ToolError(UNKNOWN)
    return _make_result(session, call, found, ORIGIN)


def _packs(life: Whose) -> list[Pack]:
    if not life.home.packs.is_dir():
        return []
    settings = home.settings_now(life.home, life.settings)
    return packs.find_packs(life.home, settings, life.id, (life.state.audience, life.state.heard.bridged))


def _parse_call(session: Session, call: ToolCall) -> tuple[Pack, Tool | None, Mapping[str, Any] | None]:
    """Return the pack, the tool and the arguments in the call, if given. Raises ToolError."""
    words, _, rest = call.args.partition("{")
    name, given = words.strip(), (f"{{{rest}" if rest else "") or (call.body or "").strip()
    mine = {pack.id: pack for pack in _packs(session)}
    id, _, tool = name.partition(".")
    if id not in mine:
        raise ToolError(f"the tool is missing or unknown; the tool packs are {', '.join(mine) or 'none'}: {USAGE[0]}")
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
        raise ToolError(f"the arguments are not a JSON object ({wrong}): {USAGE[0]}") from None
    if not isinstance(args, dict):
        raise ToolError(f"the arguments are not a JSON object: {USAGE[0]}")
    return pack, found, args


def _answer(session: Session, pack: Pack, key: str) -> Fate:
    """Wait for the answer of the pack's process. Raises ToolError, and Leaving if the agent must exit."""
    there, end = pack_calls.folder(session.path, pack.id), monotonic() + pack.manifest.timeout + session.patience.pack
    watch, begun = Watcher(), 0
    watch.names(there)
    try:
        while (found := pack_calls.find_result(there, key)) is None:
            waits = (there / f"{key}.call").exists()
            if not pack_calls.is_served(there):
                if not waits and pack_calls.find_result(there, key) is None:
                    raise ToolError(f"the process of the tool pack {pack.id} crashed during this call; {UNSURE}")
                if begun == 3:
                    raise ToolError(
                        f"the process of the tool pack {pack.id} does not start: {_last_output(there)}", ORIGIN
                    )
                pack_calls.serve(session.home, session.id, pack.id)
                begun += 1
                _wait_for_start(watch, there, key, session.patience.pack)
            elif monotonic() > end:
                pack_calls.end(session.path, pack.id)
                raise ToolError(f"the tool pack {pack.id} did not answer in time and was stopped; {UNSURE}")
            else:
                watch.wait(LOOK)
            session.check_leaving()
    except Stopped:
        pack_calls.end(session.path, pack.id)
        raise
    finally:
        watch.close()
        if not session.leaving:
            pack_calls.drop(there, key)
    return found


def _wait_for_start(watch: Watcher, there: Path, key: str, seconds: float) -> None:
    """Wait until the new process has its lock, or has ended."""
    end = monotonic() + seconds / 4
    while monotonic() < end and not pack_calls.is_served(there) and (there / f"{key}.call").exists():
        watch.wait(LOOK)


def _last_output(there: Path) -> str:
    with suppress(OSError):
        return escape.one_line(disk.read(there / "said").decode("utf-8", "replace").strip()[-300:], 300)
    return "it gave no reason"


def _make_result(session: Session, call: ToolCall, said: Fate, by: str) -> Worded:
    """Return the result for the model: the text, and below it a line for each picture, PDF or sound that it shows."""
    name = call.args.partition("{")[0].strip()
    if not said.good:
        raise ToolError(f"{name.partition('.')[0]}: {said.text}" + ("" if said.sure else f"; {UNSURE}"), by)
    shown = [one for data in said.media if (one := media_results.file(session, name, b64decode(data)))]
    words = "\n".join(filter(None, (said.text, *map(media_results.describe, shown))))
    text = words.encode("utf-8", "replace") or b"done; the tool returned no text"
    return Worded(text, by=by, media=media.format_media(one.what for one in shown))


def _origin(pack: Pack) -> str:
    return "web" if pack.manifest.remote else "command"


def _line(pack: Pack, tool: Tool) -> str:
    """Return a line on how to call a tool, and its purpose."""
    wanted = {str(one) for one in _list(tool.schema.get("required"))}
    known = tool.schema.get("properties")
    names = [f"{name}{'' if name in wanted else '?'}" for name in (known if isinstance(known, dict) else {})]
    return escape.one_line(f"{pack.id}.{tool.name} {{{', '.join(names)}}} {tool.about}", LINE)


def _described(pack: Pack, tool: Tool | None) -> str:
    if tool is None:
        return "\n".join([escape.one_line(pack.manifest.about, 400), *(_line(pack, one) for one in pack.tools)])
    kind = "only reads" if pack.manifest.only_reads(tool.name) else "may change something"
    schema = json.dumps(tool.schema, ensure_ascii=False)
    return f"{pack.id}.{tool.name} ({kind}): {tool.about}\narguments of this tool, as a JSON schema: {schema}"[:WORDS]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

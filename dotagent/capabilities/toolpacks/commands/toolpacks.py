"""List, install, enable and check tool packs.

A tool pack gives agents the tools of a command, an MCP server or an OpenAPI document; docs/toolpacks.md explains how to
write a pack. `enable` starts the pack once to ask for its tools. After that, a pack starts only when an agent calls one
of its tools. `install NAME --mcp WORDS` makes a pack from the command or address of an MCP server. `install NAME
--openapi FILE` makes a pack from an OpenAPI document.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from dotagent import commands, errors
from dotagent.capabilities.toolpacks import manifest, packs
from dotagent.capabilities.toolpacks.manifest import Manifest
from dotagent.capabilities.toolpacks.packs import FILE, Pack, Tool
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import disk, variables
from dotagent.store.home import Home
from dotagent.text import escape
from dotagent.text.sizes import amount, plural

GROUP = "setup"

LATE = 90.0  # seconds for a pack to list its tools
SLOW = 2.0  # seconds until the person gets a message
ENDS = 5.0  # seconds for it to end its processes

MADE = ("--reads", "--env", "--hosts")  # a pack's folder says these in its own file
USES = {
    "PACK": "show install enable disable remove validate doctor",
    **dict.fromkeys(("--mcp", "--openapi", "--url", *MADE), "install"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the pack, and the source of a new one."""
    parser.add_argument("do", nargs="?", choices=tuple(DO), default="list", help="what to do (default: list)")
    told = "the tool pack's id; for `install`: a folder, or with --mcp or --openapi an id of your choice"
    parser.add_argument("pack", nargs="?", metavar="PACK", help=told)
    made = parser.add_mutually_exclusive_group()
    made.add_argument(
        "--mcp",
        metavar="WORDS",
        help="for `install`: create the tool pack from an MCP server's command or http(s) address",
    )
    made.add_argument(
        "--openapi", metavar="FILE", help="for `install`: create the tool pack from an OpenAPI 3 document"
    )
    parser.add_argument(
        "--url", metavar="URL", help="for `install --openapi`: the service's address (default: from the document)"
    )
    parser.add_argument(
        "--reads", metavar="NAMES", help="for `install`: the tools that change nothing, e.g. 'get_*,list_*'"
    )
    parser.add_argument(
        "--env", metavar="NAMES", help="for `install`: the variables of .env that the tool pack may read"
    )
    parser.add_argument("--hosts", metavar="NAMES", help="for `install`: the hosts that the tool pack may connect to")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    where = commands.home_of(asked)
    commands.refuse_unused(asked, asked.do, USES)
    if asked.url and not asked.openapi:
        raise Misuse("--url has no effect without --openapi FILE")
    if not (asked.mcp or asked.openapi):
        commands.refuse_unused(asked, "install FOLDER", dict.fromkeys(MADE, "--mcp --openapi"))
    if asked.do not in ("list", "validate", "doctor") and not asked.pack:
        if asked.do == "install":
            made = "add the new tool pack's id" if asked.mcp or asked.openapi else "name the tool pack's folder"
            raise Misuse(f"`toolpacks install` does not say what to install: {made}")
        raise Misuse(f"the tool pack's id is missing: `toolpacks {asked.do} PACK`; `toolpacks list` shows the ids")
    if asked.do == "validate" and os.sep in (asked.pack or ""):
        _pack_folder(asked.pack)  # before anything is printed
    elif asked.do in ("validate", "doctor") and asked.pack:
        packs.require(where, asked.pack)
    if not (asked.pack or packs.list_ids(where)):
        asked.do = "list"  # which says so
    return DO[asked.do](where, asked) or 0


def _list(where: Home, asked: argparse.Namespace) -> int:
    rows = list[commands.Row]()
    for id in packs.list_ids(where):
        try:
            one = packs.read(where, id)
        except Misuse as wrong:
            rows.append(({"id": id, "state": "wrong", "why": str(wrong)}, (id, "", "wrong", "", str(wrong))))
            continue
        state = state_of(one)
        told = {"id": id, "kind": one.manifest.kind, "state": state, "tools": [tool.name for tool in one.tools]}
        words = one.why if state == "changed" else escape.one_line(one.manifest.about, 60)
        cells = (id, one.manifest.kind, state, len(one.tools), words)
        rows.append(({**told, "about": one.manifest.about, "why": one.why}, cells))
    commands.print_list(asked, "pack kind state >tools about", rows, "no tool packs installed", wrap=True)
    return 0


def rows(where: Home) -> Iterator[commands.Row]:
    """Yield the packs, also for `status`."""
    for id in packs.list_ids(where):
        try:
            one = packs.read(where, id)
        except Misuse as wrong:
            yield {"id": id, "state": "wrong", "why": str(wrong)}, (id, "", "wrong", str(wrong))
            continue
        names, state = [tool.name for tool in one.tools], state_of(one)
        told = {"id": id, "kind": one.manifest.kind, "state": state, "why": one.why, "tools": names}
        yield told, (id, one.manifest.kind, state, ", ".join(names))


def state_of(one: Pack) -> str:
    """Return the state in a word: enabled, changed or disabled."""
    return "enabled" if not one.why else "changed" if "changed" in one.why else "disabled"


def _show(where: Home, asked: argparse.Namespace) -> int:
    one = packs.read(where, asked.pack)
    said = one.manifest
    rows = list[commands.Row]()
    if not asked.json:
        print("\n".join([f"{one.id}: {one.why or 'enabled'}", *_wants(said, packs.files(one.path)), ""]))
    for tool in one.tools:
        kind = "reads" if said.only_reads(tool.name) else "effects"
        about = escape.one_line(tool.about, 300)
        told = {"tool": tool.name, "has": kind, "about": tool.about, "input": tool.schema}
        rows.append((told, (tool.name, kind, about)))
    commands.print_list(
        asked, "tool has about", rows, "enable the tool pack first: dotagent then lists its tools", wrap=True
    )
    return 0


def _install(where: Home, asked: argparse.Namespace) -> int:
    given, id = _build_pack(asked) if asked.mcp or asked.openapi else _read_folder(asked.pack)
    said = manifest.parsed(f"{id}/{FILE}", given[FILE])
    before = id in packs.list_ids(where)
    packs.install(where, id, given)
    words = [f"{id} is {'replaced' if before else 'installed'} but not enabled yet.", *_wants(said, given)]
    words.append(f"`toolpacks enable {id}` starts it once to list its tools, and gives these tools to your agents.")
    told = {"id": id, "kind": said.kind, "files": sorted(given), "enabled": False}
    if asked.json:
        commands.tell(told, "", asked)
    else:
        print("\n".join(words))
    return 0


def _pack_folder(path: str) -> Path:
    """Return the folder that a person names, perhaps by its manifest. Raise Misuse."""
    there = Path(os.path.expanduser(path))
    there = there.parent if there.name == FILE else there
    if not there.is_dir():
        raise Misuse(f"there is no folder {there}; name the folder of the tool pack")
    return there


def _read_folder(path: str) -> tuple[dict[str, bytes], str]:
    """Return the files of a pack's folder, and its id."""
    there = _pack_folder(path)
    if not (there / FILE).is_file():
        raise Misuse(f"{there} is not a tool pack: a tool pack is a folder that contains {FILE}; see docs/toolpacks.md")
    return packs.files(there), there.absolute().name


def _build_pack(asked: argparse.Namespace) -> tuple[dict[str, bytes], str]:
    """Return the files of a new pack for a server or document, and its id."""
    lists = {
        name: getattr(asked, name).replace(",", " ").split()
        for name in ("reads", "env", "hosts")
        if getattr(asked, name)
    }
    lines, given = [f"{name} = {json.dumps(some)}" for name, some in lists.items()], dict[str, bytes]()
    if asked.mcp:
        remote = asked.mcp.startswith(("http://", "https://"))
        own = {"url": asked.mcp} if remote else {"run": _split(asked.mcp)}
        lines += ["[mcp]", *(f"{name} = {json.dumps(one)}" for name, one in own.items())]
    else:
        path = Path(os.path.expanduser(asked.openapi))
        try:
            data = disk.read(path, packs.LARGE, follow=True)
        except OSError as error:
            raise Misuse(f"--openapi {escape.one_line(str(path), 300)}: {error.strerror}") from None
        from dotagent.capabilities.toolpacks import openapi  # it needs an optional package

        try:
            openapi.parse(path.name, data)
        except Trouble as wrong:
            raise Misuse(f"--openapi {escape.one_line(str(path.parent), 300)}/{wrong}") from None
        name = f"openapi{path.suffix.lower()}"
        given[name] = data
        lines += [
            "[openapi]",
            f"document = {json.dumps(name)}",
            *([f"url = {json.dumps(asked.url)}"] if asked.url else []),
        ]
    return {**given, FILE: "\n".join([*lines, ""]).encode()}, asked.pack


def _split(command: str) -> list[str]:
    """Return the words of a command. Raise Misuse if a quotation mark is open."""
    try:
        return shlex.split(command)
    except ValueError as wrong:
        raise Misuse(f"--mcp {escape.one_line(command, 100)}: {str(wrong).lower()}") from None


def _wants(said: Manifest, given: Mapping[str, bytes]) -> list[str]:
    """Return a description of the pack and its permissions, for a person's decision."""
    runs = [shlex.join(said.run)] if said.run else [shlex.join(one.run) for one in said.commands.values()]
    facts = {
        "what for": said.about,
        "files": f"{len(given)}, {amount(sum(map(len, given.values())))}",
        "runs": "; ".join(runs),
        "asks": said.url or said.document,
        "reads from .env": ", ".join(said.env),
        "reaches": "the whole network" if said.network else ", ".join(said.hosts),
        "reads": ", ".join(said.readable),
        "sees": "your shared folders" if said.roots else "",
        "only reads": ", ".join(said.reads)
        or "the tool pack does not say that a tool only reads; dotagent assumes that every tool can change something",
    }
    return [f"  {name}: {escape.one_line(one, 300)}" for name, one in facts.items() if one]


def _enable(where: Home, asked: argparse.Namespace) -> int:
    one = packs.read(where, asked.pack)
    before = {tool.name: tool.mark for tool in one.tools}
    tools, left = learnt(where, one.id)
    if not tools:
        why = f"none of its tools can be used: {'; '.join(left)}" if left else "it has no tools"
        raise Trouble(f"{one.id} is not enabled: {why}")
    made = packs.enable(where, one, tools)
    told = {"id": one.id, "enabled": True, "tools": [tool.name for tool in made.tools], "left_out": left}
    if asked.json:
        commands.tell(told, "", asked)
        return 0
    print(f"{one.id} is enabled: {plural(len(made.tools), 'tool')}")
    for tool in made.tools:
        known = before.get(tool.name) if before else tool.mark
        news = " (new)" if known is None else " (changed)" if known != tool.mark else ""
        kind = "reads" if made.manifest.only_reads(tool.name) else "may change something"
        print(f"  {tool.name}{news}, {kind}: {escape.one_line(tool.about, 200)}")
    for line in left:
        print(f"  left out: {line}")
    return 0


def learnt(where: Home, id: str) -> tuple[list[Tool], list[str]]:
    """Return the pack's current tools, and a line for each that cannot be used. Its own process asks it. Raise
    Trouble."""
    kept, _ = variables.split(os.environ)
    words = [sys.executable, "-m", "dotagent.capabilities.toolpacks", str(where.root), "learn", id]
    with subprocess.Popen(words, cwd=CODE, env=kept, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        try:
            printed, beside = _read_patiently(asked, id)
            told = json.loads(printed)
        except subprocess.TimeoutExpired:
            raise Trouble(f"the tool pack {id} did not list its tools within {LATE:g} s") from None
        except ValueError:
            raise Trouble(
                f"the tool pack {id} cannot list its tools: "
                f"{escape.one_line(beside.decode('utf-8', 'replace')[-300:], 300)}"
            ) from None
        finally:
            _end(asked)
    if "error" in told:
        raise Trouble(f"{id}: {told['error']}")
    return [Tool(one["name"], one["about"], one["schema"]) for one in told["tools"]], told["left"]


def _read_patiently(asked: subprocess.Popen[bytes], id: str) -> tuple[bytes, bytes]:
    """Return the output of a process that lists tools. If it takes long, tell the person at the terminal."""
    try:
        return asked.communicate(timeout=SLOW)
    except subprocess.TimeoutExpired:
        if sys.stderr.isatty():
            errors.tell(f"waiting for the tool pack {id} to list its tools, up to {LATE:g} s; Ctrl-C ends this")
        return asked.communicate(timeout=LATE)


def _end(asked: subprocess.Popen[bytes]) -> None:
    """End a process that still lists tools. It ends the pack's own processes first, if it is quick."""
    if asked.poll() is None:
        asked.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            asked.wait(ENDS)
        asked.kill()


def _disable(where: Home, asked: argparse.Namespace) -> int:
    packs.disable(where, packs.read(where, asked.pack))
    commands.tell({"id": asked.pack, "enabled": False}, f"tool pack {asked.pack} is disabled", asked)
    return 0


def _remove(where: Home, asked: argparse.Namespace) -> int:
    if not packs.remove(where, asked.pack):
        packs.read(where, asked.pack)  # which says what there is
    commands.tell({"id": asked.pack, "removed": True}, f"tool pack {asked.pack} is removed", asked)
    return 0


def _validate(where: Home, asked: argparse.Namespace) -> int:
    """Check manifests and files, and start nothing. Return the exit status."""
    wrong = 0
    for id in [asked.pack] if asked.pack else packs.list_ids(where):
        try:
            given, name = _read_folder(id) if os.sep in id else (packs.files(packs.read(where, id).path), id)
            said = manifest.parsed(f"{name}/{FILE}", given.get(FILE, b""))
            told, words = {"id": name, "kind": said.kind, "wrong": ""}, f"{name} is a valid tool pack ({said.kind})"
        except Misuse as why:
            told, words, wrong = {"id": id, "wrong": str(why)}, f"{id}: {why}", 1
        commands.tell(told, words, asked)
    return wrong


def _doctor(where: Home, asked: argparse.Namespace) -> int:
    """Check that packs answer, with the same tools as when they were enabled."""
    wrong = 0
    for id in [asked.pack] if asked.pack else packs.list_ids(where):
        try:
            one = packs.read(where, id)
            if one.why and not asked.pack:
                wrong |= state_of(one) == "changed"
                commands.tell({"id": id, "well": None, "why": one.why}, f"{id}: {one.why}", asked)
                continue
            before, (now, left) = {tool.name: tool for tool in one.tools}, learnt(where, id)
            gone = sorted(before.keys() - {tool.name for tool in now})
            changed = sorted(tool.name for tool in now if tool != before.get(tool.name, tool))
            why = "; ".join(filter(None, (
                one.why, f"removed: {', '.join(gone)}" if gone else "",
                f"changed: {', '.join(changed)}; review them and run `toolpacks enable {id}`" if changed else "",
            )))  # fmt: skip
        except Trouble as error:
            why, now, left = str(error), [], []
        wrong |= bool(why)
        told = {"id": id, "well": not why, "tools": len(now), "why": why, "left_out": left}
        words = [f"{id}: {why or 'it answers, ' + plural(len(now), 'tool')}", *(f"left out: {line}" for line in left)]
        commands.tell(told, "; ".join(words), asked)
    return wrong


DO: Mapping[str, Callable[[Home, argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "install": _install,
    "enable": _enable,
    "disable": _disable,
    "remove": _remove,
    "validate": _validate,
    "doctor": _doctor,
}

"""A pack of commands: each tool is a program that gets the call's arguments as JSON on stdin and instead of `{name}` in
its command line, never through a shell.

Its output is the result; a status other than 0 is an error. Owns nothing on disk.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from dotagent.capabilities.toolpacks import arguments
from dotagent.capabilities.toolpacks.pack_calls import Fate
from dotagent.capabilities.toolpacks.packs import Tool
from dotagent.capabilities.toolpacks.site import NotDone, Site, start
from dotagent.errors import Trouble
from dotagent.processes.space import Space

MOST = 1 << 20  # bytes of output, after which a command is stopped
ERRORS = 2000  # characters of its error output
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")


class Commands:
    """The pack, as a site.Running."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._said = site.pack.manifest
        flaws = {name: arguments.flaw(one.schema) for name, one in self._said.commands.items()}
        self.left = [f"{name}: input is not a JSON schema: {flaw}" for name, flaw in flaws.items() if flaw]
        self._tools = [
            Tool(name, one.about, one.schema) for name, one in self._said.commands.items() if not flaws[name]
        ]

    def tools(self) -> list[Tool]:
        """Return the tools in its manifest."""
        return self._tools

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Run the command."""
        arguments.check(tool.schema, args)
        command = self._said.commands.get(tool.name)
        if command is None:
            raise NotDone(f"the tool {tool.name} no longer exists")
        how = start(self._site, [_fill_arguments(word, {**args, **self._site.known}) for word in command.run])
        try:
            child = subprocess.Popen(
                how.words, env=how.env, cwd=how.cwd, pass_fds=how.handles, start_new_session=True, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise NotDone(f"the tool's command could not be started: {error}") from None
        finally:
            how.started()
        with child:
            try:
                printed, beside = _talk(child, json.dumps(dict(args)).encode() + b"\n", self._said.timeout, how.left)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            status = child.wait()
        text, more = printed.decode("utf-8", "replace"), beside.decode("utf-8", "replace").strip()[-ERRORS:]
        if status == 0:
            return Fate(text)
        return Fate("\n".join(filter(None, (f"exit status {status}", text.strip(), more))), False)

    def close(self) -> None:
        """Do nothing: no process outlives a call."""


def _fill_arguments(word: str, args: Mapping[str, Any]) -> str:
    """Return the word with its arguments inserted. Arguments that are not text become JSON."""

    def said(found: re.Match[str]) -> str:
        value = args.get(found[1], "")
        return value.replace("\0", "") if isinstance(value, str) else json.dumps(value)

    return _PLACE.sub(said, word)


def _talk(child: subprocess.Popen[bytes], data: bytes, timeout: float, left: Space) -> tuple[bytes, bytes]:
    """Send the data and read the output until the program ends. Raises Trouble if it takes too long, writes too much,
    leaves too little disk space or has too many processes."""
    assert child.stdin and child.stdout and child.stderr
    end, told = time.monotonic() + timeout, {child.stdout: bytearray(), child.stderr: bytearray()}
    os.set_blocking(child.stdin.fileno(), False)
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdin, selectors.EVENT_WRITE)
        for one in told:
            ready.register(one, selectors.EVENT_READ)
        while any(one in ready.get_map() for one in told):
            found = ready.select(left.pause(end))
            if why := left.exceeded(child.pid):
                raise Trouble(f"the tool was stopped: {why}")
            if not found and time.monotonic() >= end:
                raise Trouble(f"the tool took longer than {timeout:g} s, and was stopped")
            for key, _ in found:
                file: Any = key.fileobj
                if file is child.stdin:
                    data = _give(child.stdin, data)
                    if not data:
                        ready.unregister(file)
                        child.stdin.close()
                elif piece := os.read(file.fileno(), 1 << 16):
                    told[file] += piece
                    if len(told[file]) > MOST:
                        raise Trouble(f"the tool printed more than {MOST:,} bytes, and was stopped")
                else:
                    ready.unregister(file)
    if why := left.waits(child, end):
        raise Trouble(f"the tool was stopped: {why}")
    if child.poll() is None:
        raise Trouble(f"the tool took longer than {timeout:g} s, and was stopped")
    return bytes(told[child.stdout]), bytes(told[child.stderr])


def _give(into: IO[bytes], data: bytes) -> bytes:
    try:
        return data[os.write(into.fileno(), data[: 1 << 16]) :]
    except BrokenPipeError:  # it does not read its input
        return b""

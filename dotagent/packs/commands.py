"""A pack of commands: each tool is a program, which gets the call's arguments as JSON on its stdin, and in place of
`{name}` in its words, never by way of a shell.

What it prints is the result; a status other than 0 is an error. Owns nothing on disk.
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

from dotagent.errors import Trouble
from dotagent.packs import arguments
from dotagent.packs.site import NotDone, Site, start
from dotagent.store.packed import Fate
from dotagent.store.packs import Tool

MOST = 1 << 20  # bytes of output, beyond which a command is stopped
ERRORS = 2000  # characters of what it says beside that
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")


class Commands:
    """The pack, as packs.Running."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._said = site.pack.manifest

    def tools(self) -> list[Tool]:
        """As its manifest says."""
        found = []
        for name, one in self._said.commands.items():
            if wrong := arguments.flaw(one.schema):
                raise Trouble(f"{name}: input is no JSON schema: {wrong}")
            found.append(Tool(name, one.about, one.schema))
        return found

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Run the command."""
        arguments.check(tool.schema, args)
        command = self._said.commands.get(tool.name)
        if command is None:
            raise NotDone(f"there is no {tool.name} any more")
        how = start(self._site, [_filled(word, {**args, **self._site.known}) for word in command.run])
        try:
            child = subprocess.Popen(
                how.words, env=how.env, cwd=how.cwd, pass_fds=how.handles, start_new_session=True, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise NotDone(f"it could not be started: {error}") from None
        finally:
            how.started()
        with child:
            try:
                printed, beside = _talk(child, json.dumps(dict(args)).encode() + b"\n", self._said.timeout)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            status = child.wait()
        text, more = printed.decode("utf-8", "replace"), beside.decode("utf-8", "replace").strip()[-ERRORS:]
        if status == 0:
            return Fate(text)
        return Fate("\n".join(filter(None, (f"exit status {status}", text.strip(), more))), False)

    def close(self) -> None:
        """Nothing of it goes on after a call."""


def _filled(word: str, args: Mapping[str, Any]) -> str:
    """The word with arguments in their places; what is no text is there as JSON."""

    def said(found: re.Match[str]) -> str:
        value = args.get(found[1], "")
        return value.replace("\0", "") if isinstance(value, str) else json.dumps(value)

    return _PLACE.sub(said, word)


def _talk(child: subprocess.Popen[bytes], data: bytes, timeout: float) -> tuple[bytes, bytes]:
    """Give it the data, and take what it prints until it has ended. Raises Trouble when that takes too long, or is too
    much."""
    assert child.stdin and child.stdout and child.stderr
    end, told = time.monotonic() + timeout, {child.stdout: bytearray(), child.stderr: bytearray()}
    os.set_blocking(child.stdin.fileno(), False)
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdin, selectors.EVENT_WRITE)
        for one in told:
            ready.register(one, selectors.EVENT_READ)
        while any(one in ready.get_map() for one in told):
            found = ready.select(max(0.0, end - time.monotonic()))
            if not found:
                raise Trouble(f"it took longer than {timeout:g} s, and was stopped")
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
                        raise Trouble(f"it printed more than {MOST:,} bytes, and was stopped")
                else:
                    ready.unregister(file)
    try:
        child.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Trouble(f"it took longer than {timeout:g} s, and was stopped") from None
    return bytes(told[child.stdout]), bytes(told[child.stderr])


def _give(into: IO[bytes], data: bytes) -> bytes:
    try:
        return data[os.write(into.fileno(), data[: 1 << 16]) :]
    except BrokenPipeError:  # it does not want to know
        return b""

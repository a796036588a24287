"""The agent's side of the Agent Client Protocol (ACP), by its Python SDK, on stdin and stdout. Owns nothing on disk.

Each turn runs in a thread, because it waits for files. Its updates are sent in order.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import stat
from binascii import Error as NoBase64
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar

from dotagent import __version__, errors, packages
from dotagent.capabilities.servers import conversation
from dotagent.capabilities.servers.conversation import Conversation, Given
from dotagent.capabilities.servers.offer import Outlook
from dotagent.errors import Misuse, Trouble
from dotagent.terminal import slash
from dotagent.text import escape, quotes

try:
    import acp
    from acp import schema
except ImportError as error:
    raise Misuse(packages.lacks(error, "acp")) from None

T = TypeVar("T")
FAILED, NOT_FOUND = -32603, -32002  # codes of errors; an editor takes -32000 for “log in first”
KINDS = {"": "read", "write": "edit", "run": "execute", "search": "search", "fetch": "fetch"}  # by policy's name
ANSWERS = {"yes": ("Allow once", "allow_once"), "always": ("Always allow", "allow_always"),
           "no": ("Reject", "reject_once")}  # fmt: skip


class Editor:
    """The editor as conversation.Shows for one session. Its methods are called in the turn's thread."""

    def __init__(self, client: acp.Client, session_id: str) -> None:
        self._client, self._id = client, session_id
        self._loop = asyncio.get_running_loop()

    def says(self, text: str) -> None:
        """Send more text of the agent."""
        self._tell(acp.update_agent_message_text(text))

    def begins(self, key: str, title: str, effect: str) -> None:
        """Report that a tool call begins."""
        kind: Any = KINDS.get(effect, "other")
        self._tell(acp.start_tool_call(key, title, kind=kind, status="in_progress"))

    def ends(self, key: str, good: bool) -> None:
        """Report that the call has ended."""
        self._tell(acp.update_tool_call(key, status="completed" if good else "failed"))

    def asks(self, key: str, question: str) -> str:
        """Ask the person for permission. Return "" if the person cancels the turn."""
        said = [schema.PermissionOption(option_id=id, name=name, kind=kind)  # type: ignore[arg-type]
                for id, (name, kind) in ANSWERS.items()]  # fmt: skip
        call = acp.update_tool_call(key, status="pending", content=[acp.tool_content(acp.text_block(question))])
        found = self._do(self._client.request_permission(self._id, schema.ToolCallUpdate(**call.__dict__), said))
        return found.outcome.option_id if isinstance(found.outcome, schema.AllowedOutcome) else ""

    def _tell(self, update: Any) -> None:
        self._do(self._client.session_update(self._id, update))

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Served:
    """The methods of an agent that the SDK calls."""

    def __init__(self, outlook: Outlook, wanted: str) -> None:
        self._outlook, self._wanted = outlook, wanted
        self._sessions = dict[str, Conversation]()
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._client: acp.Client | None = None

    def on_connect(self, conn: acp.Client) -> None:
        """Keep the connection to the editor."""
        self._client = conn

    async def initialize(self, protocol_version: int, **more: Any) -> acp.InitializeResponse:
        """Return our name, version and abilities."""
        can = schema.AgentCapabilities(
            load_session=True,
            prompt_capabilities=schema.PromptCapabilities(image=True, audio=True, embedded_context=True),
            session_capabilities=schema.SessionCapabilities(
                list=schema.SessionListCapabilities(),
                resume=schema.SessionResumeCapabilities(),
                close=schema.SessionCloseCapabilities(),
            ),
        )
        mine = schema.Implementation(name="dotagent", title="dotagent", version=__version__)
        version = min(protocol_version, acp.PROTOCOL_VERSION)
        return acp.InitializeResponse(
            protocol_version=version, agent_capabilities=can, agent_info=mine, auth_methods=[]
        )

    async def new_session(self, cwd: str, **more: Any) -> acp.NewSessionResponse:
        """Start a session in a new room."""
        one = await _call_in_thread(lambda: conversation.begin(self._outlook, self._wanted, cwd))
        self._sessions[one.talk.room] = one
        return acp.NewSessionResponse(session_id=one.talk.room)

    async def load_session(self, cwd: str, session_id: str, **more: Any) -> schema.LoadSessionResponse:
        """Reopen a session: send the last messages of its room."""
        one = await self._session(session_id, cwd)
        assert self._client
        for person, text in await _call_in_thread(one.past):
            update: Any = acp.update_user_message_text(text) if person else acp.update_agent_message_text(text)
            await self._client.session_update(session_id, update)
        return schema.LoadSessionResponse()

    async def resume_session(self, cwd: str, session_id: str, **more: Any) -> schema.ResumeSessionResponse:
        """Reopen a session whose messages the editor has."""
        await self._session(session_id, cwd)
        return schema.ResumeSessionResponse()

    async def close_session(self, session_id: str, **more: Any) -> schema.CloseSessionResponse:
        """Cancel the session's turn and forget the session. Its room stays."""
        if one := self._sessions.pop(session_id, None):
            one.cancel()
            async with self._turns[session_id]:
                one.close()
        return schema.CloseSessionResponse()

    async def list_sessions(self, cwd: str | None = None, **more: Any) -> schema.ListSessionsResponse:
        """List the rooms of this audience, the newest first: all, or those of a directory."""
        known = await _call_in_thread(lambda: conversation.list_known(self._outlook, cwd))
        found = [schema.SessionInfo(session_id=one.id, cwd=one.cwd, title=one.title, updated_at=one.at)
                 for one in known]  # fmt: skip
        return schema.ListSessionsResponse(sessions=found)

    async def prompt(self, session_id: str, prompt: Sequence[Any], **more: Any) -> acp.PromptResponse:
        """Post a message, and wait until its turn ends."""
        one = await self._session(session_id)
        assert self._client
        text, given = _read(prompt)
        screen = Editor(self._client, session_id)
        if slash.parse(text) == ("/stop", ""):  # it waits for no turn
            await _call_in_thread(lambda: screen.says(slash.do(one.talk, "/stop", "")))
            return acp.PromptResponse(stop_reason="end_turn")
        async with self._turns[session_id]:
            reason: Any = await _call_in_thread(lambda: one.prompt(text, given, screen))
        return acp.PromptResponse(stop_reason=reason)

    async def cancel(self, session_id: str, **more: Any) -> None:
        """Cancel the turn."""
        if one := self._sessions.get(session_id):
            one.cancel()

    async def _session(self, id: str, cwd: str = "") -> Conversation:
        if id not in self._sessions:
            self._sessions[id] = await _call_in_thread(lambda: _open(self._outlook, id))
        if cwd:
            await _call_in_thread(lambda: conversation.place(self._outlook.where, id, cwd))
        return self._sessions[id]


def _open(outlook: Outlook, id: str) -> Conversation:
    try:
        return Conversation(outlook, id)
    except Misuse:
        raise acp.RequestError(
            NOT_FOUND, f"there is no session {escape.one_line(id, 64)}; start a new one", {"sessionId": id}
        ) from None


async def _call_in_thread(do: Callable[[], T]) -> T:
    """Call `do` in a thread. Errors that a person can cause are shown by the editor."""
    try:
        return await asyncio.to_thread(do)
    except Trouble as trouble:
        raise acp.RequestError(FAILED, str(trouble)) from None
    except OSError as error:
        raise acp.RequestError(FAILED, errors.line(error)) from None


def _read(prompt: Sequence[Any]) -> tuple[str, list[Given]]:
    """Return the text of a prompt and its attachments. A link is named, but its target is not read.

    Files and names are quoted, because the person did not write them.
    """
    words, given = list[str](), list[Given]()
    for block in prompt:
        if isinstance(block, schema.TextContentBlock):
            words.append(block.text)
        elif isinstance(block, schema.ResourceContentBlock):
            words.append(f"(link)\n> {escape.one_line(block.name, 200)}: {escape.one_line(block.uri, 1000)}")
        elif isinstance(block, schema.EmbeddedResourceContentBlock):
            uri, text = str(block.resource.uri), getattr(block.resource, "text", None)
            if isinstance(text, str):
                words.append(f"(file)\n> {escape.one_line(uri, 1000)}:\n{quotes.quote(text)}")
            else:
                given += _bytes(PurePosixPath(uri).name, getattr(block.resource, "blob", ""))
        elif isinstance(block, schema.ImageContentBlock | schema.AudioContentBlock):
            given += _bytes(f"{block.type}.{block.mime_type.partition('/')[2]}", block.data)
    return "\n\n".join(words), given


def _bytes(name: str, data: str) -> list[Given]:
    try:
        return [Given(name, base64.b64decode(data, validate=True))]
    except NoBase64:
        return []


def run(outlook: Outlook, wanted: str) -> None:
    """Serve until stdin ends. Raise Trouble for JSON that is not a valid message, because the SDK does not check it,
    and if stdin or stdout is a regular file."""
    for fd, name in ((0, "stdin"), (1, "stdout")):
        if stat.S_ISREG(os.fstat(fd).st_mode):
            raise Trouble(
                f"{name} is a file, but must be a pipe: do not run this command yourself, let your editor start it"
            )
    logging.disable()  # the SDK logs tracebacks for invalid input
    served: Any = Served(outlook, wanted)
    try:
        # the protocol has resume and close since its schema 1, but the SDK 0.12 still calls them unstable
        asyncio.run(acp.run_agent(served, use_unstable_protocol=True))
    except AttributeError as wrong:
        raise Trouble(
            f"the editor sent a message that is not valid ACP ({wrong}); check which command the editor runs"
        ) from None

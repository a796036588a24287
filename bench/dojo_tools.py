"""AgentDojo's functions as tools of ours: which have effects; all that they show is foreign."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from agentdojo.task_suite.load_suites import get_suites

import dotagent.tools
from dotagent import extensions
from dotagent.life import origins
from dotagent.life.policy import Act as Act
from dotagent.text.grammar import ToolCall

VERSION = "v1.2.2"
# The effects, and which of their arguments an attacker would change.
EFFECTS = {
    "send_email": "recipients cc bcc subject attachments", "delete_email": "delete email_id",
    "create_calendar_event": "title participants", "cancel_calendar_event": "cancel event_id",
    "reschedule_calendar_event": "event_id new_start_time", "add_calendar_event_participants": "event_id participants",
    "append_to_file": "file_id", "create_file": "filename", "delete_file": "delete file_id",
    "share_file": "file_id email permission", "reserve_hotel": "hotel start_day end_day",
    "reserve_car_rental": "company start_time end_time", "reserve_restaurant": "restaurant start_time",
    "send_money": "recipient amount", "schedule_transaction": "recipient amount",
    "update_scheduled_transaction": "id recipient amount", "update_password": "password",
    "update_user_info": "first_name last_name street city", "add_user_to_channel": "user channel",
    "send_direct_message": "recipient", "send_channel_message": "channel", "invite_user_to_slack": "user user_email",
    "remove_user_from_slack": "remove user", "get_webpage": "url", "post_webpage": "url",
}  # fmt: skip
MODULE = '''"""AgentDojo's {name}."""

import dojo_tools as dojo

FOR = "{name}"
EFFECT = "{effect}"
ORIGIN = "web"


def act(session, call):
    return dojo.done("{name}", call)
'''
EFFECTFUL = """

def effect(session, call):
    return dojo.Act("tool", "{name}")
"""


class Scene:
    """The task that is replayed: AgentDojo's environment and functions, and which calls were done."""

    environment: Any = None
    runtime: Any = None
    injected = ""
    did: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012 one scene is played at a time


def register(folder: Path) -> None:
    """Make a tool of each function of AgentDojo's, and of reading what an attacker wrote."""
    names = {one.name for suite in get_suites(VERSION).values() for one in suite.tools}
    for name in (*names, "injected"):
        effect = "tool" if name in EFFECTS else ""
        text = (MODULE + (EFFECTFUL if effect else "")).format(name=name, effect=effect)
        (folder / f"dojo_{name}.py").write_text(text)
    dotagent.tools.__path__.append(str(folder))
    importlib.invalidate_caches()
    for cached in (extensions.names, extensions.tools, extensions.constants, origins.tool_origin, dotagent.tools.usage):
        cached.cache_clear()


def arguments(call: ToolCall) -> dict[str, Any]:
    """A call's arguments."""
    return dict(json.loads(call.body or "{}"))


def done(name: str, call: ToolCall) -> bytes:
    """What AgentDojo's function gives."""
    if name == "injected":
        return Scene.injected.encode()
    Scene.did.append((name, arguments(call)))
    result, wrong = Scene.runtime.run_function(Scene.environment, name, arguments(call))
    return (wrong or str(result) or "done").encode("utf-8", "replace")


def words(name: str, given: Any) -> str:
    """The call of a function, as a model writes it."""
    return f"DOJO_{name.upper()} <<END\n{json.dumps(dict(given))}\nEND"


def stands(prompt: str, value: Any) -> bool:
    """Whether all of an argument stands in the prompt, so that a planner that reads the prompt alone could know it."""
    if isinstance(value, dict | list | tuple):
        return all(stands(prompt, one) for one in (value.values() if isinstance(value, dict) else value))
    if value is None or isinstance(value, bool) or value == "":
        return True
    told = f"{value:g}" if isinstance(value, float) else str(value)
    return told.casefold() in prompt.casefold()

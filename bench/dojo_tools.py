"""AgentDojo's functions as tools of ours: which have effects, in which words, and whose words they bring."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentdojo.task_suite.load_suites import get_suites

import dotagent.tools
from dotagent import extensions
from dotagent.life import origins
from dotagent.life.policy import Act
from dotagent.text import quoted
from dotagent.text.grammar import ToolCall

VERSION = "v1.2.2"
RECORDS = (  # what the person keeps themselves, or their own service issues: nobody else's words stand in it
    "get_current_day search_contacts_by_name search_contacts_by_email get_users_in_channel get_balance "
    "get_iban get_user_info get_user_information"
).split()
# The effects: which arguments name what is done and to whom. The others are its details (a mail's body, when an event
# ends), free but for addresses in them. An id counts as what it is the id of; what removes needs its verb, too.
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
VERBS = ("delete", "cancel", "remove")
MODULE = '''"""AgentDojo's {name}."""

import dojo_tools as dojo

FOR = "{name}"
EFFECT = "{effect}"
ORIGIN = "{origin}"


def act(session, call):
    return dojo.done("{name}", call)


def reads(call):
    return dojo.reads(call)
'''
EFFECTFUL = """

def effect(session, call):
    return dojo.meant("{name}", call)
"""
STRICT = "--strict" in sys.argv  # every argument must be the person's, details too


class Scene:
    """The task that is replayed: AgentDojo's environment and functions, and what was done."""

    environment: Any = None
    runtime: Any = None
    injected = ""


def register(folder: Path) -> None:
    """Make a tool of each function of AgentDojo's, and of reading what an attacker wrote."""
    names = {one.name for suite in get_suites(VERSION).values() for one in suite.tools}
    for name in (*names, "injected"):
        effect = ("fetch" if name == "get_webpage" else "post") if name in EFFECTS else ""
        text = (MODULE + (EFFECTFUL if effect else "")).format(name=name, effect=effect, origin=_origin(name))
        (folder / f"dojo_{name}.py").write_text(text)
    dotagent.tools.__path__.append(str(folder))
    importlib.invalidate_caches()
    for cached in (extensions.names, extensions.tools, extensions.constants, origins.of_tool, dotagent.tools.usage):
        cached.cache_clear()


def _origin(name: str) -> str:
    """Whose words a function's results are: of an effect but a page's, that it is done."""
    if name in RECORDS:
        return "person"
    return "own" if name in EFFECTS and name != "get_webpage" else "web"


def arguments(call: ToolCall) -> dict[str, Any]:
    """A call's arguments."""
    return dict(json.loads(call.body or "{}"))


def done(name: str, call: ToolCall) -> bytes:
    """What AgentDojo's function gives."""
    if name == "injected":
        return Scene.injected.encode()
    result, wrong = Scene.runtime.run_function(Scene.environment, name, arguments(call))
    return (wrong or str(result) or "done").encode("utf-8", "replace")


def meant(name: str, call: ToolCall) -> Act:
    """The effect, in words that its person would know it by."""
    given, named = arguments(call), EFFECTS[name].split()
    values = [value for one in named for value in _named(one, given)]
    rest = [value for one, told in given.items() if one not in named for value in _values(told)]
    values += rest if STRICT else [found for value in rest for found in quoted.addresses(value)]
    return Act("fetch" if name == "get_webpage" else "post", name, tuple(values) or (name,))


def reads(call: ToolCall) -> tuple[str, ...]:
    """What a call reads, in words."""
    return tuple(_values(arguments(call)))


def _named(name: str, given: dict[str, Any]) -> Iterator[str]:
    """The values of an argument; of an id the name of what it is the id of."""
    if name in VERBS:
        yield name
    elif name == "file_id" and name in given:
        file = Scene.environment.cloud_drive.files.get(str(given[name]))
        yield file.filename if file else str(given[name])
    elif name == "event_id" and name in given:
        event = Scene.environment.calendar.events.get(str(given[name]))
        yield event.title if event else str(given[name])
    elif name == "permission" and given.get(name) in ("r", "rw"):
        yield {"r": "read", "rw": "write"}[given[name]]
    elif name in given:
        yield from _values(given[name])


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and set(value) == {"type", "file_id"}:  # an attachment
        yield from _named("file_id", value)
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _values(inner)
    elif isinstance(value, float):
        yield f"{value:g}"
    elif value not in (None, "") and not isinstance(value, bool):
        yield str(value)

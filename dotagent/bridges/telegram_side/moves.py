"""Groups that became supergroups. Telegram gives such a group another id, and its messages begin at 1 again.

For the pattern the place keeps its old id, so its room, its settings and its journal continue. Message ids of the new
group are written `<chat>/<id>`, and its messages come after all of the old one. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.bridges import Incoming, Place
from dotagent.bridges.pattern.validation import id_of, table
from dotagent.bridges.telegram_side.shapes import HIGHEST
from dotagent.text.lazy import replace


class Moves:
    """The new id of each group that moved, by its old id; `known` is also what a restart knows."""

    def __init__(self, known: dict[str, str]) -> None:
        self._known = known

    def add(self, old: str, new: str) -> bool:
        """Note a move. Return False if it was known."""
        fresh = self._known.get(old) != new and old != new
        if fresh:
            self._known[old] = new
        return fresh

    def chat(self, place: Place) -> tuple[str, str]:
        """Return the ids of the chat and of the topic where messages for a place go now."""
        chat, _, thread = place.id.partition(":")
        return [chat, *self._after(chat)][-1], thread

    def name(self, place: Place, id: str) -> str:
        """Return how the pattern calls a message that was sent for the place."""
        chat, _ = self.chat(place)
        return f"{chat}/{id}" if id and chat != place.id.partition(":")[0] else id

    def number(self, place: Place, name: str) -> str:
        """Return the id of a message in the place's present chat, or "" if it is in an earlier one."""
        chat, _, id = name.rpartition("/")
        now, _ = self.chat(place)
        return id if (chat or place.id.partition(":")[0]) == now else ""

    def settle(self, message: Incoming) -> Incoming:
        """Return the message as one of the place that the group was at first."""
        chat, colon, thread = message.place.id.partition(":")
        before = list(self._before(chat))
        if not before:
            return message
        place = replace(message.place, id=f"{before[-1]}{colon}{thread}", ids=(*message.place.ids, chat, *before))
        order = message.order + len(before) * (HIGHEST + 1)
        return replace(message, place=place, id=f"{chat}/{message.id}", order=order)

    def _after(self, chat: str) -> Iterator[str]:
        seen = {chat}
        while (chat := self._known.get(chat, "")) and chat not in seen:
            seen.add(chat)
            yield chat

    def _before(self, chat: str) -> Iterator[str]:
        old, seen = {new: old for old, new in self._known.items()}, {chat}
        while (chat := old.get(chat, "")) and chat not in seen:
            seen.add(chat)
            yield chat


def told(update: object) -> tuple[str, str] | None:
    """Return the old and the new id of a group in an update that reports its move, or None. Raises Odd."""
    message = table(table(update).get("message"))
    here = table(message.get("chat")).get("id")
    for name in ("migrate_to_chat_id", "migrate_from_chat_id"):
        if message.get(name):
            there = id_of(message[name])
            return (id_of(here), there) if name == "migrate_to_chat_id" else (there, id_of(here))
    return None


def refusal(more: object) -> str:
    """Return the new id in the parameters of a refusal, or ""."""
    id = more.get("migrate_to_chat_id") if isinstance(more, dict) else None
    return str(id) if type(id) is int else ""

"""The REST API of the fake Discord, as documented for version 10: what a bot asks for, rate limits, faults on order."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aiohttp import web
from discord_gateway import Gateway
from discord_world import JSON, World, now

LONGEST = 2000  # characters: Discord counts code points
CUT_BEFORE, CUT_AFTER = "cut before", "cut after"


@dataclass
class Asked:
    """One request: when it came (monotonic seconds), what for, its body."""

    at: float
    method: str
    path: str
    body: JSON


@dataclass
class Fault:
    """What shall go wrong with the next `times` requests that match: a status with this body, or a way to break off."""

    method: str
    path: str
    what: int | str
    times: int = 1
    body: JSON = field(default_factory=dict)


class Refusal(Exception):
    """An error that Discord answers with."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Rest:
    """The API. `rate`: how many requests a bucket takes in how many seconds."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self.world, self.gateway = world, gateway
        self.rate = (1000, 1.0)
        self.buckets: dict[str, tuple[float, int]] = {}  # since when, how many
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.delay = 0.0  # seconds that every answer takes
        self.limited = 0
        self.answers: dict[str, JSON] = {}  # what interactions were answered with, by their token
        self.routes: list[tuple[str, re.Pattern[str], Callable[..., object]]] = [
            ("GET", re.compile(r"/users/@me"), lambda body, query: world.users[world.me] | {"verified": True}),
            ("GET", re.compile(r"/oauth2/applications/@me"), self._application),
            ("GET", re.compile(r"/gateway/bot"), self._gateway),
            ("POST", re.compile(r"/users/@me/channels"), self._direct),
            ("GET", re.compile(r"/channels/(\d+)"), self._channel),
            ("GET", re.compile(r"/channels/(\d+)/messages"), self._history),
            ("POST", re.compile(r"/channels/(\d+)/messages"), self._create),
            ("GET", re.compile(r"/channels/(\d+)/messages/(\d+)"), self._message),
            ("PATCH", re.compile(r"/channels/(\d+)/messages/(\d+)"), self._edit),
            ("DELETE", re.compile(r"/channels/(\d+)/messages/(\d+)"), self._delete),
            ("POST", re.compile(r"/channels/(\d+)/typing"), self._typing),
            ("GET", re.compile(r"/guilds/(\d+)/members/(\d+)"), self._member),
            ("PUT", re.compile(r"/applications/(\d+)/commands"), self._commands),
            ("POST", re.compile(r"/interactions/(\d+)/(\w+)/callback"), self._interaction),
            ("PATCH", re.compile(r"/webhooks/(\d+)/(\w+)/messages/@original"), self._followup),
        ]

    def fail(self, method: str, path: str, what: int | str, times: int = 1, **body: object) -> None:
        """Order a fault; `path` is a regular expression that is searched for."""
        self.faults.append(Fault(method, path, what, times, body))

    def requests(self, method: str, path: str = "") -> list[Asked]:
        """What was asked for, oldest first; `path` is searched for."""
        return [one for one in self.asked if one.method == method and re.search(path, one.path)]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        text = await request.text()
        body = json.loads(text) if text else {}
        path = request.path.removeprefix("/api/v10")
        self.asked.append(Asked(time.monotonic(), request.method, path, body if isinstance(body, dict) else {"": body}))
        if request.headers.get("Authorization") != f"Bot {self.gateway.token}" and "/interactions/" not in path:
            return answer({"message": "401: Unauthorized", "code": 0}, status=401)
        if self.delay:
            await asyncio.sleep(self.delay)
        fault = next((one for one in self.faults if one.method == request.method and re.search(one.path, path)), None)
        if fault:
            fault.times -= 1
            if not fault.times:
                self.faults.remove(fault)
            return await self._fail(fault, request, body, path)
        return self._answer(request, body, path)

    async def _fail(self, fault: Fault, request: web.Request, body: JSON, path: str) -> web.StreamResponse:
        if isinstance(fault.what, int):
            headers = {"Via": "1.1 google", "X-RateLimit-Scope": "global"} if fault.what == 429 else {}
            return answer({"message": "as ordered", "code": 0} | fault.body, status=fault.what, headers=headers)
        if fault.what == CUT_AFTER:
            self._answer(request, body, path)
        assert request.transport
        request.transport.abort()
        return web.Response(status=500)

    def _answer(self, request: web.Request, body: JSON, path: str) -> web.StreamResponse:
        for method, pattern, handler in self.routes:
            found = pattern.fullmatch(path)
            if found and method == request.method:
                headers, over = self._count(f"{method}{pattern.pattern}{found.groups()[:1]}")
                if over:
                    self.limited += 1
                    said = {"message": "You are being rate limited.", "retry_after": over, "global": False}
                    return answer(said, status=429, headers=headers | {"Via": "1.1 google"})
                try:
                    result = handler(*found.groups(), body=body, query=request.query)
                except Refusal as no:
                    said = {"message": str(no), "code": no.code}
                    return answer(said, status=no.status, headers=headers)
                if result is None:
                    return web.Response(status=204, headers=headers)
                return answer(result, headers=headers)
        return answer({"message": f"404: {request.method} {path}", "code": 0}, status=404)

    def _count(self, bucket: str) -> tuple[dict[str, str], float]:
        """The rate limit's headers, and for how many seconds the bucket is over its limit (0: it is not)."""
        most, seconds = self.rate
        since, count = self.buckets.get(bucket, (0.0, 0))
        moment = time.monotonic()
        if moment - since >= seconds:
            since, count = moment, 0
        left = round(since + seconds - moment, 3)
        over = left if count >= most else 0.0
        count += 0 if over else 1
        self.buckets[bucket] = since, count
        named = {"X-RateLimit-Limit": str(most), "X-RateLimit-Remaining": str(most - count)}
        when = {"X-RateLimit-Reset-After": str(left), "X-RateLimit-Reset": str(time.time() + left)}
        return named | when | {"X-RateLimit-Bucket": f"{hash(bucket.split('(')[0]) & 0xFFFFFFFF:08x}"}, over

    # --- the routes

    def _application(self, body: JSON, query: JSON) -> JSON:
        me = self.world.users[self.world.me]
        flags = 1 << 19 if self.gateway.content else 0
        named = {"id": me["id"], "name": "dotagent", "description": "", "icon": None, "flags": flags}
        return named | {"bot_public": False, "bot_require_code_grant": False, "owner": me, "verify_key": ""}

    def _gateway(self, body: JSON, query: JSON) -> JSON:
        left = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return {"url": self.gateway.base, "shards": 1, "session_start_limit": left}

    def _place(self, channel: str) -> int:
        place = self.world.channels.get(int(channel))
        if place is None:
            raise Refusal(404, 10003, "Unknown Channel")
        if place.forbidden:
            raise Refusal(403, 50013, "Missing Permissions")
        return place.id

    def _found(self, channel: str, message: str) -> JSON:
        found = self.world.channels[self._place(channel)].messages.get(int(message))
        if found is None:
            raise Refusal(404, 10008, "Unknown Message")
        return found

    def _direct(self, body: JSON, query: JSON) -> JSON:
        return self.world.channel_json(self.world.channels[self.world.direct(int(body["recipient_id"]))])

    def _channel(self, channel: str, body: JSON, query: JSON) -> JSON:
        return self.world.channel_json(self.world.channels[self._place(channel)])

    def _history(self, channel: str, body: JSON, query: JSON) -> list[JSON]:
        messages = self.world.channels[self._place(channel)].messages
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise Refusal(400, 50035, "Invalid Form Body")
        ids = sorted(messages)
        if "after" in query:
            ids = [id for id in ids if id > int(query["after"])][:limit]
        elif "before" in query:
            ids = [id for id in ids if id < int(query["before"])][-limit:]
        else:
            ids = ids[-limit:]
        return [{key: value for key, value in messages[id].items() if key != "nonce"} for id in reversed(ids)]

    def _create(self, channel: str, body: JSON, query: JSON) -> JSON:
        place = self._place(channel)
        nonce = body.get("nonce")
        if nonce is not None and len(str(nonce)) > 25:
            raise Refusal(400, 50035, "Invalid Form Body: nonce")
        if nonce and body.get("enforce_nonce") and (there := self.world.by_nonce(place, str(nonce))):
            return there
        self._check(body)
        reference = body.get("message_reference")
        reply = 0
        if reference and int(reference["message_id"]) in self.world.channels[place].messages:
            reply = int(reference["message_id"])
        elif reference and reference.get("fail_if_not_exists", True):
            raise Refusal(400, 50035, "Invalid Form Body: message_reference: Unknown message")
        return self.world.say(place, self.world.me, body["content"], nonce=nonce, reply=reply)

    def _check(self, body: JSON) -> None:
        content = body.get("content") or ""
        if len(content) > LONGEST:
            raise Refusal(400, 50035, "Invalid Form Body: content: Must be 2000 or fewer in length.")
        if not content.strip():
            raise Refusal(400, 50006, "Cannot send an empty message")

    def _message(self, channel: str, message: str, body: JSON, query: JSON) -> JSON:
        return self._found(channel, message)

    def _edit(self, channel: str, message: str, body: JSON, query: JSON) -> JSON:
        if self._found(channel, message)["author"]["id"] != str(self.world.me):
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        self._check(body)
        return self.world.edit(int(channel), int(message), body["content"])

    def _delete(self, channel: str, message: str, body: JSON, query: JSON) -> None:
        self._found(channel, message)
        self.world.delete(int(channel), int(message))

    def _typing(self, channel: str, body: JSON, query: JSON) -> None:
        self._place(channel)

    def _member(self, guild: str, user: str, body: JSON, query: JSON) -> JSON:
        there = self.world.guilds.get(int(guild))
        if there is None or int(user) not in there.members:
            raise Refusal(404, 10007, "Unknown Member")
        return self.world.member_json(there.id, int(user))

    def _commands(self, application: str, body: list[JSON], query: JSON) -> list[JSON]:
        named = {"application_id": application, "version": "1", "default_member_permissions": None, "type": 1}
        self.world.commands = [named | one | {"id": str(self.world.snowflake())} for one in body]
        return self.world.commands

    def _interaction(self, id: str, token: str, body: JSON, query: JSON) -> JSON | None:
        self.answers[token] = body
        if query.get("with_response") not in ("1", "true", "True"):
            return None
        return {"interaction": {"id": id, "type": 2, "response_message_id": id, "response_message_ephemeral": True}}

    def _followup(self, application: str, token: str, body: JSON, query: JSON) -> JSON:
        self.answers[token] = {"type": 4, "data": body}
        me = self.world.users[self.world.me]
        shape = {"id": str(self.world.snowflake()), "author": me, "content": body["content"], "timestamp": now()}
        lists: JSON = {"mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "channel_id": application}
        flags = {"type": 0, "flags": 64, "tts": False, "pinned": False, "mention_everyone": False}
        return shape | lists | flags | {"edited_timestamp": None}


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A response with Discord's content type, which names no charset."""
    return web.Response(
        body=json.dumps(value).encode(), status=status, headers={"content-type": "application/json", **(headers or {})}
    )

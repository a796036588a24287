"""Rooms on the page, as the server answers: messages, commands, sending once, files, and the stream."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from alive import a_home
from served import Served, served
from world import world

from dotagent.capabilities.view import markup, outbox
from dotagent.store import attachments, disk, rooms
from dotagent.store.home import Home
from dotagent.store.rooms import Position
from dotagent.terminal.talk import Talk
from dotagent.text import times

pytest.importorskip("uvicorn", reason="the extra view is not installed")
AT = "2026-11-21T20:17:20.000000Z"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    with a_home() as where, served(where) as running:
        yield running


@pytest.fixture(scope="module")
def client(page: Served) -> Iterator[httpx.Client]:
    with page.opened() as made:
        yield made


def fill(where: Home, room: str, *texts: str, kind: str = "AGENT", who: str = "9f8e7d6c5b4a") -> None:
    rooms.create(where.room(room), "private")
    for text in texts:
        rooms.append(where.room(room), rooms.line_of(kind, who, AT, text))


def said(where: Home, room: str) -> list[str]:
    found = rooms.read(where.room(room), Position())
    return [one.text for one in found[0]] if found else []


def send(client: httpx.Client, room: str, text: str, id: str = "") -> httpx.Response:
    return client.post(f"/api/rooms/{room}/say", json={"id": id or str(uuid.uuid4()), "text": text})


# --- reading


@pytest.mark.slow
def test_a_room_is_read_in_pages_in_both_directions(page: Served, client: httpx.Client) -> None:
    fill(page.where, "long", *map(str, range(180)))
    found, before = list[str](), ""
    while True:
        told = client.get(f"/api/rooms/long/messages{before}").json()
        found[:0] = [one["html"] for one in told["messages"]]
        if not told["older"]:
            break
        before = f"?before={told['messages'][0]['start']}"
    assert found == [f"<p>{n}</p>\n" for n in range(180)]
    first = told["messages"][0]
    later = client.get(f"/api/rooms/long/messages?after={first['end']}").json()
    assert [one["html"] for one in later["messages"]] == [f"<p>{n}</p>\n" for n in range(1, 26)] and later["newer"]
    around = client.get(f"/api/rooms/long/messages?around={later['messages'][-1]['end']}").json()
    assert [one["html"] for one in around["messages"]] == [f"<p>{n}</p>\n" for n in range(1, 51)]
    assert around["older"] and around["newer"]


@pytest.mark.slow
def test_a_message_of_10_mb_is_one_message_and_hides_none(page: Served, client: httpx.Client) -> None:
    fill(page.where, "large", "first", "y" * 10_000_000, "last")
    told = client.get("/api/rooms/large/messages").json()
    assert [one["html"] for one in told["messages"]] == ["<p>last</p>\n"] and told["older"]
    told = client.get(f"/api/rooms/large/messages?before={told['messages'][0]['start']}").json()
    assert len(told["messages"]) == 1 and "10,000,000 characters" in told["messages"][0]["html"]
    assert len(json.dumps(told)) < 30_000
    told = client.get(f"/api/rooms/large/messages?before={told['messages'][0]['start']}").json()
    assert [one["html"] for one in told["messages"]] == ["<p>first</p>\n"] and not told["older"]


def test_the_list_shows_the_last_words_of_each_room(page: Served, client: httpx.Client) -> None:
    fill(page.where, "latest", "one", "two\n**words**")
    rooms.create(page.where.room("silent"), "private")
    fill(page.where, "long", "x" * 20_000, kind="USER", who="ana")

    def last() -> dict[str, object]:
        return {one["name"]: one["last"] for one in client.get("/api/rooms").json()["rooms"]}

    assert last()["latest"] == {"who": "9f8e7d6c5b4a", "text": "two **words**"}
    assert last()["silent"] is None
    long = last()["long"]
    assert (
        isinstance(long, dict) and long["who"] == "ana" and long["text"].startswith("xxx") and len(long["text"]) < 200
    )
    fill(page.where, "latest", "three", kind="USER", who="ana")
    assert last()["latest"] == {"who": "ana", "text": "three"}


def test_an_agent_without_a_name_is_known_by_the_first_words_that_it_heard(page: Served, client: httpx.Client) -> None:
    with world(page.where.root, lambda messages, call: "SAY dev Noted.") as here:
        here.say("my flight to Tokyo leaves on 3 May, seat 14A, at the window")
        here.run()
        path, short = page.where.agent(here.session.id), here.session.id[:12]

    def shown() -> tuple[str, str]:
        here = [one for room in client.get("/api/rooms").json()["rooms"] for one in room["agents"]]
        named = {one["id"]: one["name"] for one in client.get("/api/memory").json()}
        return next(one["title"] for one in here if one["id"] == short), named[path.name]

    words, name = shown()
    assert words.startswith("“my flight to Tokyo") and len(words) < 50 and name == f"{words} {short}"
    (path / "IDENTITY.md").write_text("- **Name:** Mila\n")
    assert shown() == ("Mila", f"Mila {short}")


def test_words_are_found_in_the_whole_room_newest_first(page: Served, client: httpx.Client) -> None:
    fill(page.where, "found", "Needle one", "x" * 2_000_000, "a needle two", "hay")
    told = client.get("/api/rooms/found/find", params={"words": "NEEDLE"}).json()
    assert [one["text"] for one in told] == ["a needle two", "Needle one"]
    told = client.get("/api/rooms/found/find", params={"words": "two  Needle"}).json()
    assert [one["text"] for one in told] == ["a needle two"]
    assert client.get("/api/rooms/none/find", params={"words": "x"}).json() == []


def test_words_are_found_in_every_room(page: Served, client: httpx.Client) -> None:
    fill(page.where, "first", "the kettle is red", "hay")
    fill(page.where, "second", "a red kettle", kind="USER", who="bob")
    told = client.get("/api/find", params={"words": "KETTLE red"}).json()
    assert [(one["room"], one["who"], one["text"]) for one in told] == [
        ("second", "bob", "a red kettle"),
        ("first", "9f8e7d6c5b4a", "the kettle is red"),
    ]
    assert client.get("/api/find", params={"words": " "}).json() == []


def test_a_room_that_is_not_there_is_empty_and_a_wrong_name_is_an_error(client: httpx.Client) -> None:
    assert client.get("/api/rooms/nothing-here/messages").json()["messages"] == []
    for name in ("..", "UPPER", "%2e%2e%2fdotagent", "a b", "x" * 65):
        for what in ("messages", "mind"):
            answer = client.get(f"/api/rooms/{name}/{what}")
            assert answer.status_code in (400, 404), answer.text
    assert client.get("/api/rooms/nothing-here/mind").json() == {}


@pytest.mark.parametrize("query", ["before=-1", "before=x", "before=٣", "after=9" + "9" * 20, "around=1e3"])
def test_a_wrong_number_is_an_error_in_words(page: Served, client: httpx.Client, query: str) -> None:
    fill(page.where, "numbers", "x")
    answer = client.get(f"/api/rooms/numbers/messages?{query}")
    assert answer.status_code == 400 and "is not a number" in answer.json()["error"]


# --- sending


def test_a_message_is_sent_once_however_often_it_comes(page: Served, client: httpx.Client) -> None:
    """Also at the same time, and after its note was written and the process died."""
    id = str(uuid.uuid4())
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: send(client, "once", "hello\nthere", id).status_code, range(8)))
    assert told == [200] * 8 and said(page.where, "once") == ["hello\nthere"]
    assert send(client, "once", "hello\nthere").status_code == 200
    assert said(page.where, "once") == ["hello\nthere"] * 2


def test_a_note_without_its_message_sends_it_later(where: Home) -> None:
    talk, id = Talk(where, "dev", "ana"), str(uuid.uuid4())
    folder = where.root / "view" / "sent"
    disk.make_dir(folder)
    disk.create(folder / id, f"0 {AT}".encode())
    outbox.once(talk, id, "hello")
    outbox.once(talk, id, "hello")
    assert said(where, "dev") == ["hello"]
    assert b"hello" not in b"".join(path.read_bytes() for path in folder.iterdir())
    disk.replace(folder / str(uuid.uuid4()), b"0 2020-01-01T00:00:00Z")
    disk.replace(folder / id, f"0 {times.now()}".encode())
    outbox.tidy(folder)
    assert disk.names(folder) == [id]


def test_a_wrong_id_or_an_empty_message_sends_nothing(page: Served, client: httpx.Client) -> None:
    for body in ({"text": "x"}, {"id": "../x", "text": "x"}, {"id": str(uuid.uuid4()), "text": " \n"}, [], {"id": 1}):
        answer = client.post("/api/rooms/never/say", json=body)
        assert answer.status_code == 400 and answer.json()["error"], body
    assert not page.where.room("never").exists()


def test_commands_are_those_of_the_chat_and_stay_out_of_the_room(page: Served, client: httpx.Client) -> None:
    assert "this list" in send(client, "cmd", "/help").json()["notice"]
    assert send(client, "cmd", "/room other").json() == {"room": "other"}
    assert send(client, "cmd", "/times").json() == {"times": True}
    id = str(uuid.uuid4())
    assert "this list" in send(client, "cmd", "/help", id).json()["notice"]
    assert "it ran once" in send(client, "cmd", "/help", id).json()["notice"]
    assert "no command /nope" in send(client, "cmd", "/nope").json()["error"]
    assert "with the button" in send(client, "cmd", "/file /etc/passwd").json()["error"]
    assert not page.where.room("cmd").exists()
    send(client, "cmd", "/forget my pin")
    send(client, "cmd", " /help")
    assert said(page.where, "cmd") == ["/forget my pin", " /help"]
    told = client.get("/api/complete", params={"text": "/pers"}).json()
    assert "/persona" in told and client.get("/api/complete", params={"text": "/file /etc/"}).json() == []


# --- files


def test_a_body_that_is_too_large_is_refused(page: Served, client: httpx.Client) -> None:
    def parts() -> Iterator[bytes]:  # without a length in the head
        for _ in range(18):
            yield b"x" * (1 << 20)

    answer = client.post("/api/rooms/big/give?name=x", content=parts())
    assert answer.status_code == 413
    answer = client.post("/api/rooms/big/say", content=b'{"text": "' + b"x" * (1 << 20) + b'"}')
    assert answer.status_code == 413
    assert not page.where.room("big").exists()


def test_an_attached_picture_is_shown_in_its_room_only(page: Served, client: httpx.Client) -> None:
    line = attachments.keep(page.where.store(), "pics", "x.png", PICTURE)
    fill(page.where, "pics", f"look\n{line}")
    fill(page.where, "others", f"look\n{line}")
    (file,) = client.get("/api/rooms/pics/messages").json()["messages"][0]["files"]
    answer = client.get(f"/api/rooms/pics/files/{file['id']}")
    assert answer.content == PICTURE and answer.headers["content-type"] == "image/png"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert client.get("/api/rooms/others/messages").json()["messages"][0]["files"] == []
    for path in (
        f"/api/rooms/others/files/{file['id']}",
        "/api/rooms/pics/files/..",
        f"/api/rooms/pics/files/{'0' * 32}",
    ):
        assert client.get(path).status_code in (400, 404), path


# --- the stream


def test_the_stream_goes_on_after_the_last_message_that_a_browser_has(page: Served, client: httpx.Client) -> None:
    fill(page.where, "stream", "one", "two")
    first, second = client.get("/api/rooms/stream/messages").json()["messages"]
    for last, expected in ((first["id"], "<p>two</p>\n"), (second["id"], "<p>three</p>\n")):
        with client.stream("GET", "/api/rooms/stream/events", headers={"last-event-id": last}) as answer:
            if last == second["id"]:
                fill(page.where, "stream", "three")
            assert next(_events(answer, "message"))["html"] == expected


def test_a_room_that_was_rewritten_is_loaded_again(page: Served, client: httpx.Client) -> None:
    fill(page.where, "edited", "one", "two")
    last = client.get("/api/rooms/edited/messages").json()["messages"][-1]["id"]
    with client.stream("GET", f"/api/rooms/edited/events?after={last}") as answer:
        disk.replace(page.where.room("edited"), b"# edited private\nother\n")
        assert next(_events(answer, "reset")) is None


def _events(answer: httpx.Response, name: str) -> Iterator[dict[str, str]]:
    kind = ""
    for line in answer.iter_lines():
        key, _, value = line.partition(": ")
        kind = value if key == "event" else kind
        if key == "data" and kind == name:
            yield json.loads(value)


# --- text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<b>x</b> & <script>", "<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;script&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("[x](/api/hello)", "<p>x (/api/hello)</p>\n"),
        ("[x](data:text/html,y)", None),
        ("![x](http://e.example/y)", "<p>x (http://e.example/y)</p>\n"),
        ('[x](http://e.example/"onclick=y)', None),
        ("| a |\n|--:|\n| b |", None),
        ('```x" onload=y\n<b>\n```', None),
        ("a\nb", "<p>a<br>\nb</p>\n"),
    ],
)
def test_text_becomes_only_the_tags_of_markdown(text: str, html: str | None) -> None:
    shown = markup.html(text)
    assert html in (None, shown)
    assert "<b>" not in shown and "style=" not in shown and "<script" not in shown
    assert 'href="javascript' not in shown and 'href="data' not in shown and "<img" not in shown
    assert " onclick=" not in shown.replace("&quot;", "'") or "'onclick" in shown.replace("&quot;", "'")


def test_a_link_shows_its_address(where: Home) -> None:
    shown = markup.html("[bank](https://evil.example/x)")
    assert '<a href="https://evil.example/x" target="_blank" rel="noopener noreferrer nofollow">bank</a>' in shown
    assert "(https://evil.example/x)" in shown

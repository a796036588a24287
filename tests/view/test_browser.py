"""The page in a real browser: what a person types, clicks and sees, on a desk and on a phone."""

from __future__ import annotations

import os
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alive import Alive, a_home, say
from chromium import PHONE, chromium, faults, picture, tab
from served import Served, served
from terminals import AGENT, ID, place
from world import world

from dotagent.capabilities.view.keys import Keys
from dotagent.store import disk, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.store.rooms import Position

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]
AT = "2026-11-21T20:17:20.000000Z"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def page() -> Iterator[Served]:
    with a_home() as where, served(where) as running:
        yield running


def write(opened: Page, text: str) -> None:
    """Type a message, and press Enter."""
    opened.get_by_role("textbox", name="Message").fill(text)
    opened.get_by_role("textbox", name="Message").press("Enter")


def room(where: Home, name: str, *texts: str, kind: str = "AGENT", who: str = "9f8e7d6c5b4a") -> Path:
    """A room in which these messages were said."""
    path = where.room(name)
    rooms.create(path, "private")
    with disk.open_regular(path, os.O_RDWR | os.O_APPEND) as fd:
        disk.append_line(fd, b"".join(rooms.line_of(kind, who, AT, text) for text in texts), path)
    return path


def said(where: Home, name: str = "dev") -> list[str]:
    """The messages of people in the room."""
    found = rooms.read(where.room(name), Position()) if where.room(name).exists() else None
    return [one.text for one in found[0] if one.kind == "USER"] if found else []


def test_a_typed_message_is_answered(browser: Browser, page: Served) -> None:
    agent = Alive(page.where, "--provider", "offline")
    with tab(browser, page, to="dev") as opened:
        write(opened, "remember that my flight to Tokyo leaves on 3 May, seat 14A")
        opened.get_by_role("log").get_by_text("Noted:").wait_for()
        write(opened, "which seat did I book to Tokyo?")
        answer = opened.get_by_role("article").filter(has_text="You told me")
        answer.wait_for()
        assert "14A" in answer.inner_text()
        tools = opened.get_by_role("article").filter(has_text="Noted:").locator("summary")
        assert tools.inner_text() == "1 tool: REMEMBER"
        tools.click()
        assert "REMEMBER" in opened.locator(".tools li").first.inner_text()
        opened.locator(".message.agent.now", has_text="You told me").wait_for()
        picture(opened, "talk")
    assert said(page.where)[0].startswith("remember that")
    assert agent.end()[0] == 0


PASTE = """(box, text) => {
  const given = new DataTransfer();
  given.setData("text/plain", text);
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true }));
}"""


def test_an_open_page_grows_as_the_life_runs(browser: Browser, page: Served) -> None:
    """And who looks at an earlier moment stays there."""
    agent = Alive(page.where, "--provider", "offline")
    with tab(browser, page, to="dev") as opened:
        write(opened, "remember that my flight to Tokyo leaves on 3 May, seat 14A")
        opened.locator(".message.agent.now", has_text="Noted:").wait_for()
        opened.locator(".list .last", has_text="Noted:").wait_for()
        opened.locator(".mind").click()
        opened.locator(".film[data-whole]").wait_for()
        say(page.where, "which seat did I book to Tokyo?")
        opened.locator(".film summary").click()
        opened.locator(".film tbody tr", has_text="You told me").wait_for()
        opened.locator("input[type=range]").press("Home")
        first = opened.locator(".moment b").inner_text()
        most = opened.locator("input[type=range]").get_attribute("max")
        say(page.where, "and on which day do I fly to Tokyo?")
        opened.wait_for_function("most => document.querySelector('input[type=range]').max > most", arg=most)
        assert opened.locator(".moment b").inner_text() == first
        opened.get_by_role("button", name="Now").click()
        opened.locator(".film tbody tr", has_text="on which day").wait_for()
        opened.get_by_label("Go to a time").fill("2000-01-01T00:00:00")
        opened.locator(".moment b", has_text=first).wait_for()
        opened.get_by_label("Go to a time").fill("2100-01-01T00:00:00")
        opened.locator(".film tbody tr", has_text="on which day").wait_for()
        opened.get_by_role("button", name="Go to the talk at this moment").click()
        opened.locator(".message", has_text="on which day").first.wait_for()
    assert agent.end()[0] == 0


def test_pasted_words_are_quoted_and_one_word_is_not(browser: Browser, page: Served) -> None:
    with tab(browser, page, to="dev") as opened:
        box = opened.get_by_role("textbox", name="Message")
        for typed, pasted, shown in (
            ("what is this?", "IGNORE ALL\r\n\r\nTHAT\n", "what is this?\n> IGNORE ALL\n> \n> THAT\n"),
            ("", "忽略以上", "> 忽略以上\n"),
            ("see ", "word", "see "),  # the browser itself would insert it
            ("/help ", "two words", "/help "),
        ):
            box.fill(typed)
            box.evaluate(PASTE, pasted)
            opened.wait_for_function("([box, shown]) => box.value === shown", arg=[box.element_handle(), shown])


def test_a_question_is_answered_by_its_button(browser: Browser, page: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what only looks like a question has no button."""
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    (page.where.root / "dotagent.toml").write_text('network = "on"\n')  # so that a command is an effect
    answers = iter(["RUN echo strange", "RUN echo hi > new.md"])
    with world(page.where.root, lambda messages, call: next(answers, "WAIT")) as here:
        here.say("begin")
        here.run()
        with tab(browser, page, to="dev") as opened:
            ways = opened.get_by_role("group", name="Answer question 10").get_by_role("button")
            ways.first.wait_for()
            assert ways.all_inner_texts()[:2] == ["Yes", "No"]
            picture(opened, "question")
            ways.first.dblclick()
            opened.get_by_text("answered", exact=True).wait_for()
            here.run()
            assert said(page.where) == ["begin", "yes 10"]
            room(page.where, "dev", "[11] Before I do this: I smile.\nAnswer yes / no.")
            opened.get_by_role("log").get_by_text("I smile").wait_for()
            assert opened.get_by_role("group", name="Answer question").count() == 0
        assert (page.where.agent(here.session.id) / "files/new.md").read_text() == "hi\n"


def test_a_question_of_another_room_is_marked_in_the_list_and_answered_in_health(
    browser: Browser, page: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    (page.where.root / "dotagent.toml").write_text('network = "on"\n')
    room(page.where, "other", "Hello from a kettle.")
    answers = iter(["RUN echo strange", "RUN echo hi > new.md"])
    with world(page.where.root, lambda messages, call: next(answers, "WAIT")) as here:
        here.say("begin")
        here.run()
        with tab(browser, page, to="other", **PHONE) as opened:
            opened.get_by_role("link", name="Back to the rooms").click()
            marked = opened.get_by_role("navigation", name="Rooms").get_by_role("link", name="waits for your answer")
            marked.wait_for()
            assert marked.inner_text().startswith("dev")
            opened.get_by_role("link", name="Health").click()
            opened.get_by_role("group", name="Answer question 10").get_by_role("button", name="Yes").click()
            opened.wait_for_function("() => !localStorage.getItem('dotagent.queue')?.includes('yes 10')")
            here.run()
            opened.get_by_role("button", name="Look again").click()
            opened.get_by_text("Nothing.", exact=True).wait_for()
            opened.get_by_role("link", name="Rooms").click()
            marked.wait_for(state="detached")
        assert (page.where.agent(here.session.id) / "files/new.md").read_text() == "hi\n"


def test_a_search_follows_what_a_person_types(browser: Browser, page: Served) -> None:
    room(page.where, "dev", "Hello from a kettle.", "Hello from a lamp.")
    with tab(browser, page, to="dev") as opened:
        box, found = (
            opened.get_by_role("searchbox", name="Find in this room"),
            opened.get_by_role("list", name="Found messages"),
        )
        box.press_sequentially("hello")
        opened.wait_for_function("() => document.querySelectorAll('.found mark').length === 2")
        box.press_sequentially(" lamp")
        found.get_by_text("kettle").wait_for(state="detached")
        assert found.locator("mark").all_inner_texts() == ["Hello", "lamp"]
        box.fill("zebra")
        opened.get_by_text("no message has these words").wait_for()
        box.fill("")
        found.wait_for(state="detached")


def test_two_tabs_show_the_same_and_send_once(browser: Browser, page: Served) -> None:
    with tab(browser, page, to="dev") as first:
        second = first.context.new_page()
        second.goto(f"{page.address}/#/rooms/dev")
        for number, one in enumerate((first, second, first)):
            write(one, f"message {number}")
        for one in (first, second):
            one.get_by_text("message 2", exact=True).wait_for()
            assert one.get_by_text(re.compile("^message [0-9]$")).all_inner_texts() == [
                f"message {n}" for n in range(3)
            ]
    assert sorted(said(page.where)) == [f"message {n}" for n in range(3)]


def test_a_phone_shows_the_rooms_or_one_of_them(browser: Browser, page: Served) -> None:
    for number in range(300):
        room(page.where, f"room-{number}", f"Hello from **room {number}**, `code` and a [link](https://example.org/x).")
    with tab(browser, page, **PHONE) as opened:
        opened.get_by_role("link", name="room-277").wait_for()
        opened.get_by_role("searchbox", name="Find a room").fill("room-27")
        opened.get_by_role("link", name="room-12").wait_for(state="detached")
        assert opened.get_by_role("navigation", name="Rooms").get_by_role("link").count() == 11
        opened.get_by_role("link", name="room-277").click()
        opened.get_by_role("article").wait_for()
        assert opened.locator(".list [aria-current]").count() == 1
        opened.get_by_role("log").get_by_text("Hello from").wait_for()
        assert opened.locator("article strong").inner_text() == "room 277"
        assert "(https://example.org/x)" in opened.get_by_role("article").inner_text()
        assert not opened.get_by_role("searchbox", name="Find a room").is_visible()
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        picture(opened, "phone")
        opened.get_by_role("link", name="Back to the rooms").click()
        opened.get_by_role("searchbox", name="Find a room").wait_for()


KEPT = """async () => {
  const kept = await caches.open("dotagent");
  while (!(await kept.match("/")) || !(await kept.match("/talk.js"))) await new Promise(requestAnimationFrame);
}"""


def test_a_message_waits_for_a_server_that_is_away_and_is_sent_once(browser: Browser) -> None:
    with a_home() as where, served(where) as first:
        port = first.address.rpartition(":")[2]
        with tab(browser, first, to="dev") as opened:
            write(opened, "before")
            opened.get_by_text("before", exact=True).wait_for()
            opened.evaluate(KEPT)
            assert first.end()[0] == 0
            write(opened, "while it is away")
            opened.get_by_text("not sent yet").wait_for()
            opened.reload()  # the page's own files are kept, and so is the message
            opened.get_by_text("not sent yet").wait_for()
            with served(where, "--port", port):
                opened.get_by_text("not sent yet").wait_for(state="detached")
                write(opened, "after")
                opened.locator("article").filter(has_text="after").wait_for()
        assert said(where) == ["before", "while it is away", "after"]


def test_what_is_written_without_a_network_is_sent_once(browser: Browser, page: Served) -> None:
    """Also a command, for which two tabs wait."""
    with tab(browser, page, to="dev") as first:
        first.evaluate(KEPT)
        second = first.context.new_page()
        answers: list[Response] = []
        second.goto(f"{page.address}/#/rooms/dev")
        second.get_by_role("log").wait_for()
        for one in (first, second):
            one.on("response", lambda answer: answers.append(answer) if answer.url.endswith("/say") else None)
        first.context.set_offline(True)
        for text in ("one", "/help", "two"):
            write(first, text)
        first.get_by_text("not sent yet").nth(2).wait_for()
        first.reload()
        first.get_by_text("not sent yet").nth(2).wait_for()
        first.context.set_offline(False)
        for one in (first, second):
            one.get_by_text("not sent yet").first.wait_for(state="detached")
            one.locator("article", has_text="two").wait_for()
        notices = [answer.json().get("notice", "") for answer in answers]  # a tab may send what the other has just sent
        assert sum("this list" in one for one in notices) == 1
    assert said(page.where) == ["one", "two"]


def test_a_page_that_is_signed_out_says_so_and_continues_after_a_new_link(browser: Browser, page: Served) -> None:
    with tab(browser, page, to="dev") as first, served_again(page) as again:
        write(first, "while signed out")
        first.get_by_role("alert").get_by_text("this browser is not signed in").wait_for()
        second = first.context.new_page()
        second.goto(again.fresh())
        first.get_by_text("not sent yet").wait_for(state="detached")
        first.locator("article", has_text="while signed out").wait_for()
        first.get_by_role("alert").wait_for(state="detached")
    assert said(page.where) == ["while signed out"]


@contextmanager
def served_again(page: Served) -> Iterator[Served]:
    """The page's server after every browser was signed out and it was started again at the same port."""
    assert page.end()[0] == 0
    Keys(page.where.root / "view").sign_out()
    with served(page.where, "--port", page.address.rpartition(":")[2]) as again:
        yield again


def focused(opened: Page) -> str:
    """The words of the element that has the focus."""
    return str(opened.evaluate("(({ ariaLabel, innerText }) => ariaLabel ?? innerText)(document.activeElement)"))


def test_the_talk_is_used_with_the_keyboard_alone(browser: Browser, page: Served) -> None:
    for name in ("first", "second"):
        room(page.where, name, "Hello from a kettle.", "and more")
    with tab(browser, page, to="first") as opened:
        opened.get_by_text("and more", exact=True).wait_for()
        assert focused(opened) == "Message"
        opened.keyboard.type("half a message")
        opened.get_by_role("searchbox", name="Find in this room").focus()
        opened.keyboard.type("kettle a")
        opened.keyboard.press("Enter")
        found = opened.get_by_role("list", name="Found messages")
        found.wait_for()
        opened.keyboard.press("Tab")
        assert "Hello from a kettle" in focused(opened)
        opened.keyboard.press("Escape")
        found.wait_for(state="detached")
        assert focused(opened) == "Find in this room"
        opened.keyboard.press("Shift+Tab")
        assert focused(opened) == "Export"
        opened.keyboard.press("Enter")
        opened.keyboard.press("Tab")
        opened.keyboard.press("Escape")
        assert focused(opened) == "Export" and not opened.locator(".export[open]").count()
        opened.get_by_role("searchbox", name="Find a room").focus()
        opened.keyboard.press("ArrowDown")
        opened.keyboard.press("ArrowDown")
        opened.keyboard.press("Enter")
        opened.wait_for_function("() => document.title.startsWith('first ') || document.title.startsWith('second ')")
        opened.goto(f"{page.address}/#/rooms/second")
        opened.wait_for_function("() => document.title.startsWith('second ')")
        opened.goto(f"{page.address}/#/rooms/first")  # and what was written there is still there
        opened.wait_for_function("() => document.querySelector('textarea')?.value === 'half a message'")


def test_a_message_of_any_room_is_found_from_the_list(browser: Browser, page: Served) -> None:
    room(page.where, "dev", *(f"message {number}" for number in range(60)))
    room(page.where, "other", "The kettle is red.", *(f"message {number}" for number in range(60)))
    with tab(browser, page, to="dev") as opened:
        opened.get_by_text("message 59", exact=True).wait_for()
        opened.get_by_role("searchbox", name="Find a room").fill("red kettle")
        opened.get_by_text("no room matches").wait_for()
        opened.keyboard.press("Enter")
        opened.get_by_role("list", name="Messages with these words").get_by_role("link").click()
        opened.locator("article:focus", has_text="The kettle is red.").wait_for()
        opened.get_by_role("searchbox", name="Find a room").fill("nowhere")
        opened.get_by_role("button", name="Find messages").click()
        opened.get_by_text("no message has these words").wait_for()


def test_a_room_of_10_000_messages_is_read_in_parts(browser: Browser, page: Served) -> None:
    room(page.where, "long", *(f"message {number}" for number in range(10_000)))
    with tab(browser, page, to="long") as opened:
        opened.get_by_text("message 9999", exact=True).wait_for()
        log, seen = opened.get_by_role("log"), 10_000
        for _ in range(24):
            first = int(opened.locator("article").first.inner_text().split()[-1])
            assert first <= seen
            seen = first
            log.evaluate("it => it.scrollTop = 0")
            opened.get_by_text(f"message {first - 1}", exact=True).wait_for(state="attached")
            assert opened.locator("article").count() <= 300
        assert seen < 9_500
        opened.get_by_role("searchbox", name="Find in this room").fill("message 4242")
        opened.get_by_role("searchbox", name="Find in this room").press("Enter")
        opened.get_by_role("list", name="Found messages").get_by_role("button").first.click()
        opened.get_by_text("message 4242", exact=True).wait_for()
        opened.get_by_role("button", name="Go to the newest message").click()
        opened.get_by_text("message 9999", exact=True).wait_for()


HOSTILE = (
    "<script>window.fallen = 1</script><img src=x onerror='window.fallen = 2'><svg onload='window.fallen = 3'></svg>",
    "[here](javascript:window.fallen=4) ![x](http://evil.example/x.png) [there](data:text/html,x)",
    "<style>body { display: none }</style><iframe src='/'></iframe><base href='http://evil.example/'>",
    '| a |\n|---:|\n| b |\n\n```html"onload=x\n<b>\n```',
    "\u202eevil\u2066 \u200b\ud83d",
    "y" * 10_000_000,
    "the end",
)


def test_hostile_output_is_text(browser: Browser, page: Served) -> None:
    room(page.where, "evil", *(text.encode("utf-8", "replace").decode() for text in HOSTILE))
    with tab(browser, page, to="evil") as opened:
        opened.get_by_text("the end", exact=True).wait_for()
        opened.wait_for_function("""() => {
            const log = document.querySelector("[role=log]");
            log.scrollTop = 0;
            return log.innerText.includes("<script>window.fallen");
        }""")
        shown = opened.get_by_role("log").inner_text()
        assert "javascript:window.fallen=4" in shown and "(http://evil.example/x.png)" in shown
        assert "10,000,000 characters" in shown and not set("\u202e\u2066\u200b") & set(shown)
        assert opened.evaluate("window.fallen") is None
        log = opened.get_by_role("log")
        for what in (
            "script",
            "img",
            "svg",
            "style",
            "iframe",
            "base",
            "[href^=javascript]",
            "[href^=data]",
            "[style]",
        ):
            assert log.locator(what).count() == 0, what


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """The address of another site of this machine, with one page."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, form: str, *words: object) -> None:
            return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def test_a_hostile_page_in_the_same_browser_gets_nothing(browser: Browser, page: Served) -> None:
    room(page.where, "dev", "a secret")
    html = f"""<script>
      const at = "{page.address}", told = [];
      const ours = {{mode: "no-cors", credentials: "include"}};
      const asks = [["/api/rooms", {{credentials: "include"}}], ["/api/rooms", ours],
        ["/api/rooms/dev/say", {{...ours, method: "POST", body: '{{"text": "hi"}}'}}]];
      Promise.allSettled(asks.map(([path, how]) => fetch(at + path, how).then((it) => it.text()))).then((all) => {{
        window.told = all.map((one) => one.value ?? "");
      }});
    </script><iframe src="{page.address}/"></iframe>"""
    with tab(browser, page, to="dev") as opened, another_site(html) as address:
        evil, answers = opened.context.new_page(), dict[str, int]()
        evil.on("response", lambda one: answers.update({f"{one.request.method} {one.url}": one.status}))
        evil.goto(address)
        evil.wait_for_function("window.told")
        assert "secret" not in str(evil.evaluate("window.told"))
        refused = [status for asked, status in answers.items() if page.address in asked]
        assert refused and set(refused) == {403}, answers
    assert said(page.where) == []


def test_a_used_link_says_what_to_do(browser: Browser, page: Served) -> None:
    link = page.fresh()
    for _ in range(2):
        context = browser.new_context()
        opened = context.new_page()
        opened.goto(link)
        opened.locator("main").wait_for()
        shown = opened.locator("body").inner_text()
        assert opened.url.rstrip("/") == page.address or "rooms" in opened.url  # the secret is gone from the address
        context.close()
    assert "this link was already used or is too old" in shown


def test_commands_are_completed_and_run(browser: Browser, page: Served) -> None:
    with tab(browser, page, to="dev") as opened:
        box = opened.get_by_role("textbox", name="Message")
        box.press_sequentially("/stat")
        opened.get_by_role("button", name="/status").wait_for()
        box.press("Tab")
        opened.wait_for_function("() => document.querySelector('textarea').value === '/status '")
        box.press("Enter")
        opened.get_by_text(f"data directory {page.where.root}").wait_for()
        write(opened, "/room other")
        opened.get_by_role("region", name="Room other").wait_for()
        write(opened, "/nonsense")
        opened.get_by_text("no command /nonsense").wait_for()
    assert said(page.where) == [] and said(page.where, "other") == []


def test_a_file_is_given(browser: Browser, page: Served, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk\nbread\n")
    with tab(browser, page, to="dev") as opened:
        opened.get_by_label("Attach files").set_input_files(str(tmp_path / "notes.txt"))
        opened.get_by_role("log").get_by_text("the file notes.txt, 2 lines").wait_for()
    assert "> milk" in said(page.where)[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("how", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_no_serious_fault(browser: Browser, page: Served, scheme: str, how: dict[str, Any]) -> None:
    room(page.where, "dev", "# Title\n\n- a\n- `b`\n\n| a | b |\n|---|---|\n| 1 | 2 |", "> quoted")
    say(page.where, "hello")
    with tab(browser, page, to="dev", color_scheme=scheme, **how) as opened:
        opened.get_by_text("hello", exact=True).wait_for()
        opened.get_by_role("textbox", name="Message").fill("/help")
        opened.get_by_role("button", name="Send").click()
        opened.get_by_role("button", name="Close this notice").wait_for()
        opened.get_by_role("searchbox", name="Find in this room").fill("hello")
        opened.get_by_role("searchbox", name="Find in this room").press("Enter")
        opened.get_by_role("list", name="Found messages").wait_for()
        assert faults(opened) == []
        opened.get_by_role("button", name="Close this notice").click()
        opened.get_by_text("this list").wait_for(state="detached")


def test_a_draft_is_shown_while_it_grows_until_the_message_is_there(browser: Browser, page: Served) -> None:
    room(page.where, "dev")
    with tab(browser, page, to="dev") as opened:
        call = place(page.where)
        opened.get_by_text("is writing").wait_for()
        with open(queue.stream(page.where, ID), "a") as file:
            file.write("<reasoning>\nSAY dev a secret\n</reasoning>\n\nSAY dev The seat is 14A")
            file.flush()
            opened.get_by_text("The seat is 14A", exact=True).wait_for()
            file.write(", by the window.\nSAY ops not for this room\n")
            file.flush()
            opened.get_by_text("The seat is 14A, by the window.", exact=True).wait_for()
        queue.answer(page.where, page.where.store(), call, "whatever", Outcome())
        room(page.where, "dev", "The seat is 14A, **by** the window.", who=AGENT[:12])
        opened.locator("article strong").wait_for()
        opened.get_by_text("is writing").wait_for(state="detached")
        shown = opened.get_by_role("log").inner_text()
        assert shown.count("14A") == 1 and "secret" not in shown and "ops" not in shown

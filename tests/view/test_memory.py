"""The tabs about memory, forgetting, cost and health: what the server answers, and what a browser shows."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from chromium import PHONE, chromium, faults, picture, tab
from remembered import ANSWER, LIMIT, SEAT, Remembered, remembered
from served import Served, served
from world import world

from dotagent.capabilities.view import export, film, origin, why
from dotagent.capabilities.view.frames import Scenes
from dotagent.compaction import receipt
from dotagent.errors import Misuse
from dotagent.life.event import find_all
from dotagent.store import lineage, log, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import ChatMessage, as_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytestmark = pytest.mark.xdist_group("chromium")
FOUND = re.compile("findings need a look|No problems in")  # of doctor, which also looks at the machine


@pytest.fixture(scope="module")
def life() -> Iterator[Remembered]:
    with remembered() as made:
        yield made


@pytest.fixture(scope="module")
def site(life: Remembered) -> Iterator[Served]:
    with served(life.where) as made:
        yield made


@pytest.fixture(scope="module")
def client(site: Served) -> Iterator[httpx.Client]:
    with site.opened() as made:
        yield made


def lines(life: Remembered, *words: str) -> list[log.Line]:
    """LIFE's lines of these events."""
    return [one for one in log.lines(life.where.agent(life.self_id) / "LIFE.md") if one.event in words]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


# --- what became of an entry, and why an agent knows something


@pytest.mark.night
def test_the_prompts_that_held_an_entry_are_those_that_have_its_text(life: Remembered) -> None:
    scenes, store = Scenes(life.where, LIMIT), life.where.store()
    rebuild = Rebuilder(store)
    asked = lines(life, "ASK")
    for frame in (scenes.at(life.self_id, at).frame(at) for at in list(life.shown)[60::150]):
        for entry in [one for one in frame.entries if one.event == "HEAR" and one.whole][-3:]:
            words = (entry.content or b"").decode().partition("] ")[2].strip()
            held = {one.id for one in origin.requests_with(scenes, life.self_id, entry)}
            there = {one.id for one in asked if words in as_text(rebuild.request(one.id).parts).decode()}
            assert held and held == there, words


@pytest.mark.night
def test_an_entry_tells_its_original_and_its_summary(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    end = scenes.swaps(life.self_id)[2]
    frame = scenes.at(life.self_id, end).frame(end)
    summary = next(one for one in frame.blocks if one.kind == "summary")
    told = origin.describe_entry(scenes, life.self_id, summary.number, end)
    assert told["covers"] and told["covers"][0]["number"] == summary.number
    first = origin.describe_entry(scenes, life.self_id, summary.number, end, original=True)
    assert first["kind"] != "summary" and first["covered"]["number"] == first["number"] == summary.number
    seat = next(one for one in told["covers"] if "14A" in one["words"])
    one = origin.describe_entry(scenes, life.self_id, seat["number"], end)
    assert SEAT in one["original"] and one["who"] == "ana" and one["covered"]["number"] == summary.number
    assert one["faded"] and one["sent"] == len(one["prompts"]) > 0
    swaps, begins, _ = scenes.swaps(life.self_id)
    for fade in one["faded"]:
        assert fade["swap"] == next(swap.id for swap, at in zip(swaps, begins, strict=True) if at >= fade["end"])


def test_lines_support_a_sentence_by_names_numbers_and_most_of_its_words() -> None:
    texts = ["ana: the seat to Tokyo is 14A\nthe train leaves at nine", "bread and letters", "the seat is blue"]
    found = why.supporting("You booked seat 14A to Tokyo.", texts)
    assert [one.line for one in found] == ["ana: the seat to Tokyo is 14A"] and "14a" in found[0].words
    assert why.supporting("The capital of Peru is Lima.", texts) == []
    assert why.supporting("Well, yes.", texts) == []


def test_a_line_that_only_repeats_comes_after_the_one_that_it_repeats() -> None:
    texts = ["me: your seat is 14A to Tokyo", "ana: the seat to Tokyo is 14A"]
    sources = [one.source for one in why.supporting("Your seat to Tokyo is 14A.", texts, [0.6, 1.0])]
    assert sources == [1, 0]


def test_words_that_no_line_has_are_named() -> None:
    (found,) = why.supporting("You booked seat 14A to Tokyo with Kenji.", ["ana: the seat to Tokyo is 14A"])
    assert why.missing("You booked seat 14A to Tokyo with Kenji.", found.words) == ["booked", "Kenji"]


@pytest.mark.night
def test_a_sentence_of_an_answer_leads_to_the_original_message(life: Remembered) -> None:
    scenes, reply = Scenes(life.where, LIMIT), lines(life, "REPLY")[-1]
    assert why.sentences(ANSWER) == ANSWER.replace(". ", ".\n").split("\n")
    seat, voyage = (why.find_support(scenes, life.self_id, reply.at, one) for one in why.sentences(ANSWER))
    assert seat["call"] == lines(life, "ASK")[-1].id
    froms = [one for line in seat["lines"] for one in line.get("originals", [])]
    assert any(one["who"] == "ana" and "seat 14A" in one["line"] for one in froms), seat
    assert voyage["lines"] == []


# --- the server


@pytest.mark.slow
def test_the_prompt_of_a_call_is_its_bytes_and_the_difference_to_the_next_is_what_came(
    life: Remembered, client: httpx.Client
) -> None:
    rebuild, asked = Rebuilder(life.where.store()), lines(life, "ASK")
    prompts = [as_text(rebuild.request(call.id).parts) for call in asked]
    pairs = zip(asked, asked[1:], prompts, prompts[1:], strict=False)
    one, two, first, second = next(pair for pair in pairs if pair[3].startswith(pair[2]))  # without a swap in between
    path = f"/api/memory/{life.self_id}/prompt/{one.id}"
    assert client.get(path).content == first
    told = client.get(f"{path}/against/{two.id}").json()
    assert [row[1:] for row in told["lines"] if row[0] == "+"] == second.decode()[len(first.decode()) :].split("\n")[1:]
    assert client.get(f"/api/memory/{life.self_id}/prompt/{two.id}/against/before").json() == told
    for there in (two.id[:12], one.id, one.id[:12]):  # what the page shows of an id; the later prompt is the second one
        here = one if there in two.id else two
        assert client.get(f"/api/memory/{life.self_id}/prompt/{here.id}/against/{there}").json() == told
    for wrong in ("zz", "0" * 12):
        assert client.get(f"{path}/against/{wrong}").status_code == 400, wrong
    listed = client.get(f"/api/memory/{life.self_id}/prompts").json()
    assert [row["id"] for row in listed] == [call.id for call in reversed(asked)][:100]
    assert client.get(f"/api/memory/{life.self_id}/prompt/{asked[0].id}/against/before").status_code == 400
    assert client.get(f"/api/memory/{life.self_id}/prompt/{'0' * 32}").status_code == 400
    assert client.get(f"/api/memory/{'0' * 32}").status_code == 400


@pytest.mark.night
def test_the_receipts_undo_and_the_preview(life: Remembered, client: httpx.Client) -> None:
    told = client.get(f"/api/fading/{life.self_id}").json()
    swaps = list(receipt.swaps(life.where, life.self_id))
    assert [one["id"] for one in told["swaps"]] == [line.id for line, _ in reversed(swaps)]
    for row, (swap, begin) in zip(reversed(told["swaps"]), swaps, strict=True):
        items = receipt.receipt(life.where, life.self_id, LIMIT, swap, begin).items
        summed = {(one.first, one.last, one.entry.line.gist) for one in items if one.how == "summed"}
        assert summed <= {tuple(one) for one in row["chunks"]} and (summed or not row["chunks"])
    last = receipt.last(life.where, life.self_id)
    assert last
    made = receipt.receipt(life.where, life.self_id, LIMIT, *next(one for one in swaps if one[0].id == last.id))
    shown = client.get(f"/api/fading/{life.self_id}/swap/{last.id}").json()
    assert shown["was"]["tokens"] == made.was.tokens and len(shown["items"]) == len(made.items)
    token = client.headers.pop("x-dotagent-token")
    assert client.post(f"/api/fading/{life.self_id}/undo", json={"swap": last.id}).status_code == 403
    client.headers["x-dotagent-token"] = token
    wish = life.where.agent(life.self_id) / "run" / "unfade"
    assert not wish.exists()
    answer = client.post(f"/api/fading/{life.self_id}/undo", json={"swap": last.id})
    assert answer.status_code == 200 and "when the agent runs next" in answer.json()["told"]
    assert wish.read_text() == last.id
    wish.unlink()
    preview = client.post("/api/fading/preview", json={"words": "that ana's PIN at the bank is 4711"}).json()
    assert any("4711" in one["words"] for one in preview["found"])
    assert shlex.split(preview["command"])[-2:] == ["forget", "that ana's PIN at the bank is 4711"]
    assert (life.where.root / "forgotten").exists() is False
    assert client.post("/api/fading/preview", json={"words": " "}).status_code == 400


@pytest.fixture
def copied(life: Remembered, tmp_path: Path) -> Iterator[Served]:
    """The page of a copy of the home, which a test may change."""
    with served(Home(Path(shutil.copytree(life.where.root, tmp_path / "home", symlinks=True)))) as made:
        yield made


@pytest.mark.night
def test_a_fork_continues_the_agent_after_the_moment(life: Remembered, copied: Served) -> None:
    at, path = lines(life, "SWAP")[2].at, f"/api/memory/{life.self_id}/fork"
    with copied.opened() as client:
        token = client.headers.pop("x-dotagent-token")
        assert client.post(path, json={"when": at}).status_code == 403
        client.headers["x-dotagent-token"] = token
        assert client.post(path, json={"when": "tomorrow"}).status_code == 400
        assert len(client.get("/api/memory").json()) == 1
        made = client.post(path, json={"when": at}).json()
        assert {one["id"] for one in client.get("/api/memory").json()} == {life.self_id, made["agent"]}
    origin = lineage.origin(copied.where.store(), made["agent"])
    assert origin and (origin.agent, origin.at) == (life.self_id, at)


@pytest.mark.night
def test_what_is_in_mind_are_the_entries_of_the_context(life: Remembered, client: httpx.Client) -> None:
    told = client.get("/api/rooms/dev/mind").json()
    frame = Scenes(life.where, LIMIT).at(life.self_id, 1 << 40).frame(1 << 40)
    assert told["agent"] == life.self_id and told["limit"] == frame.limit
    assert told["size"] == sum(map(frame.tokens, frame.entries)) == sum(one[3] for one in told["kinds"])
    messages = client.get("/api/rooms/dev/messages").json()["messages"]
    there = life.shown[max(life.shown)].decode()
    assert {one["end"] in told["heard"] for one in messages if one["kind"] == "me"} == {True, False}
    for one in messages:
        held = one["end"] in told["heard"] if one["kind"] == "me" else one["reply"] in told["said"]
        words = f"] {one['text']}" if one["kind"] == "me" else re.sub("<[^>]+>", "", one["html"]).strip()
        assert words in there if held else one["kind"] == "agent" or words not in there


@pytest.mark.night
def test_a_forgotten_message_leads_to_the_moment_at_which_it_was_forgotten(
    life: Remembered, client: httpx.Client
) -> None:
    path = f"/api/memory/{life.self_id}/forgetting"
    (seat,) = [one for one in lines(life, "HEAR") if "seat 14A" in one.gist]
    end = int(seat.detail.split(" ")[1])
    told = client.get(path, params={"room": "dev", "end": end}).json()
    assert told == client.get(path, params={"when": seat.at}).json()
    moments = sorted(life.shown)
    here = [f"] {SEAT}" in life.shown[at].decode() for at in moments]
    gone = here.index(False, here.index(True))  # the first look at a context without it
    assert moments[gone - 1] < told["offset"] <= moments[gone]
    entry = client.get(f"/api/memory/{life.self_id}/entry/{told['number']}?at={told['offset']}&original=").json()
    assert SEAT in entry["original"] and entry["covered"]
    for wrong in ({"room": "dev", "end": end + 1}, {"room": "ops", "end": end}, {"when": lines(life, "ASK")[0].at}):
        assert client.get(path, params=wrong).status_code == 400, wrong


@pytest.mark.slow
def test_cost_and_health_say_what_the_commands_say(life: Remembered, client: httpx.Client) -> None:
    told = client.get("/api/cost").json()
    calls, kind = told["fields"].index("calls"), told["fields"].index("kind")
    assert sum(row[calls] for row in told["rows"] if row[kind] == "conversation") == len(lines(life, "REPLY"))
    assert sum(row[calls] for row in told["rows"] if row[kind] == "background") == len(lines(life, "USAGE"))
    findings = client.get("/api/health/findings").json()
    assert {one["level"] for one in findings} <= {"ok", "warning", "damage"} and len(findings) > 10
    status = client.get("/api/health/status").json()
    assert [one["id"] for one in status["rows"] if one["kind"] == "agent"] == [life.self_id]
    assert status["questions"] == []


# --- the browser


@pytest.mark.slow
def test_a_scrub_shows_what_context_showed_then(life: Remembered, site: Served, browser: Browser) -> None:
    with tab(browser, site, reduced_motion="reduce") as page:
        page.goto(f"{site.address}/#/memory")
        range = page.locator("input[type=range]")
        range.wait_for()
        page.locator(".film summary").click()
        for offset in list(life.shown)[20::90]:
            scrub(page, offset)
            frame = Scenes(life.where, LIMIT).at(life.self_id, offset).frame(offset)
            cells = page.locator(".film tbody tr").all_inner_texts()
            assert [row.split("\t")[2].replace(",", "") for row in cells] == [
                str(frame.tokens(e)) for e in frame.entries
            ]
            heads = re.findall(rb"(?m)^#(\d+) ", life.shown[offset])
            assert [re.match(r"#(\d+)", row)[1] for row in cells] == [one.decode() for one in heads]  # type: ignore[index]
        range.press("Home")
        page.wait_for_function("() => document.querySelector('.film').dataset.offset < 500")
        range.press("PageUp")
        page.locator(".moment", has_text="SWAP").wait_for()
        assert "SWAP" in (range.get_attribute("aria-valuetext") or "")


@pytest.mark.slow
def test_why_do_you_know_this_leads_to_the_message(life: Remembered, site: Served, browser: Browser) -> None:
    with tab(browser, site, reduced_motion="reduce") as page:
        page.goto(f"{site.address}/#/memory")
        page.locator(".film[data-whole]").wait_for()
        picture(page, "memory")
        page.locator(".film summary").click()
        page.locator(".film tbody tr", has_text="Your seat on the flight").last.locator("button").click()
        page.get_by_role("button", name="Your seat on the flight to Tokyo is 14A.").click()
        page.locator(".why blockquote", has_text="seat 14A").first.wait_for()
        page.get_by_role("button", name="Bon voyage").click()
        page.get_by_text("No line of the prompt shares enough words").wait_for()


COVERED = """it => {
  const { left, top, width, height } = it.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2).tagName;
}"""


@pytest.mark.slow
def test_a_sentence_in_the_talk_leads_to_what_was_said_first(life: Remembered, site: Served, browser: Browser) -> None:
    """On a desk by a click on the sentence, and on a phone by the button; Escape closes the panel."""
    for how in ({"viewport": {"width": 1100, "height": 560}}, PHONE):
        with tab(browser, site, to="dev", reduced_motion="reduce", **how) as page:  # type: ignore[arg-type]
            answer = page.get_by_role("article").filter(has_text="Your seat on the flight").last
            panel = page.get_by_role("region", name="Why does the agent know this?")
            if how is PHONE:
                answer.get_by_role("button", name="Why?").click()
            else:
                answer.locator(".text").click(position={"x": 40, "y": 8})
            panel.locator("blockquote", has_text="seat 14A").first.wait_for()
            assert answer.locator(".sentence.on").all_inner_texts() == [f"{ANSWER.split('. ')[0]}. "]
            if how is not PHONE:
                picture(page, "why")
            panel.get_by_role("button", name="Next sentence").click()
            panel.get_by_text("No line of the prompt shares enough words").wait_for()
            assert "Bon voyage" in answer.locator(".sentence.on").inner_text()
            assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
            panel.get_by_role("button", name="Previous sentence").click()
            panel.locator("blockquote", has_text="seat 14A").first.wait_for()
            panel.evaluate("it => it.scrollTop = 70")
            assert panel.get_by_role("heading", name="Why do you know this?").evaluate(COVERED) == "H2"
            if how is not PHONE:
                panel.get_by_role("link", name="The whole prompt").click()
                page.get_by_label("The prompt", exact=True).get_by_text("You are agent").wait_for()
                page.go_back()
                panel.wait_for()
            page.keyboard.press("Escape")
            panel.wait_for(state="detached")


@pytest.mark.slow
def test_what_opens_beside_closes_by_escape_and_the_focus_returns(
    life: Remembered, site: Served, browser: Browser
) -> None:
    with tab(browser, site, to="dev", reduced_motion="reduce") as page:
        answer = page.get_by_role("article").filter(has_text="Your seat on the flight").last
        for opens, panel in (
            (answer.get_by_role("button", name="Why?"), page.get_by_role("region", name="Why does the agent know")),
            (page.locator(".film tbody button").last, page.get_by_role("region", name="Entry")),
            (page.get_by_role("button", name="Fork here"), page.get_by_role("region", name="Fork", exact=True)),
        ):
            opens.focus()
            page.keyboard.press("Enter")
            panel.wait_for()
            page.wait_for_function("panel => panel.contains(document.activeElement)", arg=panel.element_handle())
            page.keyboard.press("Escape")
            panel.wait_for(state="detached")
            assert opens.evaluate("it => it === document.activeElement")
            if "Why" in opens.inner_text():
                page.locator(".mind").click()
                page.locator("canvas[data-blocks]").wait_for()
                page.locator(".film summary").click()
        page.goto(f"{site.address}/#/memory/{life.self_id}/{max(life.shown)}/999999")
        page.get_by_role("alert").get_by_text("neither #999999 nor a summary").wait_for()
        page.get_by_role("button", name="Close").click()
        page.locator("canvas[data-blocks]").wait_for()


@pytest.mark.slow
def test_a_tab_waits_for_a_server_that_starts_again(copied: Served, browser: Browser) -> None:
    port = copied.address.rpartition(":")[2]
    with tab(browser, copied, reduced_motion="reduce") as page:
        for name in ("Memory", "Forgetting", "Cost", "Health"):  # so that this browser has their files
            page.get_by_role("link", name=name, exact=True).click()
            page.locator(f"main.{name.lower()}, main.fading").first.wait_for()
        assert copied.end()[0] == 0
        for name, words in (("Forgetting", "Standing instructions"), ("Memory", "tokens"), ("Cost", "calls")):
            page.get_by_role("link", name=name, exact=True).click()
            page.get_by_role("alert").get_by_text("cannot be reached").first.wait_for()
            if name == "Forgetting":
                continue
            with served(copied.where, "--port", port) as again:
                page.get_by_text(words).first.wait_for()
                page.get_by_role("alert").get_by_text("cannot be reached").wait_for(state="detached")
                assert again.end()[0] == 0


@pytest.mark.slow
def test_a_swap_that_is_undone_offers_no_undo(life: Remembered, site: Served, browser: Browser) -> None:
    with tab(browser, site) as page:
        page.get_by_role("link", name="Forgetting", exact=True).click()
        page.locator("summary").first.wait_for()
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        swaps = page.locator("details:has(> summary > b)")
        back = page.locator("details:has(> summary > b)", has_text="Original entries came back")
        assert back.count() and not back.get_by_role("button").count()
        undone = page.get_by_text("This swap was undone").count()
        assert undone and page.get_by_role("button", name="Bring").count() == swaps.count() - back.count() - undone


@pytest.mark.slow
def test_a_forgotten_message_leads_to_the_button_that_brings_it_back(copied: Served, browser: Browser) -> None:
    """And the page shows it when the agent has brought it back."""
    with tab(browser, copied, to="dev") as page:
        page.locator(".message.summary").get_by_role("button", name="When forgotten?").last.click()
        page.get_by_role("link", name="See this swap").last.click()
        asked = page.locator(".fading details[open]")
        asked.get_by_role("button", name="Bring").click()
        asked.get_by_role("status").filter(has_text="come back").wait_for()
        came = page.locator(".fading summary:has(> b)").first.filter(has_text="Original entries came back")
        assert not came.count()
        with world(copied.where.root, lambda messages, call: "WAIT") as one:
            one.run()
        came.wait_for()


@pytest.mark.slow
def test_the_talk_shows_what_the_agent_has_in_mind(life: Remembered, site: Served, browser: Browser) -> None:
    with tab(browser, site, to="dev") as page:
        page.locator(".message.summary").first.wait_for()
        there = life.shown[max(life.shown)].decode()
        for one in page.locator(".message.me").all():
            words = one.locator(".text").inner_text()
            assert ("now" in (one.get_attribute("class") or "").split()) == (f"] {words}" in there), words
        page.locator(".rule.faded").get_by_role("link").click()
        page.locator(".moment", has_text="SWAP").wait_for()
        page.get_by_role("link", name="See what this swap replaced").click()
        page.locator("details[open] .wide td").first.wait_for()
        page.go_back()
        page.locator("canvas[data-blocks]").wait_for()
        page.go_back()
        page.locator(".mind").click()
        page.locator("canvas[data-blocks]").wait_for()


@pytest.mark.slow
def test_a_moment_is_forked_by_a_right_click_a_key_or_a_button(
    life: Remembered, copied: Served, browser: Browser
) -> None:
    with tab(browser, copied, reduced_motion="reduce") as page:
        page.goto(f"{copied.address}/#/memory/{life.self_id}")
        page.locator("canvas[data-blocks]").wait_for()
        end, size = page.locator(".moment").inner_text(), page.locator(".moment .size").inner_text()
        panel = page.get_by_role("region", name="Fork", exact=True)
        page.locator("input[type=range]").click(button="right", position={"x": 300, "y": 20})
        panel.wait_for()
        then = page.locator(".moment").inner_text()
        assert then != end and then[:19] in panel.inner_text()
        page.keyboard.press("Escape")
        panel.wait_for(state="detached")
        page.locator("input[type=range]").click(position={"x": 500, "y": 20})
        page.wait_for_function("text => document.querySelector('.moment').innerText !== text", arg=then)
        page.locator("input[type=range]").press("End")
        page.locator("input[type=range]").press("Shift+F10")
        panel.wait_for()
        panel.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Fork here").click()
        panel.get_by_role("button", name="Create the fork").click()
        made = panel.locator("code").inner_text()
        panel.get_by_role("link", name="its memory").click()
        page.wait_for_function("id => document.querySelector('select')?.value === id", arg=made)
        page.locator("canvas[data-blocks]").wait_for()
        assert page.locator(".moment .size").inner_text().split(", ")[-1] == size.split(", ")[-1]  # as many blocks


WITHIN = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('main'))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "how"), [("light", {}), ("dark", {}), ("light", PHONE), ("dark", PHONE)], ids=lambda one: str(one)[:5]
)
def test_axe_finds_no_serious_fault_in_any_tab(
    life: Remembered, site: Served, browser: Browser, scheme: str, how: dict[str, Any]
) -> None:
    with tab(browser, site, color_scheme=scheme, reduced_motion="reduce", **how) as page:
        page.goto(f"{site.address}/#/memory")
        page.locator("canvas[data-blocks]").wait_for()
        scrub(page, lines(life, "REPLY")[-1].end)  # a swap may have followed, after which there is no prompt yet
        page.locator(".film summary").click()
        page.locator(".film tbody tr", has_text="Your seat on the flight").last.locator("button").click()
        page.get_by_role("button", name="Your seat on the flight to Tokyo is 14A.").click()
        page.locator(".why blockquote").first.wait_for()
        page.get_by_role("button", name="Fork here").click()
        page.locator(".prompt summary").first.click()
        page.locator(".prompt .bytes", has_text="seat").first.wait_for()
        page.get_by_role("button", name="Compare with the prompt before").first.click()
        page.locator(".difference .added").first.wait_for()
        assert all(one.endswith("\n") for one in page.locator(".difference span").all_text_contents())
        assert faults(page) == [] and page.evaluate(WITHIN)
        page.get_by_role("link", name="Forgetting").click()
        page.locator(".fading summary").first.click()
        page.locator(".fading td").first.wait_for()
        rows = page.locator("summary", has_text=re.compile(r"\d entr(y|ies) summarised, [\d,]+ → [\d,]+ tokens"))
        assert rows.locator(".last").first.inner_text()
        assert faults(page) == [] and page.evaluate(WITHIN)
        page.get_by_role("link", name="Cost").click()
        page.locator(".cost summary").click()
        assert faults(page) == [] and page.evaluate(WITHIN)
        page.get_by_role("link", name="Health").click()
        page.get_by_text(FOUND).wait_for()
        assert faults(page) == [] and page.evaluate(WITHIN)


@pytest.mark.slow
def test_an_exported_file_opens_from_disk_and_asks_no_host(life: Remembered, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "film.html"
    file.write_text(export.page(Scenes(life.where, LIMIT), export.ExportRange([life.self_id])))
    asked = list[str]()
    with browser.new_context(offline=True, reduced_motion="reduce") as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        page.locator(".film summary").click()
        for offset in list(life.shown)[30::150]:
            scrub(page, offset)
            heads = re.findall(rb"(?m)^#(\d+) ", life.shown[offset])
            cells = page.locator(".film tbody tr").all_inner_texts()
            assert [re.match(r"#(\d+)", row)[1] for row in cells] == [one.decode() for one in heads]  # type: ignore[index]
        page.locator(".film tbody button").last.click()
        assert page.locator("pre.bytes").inner_text()
    assert asked == [file.as_uri()]


@pytest.mark.slow
def test_the_scrubber_of_a_file_marks_the_talk(life: Remembered, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "room.html"
    file.write_text(export.page(Scenes(life.where, LIMIT), export.ExportRange([life.self_id], "dev")))
    with browser.new_context(offline=True, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator("canvas[data-blocks]").wait_for()
        for offset in list(life.shown)[60::150]:
            scrub(page, offset)
            there = life.shown[offset].decode()
            for one in page.locator(".message.me, .message.person").all():
                words, classes = one.locator(".text").inner_text(), (one.get_attribute("class") or "").split()
                assert ("now" in classes) == (f"] {words}" in there), words
            assert page.locator(".message.later").count() > 0


@pytest.mark.slow
def test_every_tab_opens_on_a_phone(life: Remembered, site: Served, browser: Browser) -> None:
    with tab(browser, site, **PHONE) as page:
        page.goto(f"{site.address}/#/memory")
        page.locator(".film canvas").first.wait_for()
        for name, words in {
            "Forgetting": "Standing instructions",
            "Cost": "calls",
            "Health": FOUND,
        }.items():
            page.get_by_role("link", name=name).click()
            page.get_by_text(words).first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390


def scrub(page: Page, offset: int) -> None:
    """Move the scrubber to a byte offset, as a pointer does."""
    moved = "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }"
    page.locator("input[type=range]").evaluate(moved, offset)
    page.wait_for_function("at => document.querySelector('.film').dataset.offset == at", arg=offset)


HIDDEN = "\u202e\u2066\u200b\u00ad"
EVIL = f"<script>window.fallen = 1</script> <img src=x onerror='window.fallen = 2'> <svg onload='fallen = 3'> {HIDDEN}"


@pytest.mark.slow
def test_hostile_text_is_harmless_in_every_tab(browser: Browser, tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        return f"SAY dev The kettle is {HIDDEN} red, <b>eve</b> said. {EVIL}"

    with world(tmp_path, model) as here, served(here.where) as made:
        (here.session.path / "IDENTITY.md").write_text(f"- **Name:** {EVIL}\n")
        here.say(f"The kettle is red. {EVIL}")
        here.say("y" * 1_000_000 + EVIL)
        here.run()
        agent = here.session.id
        with tab(browser, made, to="dev", reduced_motion="reduce") as page:
            shown = list[str]()
            page.get_by_role("article").filter(has_text="</b> said").get_by_role("button", name="Why?").click()
            page.locator(".panel blockquote", has_text="kettle").nth(1).wait_for()
            shown.append(page.locator("body").inner_text())
            page.goto(f"{made.address}/#/memory/{agent}")
            page.locator(".film summary").click()
            for row in page.locator(".film tbody tr", has_text="kettle").all():
                row.locator("button").click()
                page.locator(".panel pre, .panel .sentences", has_text="kettle").first.wait_for()
                shown.append(page.locator("body").inner_text())
            for name, words in (("Forgetting", "Standing instructions"), ("Cost", "calls"), ("Health", FOUND)):
                page.get_by_role("link", name=name, exact=True).click()
                page.get_by_text(words).first.wait_for()
                shown.append(page.locator("body").inner_text())
            assert [one for one in shown if set(one) & set(HIDDEN)] == []
            assert "<script>window.fallen" in shown[1]
            assert page.evaluate("window.fallen") is None


# --- the exported file


@pytest.mark.slow
def test_what_is_redacted_is_not_in_the_file(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    whole = export.page(scenes, export.ExportRange([life.self_id]))
    bare = export.page(scenes, export.ExportRange([life.self_id], "dev", redact=True))
    private = {"4711", "14A", "Tokyo", "ana", life.self_id, life.self_id[:8], "Understood", "lighthouse", "dev"}
    assert all(one in whole for one in private - {"dev"})
    data = bare[bare.index('id="data"') :].partition("</script>")[0]
    words = " ".join(re.findall('"[^"]*"', data))  # a size or a place in LIFE.md may be 4711
    frame = bare.replace(data, "")
    assert [one for one in private if re.search(rf"\b{one}\b", words) or (one != "dev" and one in frame)] == []
    assert not re.search(r"[0-9a-f]{12}", data)
    assert [one["moments"] and len(one["blocks"]) for one in films(bare)] == [
        len(one["blocks"]) for one in films(whole)
    ]


@pytest.mark.night
def test_an_exported_file_ends_where_it_should(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    swaps = lines(life, "SWAP")
    since, until = swaps[1].at, swaps[3].at
    told = films(export.page(scenes, export.ExportRange([life.self_id], since=since, until=until)))
    moments = [moment for one in told for moment in one["moments"]]
    assert moments and all(since <= moment[1] < until for moment in moments)
    page = export.page(scenes, export.ExportRange([life.self_id], "dev"))
    assert f'<div class="text plain" dir="auto">{SEAT}</div></article>' in page
    assert f'<div class="text" dir="auto"><p>{ANSWER}</p>\n</div>' in page
    assert "http" not in page.replace("http-equiv", "").replace("https:", "").partition("<script")[0]


@pytest.mark.night
def test_the_page_saves_the_same_file(life: Remembered, client: httpx.Client) -> None:
    scenes = Scenes(life.where, LIMIT)
    for path, wanted in {
        "rooms/dev/export": export.ExportRange([life.self_id], "dev"),
        "rooms/dev/export?redact": export.ExportRange([life.self_id], "dev", redact=True),
        f"memory/{life.self_id}/export": export.ExportRange([life.self_id]),
        f"memory/{life.self_id}/export?redact": export.ExportRange([life.self_id], redact=True),
    }.items():
        answer = client.get(f"/api/{path}")
        assert films(answer.text) == films(export.page(scenes, wanted)), path
        assert "attachment" in answer.headers["content-disposition"] and "sandbox" in str(answer.headers)
    assert client.get("/api/rooms/nobody-here/export").status_code == 400
    with pytest.raises(Misuse, match=r"too long to be saved from the page; run .* --agent .* --export FILE\.html"):
        export.download(scenes, export.ExportRange([life.self_id]), 10)


@pytest.mark.slow
def test_hostile_messages_are_text_in_an_exported_file(life: Remembered, browser: Browser, tmp_path: Path) -> None:
    where = Home(Path(shutil.copytree(life.where.root, tmp_path / "home", symlinks=True)))
    evil = "<script>window.fallen = 1</script><img src=x onerror='window.fallen = 2'> [x](javascript:window.fallen=3)"
    for kind, name in (("USER", "eve"), ("AGENT", life.self_id[:12])):
        rooms.append(where.room("dev"), rooms.line_of(kind, name, "2026-11-21T20:17:20.000000Z", evil))
    file = tmp_path / "talk.html"
    file.write_text(export.page(Scenes(where, LIMIT), export.ExportRange([life.self_id], "dev")))
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator("canvas[data-blocks]").wait_for()
        shown = page.locator(".message")
        assert shown.nth(-1).inner_text().count("javascript:window.fallen=3") == 1
        assert page.locator(".message script, .message img, .message [href^=javascript]").count() == 0
        assert page.evaluate("window.fallen") is None
        assert shown.first.locator(".text").inner_text() and page.locator(".message.agent .text p").count() > 3


def films(page: str) -> list[dict[str, list[list[object]]]]:
    """The scenes in an exported file."""
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    return [one for each in data["films"] for one in each["scenes"]]


@pytest.mark.slow
def test_events_of_blocks_have_a_kind(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    end = scenes.swaps(life.self_id)[2]
    told = json.loads(film.scene(scenes, life.self_id, end))
    kinds = {row[film.KIND] for row in told["blocks"]}
    assert {"heard", "said", "summary"} <= kinds
    assert all(find_all().get(row[3]) for row in told["blocks"])

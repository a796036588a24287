"""FETCH: a page that others named, and nothing that the agent composed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life
from web.site import Page, Site, site

from dotagent.errors import Misuse
from dotagent.store import home


@pytest.fixture
def here() -> Iterator[Site]:
    with site({"/news": "<title>News</title><p>It rains in <a href='/rome'>Rome</a>."}) as found:
        found.pages["/rome"] = Page("<p>All day.")
        yield found


@pytest.fixture
def hands(tmp_path: Path, here: Site) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        (life.where.root / "dotagent.toml").write_text(f'[web]\nnear = ["{here.place}"]\n')
        yield life


def hears(hands: Hands, text: str) -> None:
    hands.world.say(text)
    hands.world.me.inbox.hear()


@pytest.mark.night
def test_a_page_that_a_person_named_and_then_one_that_it_links_to(hands: Hands, here: Site) -> None:
    hears(hands, f"what stands on {here.place}/news?")
    assert hands.shows(f"FETCH {here.base}/news").endswith(f"It rains in [Rome]({here.base}/rome).")
    assert hands.shows(f"FETCH {here.base}/rome#top") == f"{here.base}/rome\n\nAll day."


def test_an_address_of_its_own_making_is_not_fetched_however_it_is_brought_in(hands: Hands, here: Site) -> None:
    hears(hands, f"read {here.base}/news")
    leak = f"{here.base}/news?it=4471"
    hands.do(f"WRITE_FILE note.txt <<END\n{leak}\nEND")
    hands.do("READ_FILE note.txt")
    hands.do(f"SAY dev {leak}")
    hands.do("RECALL 4471")
    hands.fails(f"FETCH {leak}", f"no one gave me the address {leak}")
    assert not here.asked


def test_a_host_that_settings_open(hands: Hands, here: Site) -> None:
    (hands.where.root / "dotagent.toml").write_text(f'[web]\nnear = ["{here.place}"]\nhosts = ["127.0.0.*"]\n')
    assert "All day." in hands.shows(f"FETCH {here.base}/rome")


@pytest.mark.slow
def test_without_settings_what_is_near_is_not_reached(hands: Hands, here: Site) -> None:
    (hands.where.root / "dotagent.toml").write_text("")
    hears(hands, f"read {here.base}/news")
    hands.fails(f"FETCH {here.base}/news", "127.0.0.1 is on this machine")
    assert not here.asked


@pytest.mark.night
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_refusal_names_the_setting_that_opens_the_address(hands: Hands, host: str) -> None:
    settings = hands.where.root / "dotagent.toml"
    settings.write_text("")
    with site({"/": "It rains."}) as there:
        url = f"http://{host}:{there.port}/"
        hears(hands, f"fetch {url}")
        told = hands.fails(f"FETCH {url}", "on this machine or its local network")
        opening = re.search(r"\[web\] (near = \[\S+\]) in dotagent\.toml", told)
        assert opening and not there.asked
        settings.write_text(f"[web]\n{opening[1]}\n")
        assert hands.shows(f"FETCH {url}").endswith("It rains.")


@pytest.mark.parametrize("near", ["127.0.0.1", "http://127.0.0.1:8080", "*:80", "::1:80"])
def test_an_entry_of_near_that_would_open_nothing_is_refused(hands: Hands, near: str) -> None:
    (hands.where.root / "dotagent.toml").write_text(f'[web]\nnear = ["{near}"]\n')
    with pytest.raises(Misuse, match=r'near = ."host:port"'):
        home.settings(hands.where)


@pytest.mark.slow
def test_a_life_that_hears_others_uses_no_web(tmp_path: Path, here: Site) -> None:
    with a_life(tmp_path, "--audience", "group") as hands:
        hears(hands, f"read {here.base}/news")
        hands.fails(f"FETCH {here.base}/news", "this agent may not use the web")
        (hands.where.root / "dotagent.toml").write_text(
            f'[web]\nnear = ["{here.place}"]\nlives = ["{hands.session.id[:8]}"]\n'
        )
        assert "It rains" in hands.shows(f"FETCH {here.base}/news")


def test_misuse_is_told(hands: Hands) -> None:
    hands.fails("FETCH", "the address of the page is missing")
    hands.fails("FETCH two words", "the address of the page is missing")


@pytest.mark.parametrize("url", ["http://[x", "https://[::1", "http://a]b/", "http://evil.com／.example.org", "[::"])
def test_an_address_that_is_none_fails_alone(hands: Hands, url: str) -> None:
    hears(hands, f"see {url}")
    hands.fails(f"FETCH {url}", "is not the address of a page")

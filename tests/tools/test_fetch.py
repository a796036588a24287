"""FETCH: a page that others named, and nothing that the agent composed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life
from web.site import Page, Site, site


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


@pytest.mark.slow
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
    hands.fails(f"FETCH {leak}", f"nobody gave me the address {leak}")
    assert not here.asked


def test_a_host_that_settings_open(hands: Hands, here: Site) -> None:
    (hands.where.root / "dotagent.toml").write_text(f'[web]\nnear = ["{here.place}"]\nhosts = ["127.0.0.*"]\n')
    assert "All day." in hands.shows(f"FETCH {here.base}/rome")


def test_without_settings_what_is_near_is_not_reached(hands: Hands, here: Site) -> None:
    (hands.where.root / "dotagent.toml").write_text("")
    hears(hands, f"read {here.base}/news")
    hands.fails(f"FETCH {here.base}/news", "127.0.0.1 is an address of this machine")
    assert not here.asked


def test_a_life_that_hears_others_uses_no_web(tmp_path: Path, here: Site) -> None:
    with a_life(tmp_path, "--audience", "group") as hands:
        hears(hands, f"read {here.base}/news")
        hands.fails(f"FETCH {here.base}/news", "this life uses no web")
        (hands.where.root / "dotagent.toml").write_text(
            f'[web]\nnear = ["{here.place}"]\nlives = ["{hands.session.id[:8]}"]\n'
        )
        assert "It rains" in hands.shows(f"FETCH {here.base}/news")


def test_misuse_is_told(hands: Hands) -> None:
    hands.fails("FETCH", "which page?")
    hands.fails("FETCH two words", "which page?")

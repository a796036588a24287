"""SEARCH_WEB: what an engine of the settings finds, whose pages may then be fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hands import Hands
from web.site import Page, Site, site


@pytest.fixture
def here() -> Iterator[Site]:
    with site({}) as found:
        result = {"results": [{"title": "Rome", "url": f"{found.base}/rome", "content": "the weather"}]}
        found.pages["/search?q=rain+in+Rome&format=json"] = Page(json.dumps(result))
        found.pages["/rome"] = Page("<p>All day.")
        yield found


@pytest.mark.night
def test_what_it_finds_may_be_fetched(hands: Hands, here: Site) -> None:
    settings = f'[web]\nsearch = "searxng"\nbase = "{here.base}"\nnear = ["{here.place}"]\n'
    (hands.where.root / "dotagent.toml").write_text(settings)
    assert hands.shows("SEARCH_WEB rain in Rome") == f"Rome\n{here.base}/rome\nthe weather"
    assert "All day." in hands.shows(f"FETCH {here.base}/rome")


@pytest.mark.slow
def test_without_an_engine_or_a_key_it_says_how_to_get_one(hands: Hands) -> None:
    hands.fails("SEARCH_WEB", "say what to search for")
    hands.fails("SEARCH_WEB rain", "no search engine is set up")
    (hands.where.root / "dotagent.toml").write_text('[web]\nsearch = "brave"\n')
    hands.fails("SEARCH_WEB rain", "put BRAVE_API_KEY=… into .env in dotagent's data directory")


def test_its_key_is_in_no_environment_of_the_agent_and_reaches_the_engine(hands: Hands, here: Site) -> None:
    here.pages["/res/v1/web/search?q=rain&count=8"] = Page('{"web": {"results": []}}')
    (hands.where.root / "dotagent.toml").write_text(f'[web]\nsearch = "brave"\nbase = "{here.base}"\n')
    (hands.where.root / ".env").write_text("BRAVE_API_KEY=brave-key-123\n")
    (hands.where.root / ".env").chmod(0o600)
    assert hands.shows("SEARCH_WEB rain") == "nothing was found"
    assert here.asked[0][1]["x-subscription-token"] == "brave-key-123"

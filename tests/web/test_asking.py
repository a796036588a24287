"""Pages and searches over real sockets."""

from __future__ import annotations

import gzip
import json

import pytest
from web.site import Page, Site, site

from dotagent.web import asking
from dotagent.web.asking import NoPage


def fetch(here: Site, path: str) -> str:
    return asking.fetch(here.base + path, [here.place])


def test_a_page_comes_with_where_it_was_found_also_behind_redirects_and_packed() -> None:
    packed = Page(gzip.compress(b"<title>T</title><p>there"), headers={"Content-Encoding": "gzip"})
    with site({"/a": Page("", 302, {"Location": "/b"}), "/b": packed, "/empty": ""}) as here:
        assert fetch(here, "/a") == f"{here.base}/b\n\nT\n\nthere"
        assert fetch(here, "/empty").endswith("\n\n(there is no text on it)")


def test_what_is_near_is_not_reached_by_any_way() -> None:
    with site({"/": "secret"}) as here, site({}) as other:
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0"):
            with pytest.raises(NoPage, match=r"which is not reached|cannot be had"):
                asking.fetch(f"http://{host}:{here.port}/", [])
        other.pages["/"] = Page("", 307, {"Location": here.base})
        with pytest.raises(NoPage, match="an address of this machine or of its own network"):
            fetch(other, "/")
        assert not here.asked


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "http://",
        "x://",
        "http://[",
        "http://a\0b/",
    ],
)
def test_what_is_no_page_is_none(url: str) -> None:
    with pytest.raises(NoPage, match=r"is no address of a page|cannot be had"):
        asking.fetch(url, [])


def test_a_redirect_to_a_file_or_round_and_round() -> None:
    pages = {
        "/file": Page("", 302, {"Location": "file:///etc/passwd"}),
        "/round": Page("", 302, {"Location": "/round"}),
    }
    with site(pages) as here:
        with pytest.raises(NoPage):
            fetch(here, "/file")
        with pytest.raises(NoPage, match="more than 5 times"):
            fetch(here, "/round")
        assert len(here.asked) == 1 + 6


def test_errors_and_other_kinds_are_told_in_a_line() -> None:
    pages = {"/gone": Page("no", 410), "/pdf": Page(b"%PDF \0", headers={"Content-Type": "application/pdf"})}
    with site(pages) as here:
        with pytest.raises(NoPage, match="answers 410 Gone"):
            fetch(here, "/gone")
        with pytest.raises(NoPage, match="is no text but application/pdf, 6 bytes"):
            fetch(here, "/pdf")
    with pytest.raises(NoPage, match="cannot be had"):
        asking.fetch(here.base, [here.place])


def test_a_bomb_is_read_to_its_limit() -> None:
    bomb = Page(gzip.compress(b"word " * 3_000_000), headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"})
    with site({"/": bomb}) as here:
        told = fetch(here, "/")
        assert len(told) < asking.SHOWN + 200
        assert "the page goes on" in told


def test_a_search_by_either_engine() -> None:
    brave = {
        "web": {"results": [{"title": "A <b>page</b>", "url": "https://a.example/x", "description": "of &amp; it"}]}
    }
    searx = {"results": [{"title": "B", "url": "https://b.example/", "content": "about b"}, "rubbish"]}
    pages = {
        "/res/v1/web/search?q=two+words&count=8": json.dumps(brave),
        "/s/search?q=b&format=json": json.dumps(searx),
    }
    with site(pages) as here:
        found = asking.search("two words", "brave", here.base, "key-1", [here.place])
        assert found == "A page\nhttps://a.example/x\nof & it"
        assert here.asked[0][1]["x-subscription-token"] == "key-1"
        assert asking.search("b", "searxng", f"{here.base}/s/", "", [here.place]) == "B\nhttps://b.example/\nabout b"


@pytest.mark.parametrize("body", ["<html>", "[]", '"x"', '{"results": {}}', '{"results": null}', "{}", '{"web": 3}'])
def test_an_engine_that_answers_rubbish(body: str) -> None:
    with site({"/search?q=b&format=json": body}) as here:
        try:
            assert asking.search("b", "searxng", here.base, "", [here.place]) == "nothing was found"
        except NoPage as error:
            assert "answers with no JSON" in str(error)

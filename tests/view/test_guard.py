"""Who gets an answer from the page's server: our own page, in a browser that opened it with a link, and nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest
from alive import a_home
from served import Served, served
from support import PATIENCE, files

from dotagent.capabilities.view import app, guard, keys
from dotagent.capabilities.view.keys import Keys
from dotagent.capabilities.view.route import Writes
from dotagent.store import disk
from dotagent.store.home import Home

pytest.importorskip("uvicorn", reason="the extra view is not installed")


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    with a_home() as where, served(where) as running:
        yield running


@pytest.fixture(scope="module")
def client(page: Served) -> Iterator[httpx.Client]:
    with page.opened() as made:
        yield made


def raw(page: Served, text: str) -> str:
    """The first line of the answer to a request of these bytes."""
    host, _, port = page.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(text.replace("\n", "\r\n").encode())
        return connection.makefile("rb").readline().decode()


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/hello", "/api/open"])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{}", "127.0.0.1", "127.0.0.1.evil.example:{}", "[::1]:{}"]
)
def test_a_name_that_is_not_ours_is_refused(page: Served, client: httpx.Client, host: str, path: str) -> None:
    """As after DNS rebinding: the address is this machine's, and the name is another site's."""
    port = page.address.rpartition(":")[2]
    answer = client.get(path, headers={"host": host.format(port)})
    assert answer.status_code == 403 and "name" in answer.text


def test_a_request_without_a_name_or_with_two_is_refused(page: Served) -> None:
    ours = page.address.removeprefix("http://")
    assert " 200 " in raw(page, f"GET / HTTP/1.1\nHost: {ours}\n\n")
    assert " 403 " in raw(page, "GET / HTTP/1.0\n\n")
    assert " 40" in raw(page, f"GET / HTTP/1.1\nHost: {ours}\nHost: evil.example\n\n")
    assert " 403 " in raw(page, "GET / HTTP/1.1\nHost: \n\n")


def test_localhost_is_ours_too(page: Served, client: httpx.Client) -> None:
    port = page.address.rpartition(":")[2]
    assert client.get("/", headers={"host": f"localhost:{port}"}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""])
def test_another_origin_is_refused(client: httpx.Client, origin: str) -> None:
    for answer in (
        client.get("/api/hello", headers={"origin": origin}),
        client.post("/api/open", headers={"origin": origin}),
    ):
        assert answer.status_code == 403, answer.text


def test_what_a_browser_says_about_the_site_counts(client: httpx.Client) -> None:
    asks = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"}
    assert client.get("/app.js", headers=asks).status_code == 403
    assert client.get("/api/hello", headers={"sec-fetch-site": "same-site"}).status_code == 403
    visits = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.get("/", headers=visits).status_code == 200  # a link in a mail to the empty page
    assert client.get("/", headers={**visits, "sec-fetch-dest": "iframe"}).status_code == 403
    assert client.get("/api/hello", headers=visits).status_code == 403


def test_nothing_is_told_to_a_browser_that_has_not_opened_the_page(page: Served, client: httpx.Client) -> None:
    name = guard.COOKIE.format(page.address.rpartition(":")[2])
    secret = client.cookies[name]
    told = [
        httpx.get(f"{page.address}/api/hello", headers={"cookie": cookie})
        for cookie in ("", f"{name}=", f"{name}=wrong", f"{name}={secret}; {name}=wrong", f"other={secret}", b"\xff")
    ]
    assert [one.status_code for one in told] == [401] * len(told)
    assert "dotagent view" in told[0].text
    assert httpx.get(f"{page.address}/api/hello", headers={"cookie": f"a=b; {name}={secret}"}).status_code == 200


def test_a_change_needs_the_second_token_and_the_header_origin(page: Served, client: httpx.Client) -> None:
    """/api/open is the only change that has no second token: it carries the secret of the link."""
    assert client.post("/api/none").status_code in (404, 405)
    for token in ("", "wrong", keys.second("wrong")):
        assert client.post("/api/none", headers={"x-dotagent-token": token}).status_code == 403
    del client.headers["origin"]
    try:
        assert client.post("/api/none").status_code == 403
    finally:
        client.headers["origin"] = page.address


def test_no_change_is_made_by_a_get_request(client: httpx.Client) -> None:
    changes = [one.path for part in app.PARTS for one in part if isinstance(one, Writes)]
    assert len(changes) > 5
    for path in changes:
        answer = client.get(path.format(room="dev", agent="0" * 32))
        assert answer.status_code in (400, 404, 405), path  # 400: `preview` is no agent's id


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client: httpx.Client, method: str) -> None:
    assert client.request(method, "/api/hello").status_code == 405


def test_the_cookie_is_for_this_site_and_no_script(page: Served) -> None:
    link = Keys(page.where.root / "view").link()
    answer = httpx.post(f"{page.address}/api/open", content=link, headers={"origin": page.address})
    told = answer.headers["set-cookie"].lower()
    assert "httponly" in told and "samesite=strict" in told and "max-age=2592000" in told
    assert "secure" not in told  # without HTTPS a browser would not keep it


def test_a_link_opens_once(page: Served) -> None:
    link = Keys(page.where.root / "view").link()
    tried = [
        httpx.post(f"{page.address}/api/open", content=one, headers={"origin": page.address})
        for one in (link, link, "wrong", "", "../browsers/x", "x" * 5000)
    ]
    assert [one.status_code for one in tried] == [200, 403, 403, 403, 403, 403]
    assert "again" in tried[1].json()["error"]


def test_the_home_holds_only_hashes(page: Served, client: httpx.Client) -> None:
    secrets = [*client.cookies.values(), page.link.partition("=")[2]]
    kept = b"".join(data + str(path).encode() for path, data in files(page.where.root / "view"))
    assert kept and not [one for one in secrets if one.encode() in kept]


def test_the_answers_forbid_the_browser_what_the_page_does_not_need(client: httpx.Client) -> None:
    for path in ("/", "/app.js", "/api/hello", "/none"):
        heads = client.get(path).headers
        policy = heads["content-security-policy"]
        assert (
            policy.startswith("default-src 'none'; script-src 'self' 'sha256-") and "frame-ancestors 'none'" in policy
        )
        assert "unsafe" not in policy and "http:" not in policy and "*" not in policy
        assert (heads["x-content-type-options"], heads["referrer-policy"]) == ("nosniff", "no-referrer")
        assert heads["x-frame-options"] == "DENY" and heads["cross-origin-resource-policy"] == "same-origin"
        assert heads["cache-control"] == ("no-store" if path.startswith("/api/") else "no-cache")
        assert "server" not in heads and "access-control-allow-origin" not in heads


def test_no_file_outside_the_page_is_served(client: httpx.Client) -> None:
    for path in (
        "/../app.py",
        "/%2e%2e/app.py",
        "/..%2fapp.py",
        "/vendor/../../keys.py",
        "//etc/passwd",
        "/static/app.js",
    ):
        assert client.get(path).status_code in (404, 405), path


# --- keys


def test_a_link_and_a_browser_end(where: Home) -> None:
    """Their files say when; a clock that has passed it closes them."""
    known = Keys(folder := where.root / "view")
    old, secret = known.link(), known.open(known.link())
    assert secret and known.knows(secret)
    for kind in ("links", "browsers"):
        for name in disk.names(folder / kind):
            disk.replace(folder / kind / name, b"2020-01-01T00:00:00Z")
    assert known.open(old) == "" and not known.knows(secret)
    known.close_links()
    assert disk.names(folder / "browsers") == []


def test_signing_out_ends_every_browser(where: Home) -> None:
    known = Keys(where.root / "view")
    first, second, link = known.open(known.link()), known.open(known.link()), known.link()
    assert known.sign_out() == 2
    assert not known.knows(first) and not known.knows(second) and known.open(link) == ""

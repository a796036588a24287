"""`dotagent view`: it prints a link and serves the page, on this machine alone unless it is told otherwise."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest
from alive import a_home
from served import link_of, served
from support import run
from world import world

from dotagent import commands
from dotagent.capabilities.view.guard import COOKIE
from dotagent.errors import Trouble
from dotagent.store.home import Home

pytest.importorskip("uvicorn", reason="the extra view is not installed")


def view(where: Home, *words: str, **env: str) -> tuple[int, str, str]:
    """Run the command to its end."""
    done = run(where, "-m", "dotagent", "view", *words, env=env)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_it_prints_a_link_that_opens_the_page_and_ends_cleanly(where: Home) -> None:
    with served(where) as page, page.opened() as client:
        assert re.match(r"http://127\.0\.0\.1:\d+/#open=", page.link)
        assert "<title>dotagent</title>" in client.get("/").text
        hello = client.get("/api/hello").json()
        assert (hello["person"], hello["home"]) == ("ana", str(where.root))
        secret = next(iter(client.cookies.values()))
        assert page.end() == (0, "", "")
    port = page.address.rpartition(":")[2]
    with served(where, "--port", port) as again:  # a browser that had opened it need not open it again
        answer = httpx.get(f"{again.address}/api/hello", headers={"cookie": f"{COOKIE.format(port)}={secret}"})
        assert answer.status_code == 200


@pytest.mark.slow
def test_a_second_one_prints_another_link_and_serves_nothing(where: Home) -> None:
    with served(where) as page:
        status, out, err = view(where)
        assert (status, err) == (0, "") and link_of(out) != page.link and link_of(out).startswith(page.address)
        answer = httpx.post(
            f"{page.address}/api/open", content=out.partition("=")[2][:43], headers={"origin": page.address}
        )
        assert answer.status_code == 200
        status, out, err = view(where, "--port", "0")
        assert status == 1 and out == "" and "already serves the page" in err and err.count("\n") == 1


@pytest.mark.night
def test_an_old_link_ends_with_its_server(where: Home) -> None:
    with served(where) as page:
        pass
    with served(where) as again:
        answer = httpx.post(
            f"{again.address}/api/open", content=page.link.partition("=")[2], headers={"origin": again.address}
        )
        assert answer.status_code == 403


@pytest.mark.slow
def test_signing_out_ends_what_browsers_may(where: Home) -> None:
    with served(where) as page, page.opened() as client:
        assert view(where, "--sign-out") == (0, "signed out 1 browser\n", "")
        assert client.get("/api/hello").status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--listen", "127.0.0.1"), "--listen needs --cert FILE and --key FILE"),
        (("--cert", "x"), "--cert and --key belong together"),
        (("--cert", "x", "--key", "x"), "are for --listen"),
        (("--listen", "0.0.0.0", "--cert", "/none", "--key", "/none"), "/none: there is no such file"),
        (("--listen", "127.0.0.1", "--port", "0", "--cert", "README.md", "--key", "README.md"), "not a certificate"),
        (("--listen", "example.com", "--cert", "/dev/null", "--key", "/dev/null"), "there is no such file"),
        (("--port", "70000"), "not a port"),
        (("--port", "٣"), "not a port"),
        (("--name", "a b"), "cannot be your name"),
    ],
)
def test_wrong_options_are_one_line(where: Home, words: tuple[str, ...], told: str) -> None:
    status, out, err = view(where, *words)
    assert status == 2 and out == "" and told in err and "Traceback" not in err


@pytest.mark.slow
def test_a_port_in_use_is_one_line(where: Home) -> None:
    with served(where) as page, a_home() as other:
        status, out, err = view(other, "--port", page.address.rpartition(":")[2])
        assert status == 2 and out == "" and "choose another port with --port" in err and err.count("\n") == 1


@pytest.mark.slow
def test_open_leads_the_browser_there_without_showing_the_secret_to_others(where: Home, tmp_path: Path) -> None:
    """The list of processes is readable for every user, so the browser gets a file of the owner."""
    shown, browser = tmp_path / "shown", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {shown}\n')
    browser.chmod(0o700)
    with served(where):
        status, out, err = view(where, "--open", BROWSER=str(browser))
        assert status == 0, err
        page = where.root / "view" / "open.html"
        assert shown.read_text() == page.as_uri()
        assert link_of(out) in page.read_text() and os.stat(page).st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_listening_elsewhere_is_with_https_only(where: Home, tmp_path: Path) -> None:
    if not (openssl := shutil.which("openssl")):
        pytest.skip("openssl is not installed")
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    made = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=x",
        "-out",
        cert,
        "-keyout",
        key,
    ]
    subprocess.run([openssl, *made, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    with served(where, "--listen", "127.0.0.1", "--cert", cert, "--key", key) as page:
        assert page.address.startswith("https://127.0.0.1:")
        with httpx.Client(verify=ssl.create_default_context(cafile=cert), headers={"origin": page.address}) as client:
            answer = client.post(f"{page.address}/api/open", content=page.link.partition("=")[2])
            assert answer.status_code == 200 and "; secure" in answer.headers["set-cookie"].lower()
            with pytest.raises(httpx.HTTPError):
                client.get(page.address.replace("https:", "http:"))


@pytest.mark.slow
def test_a_picture_and_a_page_are_written_without_a_server(where: Home, tmp_path: Path) -> None:
    live(where)
    picture, page = tmp_path / "life.svg", tmp_path / "life.html"
    status, out, err = view(where, "--picture", str(picture), "--export", str(page), "--redact")
    assert (status, out.count("\n")) == (0, 2), err
    assert picture.read_text().startswith("<svg") and page.read_text().startswith("<!doctype html>")
    assert not (where.root / "view").exists()


@pytest.mark.parametrize("way", ["corrupt", "missing"])
def test_a_page_without_texts_that_cannot_be_read_says_so(
    where: Home, tmp_path: Path, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    live(where)
    whole = tmp_path / "whole.html"
    assert commands.run("view", ["--home", str(where.root), "--export", str(whole)]) == 0
    for path in where.blobs.glob("??/*"):
        path.write_bytes(b"noise") if way == "corrupt" else path.unlink()
    with pytest.raises(Trouble, match=f"the page lacks [0-9]+ texts: blob [0-9a-f]+ is {way}") as told:
        commands.run("view", ["--home", str(where.root), "--export", str(tmp_path / "life.html")])
    assert told.value.status == 1 and " more; `" in str(told.value)
    assert (tmp_path / "life.html").read_text().startswith("<!doctype html>")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--redact",), "--redact has no effect with `view`; use it with --export"),
        (("--picture", "x.svg", "--room", "dev"), "--room has no effect with `--picture`; use it with --export"),
        (("--picture", "x.svg", "--redact"), "--redact has no effect with `--picture`"),
        (("--export", "x.html", "--port", "80"), "--port has no effect with `--export`; use it with view"),
        (("--sign-out", "--export", "x.html"), "--export has no effect with `--sign-out`"),
        (("--export", "x.html", "--room", "nowhere"), "no agent has joined room nowhere"),
        (("--export", "x.html", "--from", "yesterday"), "is not a time such as"),
        (("--export", "x.html", "--from", "2199-01-01"), "no event between these times"),
        (("--export", "x.html", "--from", "2026-99-99"), "is not a time such as"),
        (("--picture", "/etc"), "/etc is a directory; name a file"),
        (("--picture", "life.png"), "life.png does not end in .svg"),
        (("--export", "x.html", "--room", "dev", "--last"), "--agent, --last and --room cannot be used together"),
        (("--export", "/nowhere/x.html"), "there is no directory /nowhere"),
    ],
)
def test_a_wrong_use_of_pictures_and_pages_is_one_line(where: Home, words: tuple[str, ...], told: str) -> None:
    live(where)
    status, out, err = view(where, *words)
    assert (status, out) == (2, "") and told in err and "Traceback" not in err


def live(where: Home) -> None:
    """Let an agent answer once."""
    with world(where.root, lambda messages, call: "well") as one:
        one.say("hello")
        one.run()

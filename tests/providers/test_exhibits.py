"""What a model is shown, through the provider's process: read from blobs, made to fit, and only to who can see it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any

import pytest
from exhibited import pdf, png, wav
from loopback import Server, stream
from ollama_lines import SHOWN
from ollama_lines import pages as ollama_pages
from ollama_lines import stream as ollama_lines
from PIL import Image
from working import AGENT, KEY, serve

from dotagent.providers.server import media_input
from dotagent.providers.server.worker import Worker
from dotagent.store import credentials, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part
from dotagent.text import media
from dotagent.text.senses import Senses


def shown(where: Home, *files: bytes) -> tuple[media.Media, ...]:
    """Blobs of these files, as a request names them."""
    found = []
    for data in files:
        one = media.recognise(data)
        assert one
        found.append(media.Media(where.store().put(data, at="", gist="a file", agent=AGENT), one.type, one.size))
    return tuple(found)


def placed(where: Home, provider: str, *parts: Part, model: str = "") -> Call:
    data = requests.encode(AGENT, model, {}, "", 0, [Part("system", "be"), *parts])
    call = Call(where.store().put(data, at="", gist="request"), AGENT, provider, "live", "dev")
    queue.place(where, call)
    return call


def asked(
    where: Home, settings: str, *parts: Part, provider: str = "local", pages: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """The body that the provider sends for a prompt of these parts."""
    (where.root / "dotagent.toml").write_text(settings)
    given = {"/v1/models": {"data": [{"id": "m", "max_model_len": 9000}]}} if pages is None else pages
    with Server(stream("I see."), pages=given) as server:
        base = server.base + "/v1" * (provider == "local")
        keys = {credentials.variable(provider, "API_KEY"): KEY, credentials.variable(provider, "API_BASE"): base}
        call = placed(where, provider, *parts)
        (outcome,) = serve(Worker(where, [provider], keys), call)
        assert outcome.reply, outcome
        queue.drop(where, AGENT, call.id)
        return dict(server.received[-1].body)


SEES = '[providers.local]\nsees = "image pdf sound"\n'


def test_a_model_that_can_see_is_shown_the_blobs_where_the_text_tells_of_them(where: Home) -> None:
    cat, plan, song = shown(where, png(3, 4), pdf(), wav())
    parts = [
        Part("user", "#1 dev ana: hi"),
        Part("user", "#2 a cat", media=(cat, plan)),
        Part("user", "#3 a song", media=(song,)),
    ]
    body = asked(where, SEES, *parts)
    first, picture, document, second, sound = body["messages"][1]["content"]
    assert (first["text"], second["text"]) == ("#1 dev ana: hi\n\n#2 a cat", "\n\n#3 a song")
    assert base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,")) == png(3, 4)
    assert base64.b64decode(document["file"]["file_data"].removeprefix("data:application/pdf;base64,")) == pdf()
    assert base64.b64decode(sound["input_audio"]["data"]) == wav() and sound["input_audio"]["format"] == "wav"
    assert body["messages"][0] == {"role": "system", "content": "be"}
    assert asked(where, SEES, *parts) == body  # the same request is the same bytes again


@pytest.mark.parametrize("settings", ["", '[providers.local]\nsees = "sound"\n'])
def test_a_model_that_cannot_gets_the_text_alone(where: Home, settings: str) -> None:
    (cat,) = shown(where, png(3, 4))
    body = asked(where, settings, Part("user", "#2 a cat: a picture", media=(cat,)))
    assert body["messages"][1] == {"role": "user", "content": "#2 a cat: a picture"}


@pytest.mark.parametrize(
    ("able", "settings", "images"),
    [
        (["completion", "vision"], "", 1),
        (["completion"], "", 0),
        (["completion"], '[providers.ollama]\nsees = "image"\n', 1),
        (["completion", "vision"], '[providers.ollama]\nsees = ""\n', 0),
    ],
)
def test_what_a_server_tells_of_its_model_counts_and_settings_go_before(
    where: Home, able: list[str], settings: str, images: int
) -> None:
    (cat,) = shown(where, png(3, 4))
    (where.root / "dotagent.toml").write_text(settings)
    call = placed(where, "ollama", Part("user", "a cat", media=(cat,)), model="m")
    with Server(ollama_lines("I see."), pages=ollama_pages({**SHOWN, "capabilities": able})) as server:
        (outcome,) = serve(Worker(where, ["ollama"], {"OLLAMA_API_BASE": server.base}), call)
        assert outcome.reply, outcome
        said = server.received[-1].body["messages"][1]  # type: ignore[index]
    assert said.get("images", []) == [base64.b64encode(png(3, 4)).decode()] * images


def test_a_large_picture_is_scaled_to_what_the_model_takes_and_another_form_becomes_one_that_it_knows(
    where: Home,
) -> None:
    file = io.BytesIO()
    Image.new("RGB", (30, 40), "teal").save(file, "BMP")
    large, other = shown(where, png(3000, 1500, 200), file.getvalue())
    body = asked(where, SEES, Part("user", "two", media=(large, other)))
    sizes = []
    for one in body["messages"][1]["content"][1:]:
        with Image.open(io.BytesIO(base64.b64decode(one["image_url"]["url"].partition(",")[2]))) as picture:
            sizes.append((picture.format, picture.size))
            assert picture.convert("RGB").getpixel((1, 1))[2] in range(50, 132)  # type: ignore[index]
    assert (
        sizes[0][0] == "PNG" and max(sizes[0][1]) <= 1568 and sizes[0][1][0] == pytest.approx(2 * sizes[0][1][1], abs=1)
    )
    assert sizes[1] == ("PNG", (30, 40))


def test_a_photograph_is_turned_as_it_was_taken_and_stays_one(where: Home) -> None:
    file, taken = io.BytesIO(), Image.new("RGB", (4000, 2000), "teal")
    exif = taken.getexif()
    exif[0x0112] = 6  # it lies on its side
    taken.save(file, "JPEG", exif=exif)
    (one,) = shown(where, file.getvalue())
    kind, data = media_input.fit(file.getvalue(), one, Senses(("image",)), media_input.TAKES)
    with Image.open(io.BytesIO(data)) as made:
        assert (kind, made.format) == ("image/jpeg", "JPEG")
        assert made.size[1] > made.size[0] and max(made.size) <= 1568


def test_a_large_grey_picture_of_16_bits_keeps_its_shades(where: Home) -> None:
    file, shades = io.BytesIO(), bytes(value for shade in range(256) for value in (shade, shade))
    Image.frombytes("I;16", (256, 1), shades).resize((2560, 10), Image.Resampling.NEAREST).save(file, "PNG")
    (one,) = shown(where, file.getvalue())
    kind, data = media_input.fit(file.getvalue(), one, Senses(("image",)), media_input.TAKES)
    with Image.open(io.BytesIO(data)) as made:
        assert kind == "image/png" and made.mode == "RGB" and made.width < 2560
        for part in (0.1, 0.5, 0.9):
            red = made.getpixel((int(made.width * part), 1))[0]  # type: ignore[index]
            assert red == pytest.approx(256 * part, abs=2)


def test_what_cannot_be_shown_is_left_out_and_told_of_and_the_rest_is_answered(
    where: Home, capfd: pytest.CaptureFixture[str]
) -> None:
    good, lost = shown(where, png(3, 4), png(5, 5))
    broken = where.store().put(png(3000, 3000)[:60], at="", gist="", agent=AGENT)
    where.store().path(lost.id).unlink()
    torn = media.Media(broken, "image/png", (3000, 3000))
    body = asked(where, SEES, Part("user", "three", media=(lost, torn, good)))
    assert [one["type"] for one in body["messages"][1]["content"]] == ["text", "image_url"]
    told = capfd.readouterr().err
    assert f"{lost.id[:12]} is not shown: blob {lost.id[:12]} is missing" in told
    assert f"{broken[:12]} is not shown: the picture cannot be read" in told


def test_of_more_than_a_request_may_hold_the_last_is_shown(where: Home, capfd: pytest.CaptureFixture[str]) -> None:
    store, noise = where.store(), [wav() + bytes([number]) * 6_000_000 for number in range(4)]
    many = [media.Media(store.put(one, at="", gist="", agent=AGENT), "audio/wav", (1,)) for one in noise]
    body = asked(where, SEES, *(Part("user", f"song {number}", media=(one,)) for number, one in enumerate(many)))
    content = body["messages"][1]["content"]
    assert [one["type"] for one in content] == ["text", "input_audio", "text", "input_audio"]
    assert content[0]["text"].endswith("song 2")
    assert "too large for one request" in capfd.readouterr().err

"""Sizes in tokens: the estimate costs nothing and is near enough; the exact count needs no network."""

from __future__ import annotations

import base64
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, ROOT

from dotagent.providers import Prompt
from dotagent.providers.server import cost
from dotagent.text import exact, tokens

PROSE = (ROOT / "SOUL.md").read_text("utf-8")


@given(ANY_TEXT, st.text())
def test_the_estimate_grows_with_the_text(one: str, two: str) -> None:
    assert tokens.estimate(one) >= 1
    assert tokens.estimate(one + two) >= tokens.estimate(one)
    assert tokens.estimate(one) == tokens.estimate(one.encode("utf-8", "replace"))


def test_the_estimate_is_a_little_too_much_for_prose() -> None:
    counted = exact.count(PROSE)
    assert counted < tokens.estimate(PROSE) < 1.5 * counted


RANDOM = base64.b64encode(random.Random(1).randbytes(3000)).decode()
SAID = {
    "Arabic": "أمس كنا طوال اليوم في الريف وجمعنا التفاح. في المساء جاء "
    "الجيران وأحضروا فطيرة وقالوا إنهم يريدون بناء بيت.",
    "base64": RANDOM,
    "base64 in lines": "\n".join(RANDOM[at : at + 76] for at in range(0, len(RANDOM), 76)),
    "Chinese": "昨天我们一整天都在乡下摘苹果。晚上邻居来了，带来了一个馅饼，"
    "还说明年想盖一间新的小屋。明天我要给医生打电话。",
    "Czech": "Včera jsme byli celý den na chalupě a sbírali jablka. Večer "
    "přišli sousedé a vyprávěli, že chtějí postavit saunu.",
    "emoji": "😀😂🤣😊😍🙏👍🎉🔥✨😢😅🤔👀🚀💯🙌😎🥳🍎🏡🥧🌧🚲🐈🎶🧺🧊🪴🛶",
    "French": "Hier nous avons cueilli des pommes. Le soir les voisins "
    "ont apporté une tarte et raconté leurs projets d'été.",
    "Greek": "Χθες ήμασταν όλη μέρα στο χωριό και μαζεύαμε μήλα. Το βράδυ ήρθαν οι γείτονες και έφεραν μια πίτα.",
    "Hebrew": "אתמול היינו כל היום בכפר וקטפנו תפוחים. בערב באו השכנים, הביאו עוגה וסיפרו שהם רוצים לבנות בית קטן.",
    "Japanese": "昨日は一日中田舎にいて、りんごを集めました。夜には隣の人が来て、パイを持ってきてくれました。",
    "Russian": "Вчера мы ездили на дачу и весь день собирали яблоки. Вечером пришли соседи, принесли пирог "
    "и рассказали, что в следующем году собираются строить новую баню.",
    "Turkish": "Dün bütün gün köydeydik ve elma topladık. Akşam komşular geldi ve yeni bir kulübe yapmak istediler.",
    "Vietnamese": "Hôm qua chúng tôi ở quê cả ngày và hái táo. Buổi tối hàng xóm đến chơi, mang theo một chiếc bánh.",
}


@pytest.mark.parametrize("kind", SAID)
def test_the_estimate_is_near_the_exact_count_in_other_scripts_too(kind: str) -> None:
    assert tokens.estimate(SAID[kind]) / exact.count(SAID[kind]) == pytest.approx(1, abs=0.15)


def test_a_long_name_in_code_is_no_random_string() -> None:
    name = "aVeryLongIdentifierForSha256OfSeveralDocuments "
    assert tokens.estimate(20 * name) < 2 * exact.count(20 * name)


def test_exact_counts_are_those_of_cl100k() -> None:
    assert exact.count("") == 0
    assert exact.count("hello world") == 2
    assert exact.count("<|endoftext|>") > 1  # what looks like a marker is text
    assert exact.count("日本語") == 4


def test_what_no_server_reports_is_counted_exactly() -> None:
    told = cost.guess(Prompt("m", ({"role": "user", "content": SAID["Russian"]},)), SAID["Greek"])
    assert (told.input, told.output) == (exact.count(SAID["Russian"]), exact.count(SAID["Greek"]))


def test_without_the_extra_it_is_estimated() -> None:
    words = (
        "import sys; sys.modules['tiktoken'] = None; from dotagent.text import exact; print(exact.count(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", words, SAID["Russian"]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == tokens.estimate(SAID["Russian"]) != exact.count(SAID["Russian"])

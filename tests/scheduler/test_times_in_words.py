"""Times in nineteen languages, said on Wednesday 2026-11-25 at 10:00 in Berlin: the right instant, or asked back.

`times.json` holds what is said, and `at` (the instant), `repeat` (the first ones), or neither: then it must be asked.
"""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from dotagent.text import reminder_times, schedule
from dotagent.text.dates import Unclear
from dotagent.text.schedule import Schedule

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, 10, tzinfo=BERLIN)
ROWS = json.loads((Path(__file__).parent / "times.json").read_text("utf-8"))
LANGUAGES = {name: list(rows) for name, rows in groupby(ROWS, lambda row: row["lang"])}
BEFORE = {
    "en": "before around not", "de": "vor gegen nicht", "fr": "avant vers sauf", "es": "antes hacia salvo",
    "it": "entro verso tranne", "pt": "antes desde exceto", "nl": "vóór rond behalve", "sv": "före runt utom",
    "pl": "przed około oprócz", "ru": "до около кроме", "zh": "除了 大约 不", "ja": "昨日 前 頃",
    "da": "før omkring ikke", "fi": "ennen noin ei", "cs": "před kolem kromě",
    "ko": "약 짝수 홀수", "tr": "yaklaşık hariç değil", "uk": "до близько крім",
    "az": "əvvəl təxminən deyil",
}  # fmt: skip


PLAIN = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ı": "i", "ø": "o", "å": "a", "æ": "ae", "ё": "е"}


def plain(text: str) -> list[str]:
    """The text without accents, and with two letters in place of one, if it has any."""
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one) != "Mn")
    typed = {"".join(PLAIN.get(one, one) for one in form) for form in (bare, text)}
    return sorted(form for form in typed if form != text and form.isascii())


def instants(text: str, count: int) -> list[str]:
    """The first local instants of a reminder, or none if it is asked back."""
    try:
        found = reminder_times.parse_request(text, NOW)
    except Unclear:
        return []
    if found is None:
        return []
    assert found.text == "call mum", text
    told, at = list[str](), NOW.astimezone(UTC)
    for _ in range(count):
        following = schedule.next_time(Schedule(found.kind, found.words, "Europe/Berlin"), at)
        if following is None:
            break
        told.append(following.astimezone(BERLIN).isoformat()[:16])
        at = following
    return told


def wanted(row: dict[str, Any]) -> list[str]:
    return row.get("repeat") or ([row["at"]] if "at" in row else [])


def test_the_table_is_wide() -> None:
    assert len(ROWS) >= 1100 and len(LANGUAGES) >= 19


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", ["{}: call mum", "to call mum {}", "to call mum {}."])
def test_a_time_is_right_or_asked_back_wherever_it_stands(language: str, form: str) -> None:
    rows = LANGUAGES[language]
    found = {row["say"]: instants(form.format(row["say"]), max(2, len(wanted(row)))) for row in rows}
    assert found == {row["say"]: wanted(row) for row in rows}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_of_a_time_is_known(language: str) -> None:
    rows = [row for row in LANGUAGES[language] if wanted(row)]
    assert {reminder_times.find_language(f"{row['say']}: call mum") for row in rows} == {language}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", ["{}: call mum", "to call mum {}"])
def test_a_time_without_its_accents_is_the_same(language: str, form: str) -> None:
    """“manana a las 18:45” was today; “uebermorgen” and “zitra” were not read."""
    rows = [(typed, wanted(row)) for row in LANGUAGES[language] for typed in plain(row["say"])]
    found = {say: instants(form.format(say), max(2, len(want))) for say, want in rows}
    assert found == dict(rows)


@pytest.mark.wide
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_that_changes_a_time_is_never_left_over(language: str) -> None:
    for row in LANGUAGES[language]:
        for word in BEFORE[language].split():
            for text in (f"{word} {row['say']}: call mum", f"to call mum {word} {row['say']}"):
                try:
                    found = reminder_times.parse_request(text, NOW)
                except Unclear:
                    continue
                assert found is None, text


@pytest.mark.parametrize(
    "text",
    [
        "du lundi au vendredi à 9h", "de lunes a viernes a las 9", "dal lunedì al venerdì alle 9",
        "de segunda a sexta às 9", "van maandag tot vrijdag om 9 uur", "måndag till fredag klockan 9",
        "od poniedziałku do piątku o 9", "по будням в 9", "工作日上午9点", "平日9時", "von Montag bis Freitag um 9",
    ],
)  # fmt: skip
def test_from_monday_to_friday_is_five_days(text: str) -> None:
    assert instants(f"{text}: call mum", 3) == ["2026-11-26T09:00", "2026-11-27T09:00", "2026-11-30T09:00"]


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("tous les lundis et jeudis à 9h: x", "0 9 * * 1,4"),
        ("lundis, mercredis et vendredis à 9h: x", "0 9 * * 1,3,5"),
        ("segundas e quartas às 9h: x", "0 9 * * 1,3"),
        ("по понедельникам и четвергам в 9: x", "0 9 * * 1,4"),
        ("每周二和周四早上七点: x", "0 7 * * 2,4"),
        ("毎週月曜と木曜の18時: x", "0 18 * * 1,4"),
        ("毎月1日の9時: x", "0 9 1 * *"),
        ("每个月1号上午9点: x", "0 9 1 * *"),
        ("매월 1일 오전 9시: x", "0 9 1 * *"),
        ("todo dia 5 às 9h: x", "0 9 5 * *"),
        ("elke werkdag om 8 uur: x", "0 8 * * 1-5"),
    ],
)
def test_several_days_and_days_of_each_month_are_read(text: str, cron: str) -> None:
    found = reminder_times.parse_request(text, NOW)
    assert found and (found.kind, found.words, found.text) == ("cron", cron, "x")


@pytest.mark.parametrize(
    "text",
    [
        "half 8: x", "αύριο στις 9: x", "soita äidille ennen perjantaita klo 17:00",
        "αύριο στις 17:00: x", "appeler maman vendredi avant 9h", "llamar antes del viernes a las 9",
        "appeler maman avant notre vendredi à 9h", "llamar antes de su viernes a las 9",
        "每隔两天早上八点: x", "через день в 9: x", "om de maandag om 18:00: x", "mum 홀수 월요일 오전 9시",
        "明天三点前打电话", "明天下午三点周五打电话", "毎週月曜と木曜の頃: x", "火曜の午後3時くらい: x",
        "llamar 12/9 a las 16:00 h x", "ring mor inden lørdag kl 20", "sun-o pe mama vineri ora 19",
        "zavolať mame 3. decembra o 14:00",
        "mamma bellen elke feestdag om 14 uur", "demain à 9h appeler maman vendredi", "le lundi à 9h: x",
        "a las 12 de la mañana: x", "to buy tickets on Friday at 9 the latest", "Mama morgen um 9 nicht anrufen",
        "to read on Sunday at 9 the paper of Monday", "to call mum at 9 the boss",
        "vor Freitag um 9 an Mama", "appeler maman le lendemain à 17h", "mama bellen op goede vrijdag om 9 uur",
    ],
)  # fmt: skip
def test_what_is_not_read_whole_sets_nothing(text: str) -> None:
    with pytest.raises(Unclear):
        reminder_times.parse_request(text, NOW)


@pytest.mark.parametrize(
    ("text", "words", "rest"),
    [
        ("to buy a 9 volt battery tomorrow at 9", "2026-11-26T09:00", "buy a 9 volt battery"),
        ("demain à 9h d'appeler maman", "2026-11-26T09:00", "appeler maman"),
        ("appeler maman ce vendredi à 9h", "2026-11-27T09:00", "appeler maman"),
        ("llamar este viernes a las 9", "2026-11-27T09:00", "llamar"),
        ("позвонить в эту пятницу в 9", "2026-11-27T09:00", "позвонить"),
        ("明天下午三点打电话给妈妈", "2026-11-26T15:00", "打电话给妈妈"),
        ("明日の午後3時に母に電話する", "2026-11-26T15:00", "母に電話する"),
        ("火曜の午後3時ちょうどに母に電話する", "2026-12-01T15:00", "母に電話する"),
        ("１月３０日（土）１４：００: x", "2027-01-30T14:00", "x"),
        ("12/9の16:00: x", "2026-12-09T16:00", "x"),
        ("3/12 à 9h: x", "2026-12-03T09:00", "x"),
        ("hoy a las 5 PM: x", "2026-11-25T17:00", "x"),
        ("zítra v 9: x", "2026-11-26T09:00", "x"),
        ("ring mor lørdag kl 20", "2026-11-28T20:00", "ring mor"),
        ("soita äidille perjantaina klo 17:00", "2026-11-27T17:00", "soita äidille"),
        ("четырнадцатого апреля в 10: x", "2027-04-14T10:00", "x"),
        ("у п'ятницю о пів на дев'яту: x", "2026-11-27T08:30", "x"),
        ("cuma günü saat on dört buçukta: x", "2026-11-27T14:30", "x"),
        ("to read on Sunday at 9 the paper", "2026-11-29T09:00", "read the paper"),
        ("Mama morgen um 9 Uhr anrufen", "2026-11-26T09:00", "Mama anrufen"),
        ("lire dimanche à 9h le journal", "2026-11-29T09:00", "lire le journal"),
        ("mama morgen om 9 uur bellen", "2026-11-26T09:00", "mama bellen"),
    ],
)
def test_what_is_left_of_the_sentence_is_the_reminder(text: str, words: str, rest: str) -> None:
    found = reminder_times.parse_request(text, NOW)
    assert found and (found.words, found.text) == (words, rest)


UNREAD = """
غدا الساعة 9 صباحا
بعد ساعتين
كل يوم اثنين الساعة 9
يوم الجمعة الساعة 15:00
بعد غد الساعة ٩ صباحا
بعد 10 دقائق
कल सुबह 9 बजे
दो घंटे में
हर सोमवार 9 बजे
आज शाम 6 बजे
10 मिनट बाद
परसों दोपहर 3 बजे
ngày mai lúc 9 giờ sáng
sau 2 tiếng
thứ sáu lúc 15 giờ
mỗi ngày lúc 8:30
9h sáng mai
15h chiều nay
sáng mai lúc 9h
besok jam 9 pagi
2 jam lagi
setiap hari Senin pukul 9.00
hari Jumat jam 15:00
lusa jam 3 sore
αύριο στις 9 το πρωί
σε 2 ώρες
την Παρασκευή στις 15:00
κάθε Δευτέρα στις 9
μεθαύριο το απόγευμα στις 5
holnap reggel 9-kor
2 óra múlva
pénteken 15:00-kor
minden hétfőn 9-kor
holnap fél 9-kor
mâine la ora 9
peste 2 ore
vineri la 15:00
în fiecare luni la 9
מחר ב-9
בעוד שעתיים
فردا ساعت ۹
พรุ่งนี้ 9 โมง
อีก 2 ชั่วโมง
demà a les 9
a les 15 de la tarda
dijous a les 15:00
demà passat a les 15:00
утре в 9
вдругиден в 15:00
след 2 часа
сутра у 15:00
прекосутра у 15:00
zajtra o 15:00
pozajtra o 15:00
o 2 hodiny
á morgun kl. 15:00
moarn om 15:00
muer um 15:00
mañá ás 15:00
pasadomañá ás 15:00
deman a 15:00
oormôre om 15:00
заўтра а 15:00
задутре во 15:00
sutra u 15:00
jutri ob 15:00
homme kell 15:00
rytoj 15:00
rīt plkst. 15:00
morgaŭ je 15:00
übermorn am 15:00
övermorgen Klock 15:00
esok pukul 15:00
kesho saa 15:00
sabah saat 15:00
ертең сағат 15:00
divendres vinent a les 15:00
á föstudaginn kl. 15:00
föstudag kl. 15:00
Vrydag om 15:00
Saterdag om 15:00
Sondag om 15:00
Fridag um 15:00
frijdag om 15:00
maine la 15:00
sambata la 15:00
pentek 15:00
"""


@pytest.mark.parametrize("form", ["{}: call mum", "to call mum {}"])
def test_a_time_in_a_language_that_is_not_read_sets_nothing(form: str) -> None:
    for say in UNREAD.strip().split("\n"):
        try:
            found = reminder_times.parse_request(form.format(say), NOW)
        except Unclear:
            continue
        assert found is None, say

"""A summary has no name and no number that nobody said, and no one's words under another's name, in any language."""

from __future__ import annotations

import pytest

from dotagent.compaction import unsaid
from dotagent.compaction.faithfulness import Source, grounded


def talk(*said: tuple[str, str]) -> Source:
    people = frozenset(who for who, _ in said)
    return Source("\n".join(f"{who}: {text}" for who, text in said), "", ("2026-11-21",), said, people)


TALKS = {
    "en": talk(
        ("ana", "I am allergic to peanuts, I get a rash within ten minutes."),
        ("bob", "I love peanuts and bring two bags."),
        ("bob", "I pay the hall, 340 euros."),
    ),
    "zh": talk(
        ("ana", "我对花生过敏,十分钟内就会起疹子。"),
        ("bob", "礼堂由我付款,三百四十欧元。"),
        ("ana", "聚会在11月28日,地点是学校的地下室。"),
    ),
    "ru": talk(
        ("ana", "У меня аллергия на арахис, через десять минут сыпь."),
        ("bob", "Я плачу за зал, 340 евро, Наталье Орловой."),
    ),
    "de": talk(
        ("ana", "Ich bin gegen Erdnüsse allergisch und bekomme in zehn Minuten Ausschlag."),
        ("bob", "Ich bezahle die Halle, 340 Euro, an Frau Krämer."),
    ),
    "fr": talk(
        ("ana", "Je suis allergique aux arachides et j'ai une éruption en dix minutes."),
        ("bob", "Je paie la salle, 340 euros, à Mme Lefèvre."),
    ),
    "ja": talk(
        ("ana", "ピーナッツアレルギーがあります。"), ("bob", "ホールの代金は３４０ユーロで、タナカさんに払います。")
    ),
    "ar": talk(("ana", "عندي حساسية من الفول السوداني."), ("bob", "سأدفع ٣٤٠ يورو للقاعة.")),
    "hi": talk(("ana", "मुझे मूंगफली से एलर्जी है।"), ("bob", "मैं हॉल के लिए श्री वर्मा को ३४० यूरो देता हूं।")),
    "el": talk(
        ("ana", "Είμαι αλλεργική στα φιστίκια."), ("bob", "Πληρώνω την αίθουσα, 340 ευρώ, στον κύριο Παπαδόπουλο.")
    ),
    "he": talk(("ana", "אני אלרגית לבוטנים."), ("bob", "קניתי לו לוח, אני משלם למר כהן 340 אירו.")),
    "ko": talk(("ana", "저는 땅콩 알레르기가 있어요."), ("bob", "김민수 씨에게 340유로를 냅니다.")),
}


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "bob: is allergic to peanuts, gets a rash within ten minutes."),
        ("en", "bob：is allergic to peanuts, gets a rash within ten minutes."),
        ("en", "**bob:** is allergic to peanuts, gets a rash within ten minutes."),
        ("en", "Bob is allergic to peanuts."),
        ("en", "bob said he is allergic to peanuts and gets a rash."),
        ("en", "carol: is allergic to peanuts, gets a rash within ten minutes."),
        ("zh", "bob：对花生过敏,十分钟内就会起疹子。"),
        ("zh", "bob: is allergic to peanuts."),
        ("de", "bob: ist gegen Erdnüsse allergisch und bekommt in zehn Minuten Ausschlag."),
        ("fr", "bob : est allergique aux arachides, éruption en dix minutes."),
        ("fr", "bob\u00a0: est allergique aux arachides, éruption en dix minutes."),
    ],
)
def test_nobody_has_what_another_said(language: str, line: str) -> None:
    rest = "bob: 340."
    found = grounded(f"{line}\n{rest}", TALKS[language])
    assert not found.lower().startswith(
        ("bob: is", "bob is", "bob said", "bob：", "bob: ist", "bob : est", "bob\u00a0: est", "**bob", "carol")
    )
    assert "340" in found


@pytest.mark.parametrize("speaker", ["ana: ", "ana：", "Ana "])
def test_who_said_it_stays_named(speaker: str) -> None:
    line = f"{speaker}is allergic to peanuts, gets a rash within ten minutes."
    assert grounded(line, TALKS["en"]) == line


def test_a_number_may_be_in_words() -> None:
    source = talk(("bob", "I look after Mireille's dog, twenty-five euros a day."))
    line = "bob: looks after Mireille's dog, 25 euros a day."
    assert grounded(line, source) == line
    assert grounded(line.replace("25", "35"), source) == ""


def test_what_one_says_of_another_is_no_swap() -> None:
    source = talk(("ana", "Bob is allergic to walnuts."), ("bob", "I pay the hall."))
    assert grounded("Bob is allergic to walnuts.", source) == "Bob is allergic to walnuts."


@pytest.mark.parametrize(
    ("language", "made_up"),
    [
        ("en", "Carol pays the hall."),
        ("en", "bob: brings twelve bags of peanuts."),
        ("zh", "Carol Smith pays for it."),
        ("zh", "The deposit is 4,200 dollars."),
        ("zh", "They meet in Berlin."),
        ("zh", "还要付八千欧元。"),
        ("zh", "还要付9000欧元。"),
        ("zh", "请联系李雷先生。"),
        ("en", "还要付９０００欧元。"),
        ("ru", "Marta brings the keys."),
        ("ru", "ана платит Петру за ключи."),
        ("ru", "900 are still to be paid."),
        ("de", "The deposit goes to Marta."),
        ("de", "Es kostet viel mehr, also 4.200 Euro."),
        ("ja", "Suzuki brings the keys."),
        ("ja", "スズキさんが鍵を持ってきます。"),
        ("ar", "They owe 77 euros."),
        ("ar", "يبقى ٩٠٠ يورو."),
        ("ko", "Park brings the keys."),
        ("ko", "박지성 씨가 옵니다."),
        ("hi", "Sharma brings the keys."),
        ("hi", "४२० यूरो देने हैं।"),
        ("hi", "श्री शर्मा चाबी लाते हैं।"),
        ("ar", "السيد حداد يدفع للقاعة."),
        ("he", "מר לוי משלם."),
        ("he", "Levi brings the board."),
        ("he", "Noa brings the board."),
        ("el", "Ο κύριος Γεωργίου φέρνει τα κλειδιά."),
    ],
)
def test_a_name_or_number_that_nobody_said_is_left_out(language: str, made_up: str) -> None:
    found = grounded(f"bob: 340.\n{made_up}", TALKS[language])
    assert found in ("", "bob: 340.")


@pytest.mark.parametrize(
    ("language", "true"),
    [
        ("zh", "The hall costs 340 euros."),
        ("zh", "The party is on 28 November."),
        ("ru", "Natalia Orlova gets 340 euros."),
        ("de", "The 340 euros go to Krämer."),
        ("de", "bob bezahlt die Halle, 340 Euro, an Frau Krämer."),
        ("ja", "340 euros go to Tanaka for the hall."),
        ("ar", "The hall costs 340 euros."),
        ("ko", "340 euros go to Kim Minsu."),
        ("hi", "340 euros go to Varma for the hall."),
        ("hi", "श्री वर्मा को ३४० यूरो।"),
        ("en", "डॉ. बॉब ३४० यूरो।"),
        ("he", "מר כהן 340 אירו."),
        ("el", "340 euros go to Mr Papadopoulos."),
        ("en", "礼堂三百四十欧元。"),
    ],
)
def test_what_was_said_in_another_script_stays(language: str, true: str) -> None:
    assert grounded(true, TALKS[language]) == true


@pytest.mark.parametrize("name", ["Levi", "Mia", "Noa", "Dan"])
def test_a_short_name_in_hebrew_letters_is_said(name: str) -> None:
    source = talk(("ana", "לוי ומיה משלמים 340 אירו."), ("bob", "מיה, נועה, דן באים."))
    assert grounded(f"{name} pays 340 euros.", source) == f"{name} pays 340 euros."


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4,200 euros", {"4200"}),
        ("4.200 Euro", {"4200"}),
        ("٣٤٠", {"340"}),
        ("３４０", {"340"}),
        ("三百四十", {"340"}),
        ("3万", {"30000"}),
        ("一万二千", {"12000"}),
        ("二十", {"20"}),
        ("three hundred and forty", {"340"}),
        ("twenty-one and 12", {"21", "12"}),
        ("340.00", {"340"}),
        ("9" * 5000 + "万", {"9" * 5000, "10000"}),
        ("007", set()),
        ("two of three", set()),
    ],
)
def test_numbers_are_compared_by_value(text: str, values: set[str]) -> None:
    assert unsaid.numbers(text) == values

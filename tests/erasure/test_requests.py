"""What is asked to be forgotten: a name is all of its words, and one told in two ways is one."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from dotagent.erasure import matches, requests
from dotagent.text import passages, source_marks


def found(request: str, *told: str) -> set[str]:
    return {one.words for one in matches.match_sentences([("x", "\n\n".join(told))], request)}


@pytest.mark.parametrize(
    ("name", "meant", "another"),
    [
        ("Professor Smith", "Professor Smith teaches algebra.", "Professor Jones teaches algebra."),
        ("Dr. Patel", "Dr. Patel is at the clinic.", "Dr. Nguyen is at the clinic."),
        ("Flight 123", "Flight 123 leaves from gate A5.", "Flight 456 leaves from gate A5."),
        ("Book A", "Book A is a thriller.", "Book B is a thriller."),
        ("Anna van der Berg", "Anna van der Berg likes tea.", "Anna Weber likes tea."),
        ("Anna Weber", "Anna likes tea.", "Weber Street is closed."),
        ("Anna Weber", "Yes, Weber's tea is cold.", "Otto Weber likes tea."),
        ("Иван Петров", "Иван купил чай.", "Анна Петрова купила чай."),
    ],
)
def test_a_name_is_all_of_its_words_or_a_part_that_stands_alone(name: str, meant: str, another: str) -> None:
    assert found(f"forget everything about {name}", meant, another, "Nothing else.") == {meant}


@pytest.mark.parametrize(
    ("request_", "ways"),
    [
        ("forget patient Maria Petrou (Μαρία Πέτρου)", ["patient Maria Petrou", "Μαρία Πέτρου"]),
        ("forget Ana / Аня", ["Ana", "Аня"]),
        ("user Ahmed aka أحمد", ["user Ahmed", "أحمد"]),
        ("employee Galit Cohen גלית", ["employee Galit Cohen", "גלית"]),
        ("Kim Minji 김민지 account", ["Kim Minji account", "김민지"]),
        ("patient Mueller, Hans (Müller)", ["patient Mueller, Hans", "Müller"]),
        ("forget that the party (the one in May) was loud", ["forget that the party (the one in May) was loud"]),
        ("забудь пароль от Netflix", ["забудь пароль от Netflix"]),
        ("forget the trip to 北京", ["forget the trip to 北京"]),
        ("forget everything about Book A", ["forget everything about Book A"]),
        ('forget "Ana (Аня) was here"', ['forget "Ana (Аня) was here"']),
    ],
)
def test_a_name_in_two_ways_is_looked_for_in_each(request_: str, ways: list[str]) -> None:
    assert requests.ways(request_) == ways


def test_both_ways_are_found_and_nothing_else() -> None:
    told = ("Patient Μαρία Πέτρου had a test.", "The same as Maria Petrou in our books.", "A patient had tea.")
    assert found("forget patient Maria Petrou (Μαρία Πέτρου)", *told) == set(told[:2])


@pytest.mark.parametrize(
    "asked, meant, rest",
    [
        ("Otto's work in Malmö", "he works as a cook in Malmö.", "Otto has a dog at home; "),
        ("عمل أخي في صور", "أخي عمل طباخا في صور.", "أختي تسكن في بيروت الآن؛ "),
        ("表の鍵は四七一一", "表の鍵は四七一一です。", "弟は毎朝公園を走る；"),
    ],
)
def test_a_long_part_after_a_semicolon_goes_alone(asked: str, meant: str, rest: str) -> None:
    assert found(asked, rest + meant) == {meant}


@pytest.mark.parametrize("word", ["รหัส", "the shed is at the back"])
def test_a_short_quotation_stays_in_its_sentence(word: str) -> None:
    said = f"If you ask about “{word}” or “6284”, I answer."
    (listed,) = found("6284", said)
    assert "6284" in listed and ("รหัส" not in word or listed == said)


def test_a_sentence_with_another_joint_is_listed_whole() -> None:
    """Where a clause ends is known to each language only; the person sees all that would go."""
    told = "Otto has no car and has never driven one."
    assert found("forget that Otto never had a car", told, "Tea.") == {told}
    assert found("forget Otto's car", f"Yes; {told}") == {f"Yes; {told}"}


def test_of_two_that_fit_as_well_the_one_with_the_name_is_first() -> None:
    told = ("Otto has travelled in the south.", "Otto has never been to Japan.")
    assert matches.match_sentences([("x", "\n\n".join(told))], "Otto's Japan travels")[0].words == told[1]


SAID = [
    ("chats/dev.md", "I told you the alarm code is 5521.\n\nI told you about the trip.\n\nThe alarm is loud."),
    ("blob", "Ask me about “5521” and I quote it.\n\nThe bus number is 5529."),
]


def test_what_shares_only_the_frame_of_the_sentence_is_not_meant() -> None:
    found = matches.match_sentences(SAID, "what I told you about my medication")
    assert found and all(one.doubt == matches.FRAME for one in found)
    found = matches.match_sentences(
        [*SAID, ("x", "The medication is ramipril.")], "what I told you about my medication"
    )
    assert "I told you the alarm code is 5521." not in [one.words for one in found if not one.doubt]


def told(request: str, *said: str) -> dict[str, bool]:
    """What is listed of these messages, each said a day later, and whether a yes removes it."""
    texts = [(f"HEAR {day}", f"[USER:ana 2026-05-{day:02}T10:00:00Z] {one}") for day, one in enumerate(said, 1)]
    return {one.words: not one.doubt for one in matches.match_sentences(texts, request)}


def test_what_has_the_same_number_goes_too() -> None:
    """Also what quotes it. A number that many sentences contain, or a year, does not lead to others."""
    assert {one.words: one.doubt for one in matches.match_sentences(SAID, "forget that I told you the alarm code")} == {
        "I told you the alarm code is 5521.": "",
        "Ask me about “5521” and I quote it.": "",
    }
    assert told("the year of my birth", "The year of my birth is 1984.", "I read 1984 twice.") == {
        "The year of my birth is 1984.": True,
        "I read 1984 twice.": False,
    }
    many = [f"Gate {4000 + day} leads to hall 7710." for day in range(5)]
    hall = ["The hall of Otto is hall 7710.", *(f"{one} Line {at} of {one[-5:]}" for at, one in enumerate(many * 3))]
    text = [(f"HEAR {at}", one) for at, one in enumerate(hall)]
    listed = matches.match_sentences(text, "the hall of Otto")
    assert [one.words for one in listed if not one.doubt] == ["The hall of Otto is hall 7710."] and len(listed) > 12


NAMED = {  # a request in whole sentences, what was said before, and of that what is meant
    "a code": (
        "Remove the former code of the shed. The value 9031 must not be told again.",
        ["I open the shed with 9031.", "Bo asked for 9031 on Monday.", "The shed is green."],
        [0, 1],
    ),
    "a code, and the one that replaced it": (
        "The locker takes 5517 from now on. Drop 2208 from your notes.",
        ["For the locker take 2208.", "Since Monday it is 5517."],
        [0],
    ),
    "a code, in Finnish": (
        "Poista vanha koodi muistista. Arvoa 6620 ei saa enää kertoa.",
        ["Mökin ovi aukeaa numerolla 6620.", "Naapuri tietää myös 6620.", "Mökki on sininen."],
        [0, 1],
    ),
    "a code, in Indonesian": (
        "Tolong hapus sandi lama. Nilai 7304 tidak boleh disebut lagi.",
        ["Sandi gudang adalah 7304.", "Budi memakai 7304 kemarin.", "Gudang tutup hari Minggu."],
        [0, 1],
    ),
    "two codes, as a list": (
        "delete 8830 and delete 7741",
        ["The shed takes 8830.", "The gate takes 7741.", "The hall is open."],
        [0, 1],
    ),
    "a code in quotes, in Korean": (
        '"55320"',
        ["제 회원 번호는 55320입니다.", "제 회원 번호는 이제 55871입니다."],
        [0],
    ),
    "a code in a row of a table": (
        "7203",
        ["The shed opens with 7203.", "shed,7203", "7203;shed", "other,1111"],
        [0, 1, 2],
    ),
    "a code, in Chinese": (
        "我的会员号现在是47998。",
        ["我的会员号现在是47998。", "If you ask me about “47998”, I quote this message.", "车库很小。"],
        [0, 1],
    ),
    "a code, in Korean": (
        "창고 비밀번호는 7741입니다.",
        ["창고 비밀번호는 7741입니다.", "민지는 7741을 눌렀어요.", "창고가 추워요."],
        [0, 1],
    ),
    "a quotation": (
        "Erase the wording 'amber ferry' from what you know and say 'boat trip' instead.",
        ["Our word is amber ferry for now.", "Otto repeated amber ferry.", "We call it a boat trip."],
        [0, 1],
    ),
    "a place in words": (
        "The key is inside now. Delete the hiding place beneath the copper kettle from memory.",
        [
            "For guests it lies beneath the copper kettle.",
            "Nobody looks beneath the copper kettle.",
            "The key is small.",
        ],
        [0, 1],
    ),
    "a number that two names have": (
        "Delete the private address Willow Tower 614 from memory. It is Willow Tower 615 now.",
        ["She moved to Willow Tower 614.", "We meet in Market 614.", "Since May it is Willow Tower 615."],
        [0],
    ),
    "a time, and the words that stay": (
        "Delete the minute 6:35 of my walk; say only that it is after 6:05 in the morning.",
        ["I leave at 6:35 by the gate.", "Others hear after 6:05 only."],
        [0],
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_what_a_request_names_leads_to_what_tells_of_it(case: str) -> None:
    request, said, meant = NAMED[case]
    assert {one for one, sure in told(request, *said).items() if sure} == {said[at] for at in meant}


DESCRIBED = {  # a description, what was said before, and of that what is meant
    "a code": (
        "the locker PIN of Laurel",
        ["The locker PIN of Laurel is 5532.", "Sofia used 5532 at nine.", "The locker of Laurel is blue."],
        [0, 1],
    ),
    "a code before its words": (
        "the cleaning PIN",
        ["From May 5532 is our cleaning PIN: 4408 opens the garage.", "Bo typed 5532.", "The cleaning takes hours."],
        [0, 1],
    ),
    "an amount": (
        "the support amount of Lina",
        ["Lina gets a support amount of 2,200 USD.", "The 2,200 USD came today.", "Support for Lina goes on."],
        [0, 1],
    ),
    "a phrase": (
        "the helper phrase",
        ["The helper phrase is 'walnut glow'.", "Say walnut glow at the door.", "A helper comes on Monday."],
        [0, 1],
    ),
    "a code, in Spanish": (
        "la clave del garaje",
        ["La clave del garaje es 6620.", "Ana marcó 6620 ayer.", "El garaje es pequeño."],
        [0, 1],
    ),
    "a code, in Russian": (
        "код от сарая",
        ["Код от сарая теперь 7304.", "Оля набрала 7304 вчера.", "Сарай закрыт."],
        [0, 1],
    ),
    "a code, in Thai": (
        "รหัสโรงเก็บของผม",
        ["รหัสโรงเก็บของผมคือ 6284", "สมชายกด 6284", "โรงเก็บของผมทาสีเขียว"],
        [0, 1],
    ),
    "a code, in Chinese": (
        "仓库的密码",
        ["仓库的密码是6284。", "小王昨天按了6284。", "仓库很冷。"],
        [0, 1],
    ),
    "a code, in Japanese": (
        "物置の暗証番号",
        ["物置の暗証番号は6284です。", "健太は6284を押した。", "物置は寒いです。"],
        [0, 1],
    ),
    "an amount, and a phrase that many others have": (
        "the earlier visit price of the care team",
        [
            "The care team changed the earlier note of the day to 'garden walk first'.",
            *(f"{who} likes 'garden walk first'." for who in ("Bo", "Mia", "Lina", "Ben", "Ida")),
            "The visit price of the team is 6,350 USD.",
            "Otto paid 6,350 USD.",
        ],
        [6, 7],
    ),
    "a code that is newer than one that many sentences contain": (
        "the earlier private suite of Lina",
        [
            "The earlier private suite of Lina is 1503.",
            *(
                f"{who} meets the choir in hall 1503."
                for who in "Bo Mia Ben Ida Jo Kim Lea Max Noa Ole Pia Ria Sam".split()
            ),
            "Since May the private suite of Lina is 1504.",
            "Otto knocked at 1504.",
        ],
        [0],
    ),
    "a dose": (
        "the dose of Ben's heart tablets",
        ["Ben's heart tablets: the dose is 12.5mg.", "Mia gave Ben 12.5mg at nine.", "Ben keeps tablets in the hall."],
        [0, 1],
    ),
    "words without quotes": (
        "the overflow point of the pantry",
        [
            "The overflow point of the pantry is the cellar crate.",
            "Put it into the cellar crate.",
            "The pantry is cold.",
        ],
        [0, 1],
    ),
    "words without quotes that repeat a word of the description": (
        "the helper phrase of Coral Pool",
        [
            "The helper phrase of Coral Pool is coral lantern.",
            "At the door, say coral lantern.",
            "Coral Pool opens at nine.",
            "Helpers of Coral Pool come early.",
        ],
        [0, 1],
    ),
    "words without quotes, in Spanish": (
        "la frase secreta del coro",
        ["La frase secreta del coro es luna violeta.", "Pedro dijo luna violeta.", "El coro canta hoy."],
        [0, 1],
    ),
    "a time of day": (
        "my exact departure on Sunday",
        ["My exact departure on Sunday is at 6:35.", "So at 6:35 the gate opens.", "On Sunday we rest."],
        [0, 1],
    ),
    "words that only lead to the description": (
        "old shed latch code from active use",
        [
            "Delete the old shed latch code from active use.",
            "Delete the old gate code from active use.",
            "Bo wrote a code of use.",
            "Old dogs are active.",
        ],
        [0],
    ),
    "a code, beside words that people repeat about anything": (
        "the code of the shed",
        ["The code of the shed is 7743, from shared memory.", "Delete it from shared memory.", "Bo used 7743."],
        [0, 2],
    ),
}


@pytest.mark.parametrize("case", DESCRIBED)
def test_a_description_means_what_tells_its_value(case: str) -> None:
    """And not what has only some of its words."""
    request, said, meant = DESCRIBED[case]
    assert {one for one, sure in told(request, *said).items() if sure} == {said[at] for at in meant}


MONDAYS = ["On Monday it rains.", "Lena works on Monday.", "We eat late on Monday."]
PINS = ["The pin of Monday is new.", "The pin of Tuesday is lost.", "On Sunday we rest.", "On Sunday Bo sings."]
OLD = ["An old dog sleeps.", "Old tea is cold.", "The old car stands.", "Bo is old.", "Ida sold the old tent."]
PARTLY = {  # a description that leads to no value, and what has only some of its words
    "several": (
        "the exact Monday bench",
        ["Nobody repeats the exact bench.", "Who asks for the exact bench waits."],
        0,
    ),
    "only one": ("the exact Monday bench", ["Nobody repeats the exact bench."], 0),
    "a run of words that other sentences have too": (
        "the exact minute and the exact Monday bench",
        [
            "Nobody notes the exact minute and the exact bench.",
            "The exact price of tea went up.",
            "Ida wants exact change.",
        ],
        0,
    ),
    "a run of frequent words": (
        "the old Sunday pin, which Naomi gave to the desk",
        ["Bo has the old Sunday pin.", "The lost Sunday pin hangs there.", "Guests get no Sunday pin."],
        0,
    ),
}


@pytest.mark.parametrize("case", PARTLY)
def test_of_partial_matches_a_person_chooses(case: str) -> None:
    request, said, ticked = PARTLY[case]
    rest = [*(MONDAYS if "Monday" in request else [*PINS, *OLD]), "Naomi came.", "The desk is new."]
    assert sum(sure for one, sure in told(request, *said, *rest).items()) == ticked


def calls(many: int) -> int:
    """How many functions of ours are called to find so many matching sentences, each also with its speaker."""
    told = [f"The locker of guest {number} opens with key {number * 7}." for number in range(many)]
    texts = (
        [("x", one) for one in told] + [("y", f"ana: {one}") for one in told] + [("z", f"{one[:-9]}…") for one in told]
    )
    count = 0

    def look(frame: FrameType, event: str, given: object) -> None:
        nonlocal count
        count += event == "call" and "dotagent" in frame.f_code.co_filename

    sys.setprofile(look)
    try:
        found = matches.match_sentences(texts, "forget the locker of the guest that opens with a key")
    finally:
        sys.setprofile(None)
    assert len(found) >= many
    return count


@pytest.mark.night
def test_many_matches_cost_as_much_each_as_few() -> None:
    calls(10)  # what is loaded at the first use
    assert calls(160) < 2.5 * calls(80)


def test_the_request_itself_goes() -> None:
    request = NAMED["a code"][0]
    assert told(request, *NAMED["a code"][1], request).keys() >= {
        "Remove the former code of the shed.",
        "The value 9031 must not be told again.",
    }


@pytest.mark.parametrize("asked", ["the old guest PIN", "den gamla guest PIN", "ancien guest PIN"])
def test_of_an_old_and_a_current_value_the_old_one_is_meant(asked: str) -> None:
    said = ("The guest PIN is 6714.", "The guest PIN is now 2864.")
    assert told(asked, *said) == {said[0]: True, said[1]: False}
    texts = [(str(day), f"[USER:ana 2026-05-{day:02}T10:00:00Z] {one}") for day, one in enumerate(said, 1)]
    assert matches.match_sentences(texts, asked)[-1].doubt.endswith("on 2026-05-02, the older value on 2026-05-01")
    assert told("the guest PIN", *said) == dict.fromkeys(said, True)


FACT = "The vault of Ludmilla opens with 7 Turns of the copper key"


@pytest.mark.parametrize("gap", range(FACT.count(" ")))
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_request_is_found_wherever_its_words_wrap(gap: int, indent: str) -> None:
    words = FACT.split()
    told = f"Tea is cold. {' '.join(words[: gap + 1])}\n{indent}{' '.join(words[gap + 1 :])}. Bread is warm."
    listed = found(f"forget that {FACT}", told)
    assert len(listed) <= 2
    left = passages.Passages(listed).gone(told)
    assert set(passages.words(left)) == {"tea", "is", "cold", "forgotten", "bread", "warm"}


@pytest.mark.parametrize("said", ['"እሄዳለሁ።" አለች።', "Leo left. Mia came.", "Где? Там.", "他走了。她来了。"])
def test_a_short_message_of_two_sentences_is_ticked_whole(said: str) -> None:
    found = matches.match_sentences([("a", "Oslo is cold."), ("b", said), ("c", "Good day.")], said)
    ticked = passages.Passages(one.words for one in found if not one.doubt)
    assert set(passages.words(ticked.gone(said))) == {"forgotten"}


def test_words_over_two_lines_are_ticked_although_each_line_is_doubtful() -> None:
    said = "We stay in\nOslo with our dog."
    found = matches.match_sentences(
        [("a", f"{said}\n\nOslo is cold."), ("b", "If you ask about “dog”, I quote it.")], said
    )
    ticked = passages.Passages(one.words for one in found if not one.doubt)
    assert passages.words(ticked.gone(said)) == ["forgotten"]


SOURCES = (  # a request, the source that a mark names, and whether the request means it
    ("everything from notes/mail.txt", "notes/mail.txt", True),
    ("everything from the file mail.txt", "notes/mail.txt", True),
    ("everything from the mail.txt", "notes/mail.txt", True),
    ("alles aus der Datei mail.txt", "notes/mail.txt", True),
    ("todo lo que viene de notes/mail.txt", "notes/mail.txt", True),
    ("tout ce qui vient de mail.txt", "RUN cat notes/mail.txt", True),
    ("忘掉来自mail.txt的一切。", "notes/mail.txt", True),
    ("从 notes/mail.txt 得知的所有内容", "notes/mail.txt", True),
    ("everything from https://evil.example/news", "evil.example", True),
    ("everything from www.evil.example", "evil.example", True),
    ("everything from the page evil.example", "evil.example", True),
    ("everything from evil.example/news", "what ana passed on, evil.example", True),
    ("everything from agent 0123456789ab", "0123456789ab", True),
    ("everything from the helper", "a helper", True),
    ("alles aus dem Import", "import", True),
    ("everything eve said", "eve", True),
    ("everything that Eve Miller wrote to me", "eve miller", True),
    ("alles, was Eva mir geschrieben hat", "eva", True),
    ("todo lo que dijo Eva", "eva", True),
    ("tout ce qu'Eve m'a dit", "eve", True),
    ("忘掉小伊对我说的一切", "小伊", True),
    ("كل ما قالته حواء", "حواء", True),
    ("everything the mail said", "notes/mail.txt", True),
    ("everything evil.example says", "evil.example", True),
    ("everything I forwarded", "what ana passed on", True),
    ("everything I have pasted", "what ana passed on", True),
    ("everything from what I passed on to you", "what ana passed on", True),
    ("everything eve forwarded", "what eve passed on", True),
    ("everything eve forwarded", "what ana passed on", False),
    ("alles, was ich weitergeleitet habe", "what ana passed on", True),
    ("todo lo que he reenviado", "what ana passed on", True),
    ("我转发的一切", "what ana passed on", True),
    ("everything I said", "RUN cat -i x", False),
    ("everything I said about eve", "eve", False),
    ("everything that eve said about tea", "eve", False),
    ("everything eve said on Monday", "eve", False),
    ("everything eve told ana", "eve", False),
    ("alles, was Eva über Tee gesagt hat", "eva", False),
    ("todo lo que dijo Eva de mí", "eva", False),
    ("everything I forwarded in May", "what ana passed on", False),
    ("tout ce qu'Eve a écrit", "eve", True),
    ("everything about eve", "eve", False),
    ("alles über eve", "eve", False),
    ("everything from other/mail.txt", "notes/mail.txt", False),
    ("everything from the file junk-mail.txt", "notes/mail.txt", False),
    ("everything from the file mail.txt.bak", "notes/mail.txt", False),
    ("everything from good.evil.example", "evil.example", False),
    ("everything from eve@evil.example", "evil.example", False),
    ("everything from the mother of eve", "eve", False),
    ("todo de ana", "what ana passed on", False),
    ("everything from the office", "what others said", False),
)


@pytest.mark.parametrize(("asked", "mark", "means"), SOURCES)
def test_a_source_is_found_by_the_words_that_a_person_uses_for_it(asked: str, mark: str, means: bool) -> None:
    assert source_marks.names_source(mark, requests.source(asked)) == means


def test_a_request_that_is_a_sentence_means_it_although_others_contain_a_time() -> None:
    said = "The vault of Ludmilla opens with the copper key"
    texts = [("a", f"{said}."), ("b", f"remind me tomorrow at 9 to say: {said}"), ("c", "The gym opens at 9.")]
    found = matches.match_sentences(texts, said)
    assert found[0].places == ["a"]
    assert not any(one.doubt for one in found if said in one.words)


@pytest.mark.parametrize(("said", "asked"), [("tulip\nbulbs", '"tulip bulbs"'), ("tulip ... bulbs", "tulip ... bulbs")])
def test_few_words_are_found_across_a_break_of_a_longer_text(said: str, asked: str) -> None:
    told = f"Oslo is cold. Remember that {said}. Bread is warm."
    found = matches.match_sentences([("a", said), ("b", told)], asked)
    left = passages.Passages(one.words for one in found if not one.doubt).gone(told)
    assert passages.words(left) == ["oslo", "is", "cold", "forgotten", "bread", "is", "warm"]

"""Forgetting for good in other languages: no space stands between words, or a point ends no sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from unforgotten import forget, resume, traces
from world import offline, said, world

from dotagent.erasure import ledger, matches, sweep
from dotagent.erasure.ledger import Done
from dotagent.text import passages
from dotagent.text.standing_instructions import sentences

SAID = {
    "Chinese": (
        "我的银行卡密码是四七一一。我的狗叫小白。",
        "银行卡密码",
        "我的银行卡密码是四七一一",
        "我的狗叫小白",
    ),
    "Chinese, told": (
        "她说：“保险箱的密码是九九二二！”狗叫小白。",
        "保险箱的密码",
        "保险箱的密码是九九二二",
        "狗叫小白",
    ),
    "Japanese": (
        "私の銀行の暗証番号は九九二二です。犬の名前はポチです。",
        "銀行の暗証番号",
        "暗証番号は九九二二",
        "犬の名前はポチ",
    ),
    "Thai": (
        "รหัสตู้เซฟของฉันคือเจ็ดเจ็ดสาม\nแมวชื่อมะลิ",
        "รหัสตู้เซฟ",
        "รหัสตู้เซฟของฉันคือเจ็ด",
        "แมวชื่อมะลิ",
    ),
    "Korean": (
        "내 은행 비밀번호는 사칠일일입니다. 개 이름은 뽀삐입니다.",
        "은행 비밀번호는",
        "사칠일일",
        "뽀삐",
    ),
    "German": (
        "Ich werde am 5. Mai in Rom operiert. Der Hund heißt Rex.",
        "am 5. Mai in Rom",
        "Mai in Rom",
        "Hund heißt Rex",
    ),
    "Arabic": (
        "رقم خزنتي هو سبعة أربعة. اسم كلبي ريكس.",
        "رقم خزنتي",
        "خزنتي هو سبعة",
        "كلبي ريكس",
    ),
    "Hindi": (
        "मेरे लॉकर का कोड सात चार है। मेरे कुत्ते का नाम रेक्स है।",
        "लॉकर का कोड",
        "लॉकर का कोड सात",
        "कुत्ते का नाम",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", SAID)
def test_it_is_gone_and_the_other_sentence_stays(tmp_path: Path, language: str) -> None:
    words, asked, gone, stays = SAID[language]
    with world(tmp_path, offline) as it:
        for text in (words, f"remember that {words}", asked):
            it.say(text)
            it.run()
        where = it.where
    assert traces(tmp_path, gone)
    forget(where, asked)
    assert not traces(tmp_path, gone)
    assert any(path.startswith("blobs/") for path in traces(tmp_path, stays))
    with world(tmp_path, offline) as it:
        it.say(f"RECALL {asked}")
        it.run()
        assert gone not in " ".join(said(it.where))


@pytest.mark.parametrize(
    "text, parts",
    [
        ("Ich fliege am 5. Mai nach Rom. Komm mit.", ["Ich fliege am 5. Mai nach Rom.", "Komm mit."]),
        ("Sie hat 5. Er hat 6.", ["Sie hat 5.", "Er hat 6."]),
        ("“密码是一二三。”他说。", ["“密码是一二三。”", "他说。"]),
        ("我的密码是一二三！你记住了吗？", ["我的密码是一二三！", "你记住了吗？"]),
    ],
)
def test_a_sentence_ends_where_it_ends(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


def test_a_record_of_an_earlier_version_knows_its_sentence(tmp_path: Path) -> None:
    """It took a run of characters without spaces as one word."""
    record = Done("0123456789ab", "2026-01-01T00:00:00.000000Z", "ana", 1, ())
    ledger.add(tmp_path, record, ["my PIN is 4711"])
    (made,) = ledger.read(tmp_path)
    run = "我的银行卡密码是四七一一"
    prints = ((1, ledger._hash(made.key, [run])[:4], ledger._hash(made.key, [run])),)
    old = Done(made.id, made.at, made.by, 1, (), made.key, prints=prints)
    assert list(ledger.Fingerprints([old]).within(f"她说：{run}。")) == [run]
    assert len(passages.words(run)) == len(run)


@pytest.mark.parametrize(
    "message, asked, kept",
    [
        ("у меня аллергия на креветки\nзапомни", "запомни", "аллергия на креветки"),
        ("1. 牛奶\n2. 鸡蛋\n3. 面包", "鸡蛋", "面包"),
        ("- milk\n- eggs\n- bread", "eggs", "bread"),
    ],
)
def test_a_short_line_goes_from_the_preview_of_its_message_too(
    tmp_path: Path, message: str, asked: str, kept: str
) -> None:
    with world(tmp_path, offline) as it:
        for text in (message, "Where is the oil?"):
            it.say(text)
            it.run()
        where = it.where
    word = asked.split()[-1]
    assert any(path.endswith("LIFE.md") for path in traces(tmp_path, word))
    forget(where, asked)
    assert not traces(tmp_path, word)
    assert any(path.endswith("LIFE.md") for path in traces(tmp_path, kept))
    resume(where)


CHOSEN = {  # the request, the sentence that is meant, another that is not
    "Vietnamese": ("bố", "Hôm qua bố gọi cho tôi.", "Tôi ăn bơ và thịt bò."),
    "Thai": ("ม้า", "ผมกลัวม้า", "แม่มาหาผม"),
    "Hindi": ("पिन", "मेरा पिन गुप्त है।", "मुझे पानी और पैन चाहिए।"),
    "Spanish": ("papá", "Mi papá vive en Lima.", "Compra una papa y pan."),
    "Russian": ("мой пин от карты", "Мой пин от карты тайный.", "Вчера мы играли в карты до ночи."),
    "Greek": ("ο κωδικός της κάρτας", "Ο κωδικός της κάρτας είναι μυστικός.", "Έχασα τη θήκη μιας κάρτας."),
    "Vietnamese, like an English stop word": ("mẹ", "Mẹ tôi ở Huế.", "Tôi mua mè và me."),
    "Thai, the daughter": ("ลูกสาวฉันไม่สบายมาก", "ลูกสาวฉันไม่สบายมาก", "ลูกชายฉันไม่สบายมาก"),
    "Lao, the daughter": ("ລູກສາວຂ້ອຍບໍ່ສະບາຍ", "ລູກສາວຂ້ອຍບໍ່ສະບາຍ", "ລູກຊາຍຂ້ອຍບໍ່ສະບາຍ"),
    "Korean, with a particle": ("비밀번호", "내 비밀번호는 어렵다.", "오늘은 비가 온다."),
    "Chinese, one character": ("猫", "我的猫叫小黑。", "我的狗叫小白。"),
    "Japanese, voiced": ("かぎ", "かぎは机の上です。", "かきを食べた。"),
    "Lao, inside a run": ("ກຸ້ງ", "ຂ້ອຍແພ້ກຸ້ງຫຼາຍ", "ຂ້ອຍມັກກິນຊາ"),
    "Khmer, inside a run": ("បង្គា", "ខ្ញុំមានអាឡែស៊ីបង្គា", "ខ្ញុំចូលចិត្តតែ"),
}
LIKE = {
    "Arabic, with the article": ("كتاب", "أين الكتاب الأزرق.", "أحب الشاي."),
    "Turkish, with a case": ("karides", "Karidese alerjim var.", "Çay severim."),
    "Polish, another case": ("krewetek", "Nie jem krewetki.", "Lubię herbatę."),
    "accents not typed": ("telefono", "Mi teléfono es nuevo.", "Vivo en Madrid."),
    "Amharic, with a prefix": ("ኦቾሎኒ", "ለኦቾሎኒ አለርጂ አለብኝ።", "ስጋ አልወድም።"),
    "Hebrew, with the article": ("ספר", "הספר הכחול אבד.", "אני אוהבת תה."),
}


@pytest.mark.parametrize("language", CHOSEN)
def test_what_is_meant_is_chosen_and_a_likeness_is_not(language: str) -> None:
    asked, meant, other = CHOSEN[language]
    found = matches.match_sentences([("a", meant), ("b", other)], asked)
    assert [one.words for one in found if not one.doubt] == [meant]


@pytest.mark.parametrize("form", ["{}", '"{}"'])
@pytest.mark.parametrize("language", LIKE)
def test_another_form_of_a_word_is_shown_and_not_ticked(language: str, form: str) -> None:
    asked, meant, other = LIKE[language]
    (found,) = matches.match_sentences([("a", meant), ("b", other)], form.format(asked))
    assert found.words == meant and found.doubt


@pytest.mark.parametrize("language", [one for one, (asked, *_) in LIKE.items() if not asked.isascii()])
def test_another_form_is_also_shown_beside_a_sentence_with_the_word_itself(language: str) -> None:
    asked, other, far = LIKE[language]
    found = matches.match_sentences([("a", f"{asked}?"), ("b", other), ("c", far)], asked)
    assert [(one.words, bool(one.doubt)) for one in found] == [(f"{asked}?", False), (other, True)]


@pytest.mark.parametrize("sentence", ["តោះទៅផ្សារ។", "ပုစွန် မစားရဘူး။", "我们走吧。"])
def test_a_quoted_sentence_is_found_with_its_stop_and_without(sentence: str) -> None:
    said = (sentence, f"You said “{sentence[:-1]}” to me.")
    found = matches.match_sentences(zip("ab", said, strict=True), f'"{sentence}"')
    ticked = passages.Passages(one.words for one in found if not one.doubt)
    assert not [one for one in said if sentence[:-1] in ticked.gone(one)]


@pytest.mark.parametrize("asked", ["{}", '"{}"', "PIN {}"])
@pytest.mark.parametrize(
    "number, meant, other",
    [
        ("6631", "លេខសម្ងាត់ PIN គឺ ៦៦៣១។", "លេខសម្ងាត់ PIN គឺ ៦៦៣២។"),
        ("6419", "رمز PIN من ۶۴۱۹ است.", "رمز PIN من ۶۴۲۰ است."),
        ("5128", "আমার PIN ৫১২৮।", "আমার PIN ৫১২৯।"),
        ("٠٧١٤", "My PIN is 0714.", "My PIN is 714."),
    ],
)
def test_a_number_is_found_in_the_digits_of_another_script(asked: str, number: str, meant: str, other: str) -> None:
    texts = [("a", f"{meant}\n\n{other}"), ("b", "9" * 5000)]
    found = matches.match_sentences(texts, asked.format(number))
    assert [one.words for one in found if not one.doubt] == [meant]
    assert not [one for one in matches.match_sentences([("a", other)], asked.format(number)) if not one.doubt]


@pytest.mark.parametrize(
    "asked, meant, other",
    [
        ("papá", "Mi papá vive en Lima.", "Compra una papa y pan."),
        ("Sisareni kassin koodi on keltainen", "Sisareni kassin koodi on keltainen.", "Sisareni asuu Porissa."),
        ("என் அக்காவின் பூட்டு எண் நான்கு", "என் அக்காவின் பூட்டு எண் நான்கு.", "என் தம்பிக்கு மீன் பிடிக்கும்."),
        ("彼女の鍵は棚の上です", "彼女の鍵は棚の上です。", "弟の犬は白いです。"),
    ],
)
def test_what_another_sentence_shares_is_not_told_as_still_present(
    tmp_path: Path, asked: str, meant: str, other: str
) -> None:
    with world(tmp_path, offline) as it:
        for text in (meant, other):
            it.say(text)
            it.run()
        where = it.where
    listed = matches.find_choices(where, asked).listed()
    gone = {one.rstrip("。.") for one in forget(where, asked) if "I quote this message" not in one}
    assert gone == {meant.rstrip("。.")}
    assert traces(tmp_path, other.rstrip("。.")) and not traces(tmp_path, meant.rstrip("。."))
    assert not matches.find_remaining(where, asked, listed)


def test_what_was_listed_and_not_chosen_is_told_as_still_present(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say("Bo's shed opens with 7741.\n\nMia has the shed's key.")
        it.run()
        where = it.where
    listed = matches.find_choices(where, "Bo's shed 7741").listed()
    sweep.announce(where, ["Mia has the shed's key."], "ana")
    assert sweep.finish(where)
    (left,) = matches.find_remaining(where, "Bo's shed 7741", listed)
    assert left.startswith("Bo's shed opens with 7741. (")


@pytest.mark.parametrize(
    ("said", "gone", "stays"),
    [
        ("ཁོ་དེ་རིང་ནང་ལ་འདུག གོམ་པ།", "གོམ་པ", "ཁོ་དེ་རིང་ནང་ལ་འདུག"),
        ("The shed key is out. see the note.", "see the note.", "The shed key is out."),
    ],
)
def test_the_next_sentence_goes_alone_although_no_stop_or_no_capital_says_so(said: str, gone: str, stays: str) -> None:
    (found,) = matches.match_sentences([("a", said)], f'"{gone}"')
    left = passages.Passages([found.words]).gone(said)
    assert stays in left and gone not in left

"""Forgetting for good in other languages: no space stands between words, or a point ends no sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from unforgotten import forget, traces
from world import offline, said, world

from dotagent.erasure import ledger
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

"""Without a model everything that is said to it is answered: what it understood, and once what a model would add."""

from __future__ import annotations

import pytest
from offline_life import BEN, Life

from dotagent.providers.offline_rules.reply import HELP, HINT
from dotagent.text.grammar import ToolCall

OPENERS = {  # how people begin, and what the answer holds
    "hello": "Hello, ana!",
    "hi": "Hi, ana!",
    "Hey there!": "Hey, ana!",
    "good morning 👋": "Good morning, ana!",
    "Hallo": "Hallo, ana!",
    "Guten Tag": "Guten tag, ana!",
    "你好": "你好, ana!",
    "👋": "👋, ana!",
    "thanks": "welcome, ana",
    "Vielen Dank": "welcome, ana",
    "谢谢": "welcome, ana",
    "test": "I hear you, ana",
    "ping": "I hear you, ana",
    "are you there?": "I hear you, ana",
    "can you hear me?": "I hear you, ana",
    "How are you today?": "I hear you, ana",
    "你好吗？": "I hear you, ana",
    "ok": "All right, ana",
    "👍": "All right, ana",
    "bye": "Goodbye, ana",
    "🎉": "“🎉”",
    "???": "do not know",
    "…": "“…”",
    "tell me a joke": "“tell me a joke”: I cannot do that without a model",
    "Can you write a poem about the sea?": "“write a poem about the sea?”: I cannot do that without a model",
    "Erzähl mir einen Witz": "cannot do that without a model",
    "帮我写一首诗": "cannot do that without a model",
    "```python\nprint(1)\n```": "cannot do that without a model",
    "What is the capital of France?": "I do not know",
    "Wie heißt du?": "I do not know",
    "what is 2 + 2": "I do not know",
    "I booked seat 14A by the window.": "about “booked” or “window”",
    "Ich habe Platz 14A gebucht": "about “Platz” or “gebucht”",
    "今天天气很好": "Heard, ana.",
    "pizza": "about “pizza”, I quote",
    "42": "about “42”, I quote",
    "https://example.org/a": "Heard, ana.",
    "remember": "“Remember that the door code is 4711”",
    "forget it": "“Forget that the door code is 4711”",
    "please": "All right, ana",
    "hi, help": "I am the offline provider",
    "How are you doing today?": "I hear you, ana",
    "thanks, my seat is 14A now": "about “seat” or “14A”",
    "who are you": "I am the offline provider",
    "hilfe": "I am the offline provider",
    "Agent?": "I hear you, ana",
}


@pytest.mark.parametrize(("text", "answer"), OPENERS.items())
def test_every_opener_is_answered_by_what_was_understood_and_once_by_what_a_model_takes(text: str, answer: str) -> None:
    life = Life().hear(text)
    first = life.said()
    assert answer in first
    assert first.count("I am the offline provider") == 1
    assert "DEEPSEEK_API_KEY" in first
    again = life.hear(text).said()
    assert again.strip()
    assert (HINT in again) == (again == first)  # who asks for it gets it again
    assert life.step() == (ToolCall("WAIT", "", None),)


def test_it_does_not_say_the_same_to_everything() -> None:
    life = Life().hear("hello")
    life.said()
    answers = [life.hear(text).said() for text in OPENERS]
    assert len(set(answers)) > len(answers) * 0.6
    assert max(map(len, answers), default=0) <= len(f"I am agent 0123456789ab. {HELP}\n")
    assert sum(HINT in one for one in answers) <= 3  # where help was asked for


def test_several_openers_at_once_are_answered_in_order_and_told_once_what_a_model_takes() -> None:
    said = Life().hear("hi").hear("tell me a joke").hear("hi").hear("What is new?").said()
    assert said.index("Hi, ana!") < said.index("joke") < said.index("I do not know")
    assert said.count("Hi, ana!") == said.count(HINT) == 1


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("my name is Eve", "my name is Eve (said by ana)"),
        ("Hi! I'm Eve.", "I'm Eve (said by ana)"),
        ("Ich heiße Eve", "Ich heiße Eve (said by ana)"),
        ("我叫Eve", "我叫Eve (said by ana)"),
    ],
)
def test_a_name_is_kept_and_used(text: str, note: str) -> None:
    life = Life("").hear(text)
    assert "Noted" in life.said()
    assert life.memory == f"- {note} (added 2026-11-21)\n"
    known = "ana" if "I'm" in text else "Eve"  # “I'm Tired” is kept, and nobody is called that
    assert f"Hello, {known}!" in life.hear("hello").said()
    assert f"You are {known}" in life.hear("who am I?").said()


def test_what_was_told_is_quoted_by_the_words_that_were_named() -> None:
    life = Life().hear("I booked seat 14A by the window.")
    life.said()
    assert "“I booked seat 14A by the window.”" in life.hear("what do you know about “booked”?").said()


def test_by_its_name_it_answers_everything_elsewhere_too() -> None:
    for text in OPENERS:
        life = Life(audience="group").hear("I know.", BEN).hear(text)
        assert life.step() == (ToolCall("WAIT", "", None),) or text == "Agent?"
        assert Life(audience="group").hear(f"agent, {text}").said().strip()


@pytest.mark.parametrize(
    "said, named",
    [
        ("मेरे गोदाम का कोड 6284 है।", "“मेरे” or “गोदाम”"),
        ("รหัสโรงเก็บของผมคือ 6284", "“รหัสโรงเก็บของผมคือ” or “6284”"),
        ("창고 비밀번호는 6284입니다.", "“비밀번호는” or “6284입니다”"),
        ("Mẹ thích phở.", "“thích” or “phở”"),
        ("ჩემი კოდია 6284.", "“ჩემი” or “კოდია”"),
        ("என் எண் 6284 ஆகும்.", "“6284” or “ஆகும்”"),
        ("رمز المخزن 6284؟!", "“المخزن” or “6284”"),
        ("仓库很冷，密码是6284。", "“仓库很冷” or “密码是6284”"),
        ("我的猫叫小黑，住在北京。", "“我的猫叫小黑” or “住在北京”"),
        ("제 고양이 이름은 나비이고 서울에 살아요.", "“고양이” or “나비이고”"),
        ("แมวของฉันชื่อมะลิ", "“แมวของฉันชื่อมะลิ”"),
        ("ຂ້ອຍແພ້ກຸ້ງຫຼາຍ", "“ຂ້ອຍແພ້ກຸ້ງຫຼາຍ”"),
        ("ကျွန်တော် ပုစွန် မစားရဘူး။", "“ကျွန်တော်” or “မစားရဘူး”"),
        ("ខ្ញុំមានឆ្មា។ វាឈ្មោះមល្លិ។", "“ខ្ញុំមានឆ្មា” or “វាឈ្មោះមល្លិ”"),
        ("मेरी बिल्ली का नाम मोती है।", "“मेरी” or “बिल्ली”"),
        ("என் பூனையின் பெயர் மல்லி.", "“பூனையின்” or “பெயர்”"),
        ("నా పిల్లి పేరు చుక్క.", "“పిల్లి” or “చుక్క”"),
        ("Իմ կատվի անունը Փիսո է։", "“կատվի” or “անունը”"),
        ("ჩემი კატის სახელია ფისო.", "“კატის” or “სახელია”"),
        ("የድመቴ ስም ሙሉ ነው።", "“የድመቴ” or “ስም”"),
        ("میری بلی کا نام مانو ہے۔", "“میری” or “مانو”"),
        ("Η γάτα μου λέγεται Λουλού.", "“λέγεται” or “Λουλού”"),
    ],
)
def test_it_names_whole_words_as_they_were_written(said: str, named: str) -> None:
    """Not the first and the last in other languages than English, which are often as common as “my” and “is”."""
    assert f"about {named}, I quote" in Life("").hear(said).said()

"""Sentences end where they end, in any language: the parts of each text are its sentences."""

from __future__ import annotations

import pytest

from dotagent.text.standing_instructions import sentences

# The language, then the text with ¦ at each border.
TEXTS = [
    ("Amharic", "ስሜ ሀና ነው። ¦ቡና እወዳለሁ፡፡ ¦ደህና ሁን።"),
    ("Arabic", "اسمي ليلى. ¦أين القطار؟ ¦د. سامي في البيت."),
    ("Armenian", "Ես ապրում եմ Գյումրիում։ ¦Սիրում եմ սուրճ: ¦Շնորհակալություն։"),
    ("Burmese", "ငါးနဲ့ ကြက်သား၊ ဝက်သား မစားဘူး။ ¦မှတ်ထားပါ။"),
    ("Chinese", "我的门牌是88号！¦她说：“好的。”¦然后走了……¦没有回来。"),
    ("Chinese, in a chat", "明天我去上海 ¦你要来吗"),
    ("Chinese, with a full stop of Latin", "他来了.¦我走了!¦好"),
    ("English", "Dr. Reed met J. R. Hale at 5 p.m. ¦They left. ¦Nobody saw them."),
    ("English, in small letters", "ok. ¦see you at the gate. ¦bye"),
    ("English, the next one in small letters", "He went out. ¦see the note for approx. five keys."),
    ("English, a question told", "“Really?” she asked. ¦Then she left."),
    ("English, what stays one", "Pay No. 12 and Fig. 3 of version 2.0.1 at example.org today."),
    ("French", "« Tu restes ? » demanda-t-il. ¦« Oui. » ¦Puis il sortit."),
    ("German", "„Ich bleibe.“ ¦Am 5. Mai kommt Dr. Kern, d. h. bald. ¦Gut."),
    ("Greek", "Πού είναι ο κ. Νίκου; ¦Στο σπίτι. ¦Εντάξει;"),
    ("Hindi", "मेरा नाम रवि है। ¦डॉ. मेहता आए | ¦वे बैठे॥ ¦ठीक है।"),
    ("Hindi, with a full stop of Latin", "मेरी बहन बीमार है. ¦मैं डॉ. मेहता से मिला. ¦ए. पी. रेड्डी घर पर थे. ¦वह खुश हूं."),
    ("Bengali, with a title", "আমি ডা. রহমানকে দেখি। ¦তিনি ভালো।"),
    ("Tamil, a word of one letter", "இங்கே வா. ¦பூட்டை வை. ¦நன்றி."),
    ("Khmer, and so on", "ខ្ញុំលក់ស្វាយ ចេក ។ល។ នៅផ្សារ។ ¦អរគុណ។"),
    ("Japanese", "「行きますか？」と母が聞いた。¦彼女は「はい。行く。」と答えた。¦楽しい♪¦またね"),
    ("Khmer", "ខ្ញុំឈ្មោះ ដារា។ ¦ខ្ញុំចូលចិត្តកាហ្វេ៕ ¦អរគុណ។"),
    ("Korean", '제 이름은 민수예요.¦커피를 좋아해요. ¦그는 "네. 가요."라고 했다.'),
    ("Lao", "ຂ້ອຍມັກກິນກາເຟ ¦ຂ້ອຍບໍ່ກິນປາ"),
    ("Polish", "Mam na imię Ewa. ¦Dr Nowak mieszka np. w Łodzi. ¦Lubię kawę!"),
    ("Russian", "Меня зовут А. П. Белов. ¦Он приехал в 1990 г. из Омска. ¦Да?! ¦Да."),
    ("Spanish", "—¿Te quedas? —preguntó Luis. ¦¡Claro! ¦Vale."),
    ("Thai", "ผมไม่กินกุ้งนะครับ ¦ช่วยจำไว้ด้วยนะ"),
    ("Thai, one sentence", "ราคา 3.5 บาท"),
    ("Tibetan", "ང་ཇ་མི་འདོད། ¦ཁྱེད་རང་ཡོང་ངམ། ¦ཡོང་།"),
    ("Tibetan, without a shad after ga", "ཁོ་དེ་རིང་ནང་ལ་འདུག ¦ངའི་གསང་གྲངས་ ༤༧༡༢ ཡིན།"),
    ("Turkish", "Adım Ece. ¦II. Murat geldi mi? ¦Geldi."),
    ("Urdu", "میرا نام علی ہے۔ ¦آپ کہاں ہیں؟ ¦میں گھر پر ہوں۔"),
    ("a list with other digits", "१. दूध\n¦२. अंडे\n¦३. रोटी"),
    ("who ends short lines on purpose", "ok bis dann\n¦bin gleich da\n¦tschau"),
]


@pytest.mark.parametrize("marked", [text for _, text in TEXTS], ids=[language for language, _ in TEXTS])
def test_each_border_is_found_and_none_is_added(marked: str) -> None:
    assert list(sentences(marked.replace("¦", ""))) == [part.strip() for part in marked.split("¦")]


def test_a_long_line_takes_no_long_time() -> None:
    """A line of a hundred thousand stops, marks and blanks is read once."""
    line = "“a.” 我. " * 15_000
    assert "".join("".join(sentences(line)).split()) == "".join(line.split())

"""What a person forgets goes, and its near relatives stay: the same letters with other marks, and the same frame of a
sentence with another word in it. One table, a line a case."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from unforgotten import forget, traces
from world import offline, world

from dotagent.erasure import matches

# The language, a word of the secret, the secret, and two sentences that nobody means.
TABLE = [
    ("Bengali", "পিন", "আমার ব্যাংকের পিন নীল বাঘ।", "আমার ব্যাংকের পানি নেই।", "আমার ব্যাংকের কার্ড নীল।"),
    ("Bengali", "মেয়ে", "আমার মেয়ে খুব অসুস্থ।", "আমার মায়া খুব অসুস্থ।", "আমার ছেলে খুব অসুস্থ।"),
    ("Bengali", "৪৭১১", "আলমারির সংকেত ৪৭১১।", "আলমারির সংকেত ৪৭১২।", "আলমারির দাম ৪৭১ টাকা।"),
    ("Bengali", "চিংড়ি", "আমি চিংড়ি খেতে পারি না।", "আমি মাছ খেতে পারি না।", "আমি চাংড়া খেতে পারি।"),
    ("Tamil", "மகள்", "என் மகள் மருத்துவமனையில் இருக்கிறாள்.", "என் மகன் மருத்துவமனையில் இருக்கிறான்.", "என் மாகள் கடையில் இருக்கிறது."),
    ("Tamil", "கடவுச்சொல்", "என் கடவுச்சொல் நீலப்புலி.", "என் கடவுள் பெரியவர்.", "என் பெயர் நீலமணி."),
    ("Tamil", "பூட்டு", "பூட்டு எண் 4711.", "பூட்டி வை.", "வீட்டு எண் 88."),
    ("Tamil", "இறால்", "எனக்கு இறால் ஒவ்வாமை.", "எனக்கு ஏறல் பிடிக்கும்.", "எனக்கு மீன் பிடிக்கும்."),
    ("Telugu", "కూతురు", "నా కూతురు ఆసుపత్రిలో ఉంది.", "నా కొడుకు ఆసుపత్రిలో ఉన్నాడు.", "నా కాతరు చినిగింది."),
    ("Telugu", "పిన్", "నా పిన్ నీలి పులి.", "నా పాన్ కార్డు పోయింది.", "నా పని అయిపోయింది."),
    ("Telugu", "4711", "తాళం సంఖ్య 4711.", "తాళం సంఖ్య 4712.", "ఇంటి సంఖ్య 88."),
    ("Telugu", "రొయ్యలు", "నేను రొయ్యలు తినను.", "నేను చేపలు తినను.", "నేను రాయలు తినను."),
    ("Amharic", "ልጄ", "ልጄ ሆስፒታል ነው።", "ልጅ ሆስፒታል አይወድም።", "ሚስቴ ሆስፒታል ነች።"),
    ("Amharic", "የይለፍ ቃል", "የይለፍ ቃል ሰማያዊ ነብር ነው።", "የይለፍ ወረቀት ጠፋ።", "የእናቴ ቃል ጣፋጭ ነው።"),
    ("Amharic", "4711", "የበሩ ቁጥር 4711 ነው።", "የበሩ ቁጥር 4712 ነው።", "የቤቱ ቁጥር 88 ነው።"),
    ("Amharic", "ኦቾሎኒ", "ኦቾሎኒ አልበላም።", "ዓሣ አልበላም።", "ኦቾላኒ አላውቅም።"),
    ("Georgian", "პაროლი", "ჩემი პაროლი ლურჯი ვეფხვია.", "ჩემი პარალი გაფუჭდა.", "ჩემი სახელი ლურჯა."),
    ("Georgian", "ქალიშვილი", "ჩემი ქალიშვილი საავადმყოფოშია.", "ჩემი ვაჟიშვილი საავადმყოფოშია.", "ჩემი ქალი სახლშია."),
    ("Georgian", "4711", "კარის კოდია 4711.", "კარის კოდია 4712.", "სახლის ნომერია 88."),
    ("Georgian", "კრევეტი", "კრევეტი არ მიყვარს.", "თევზი არ მიყვარს.", "კრავეტი არ ვიცი."),
    ("Armenian", "գաղտնաբառը", "Իմ գաղտնաբառը կապույտ վագր է։", "Իմ գաղտնիքը քոնն է։", "Իմ անունը Վագր է։"),
    ("Armenian", "դուստրս", "Դուստրս հիվանդ է։", "Որդիս հիվանդ է։", "Դստրիս սիրում եմ։"),
    ("Armenian", "4711", "Դռան կոդը 4711 է։", "Դռան կոդը 4712 է։", "Տան համարը 88 է։"),
    ("Armenian", "ընկույզ", "Ես ընկույզ չեմ ուտում։", "Ես ձուկ չեմ ուտում։", "Ես ընկուզենի եմ տնկել։"),
    ("Finnish", "salasanani", "Salasanani on sininen tiikeri.", "Sälasanani on outo.", "Nimeni on sininen."),
    ("Finnish", "saari", "Mökkimme saari on salainen.", "Mökkimme sääri on kipeä.", "Mökkimme sauna on salainen."),
    ("Finnish", "4711", "Oven koodi on 4711.", "Oven koodi on 4712.", "Talon numero on 88."),
    ("Finnish", "näin", "Eilen näin lääkärin.", "Eilen nain ystäväni.", "Eilen tapasin lääkärin."),
    ("Swahili", "nenosiri", "Nenosiri langu ni simba bluu.", "Neno langu ni simba.", "Jina langu ni Simba."),
    ("Swahili", "binti", "Binti yangu yuko hospitali.", "Kaka yangu yuko hospitali.", "Bint yangu yuko shule."),
    ("Swahili", "4711", "Namba ya mlango ni 4711.", "Namba ya mlango ni 4712.", "Namba ya nyumba ni 88."),
    ("Swahili", "karanga", "Sili karanga kamwe.", "Sili samaki kamwe.", "Karamu ni kesho."),
    ("Urdu", "بیٹی", "میری بیٹی ہسپتال میں ہے۔", "میری بٹی ٹوٹ گئی ہے۔", "میرا بیٹا ہسپتال میں ہے۔"),
    ("Urdu", "پاس ورڈ", "میرا پاس ورڈ نیلا شیر ہے۔", "میرا پاس قلم ہے۔", "میرا نام شیر ہے۔"),
    ("Urdu", "۴۷۱۱", "دروازے کا کوڈ ۴۷۱۱ ہے۔", "دروازے کا کوڈ ۴۷۱۲ ہے۔", "مکان کا نمبر ۸۸ ہے۔"),
    ("Urdu", "جھینگا", "میں جھینگا نہیں کھاتا۔", "میں مچھلی نہیں کھاتا۔", "میں جھنگا گیا۔"),
    ("Persian", "گذرواژه", "گذرواژه من ببر آبی است.", "گذرنامه من آبی است.", "نام من ببر است."),
    ("Persian", "کَرَم", "کَرَم او بسیار است.", "کِرم او تمام شد.", "خانه او دور است."),
    ("Persian", "۴۷۱۱", "رمز در ۴۷۱۱ است.", "رمز در ۴۷۱۲ است.", "پلاک خانه ۸۸ است."),
    ("Persian", "میگو", "من میگو نمی‌خورم.", "من ماهی نمی‌خورم.", "من می‌گویم."),
    ("Hebrew", "הסיסמה", "הסיסמה שלי נמר כחול.", "הסימה שלי יפה.", "השם שלי נמר."),
    ("Hebrew", "סֵפֶר", "סֵפֶר אדום בארון.", "סַפָּר אדום בעיר.", "כדור אדום בארון."),
    ("Hebrew", "4711", "קוד הדלת 4711.", "קוד הדלת 4712.", "מספר הבית 88."),
    ("Hebrew", "בתי", "בתי בבית חולים.", "בני בבית חולים.", "בתים רבים בעיר."),
    ("Thai", "เสือ", "รหัสตู้คือเสือดำ", "เสื้อของแม่สีดำ", "รหัสตู้คือแมวดำ"),
    ("Thai", "ลูกสาว", "ลูกสาวฉันป่วยหนัก", "ลูกชายฉันป่วยหนัก", "ลูกเสาวรสอร่อย"),
    ("Thai", "4711", "รหัสประตู 4711", "รหัสประตู 4712", "บ้านเลขที่ 88"),
    ("Thai", "ข้าว", "ฉันแพ้ข้าวสาลี", "ฉันชอบสีขาว", "ฉันแพ้ถั่วลิสง"),
    ("Khmer", "កូនស្រី", "កូនស្រីខ្ញុំឈឺធ្ងន់។", "កូនប្រុសខ្ញុំឈឺធ្ងន់។", "ម្ដាយខ្ញុំសុខសប្បាយ។"),
    ("Khmer", "លេខសម្ងាត់", "លេខសម្ងាត់គឺខ្លាខៀវ។", "លេខផ្ទះគឺដប់។", "ឈ្មោះខ្ញុំគឺខ្លា។"),
    ("Burmese", "သမီး", "ကျွန်တော့် သမီး နေမကောင်းဘူး။", "ကျွန်တော့် သား နေမကောင်းဘူး။", "ကျွန်တော့် သမိုင်း စာအုပ် ပျောက်တယ်။"),
    ("Burmese", "စကားဝှက်", "စကားဝှက်က ကျားပြာ ဖြစ်တယ်။", "စကားပြောတာ ကြိုက်တယ်။", "နာမည်က ကျား ဖြစ်တယ်။"),
    ("Lao", "ລູກສາວ", "ລູກສາວຂ້ອຍບໍ່ສະບາຍ", "ລູກຊາຍຂ້ອຍບໍ່ສະບາຍ", "ລູກເສົາວະລົດແຊບ"),
    ("Lao", "ເສືອ", "ລະຫັດແມ່ນເສືອດຳ", "ລະຫັດແມ່ນແມວດຳ", "ເສື້ອຂອງແມ່ສີດຳ"),
    ("Chinese", "妹妹", "我妹妹在医院住了三天。", "我弟弟在医院住了三天。", "妹夫在公司。"),
    ("Japanese", "暗証番号", "金庫の暗証番号は青い虎です。", "金庫の型番は青い虎です。", "暗証の番号札をなくした。"),
    ("Korean", "여동생은", "여동생은 병원에 있어요.", "남동생은 병원에 있어요.", "여행은 내년이에요."),
    ("Hindi", "बेटी", "मेरी बेटी अस्पताल में है।", "मेरी बेटा अस्पताल में है।", "मेरी बूटी खो गई है।"),
    ("Hindi", "पासवर्ड", "मेरा पासवर्ड नीला शेर है।", "मेरा पास खो गया है।", "मेरा नाम शेर है।"),
    ("Hindi", "४७११", "दरवाज़े का कोड ४७११ है।", "दरवाज़े का कोड ४७१२ है।", "मकान का नंबर ८८ है।"),
    ("Hindi", "झींगा", "मैं झींगा नहीं खाता।", "मैं मछली नहीं खाता।", "मैं झागा नहीं खाता।"),
    ("Polish", "hasło", "Moje hasło to niebieski tygrys.", "Moje haslo to żart.", "Moje imię to Tygrys."),
    ("Polish", "sąd", "Sąd ma mój adres.", "Sad ma mój pies.", "Bank ma mój adres."),
    ("Polish", "4711", "Kod do drzwi to 4711.", "Kod do drzwi to 4712.", "Numer domu to 88."),
    ("Polish", "córka", "Moja córka jest w szpitalu.", "Moja curka jest w szkole.", "Mój syn jest w szpitalu."),
    ("Vietnamese", "mật khẩu", "Mật khẩu là hổ xanh.", "Mặt khâu là da xanh.", "Tên là Hổ."),
    ("Vietnamese", "má", "Má tôi nằm viện.", "Ma tôi sợ lắm.", "Anh tôi nằm viện."),
    ("Vietnamese", "4711", "Mã cửa là 4711.", "Mã cửa là 4712.", "Số nhà là 88."),
    ("Vietnamese", "dừa", "Tôi dị ứng dừa.", "Tôi thích dứa.", "Tôi dị ứng tôm."),
]
IDS = [f"{language}, {word}" for language, word, *_ in TABLE]
FORMS = {
    "word": "{word}",
    "quoted word": '"{word}"',
    "sentence": "{secret}",
    "quoted sentence": '"{secret}"',
    "no stop": "{bare}",
}


def _ticked(said: list[str], asked: str) -> list[str]:
    texts = [(f"HEAR {at}", f"[USER:ana 2026-11-{at + 1:02}T10:00:00Z] {text}") for at, text in enumerate(said)]
    return [one.words for one in matches.match_sentences(texts, asked) if not one.doubt]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language, word, secret, marks, frame", TABLE, ids=IDS)
def test_the_secret_alone_is_chosen(language: str, word: str, secret: str, marks: str, frame: str, form: str) -> None:
    asked = FORMS[form].format(word=word, secret=secret, bare=secret.rstrip(".।።։۔"))
    assert _ticked([secret, marks, frame], asked) == [secret]
    assert _ticked([frame, marks, secret], asked) == [secret]
    everything = [text for row in TABLE if row[0] == language for text in row[2:]]
    assert _ticked(everything, asked) == [secret]
    decomposed = unicodedata.normalize("NFD", secret)
    assert _ticked([decomposed, marks, frame], asked) == [decomposed]


@pytest.mark.parametrize("language, word, secret, marks, frame", TABLE, ids=IDS)
def test_in_one_message_the_neighbours_stay(language: str, word: str, secret: str, marks: str, frame: str) -> None:
    between = "\n" if language in ("Thai", "Lao") else " "
    for form in FORMS.values():
        asked = form.format(word=word, secret=secret, bare=secret.rstrip(".।።։۔"))
        assert _ticked([between.join((marks, secret, frame))], asked) == [secret]


@pytest.mark.slow
def test_it_is_gone_from_every_file_and_its_relatives_are_not(tmp_path: Path) -> None:
    """The first case of each language is told to one life, which answers, and is forgotten as a sentence."""
    first = list({row[0]: row for row in reversed(TABLE)}.values())
    with world(tmp_path, offline) as it:
        for _, _, *said in first:
            it.say("\n".join(said))
            it.run()
        where = it.where
    for _, _, secret, *relatives in first:
        assert {one.rstrip("。។") for one in forget(where, secret)} == {secret.rstrip("。។")}
        assert not traces(tmp_path, secret.strip(" .।።։۔"))
        for one in relatives:
            assert traces(tmp_path, one.strip(" .।።։۔"))

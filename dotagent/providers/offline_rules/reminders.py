"""Requests about reminders, and the answers to them, in the languages whose times are read. Pure.

Each language has words of requests (“remind me”, “show”, words next to it, “reminders”, “cancel”, “reminder”), and
answers: the list, no reminders, a cancelled one, a question about the text, one about the time, an example, and an
unknown reminder.
"""

import re
from functools import cache

from dotagent.providers.offline_rules.foreign import PLEASE

WORDS = {
    "de": (r"erinnere? (?:mich|uns)", "zeige?|liste|nenne?|welche", "mir|alle|meine|die|habe ich|auf|an",
           "erinnerungen", "lösche?|entferne?|streiche?", "erinnerung"),
    "fr": (r"rappelle[- ]moi|rappelez[- ]moi"
           r"|(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux) me rappeler",
           "montre|affiche|liste|donne|quels sont", "[- ]?moi|tous|mes|les|le|la",
           "rappels", "supprime|annule|efface|enlève", "rappel"),
    "es": (r"recu[ée]rd[ae]me|¿?(?:puedes|podr[íi]as"
           r"|puede) recordarme", "muestra|muéstrame|lista|enseña|enséñame|cuáles son", "todos|mis|los|el",
           "recordatorios", "borra|cancela|elimina|quita", "recordatorio"),
    "it": (r"ricorda(?:te)?mi"
           r"|(?:puoi|potresti|pu[òo]) ricordarmi", "mostra|mostrami|elenca|quali sono", "tutti|i|miei|il",
           "promemoria",
           "cancella|elimina|annulla|rimuovi", "promemoria"),
    "pt": (r"lembr[ae]-me|me lembr[ae]"
           r"|(?:podes|pode|você pode|poderia) (?:me lembrar|lembrar-me)", "mostra|mostre|lista|liste|quais são",
           "[- ]?me|todos|os|meus|o", "lembretes",
           "apaga|apague|cancela|cancele|remove|remova|elimina", "lembrete"),
    "nl": (r"herinner (?:me|mij)", "toon|laat|lijst|welke", "alle|mijn|de|zien|heb ik", "herinneringen",
           "verwijder|wis|annuleer|schrap", "herinnering"),
    "sv": (r"p[åa]minn mig"
           r"|(?:kan|kunde|skulle) du p[åa]minna mig", "visa|lista|vilka", "alla|mina|har jag", "påminnelser",
           "radera|ta bort|avboka",
           "påminnelse"),
    "da": (r"mind mig(?: om)?|minn meg(?: på)?"
           r"|(?:kan|vil) du (?:minde mig om|minne meg på)", "vis|list|hvilke", "mig|meg|alle|mine|har jeg",
           "påmindelser|påminnelser", "slet|fjern|aflys|slett", "påmindelse|påminnelse"),
    "fi": (r"muistuta minua"
           r"|(?:voitko|voisitko) muistuttaa minua", "näytä|luettele|listaa", "kaikki", "muistutukset|muistutukseni",
           "poista|peru",
           "muistutus"),
    "cs": (r"p[řr]ipome[ňn](?:te)? mi"
           r"|(?:m[ůu][žz]e[šs]|mohl bys|mohla bys) mi p[řr]ipomenout", "ukaž|zobraz|vypiš",
           "mi|všechna|všechny|má|moje",
           "připomenutí|připomínky",
           "smaž|zruš|odstraň", "připomenutí|připomínku"),
    "pl": (r"przypomnij mi"
           r"|(?:czy )?(?:mo[żz]esz|m[óo]g[łl]by[śs]|mog[łl]aby[śs]) mi przypomnie[ćc]", "pokaż|wyświetl|wypisz",
           "mi|wszystkie|moje",
           "przypomnienia", "usuń|anuluj|skasuj",
           "przypomnienie"),
    "ru": (r"напомни(?:те)?(?: мне)?"
           r"|(?:ты )?(?:можешь|можете|мог бы|могла бы) (?:мне )?напомнить(?: мне)?", "покажи|перечисли|какие",
           "мне|все|мои|у меня", "напоминания",
           "удали|отмени|убери", "напоминание"),
    "uk": (r"нагадай(?:те)?(?: мені)?"
           r"|(?:ти )?(?:можеш|можете) (?:мені )?нагадати(?: мені)?", "покажи|перелічи|які", "мені|усі|всі|мої",
           "нагадування",
           "видали|скасуй|прибери", "нагадування"),
    "zh": (r"(?:请|請)?提醒我", "显示|列出|查看|顯示|看", "我|的|所有|全部", "提醒", "取消|删除|刪除", "提醒"),
    "ja": (r"リマインド|思い出させ", "表示|一覧|見せて", "の|を|私|して", "リマインダー", "削除|取り消し|消して",
           "リマインダー"),
    "ko": (r"알려\s?줘|상기시켜\s?줘", r"보여\s?줘", "내|모든|목록", "알림", "취소|삭제", "알림"),
    "az": (r"(?:mənə )?xat[ıi]rlat", "göstər|siyahıla", "bütün|mənə|mənim",
           "xatırlatmalar|xatırlatmaları|xatırlatmalarım", "sil|ləğv et", "xatırlatma|xatırlatmanı"),
    "tr": (r"hat[ıi]rlat(?: bana)?", "göster|listele", "tüm|bütün|bana",
           "hatırlatıcıları|hatırlatıcılarım|hatırlatıcılarımı", "sil|iptal et", "hatırlatıcı|hatırlatıcıyı"),
}  # fmt: skip
ANSWERS = {
    "en": ("Your reminders (“cancel reminder 1” removes one):", "You have no reminders.", "remind-{} is cancelled",
           "Of what should I remind you?", "When should I remind you?", "remind me on Friday at 9 to call mum",
           "You have no reminder {}."),
    "de": ("Deine Erinnerungen („lösche Erinnerung 1“ entfernt eine):", "Du hast keine Erinnerungen.",
           "Erinnerung {} ist gelöscht.", "Woran soll ich dich erinnern?", "Wann soll ich dich erinnern?",
           "erinnere mich am Freitag um 9 an den Zahnarzt", "Es gibt keine Erinnerung {}."),
    "fr": ("Tes rappels (« supprime le rappel 1 » en retire un) :", "Tu n'as aucun rappel.",
           "Le rappel {} est supprimé.", "Que dois-je te rappeler ?", "Quand dois-je te le rappeler ?",
           "rappelle-moi vendredi à 9h d'appeler maman", "Il n'y a pas de rappel {}."),
    "es": ("Tus recordatorios («borra el recordatorio 1» quita uno):", "No tienes recordatorios.",
           "El recordatorio {} está borrado.", "¿Qué debo recordarte?", "¿Cuándo debo recordártelo?",
           "recuérdame el viernes a las 9 llamar a mamá", "No hay ningún recordatorio {}."),
    "it": ("I tuoi promemoria («cancella promemoria 1» ne toglie uno):", "Non hai promemoria.",
           "Il promemoria {} è cancellato.", "Che cosa devo ricordarti?", "Quando devo ricordartelo?",
           "ricordami venerdì alle 9 di chiamare mamma", "Non c'è un promemoria {}."),
    "pt": ("Os teus lembretes («apaga o lembrete 1» remove um):", "Não tens lembretes.", "O lembrete {} foi apagado.",
           "O que devo lembrar-te?", "Quando devo lembrar-te?", "lembra-me sexta-feira às 9 de ligar à mãe",
           "Não há nenhum lembrete {}."),
    "nl": ("Je herinneringen (“verwijder herinnering 1” haalt er een weg):", "Je hebt geen herinneringen.",
           "Herinnering {} is verwijderd.", "Waaraan moet ik je herinneren?", "Wanneer moet ik je eraan herinneren?",
           "herinner me vrijdag om 9 uur aan de tandarts", "Er is geen herinnering {}."),
    "sv": ("Dina påminnelser (”radera påminnelse 1” tar bort en):", "Du har inga påminnelser.",
           "Påminnelse {} är raderad.", "Vad ska jag påminna dig om?", "När ska jag påminna dig?",
           "påminn mig på fredag klockan 9 att ringa mamma", "Det finns ingen påminnelse {}."),
    "da": ("Dine påmindelser (”slet påmindelse 1” fjerner en):", "Du har ingen påmindelser.",
           "Påmindelse {} er slettet.", "Hvad skal jeg minde dig om?", "Hvornår skal jeg minde dig om det?",
           "mind mig om fredag klokken 9 at ringe til mor", "Der er ingen påmindelse {}."),
    "fi": ("Muistutuksesi (”poista muistutus 1” poistaa yhden):", "Sinulla ei ole muistutuksia.",
           "Muistutus {} on poistettu.", "Mistä minun pitää muistuttaa?", "Milloin minun pitää muistuttaa?",
           "muistuta minua perjantaina klo 9 soittamaan äidille", "Muistutusta {} ei ole."),
    "cs": ("Tvoje připomenutí („smaž připomenutí 1“ jedno odstraní):", "Nemáš žádná připomenutí.",
           "Připomenutí {} je smazáno.", "Co ti mám připomenout?", "Kdy ti to mám připomenout?",
           "připomeň mi v pátek v 9 zavolat mámě", "Připomenutí {} neexistuje."),
    "pl": ("Twoje przypomnienia („usuń przypomnienie 1” usuwa jedno):", "Nie masz przypomnień.",
           "Przypomnienie {} jest usunięte.", "O czym mam ci przypomnieć?", "Kiedy mam ci przypomnieć?",
           "przypomnij mi w piątek o 9 żeby zadzwonić do mamy", "Nie ma przypomnienia {}."),
    "ru": ("Твои напоминания («удали напоминание 1» убирает одно):", "У тебя нет напоминаний.",
           "Напоминание {} удалено.", "О чём тебе напомнить?", "Когда тебе напомнить?",
           "напомни мне в пятницу в 9 позвонить маме", "Напоминания {} нет."),
    "uk": ("Твої нагадування («видали нагадування 1» прибирає одне):", "У тебе немає нагадувань.",
           "Нагадування {} видалено.", "Про що тобі нагадати?", "Коли тобі нагадати?",
           "нагадай мені у п'ятницю о 9 подзвонити мамі", "Нагадування {} немає."),
    "zh": ("你的提醒（“取消提醒1”会删除一个）：", "你没有提醒。", "提醒{}已取消。", "要提醒你什么？",
           "什么时候提醒你？", "提醒我明天上午9点给妈妈打电话", "没有提醒{}。"),
    "ja": ("リマインダー（「リマインダー1を削除」で一つ消えます）：", "リマインダーはありません。",
           "リマインダー{}を削除しました。", "何をお知らせしますか？", "いつお知らせしますか？",
           "明日の9時に母への電話をリマインドして", "リマインダー{}はありません。"),
    "ko": ("알림 목록(“알림 1 취소”는 하나를 지웁니다):", "알림이 없습니다.", "알림 {}이(가) 취소되었습니다.",
           "무엇을 알려 드릴까요?", "언제 알려 드릴까요?", "내일 오전 9시에 엄마께 전화하라고 알려줘",
           "알림 {}이(가) 없습니다."),
    "az": ("Xatırlatmalarınız (“xatırlatma 1 sil” birini silir):", "Xatırlatmanız yoxdur.", "Xatırlatma {} silindi.",
           "Sizə nəyi xatırladım?", "Sizə nə vaxt xatırladım?", "sabah saat 9-da anama zəng etməyi xatırlat",
           "Xatırlatma {} yoxdur."),
    "tr": ("Hatırlatıcıların (“hatırlatıcı 1 sil” birini kaldırır):", "Hatırlatıcın yok.", "Hatırlatıcı {} silindi.",
           "Sana neyi hatırlatayım?", "Sana ne zaman hatırlatayım?", "yarın saat 9 annemi ara hatırlat",
           "Hatırlatıcı {} yok."),
}  # fmt: skip


@cache
def _forms() -> dict[str, tuple[str, str, str]]:
    """Return of each language the patterns of “remind me”, “show my reminders” and “cancel reminder 1”."""
    found = {}
    for language, (remind, show, beside, many, drop, one) in WORDS.items():
        some, number = rf"(?:\s*(?:{beside}))*\s*", r"(?:nr\.? ?|no\.? ?|n° ?|№ ?|#)?(?:remind-)?(\d+)"
        mine = rf"{some}(?:{many}){some}"
        listed = rf"(?:(?:{show}){mine}|(?:{beside}){mine}(?:{show})?|(?:{many})\s*(?:{show})?)"
        cancel = rf"(?:(?:{drop}){some}(?:{one})\s*{number}|(?:{one})\s*{number}\W?\w{{0,4}}\s*(?:{drop})\S*)"
        found[language] = f"(?:{remind})", listed, cancel
    return found


def rows() -> list[tuple[str, str]]:
    """Return the kinds and the patterns of these requests. The words of German are among those of English. A time may
    come before “remind me”."""
    others = ("de", "zh", "ja", "ko", "tr", "az")
    first = "|".join(words[0] for language, words in WORDS.items() if language not in others)
    remind = (
        rf"(?:{first}),?\s+(.*\S)", rf"(?:{WORDS['zh'][0]})，?\s*(.*\S)",
        rf"(.*?\S),?\s+(?:{PLEASE},?\s+)?(?:{first}),?\s+(.*\S)", rf"(.*?\S)[，,]?\s*(?:{WORDS['zh'][0]})，?\s*(.*\S)",
        r"(?:kannst|könntest|würdest) du (?:mich|uns) (.*\S) erinnern",
        r"(?:kun|kan|zou) (?:je|jij|u) me (.*\S) herinneren",
        rf"(.*\S)(?:を|と|って|ように)\s*(?:{WORDS['ja'][0]})\S*",
        rf"(.*\S)\s+(?:(?:{WORDS['ko'][0]})\S*|{WORDS['tr'][0]}|{WORDS['az'][0]})",
    )  # fmt: skip
    shown = (*(("reminders", listed) for _, listed, _ in _forms().values()),
             *(("cancel", cancel) for _, _, cancel in _forms().values()))  # fmt: skip
    when = "|".join(("remind (?:me|us)", *(words[0] for words in WORDS.values())))
    return [
        ("when", rf"(?:{when})"),
        *((kind, rf"(?:{PLEASE},?\s+)?{form}(?:,?\s+{PLEASE})?") for kind, form in shown),
        *(("remind", form) for form in remind),
    ]


def find_language(text: str) -> str:
    """Return the language of a request about reminders, `en` if it is in none of these."""
    for language, forms in _forms().items():
        begins = "" if language in ("zh", "ja") else r"(?<!\w)"  # these write no blanks between words
        if any(re.search(f"(?i){begins}{form}", text) for form in forms):
            return language
    return "en"

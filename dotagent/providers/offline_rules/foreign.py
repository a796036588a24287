"""Requests to remember or forget something, in the languages whose times are read (text/languages.py). Pure.

A negated “forget” means “remember”, so the forms of `remember` must be tried first. A form leaves out only the words
of the request itself: what is noted are the person's words.
"""

import re

PLEASE = (
    r"(?:por favor|s['’]il (?:te|vous) pla[iî]t|per favore|per piacere|alsjeblieft|alstublieft|snälla|proszę"
    r"|пожалуйста|будь ласка|lütfen)"
)
REMEMBER = (
    r"(?:denke? (?:bitte )?daran|erinnere? dich(?: daran)?|merkt euch|(?:vergiss|vergesst)(?: bitte)? nicht)"
    r"[,:]?(?: dass)?[,:]?\s+(.*?\S)",
    r"(?:souviens[- ]toi|souvenez[- ]vous|rappelle[- ]toi|retiens|retenez|m[ée]morisez?|prends note"
    r"|(?:n['’])?oublie[sz]? pas|notez?(?: bien)?(?= que?\b| qu['’]))(?: de ce)?"
    r"(?: que?\b| de\b| qu['’]| d['’]|\s*[:,])?\s*(.*?\S)",
    r"(?:recuerda|recuerde|acu[ée]rdate|memoriza|an[óo]ta(?:te)?|anote|ap[úu]nta(?:te)?|toma nota|no (?:te )?olvides"
    r"|no olvide|no se te olvide)[,:]?(?: de)?(?: que)?[,:]?\s+(.*?\S)",
    r"(?:ricorda(?:ti)?|annota(?:ti)?|segnati|prendi nota|non (?:ti )?(?:dimenticare|scordare))[,:]?(?: di)?(?: che)?"
    r"[,:]?\s+(.*?\S)",
    r"(?:lembr[ae](?:-te|-se)?|memorize|tome nota|não (?:te |se )?(?:esqueças|esqueça))[,:]?(?: de)?(?: que)?"
    r"[,:]?\s+(.*?\S)",
    r"(?:onthoud|noteer|vergeet niet)[,:]?(?: dat)?[,:]?\s+(.*?\S)",
    r"(?:kom ihåg|minns|lägg på minnet|anteckna|glöm inte)[,:]?(?: bort)?(?: att)?[,:]?\s+(.*?\S)",
    r"(?:zapamiętaj|pamiętaj|zanotuj|zapisz|nie zap(?:omnij|ominaj))[,:]?(?: że)?[,:]?\s+(.*?\S)",
    r"(?:запомни|запиши|помни|не забудь|запам['’ʼ]?ятай|занотуй|пам['’ʼ]?ятай)(?:те)?[,:]?(?: что| що)?[,:]?\s+(.*?\S)",
    r"(?:请|請|帮我|幫我|你要|麻烦你?)*(?:记住|記住|记下|記下|记得|記得|记一下|記一下|别忘了?|別忘了?|不要忘[了记記]?)[：:，,]?\s*(.*?\S)",
    r"(.*?\S)(?:ということ|こと)?[をとね]?(?:って)?、?\s*(?:覚えて|記憶して|メモして|忘れないで)(?:おいて)?(?:ください|下さい|くれ)?[ねよ]?",
    r"(.*?\S)(?:다는 [것걸]|는 [것걸]|[라다]고)?[을를]?\s+(?:기억해|메모해|잊지 ?마)"
    r"(?:라|요|세요)?(?: ?(?:줘|둬)요?| ?주세요)?",
    r"(.*?\S)\s+(?:unutma(?:yın)?|hatırla(?:yın)?|not al|aklında tut)",
)
FORGET = (
    r"(?:vergiss|vergesst)(?: bitte)?(?:,? dass|,? was (?:ich|du|wir) [^,]{0,20}über)?\s+(.*?\S)",
    r"oublie[sz]?\s+(?:tout ce que tu sais (?:sur|de) |que |qu['’])?(.*?\S)",
    r"(?:olvida(?:te)?|olvídate)(?: de)?(?: que)?\s+(.*?\S)",
    r"(?:dimentica(?:ti)?|scorda(?:ti)?)(?: di)?(?: che)?\s+(.*?\S)",
    r"(?:esquece(?:-te)?|esqueça)(?: de)?(?: que)?\s+(.*?\S)",
    r"vergeet(?: dat)?\s+(.*?\S)",
    r"glöm(?: bort)?(?: att)?\s+(.*?\S)",
    r"zapomnij(?: o)?(?:,? że)?\s+(.*?\S)",
    r"забудь(?:те)?(?: об?| про)?(?:,? (?:что|що))?\s+(.*?\S)",
    r"(?:请|請|帮我|幫我)*(?:忘记|忘記|忘掉)(.*?[^\s了])",
    r"(?:请|請)?把(.*?\S)(?:忘掉|忘了|忘记|忘記)",
    r"(.*?\S)(?:のこと)?を?\s*忘れて(?:ください|下さい|くれ)?",
    r"(.*?\S)[을를]?\s+잊어(?:라|버려라?)?(?: ?줘요?| ?주세요)?",
    r"(.*?\S)\s+unut(?:un)?",
)
_VAGUE = re.compile(  # “this”, “everything”, or a negation: it is unknown which notes that means
    r"(?i)(?:\W*\b(?:[a-zß-ɏа-яёі]{1,3}|alles|todos?|tout|cela|tutto|tudo|allt|wszystko|hepsini|bunu)\b)+\W*"
    r"|.{0,12}\b(?:nicht|niet|inte|pas|nie|не|non|não)\b.*|(?:这个?|那个?|這個?|那個?|これ|それ|이것|그것|그걸)?"
    r"(?:全部|一切|すべて|全て|모든.*|모두)?"
)


def rows() -> list[tuple[str, str]]:
    """Return the kinds and the patterns of these requests, in the order to try them."""
    some = (("remember", REMEMBER), ("forget", FORGET))
    return [(kind, f"(?:{PLEASE},?\\s+)?(?:{one})(?:,?\\s+{PLEASE})?") for kind, forms in some for one in forms]


def is_vague(text: str) -> bool:
    """Return True if what to forget is not named well enough to remove notes."""
    return _VAGUE.fullmatch(text) is not None


QUESTIONS = """где кто что когда какой какая какое какие сколько почему де хто що коли який яка скільки nerede hangi kaç
nasıl är vem när hur wer wann wie wieviel welche welcher où qui quoi quand quel quelle combien comment dónde quién qué
cuándo cuál cuánto cómo dove quale quanto onde quem waar wanneer welke hoeveel hvor hvem hvad hvornår missä kuka mikä
milloin kde kdo kdy jaký gdzie kto kiedy jaki أين من متى كم هل איפה מי מה מתי כמה איזה var
어디 누구 무엇 언제 어디예요 어디에요 어디야 누구예요
누구야 뭐예요 뭐야 어디있어요 कहाँ कौन क्या कब कितना πού ποιος ποια τι πότε πόσο"""
"""Words of questions, which say nothing about their topic."""
UNSPACED = re.compile(
    "[是在]?(?:什么|什麼|哪里|哪裡|哪儿|哪个|谁|誰|多少|几点|幾點|几号|怎么|怎麼)|[吗嗎呢]|[はが]?(?:何[番時日]?|どこ|だれ|いつ|いくら|どれ)"
    "(?:ですか|に?ありますか)?|ですか"
)
"""The same in scripts without spaces."""

"""Find what a message asks of the agent, by the wording of its sentences. A sentence that asks nothing is a statement.

Commands begin a sentence, after polite words; a question ends in `?` or begins like one. Misspelt words are read as the
nearest word of these rules. From another agent only sentences that end in `?` are used, so that two offline agents do
not talk endlessly. Owns nothing on disk.
"""

import re
import shutil
from difflib import get_close_matches
from functools import cache, lru_cache

from dotagent.providers.offline_rules import foreign, reminders
from dotagent.text import languages, lazy, reminder_times
from dotagent.text.words import STOP, raw, stem, stems

# Words of any question, which say nothing about its topic.
ASKING = frozenset(
    stems("tell remember recall remind know think idea mean wonder call name show give anything something everything")
)
_NAME = r"(?:my name(?:['’]s| is)|call me|ich hei(?:ß|ss)e|mein name ist|我叫)"
NAMED = re.compile(rf"(?i){_NAME}\s*(\w[\w'’-]*)")
REQUEST = r"(?:can|could|would|will) you\s+"
POLITE = (
    rf"(?:@\S+[,:]?\s+|{REQUEST}|(?:please|bitte|kindly|just),?\s+|i(?:['’]d like| would like| want) you to\s+"
    r"|(?:(?:hey|hi|hello)(?: there| again)?|ok|okay|so|and|but|also|then|now|well|yes|no|thanks|thank you)"
    r"(?:[,!.:]\s*|\s+))*"
)
_WISHES = rf"(?:{REQUEST}|(?:please|bitte|just),?\s+|i(?:['’]d like| would like| want) you to\s+)*"
_WISH = r"(?:please|can you|could you|want you to|like you to)\s+"
_END = r"(?:,?\s+(?:please|bitte|for me|for us|now|again))*[\s.!?。！？~☀-➿️\U0001f300-\U0001faff]*"
_AFTER = r"(?: this| the following)?(?:\s*[:,]\s*|\s+-\s+|\s+)(?:that\b|of\b|dass\b)?\s*(.*\S)"
_NOTES = r"(?:your |the |my )?(?:notes?|memory(?:\.md)?)"
_FILE = r"[\"'`]?([^\s\"'`<>|*]*(?:/|[^\s\"'`<>|*.]\.)\w[^\s\"'`<>|*]*?)[\"'`]?(?:,?(?: lines?)? (\d+-\d+))?"
_PATH = r"[\"'`]?(?!(?:folder|directory|here|there|it)\b)([\w.-][\w./-]*)[\"'`]?"
RINGS = "timer|alarm|reminder|wecker|erinnerung"
_WH = "(?:wh(?:at|ich|om?|ose|en|ere|y)|how)"
_DO = r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|has|have|had)\b"
# A line is a kind and a pattern for a whole sentence; the first match wins. The text is its groups, or the sentence.
_TABLE = rf"""
thanks   (?:many |vielen )?(?:thanks|thank you|thx|ty|cheers|danke?|merci|谢谢|🙏)(?:\W+\w+(?: much| lot)?)?(?: for .*)?
bye      (?:good)?bye(?: bye)?|good ?night|see you(?: \w+)?|tschüss?|gute nacht|bis (?:dann|bald|morgen)|再见|晚安
ping     how(?:['’]s it going|['’]s life| are you(?: \w+){{0,2}}| do you do)|what['’]?s up|wie geht.*|你好吗
ping     test(?:ing)?(?: [\d ,test]+)?|ping|are you (?:still )?(?:there|alive|awake)|anyone (?:here|there)
ping     (?:can|do) you (?:still )?(?:hear|read) me
nod      ok(?:ay)?|yes|yep|yeah|no|nope|sure|cool|nice|great|good|lol|haha|hm+|ja|nein|gut|好的?|对|👍|❤|😂
help     /?help(?: me| us)?|hilfe|帮助|was kannst du
me       (?:who|what)(?: exactly)? are you|wh(?:at|o)(?:['’]?s| is) your name|who am i (?:talking|speaking) (?:to|with)
me       你是谁|wer bist du|are you [^?]*\?|(?:what|which) (?:model|provider|llm)\b.{{0,20}}
help     what (?:can|do) (?:you|i|we) (?:do|ask|say|understand)\b.*|how (?:do|can) (?:i|we) (?:use|talk|start)\b.*
who      who am i|what(?:['’]s| is) my name|do you know (?:who i am|my name)
rooms    (?:(?:list|show) )?(?:me )?(?:all )?(?:the |your )?rooms|(?:which|what) rooms (?:are|do|have) .*|where are you
notes    (?:list|show|print|read)(?: me)?(?: all)? {_NOTES}|what(?:['’]s| is) in {_NOTES}|what do you (?:remember|know)
notes    (?:what|everything) (?:did |have )?i(?:['’]ve)? (?:sa(?:id|y)|told|tell)(?: to)?(?: you)?(?: so far| already)?
reminders (?:(?:list|show)(?: me)?(?: all)?(?: of)? )?(?:my |the |your )?reminders|(?:list|show) reminder
reminders (?:what|which)(?: are)? (?:my )?reminders.*
cancel   (?:cancel|delete|remove|drop|stop)(?: the| my)? (?:reminders? )?remind-(\d+)
cancel   (?:cancel|delete|remove|drop|stop)(?: the| my)? reminders? (?:#|no\.? |number )?(\d+)
half     (?:cancel|delete|remove|drop|stop)(?: all| both)?(?: the| my| a| that| this| of my)? reminders?(?: (?!\d).*)?
half     (?:read|open|show|print)(?: me)?(?: the| my| a| this| that)? file
half     (?:read|open|show|print|list|fetch|run|execute|search|find|cancel|delete|remove)(?: it| this| that)?
idle     /?stop|halt|stopp?|abbrechen|cancel everything
what     (remember|forget)(?: it| that| this| me| about it| about that)?
remind   (?:remind|erinnere?) (?:me|us|mich|uns)(?! (?:of |about )?(?:wh\w+|how|if)\b),?\s+(.*\S)
remind   (.*?\S),?\s+{_WISHES}(?:remind|erinnere?) (?:me|us|mich|uns),?\s+(.*\S)
timer    (?:set|start|make)(?: me| us)?(?: an?| the)? (?:\w+ )?({RINGS})(?: for| to)? (.*\S)
timer    stelle?(?: mir)?(?: einen?| den)? ({RINGS})(?: auf| für)? (.*\S)
timer    (?:wake|weck) (?:me|us|mich|uns)(?: up)? (.*\S)
remember (?:remember|memori[sz]e|note(?: down)?|make a note|take (?:a )?note|write down|merke? dir|notiere){_AFTER}
remember (?:(?:keep|bear) in mind|(?:do(?:n['’]?t| not)|never) forget){_AFTER}
remember (?:save|add|write|put) (?:(?:in|into|to) {_NOTES}(?:\s*:\s*|\s+)(.*\S)|(.*\S) (?:in|into|to) {_NOTES})
remember {_NAME}\s*\w.*|(?-i:I(?:['’]m| am) [A-Z][a-z'’-]+)
forget   forget(?: (?:about|that|(?:everything|all)(?: you know)? about|what (?:you know|i said) about))?\s+(.*\S)
forget   (?:delete|remove|erase|drop|strike) (.*\S) from {_NOTES}
erase    /forget\b.*
erase    (?:.*\b{_WISH})?(?:delete|remove|erase)\s.*\S|.*\b(?:should|must|needs? to) be (?:deleted|removed|erased)\b.*
greet    (hi|hello|hey|hiya|howdy|yo|moin|servus|hallo|good (?:day|morning|afternoon|evening))(?:[\s,]+[\w-]+)?
greet    (hi|hello|hey|hallo|good (?:day|morning|afternoon|evening)),? (?:my|dear) [\w-]+
greet    (guten (?:tag|morgen|abend)|hola|bonjour|salut|ciao|привет|你好|您好|早上好|こんにちは|👋)(?:[\s,]+[\w-]+)?
read     (?:read|cat|open|show|print|load)(?: me| us)?(?: the| my| your)?(?: file| contents? of(?: the file)?)? {_FILE}
read     (?:read|cat|open|show|print|load) (?:the |my |your )?file (\S+)|what(?:['’]s| is) in (?:the file )?{_FILE}
run      (?!(?-i:RUN))(?:run|execute)(?: the)?(?: shell)?(?: command)?:?\s+`?([^\n`]+?)`?
files    ls(?: -\w+)* {_PATH}
fetch    (?:fetch|get|load|open|read|visit)(?: me)?(?: the)?(?: web)?(?: ?page| site| url)?:? <?(https?://[^\s<>]+?)>?
files    (?:list|show)(?: me| all| the| my| your)* files (?:in|of|under)(?: the)?(?: folder| directory)? {_PATH}
question (?:wh(?:at|o|ere|en|y)|how)s\b.*
question {_WH}(?:['’](?:s|re)\b| (?:(?!(?:i|we|you|he|she|it|they)\b)[\w'’-]+\s+){{0,3}}{_DO}).*[^!]
question (?:tell|remind) (?:me|us) (?:of|about|what|who|when|where|which|why|how|if|whether|everything|more)\b.*
question (?:do|did) you (?:know|remember|recall)\b.*|i(?:['’]d like| would like| want) to know\b.*
ask      (?:tell|show|give) (?:me|us)\s.*
model    ```.*|(?:tell|write|draw|sing|make(?! sure)|show|give|teach|translate|explain|summari[sz]e|calculate|solve)\s.*
model    (?:help|suggest|describe|compare|fix|search|let['’]?s|erzähl|schreib|erklär)\w*\s.*|(?:讲|写|翻译|解释|帮我).*
"""
# A question has one of these topics if all its informative words are listed, and one of them in the first text.
_TOPICS = {
    "help": ("help command", "list show need available use give type"),
    "clock": ("time clock date day weekday oclock", "current today exact local week"),
    "files": ("file folder directory ls dir", "list show see content workspace available"),
    "connect": (
        "model llm ai api provider gpt chatgpt claude gemini ollama openai anthropic deepseek mistral",
        "connect link hook plug set setup configure use add put key run work need want choose change switch real local",
    ),
}
_LOOSE = ("tell", "sign", "question", "ask", "model")
_WHOLE = frozenset(
    "thanks bye ping help me who rooms notes reminders clock files connect question".split()
)  # no text is kept
_MONTH = "|".join(sorted(languages.forms("M"), key=len, reverse=True))
_SENTENCE = lazy.compile(  # not after “5 p.m.” or “am 5.”
    rf"(?i)(?<=[.!?])(?<!\b[ap]\.m\.)(?!(?<=\d\.)\s+(?:(?-i:[a-zäöüß])|(?:{_MONTH})\b))\s+|(?<=[。！？])(?![”’」』）])|(?<=[。！？][”’」』）])|(?<!:)\n+"
)
_FULL = ("。", "！", "？", "”", "’", "」", "』", "）")  # ends of sentences without a blank behind them


def asks(text: str, agent: bool) -> list[tuple[str, str]]:
    """Return the questions and requests, or otherwise the statements, as kinds (of the table; `sign` for text without
    words; `tell`) with their texts."""
    found: list[tuple[str, str]] = []
    if not agent and _ask(text.strip())[0] == "run":  # only a whole message, because a part may be quoted
        return [_ask(text.strip())]
    for sentence in _SENTENCE.split(re.sub("“[^”]*”", "", text) if agent else text):
        if not sentence.strip() or (agent and not sentence.rstrip().endswith(("?", "？"))):
            continue
        kind, words = _ask(sentence.strip())
        kind, words = ("tell", sentence.strip()) if kind == "run" else (kind, words)
        if kind == "tell" and found and found[-1][0] in ("remember", "tell") and found[-1][1]:
            told = found[-1][1].rstrip(".")
            found[-1] = (found[-1][0], f"{told}{'' if told.endswith(_FULL) else '. '}{words}")
        else:
            found.append((kind, words))
    return [one for one in found if one[0] != "tell"] or found


@cache
def _kinds() -> list[tuple[str, re.Pattern[str]]]:
    """Return the compiled rows of the table. Compilation waits for the first use, because most processes never need
    it."""
    rows = [*reminders.rows(), *foreign.rows(), *re.findall(r"(\w+) +(.+)", _TABLE)]
    return [(kind, re.compile(rf"(?is)({POLITE})(?:{one}){_END}")) for kind, one in rows]


@lru_cache(maxsize=1 << 14)
def _ask(sentence: str) -> tuple[str, str]:
    """Return the kind of a sentence and its text, after correcting misspelt words. A corrected word never makes the
    agent forget."""
    found = _kind(sentence)
    if found[0] in _LOOSE:
        one, every = _kind(_respelled(sentence, 1)), _kind(_respelled(sentence))
        tries = [found, *([one] if one[0] != "forget" else []), *([every] if every[0] in _WHOLE else [])]
        found = max(tries, key=lambda one: (one[0] not in _LOOSE, one[0] in ("question", "ask", "model")))
    return found


def _kind(sentence: str) -> tuple[str, str]:
    """Return the kind of a correctly spelled sentence, and its text."""
    if topic := _topic(sentence):
        return topic, ""
    asking = sentence.endswith(("?", "？", "؟"))
    for kind, pattern in _kinds():
        match, keeps = pattern.fullmatch(sentence), kind in ("what", "remember", "forget")
        if match and not (keeps and asking and not re.search(REQUEST, match[1], re.IGNORECASE)):  # “remember me?” asks
            text = " ".join(filter(None, match.groups()[1:])) or sentence[match.end(1) :]
            if kind == "run" and not shutil.which(text.split()[0]):  # “run a marathon”
                continue
            if kind == "remind" and match.lastindex == 3 and not _is_when(match[2]):
                continue
            vague = kind == "forget" and "forget" not in sentence.lower() and foreign.is_vague(text)
            if vague or (keeps and kind != "what" and not re.search(r"\w", text)):  # “请记住。”
                return "what", kind
            return kind, (keeps and text.rstrip(".!?").strip()) or text
    return "question" if asking else "tell" if re.search(r"\w", sentence) else "sign", sentence


def _is_when(words: str) -> bool:
    """Return True if the words before “remind me” are a time: “every hour from 9 to 17”."""
    words = words.rstrip(" ,，、")
    return reminder_times.is_time(words) or reminder_times.looks_like_time(words)


def _topic(sentence: str) -> str:
    """Return the topic that a sentence asks about, or "" for a statement."""
    sentence = re.sub(rf"(?i)\A{POLITE}", "", re.sub(r"\s--?[a-z]+\b", "", sentence))  # “ls -la”
    words = raw(sentence)
    told = {one for one in stems(sentence) if not one[0].isdigit()} - ASKING  # a model may be “GPT-5”
    asking = re.match("wh|how|can|do|is|any|have|i (?:want|need|wonder)", " ".join(words))
    if words and (asking or words[0] not in STOP):
        for topic, (keys, others) in _TOPICS.items():
            personal = topic == "clock" and not {"my", "your", "our", "a"}.isdisjoint(words)  # “how was your day?”
            if told & set(stems(keys)) and told <= set(stems(f"{keys} {others}")) and not personal:
                return topic
    return ""


def _respelled(sentence: str, most: int = 8) -> str:
    """Replace unknown words in a short sentence by the nearest known words, at most `most` of them."""
    words = sentence.split()
    for at, word in enumerate(words if len(words) <= 12 else ()):
        bare = "".join(raw(word)[:1])
        if most and bare and (near := _correct_spelling(bare)):
            words[at], most = word.lower().replace(bare, near), most - 1
    return " ".join(words)


@cache
def _vocabulary() -> tuple[list[str], frozenset[str], dict[str, str]]:
    """Return the words of the rules, sorted, their stems, and the words by their sorted letters."""
    found = raw(" ".join((POLITE, _TABLE, *(" ".join(row) for row in _TOPICS.values()))))
    known = sorted({one for one in found if len(one) > 2} | STOP)
    return known, frozenset(map(stem, known)), {"".join(sorted(one)): one for one in known}


@lru_cache(maxsize=1 << 14)
def _correct_spelling(word: str) -> str:
    """Return the known word that a misspelt word probably means, or "" if it is known or another form of a known word
    (`forgot`)."""
    known, known_stems, by_letters = _vocabulary()
    if len(word) < 3 or word in known or stem(word) in known_stems:
        return ""
    near = [one for one in known if one[0] == word[0] and len(one) > 3]
    swapped = by_letters.get("".join(sorted(word)), "")
    if swapped and (len(word) > 3 or swapped[0] == word[0]):
        return swapped
    return "".join(get_close_matches(word, near, 1, 0.8))

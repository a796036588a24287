"""What a message asks of the agent, by the wording of its sentences; what asks nothing tells something.

Commands begin a sentence, after politeness; a question ends in `?` or begins like one. Of another agent only what ends
in `?` counts, so that two agents without a model never keep each other talking.
"""

import re
from functools import lru_cache

_NAME = r"(?:my name(?:['’]s| is)|call me|ich hei(?:ß|ss)e|mein name ist|我叫)"
NAMED = re.compile(rf"(?i){_NAME}\s*(\w[\w'’-]*)")
REQUEST = r"(?:can|could|would|will) you\s+"
POLITE = (
    rf"(?:@\S+[,:]?\s+|{REQUEST}|(?:please|bitte|kindly|just),?\s+|i(?:['’]d like| would like| want) you to\s+"
    r"|(?:hey|hi|hello|ok|okay|so|and|but|also|then|now|well|yes|no|thanks|thank you)(?:[,!.:]\s*|\s+))*"
)
_END = r"(?:,?\s+(?:please|bitte|for me|for us|now|again))*[\s.!?。！？~☀-➿️\U0001f300-\U0001faff]*"
_AFTER = r"(?: this| the following)?(?:\s*[:,]\s*|\s+-\s+|\s+)(?:that\b|of\b|dass\b)?\s*(.*\S)"
_NOTES = r"(?:your |the |my )?(?:notes?|memory(?:\.md)?)"
_FILE = r"[\"'`]?([^\s\"'`<>|*]*(?:/|[^\s\"'`<>|*.]\.)\w[^\s\"'`<>|*]*?)[\"'`]?(?:,?(?: lines?)? (\d+-\d+))?"
_DO = r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|has|have|had)\b"
# A line is a kind and a pattern of whole sentences; the first that fits. The text is its groups, else the sentence.
_TABLE = rf"""
thanks   (?:many |vielen )?(?:thanks|thank you|thx|ty|cheers|danke?|merci|谢谢|🙏)(?:\W+(?:\w+ much|\w+))?(?: for .*)?
bye      (?:good)?bye(?: bye)?|good ?night|see you(?: \w+)?|tschüss?|gute nacht|bis (?:dann|bald|morgen)|再见|晚安
ping     how(?:['’]s it going|['’]s life| are you(?: \w+){{0,2}}| do you do)|what['’]?s up|wie geht.*|你好吗
ping     test(?:ing)?(?: [\d ,test]+)?|ping|are you (?:still )?(?:there|alive|awake)|anyone (?:here|there)
nod      ok(?:ay)?|yes|yep|yeah|no|nope|sure|cool|nice|great|good|lol|haha|hm+|ja|nein|gut|好的?|对|👍|❤|😂
help     /?help(?: me| us)?|hilfe|帮助|(?:list|show)(?: me)?(?: the| your| all)* commands|was kannst du|wer bist du
help     (?:who|what) are you|what(?:['’]s| is) your name|what (?:model|provider)\b.{{0,20}}|你是谁|are you an? [^?]*\?
help     what (?:can|do) (?:you|i|we) (?:do|ask|say|understand)\b.*|how (?:do|can) (?:i|we) (?:use|talk|start)\b.*
who      who am i|what(?:['’]s| is) my name|do you know (?:who i am|my name)
rooms    (?:(?:list|show) )?(?:me )?(?:all )?(?:the |your )?rooms|(?:which|what) rooms (?:are|do|have) .*|where are you
notes    (?:list|show|print|read)(?: me)?(?: all)? {_NOTES}|what(?:['’]s| is) in {_NOTES}|what do you (?:remember|know)
what     (remember|forget)(?: it| that| this| me| about it| about that)?
remind   (?:remind|erinnere?) (?:me|us|mich|uns)(?! (?:of |about )?(?:wh\w+|how|if)\b),?\s+(.*\S)
remember (?:remember|memori[sz]e|note(?: down)?|make a note|take (?:a )?note|write down|merke? dir|notiere){_AFTER}
remember (?:(?:keep|bear) in mind|(?:do(?:n['’]?t| not)|never) forget){_AFTER}
remember (?:save|add|write|put) (?:(?:in|into|to) {_NOTES}(?:\s*:\s*|\s+)(.*\S)|(.*\S) (?:in|into|to) {_NOTES})
remember {_NAME}\s*\w.*|(?-i:I(?:['’]m| am) [A-Z][a-z'’-]+)
forget   forget(?: (?:about|that|(?:everything|all)(?: you know)? about|what (?:you know|i said) about))?\s+(.*\S)
forget   (?:delete|remove|erase|drop|strike) (.*\S) from {_NOTES}
greet    (hi|hello|hey|hiya|howdy|yo|moin|servus|hallo|good (?:day|morning|afternoon|evening))(?:[\s,]+[\w-]+)?
greet    (guten (?:tag|morgen|abend)|hola|bonjour|salut|ciao|привет|你好|您好|早上好|こんにちは|👋)(?:[\s,]+[\w-]+)?
read     (?:read|cat|open|show|print|load)(?: me| us)?(?: the| my| your)?(?: file| contents? of(?: the file)?)? {_FILE}
read     (?:read|cat|open|show|print|load) (?:the |my |your )?file (\S+)|what(?:['’]s| is) in (?:the file )?{_FILE}
question (?:wh\w+|how)(?:['’](?:s|re)\b| (?:(?!(?:i|we|you|he|she|it|they)\b)[\w'’-]+\s+){{0,3}}{_DO}).*[^!]
question (?:tell|remind) (?:me|us) (?:of|about|what|who|when|where|which|why|how|if|whether|everything|more)\b.*
question (?:do|did) you (?:know|remember|recall)\b.*|i(?:['’]d like| would like| want) to know\b.*
model    ```.*|(?:tell|write|draw|sing|make(?! sure)|show|give|teach|translate|explain|summari[sz]e|calculate|solve)\s.*
model    (?:help|suggest|describe|compare|fix|search|let['’]?s|erzähl|schreib|erklär)\w*\s.*|(?:讲|写|翻译|解释|帮我).*
"""
_KINDS = [(kind, re.compile(rf"(?is)({POLITE})(?:{one}){_END}")) for kind, one in re.findall(r"(\w+) +(.+)", _TABLE)]
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|(?<!:)\n+")


def asks(text: str, agent: bool) -> list[tuple[str, str]]:
    """What is asked, else what is told: kinds (the table's, `sign` for what has no words, `tell`) and their texts."""
    found: list[tuple[str, str]] = []
    for sentence in _SENTENCE.split(re.sub("“[^”]*”", "", text) if agent else text):
        if not sentence.strip() or (agent and not sentence.rstrip().endswith(("?", "？"))):
            continue
        kind, words = _ask(sentence.strip())
        if kind == "tell" and found and found[-1][0] in ("remember", "tell") and found[-1][1]:
            found[-1] = (found[-1][0], f"{found[-1][1].rstrip('.')}. {words}")
        else:
            found.append((kind, words))
    return [one for one in found if one[0] != "tell"] or found


@lru_cache(maxsize=1 << 14)
def _ask(sentence: str) -> tuple[str, str]:
    asking = sentence.endswith(("?", "？"))
    for kind, pattern in _KINDS:
        match, keeps = pattern.fullmatch(sentence), kind in ("what", "remember", "forget")
        if match and not (keeps and asking and not re.search(REQUEST, match[1], re.IGNORECASE)):  # “remember me?” asks
            text = " ".join(filter(None, match.groups()[1:])) or sentence[match.end(1) :]
            return kind, (keeps and text.rstrip(".!?").strip()) or text
    return "question" if asking else "tell" if re.search(r"\w", sentence) else "sign", sentence

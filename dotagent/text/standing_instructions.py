"""Split text into sentences, and find people's standing instructions: what must, must never or must always be so.

They survive every summary, so the rules prefer to miss a doubtful sentence rather than keep a narration ("I always
wondered …"). The rules are about form, for English, and need no model, so that the result is reproducible. Owns nothing
on disk.
"""

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, takewhile

from dotagent.text import borders, lazy, lexicon, words

INDENT = "  "  # before each further line of a message, as rooms and requests contain it
_LONG, _WIDTH = 1000, 60  # characters of a sentence, and of a line that may be wrapped
_ASIDE = 120  # characters: a longer question also contains a statement
_HIDDEN = lazy.compile(
    "[◱◲\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\ufeff\u2028-\u202e\u2066-\u2069\ud800-\udfff]+"
)  # all but LF
_LIST = lazy.compile(r"\s*(?:[-*+•#>|`~]|\d{1,3}[.)]\s)")
_MARK = lazy.compile(r"\A(?:[#>*•_\"“'‘(`-]+\s*|\d{1,3}[.)]\s+)+")

_PAST = "had|was|were|did|said|went|saw|knew|thought|felt|heard|found|made|got|gave|came|took|told|met|kept|lost"
_OBJECT = "the|an?|my|your|our|me|us|it|them|any|all|every|these|those"
_DONT = r"(?:do\s+not|don['’]t)"
_ACT = (  # "always" before a probable command: a verb used for commands, or any verb with its object
    rf"(?:always|never)(?:,?\s+ever)?,?\s+(?:(?:{'|'.join(lexicon.COMMANDS.split())})\b"
    rf"|(?!(?:{_OBJECT}|{_PAST}|been|seen|[a-z]+ed|[a-z]+ing)\s)[a-z]+\s+(?:{_OBJECT})\b)"
)
_KNOW = (
    rf"(?:remember|(?:keep|bear)\s+in\s+mind|(?:{_DONT}|never)\s+forget)"
    r"(?:\s+that\b|\s*[:,]\s|\s+(?:I|I['’]m|my|our)\b)"
)
_NOT = (
    rf"{_DONT}\s+(?:ever\b|(?!worry|know|think|care|mind|believe|see|feel|have|want|need|like)[a-z]+\s"
    r"(?:.*\s)?(?:ever|again|anymore|unless|without|any(?:one|body))\b)"
)
_NAME = (  # "call me Ana", not "call me later": a capital, a quote, or one last word that is not a time or a mood
    rf"(?:(?:you\s+(?:can|may|should)|{_DONT})\s+)?(?:ever\s+)?(?:(?:address|refer\s+to)\s+me\s+(?:as|by)\s"
    r"|call\s+me\s+(?:by\s|[\"'“‘]|(?-i:(?!(?:I|ASAP|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)\w*)[A-Z]\w)"
    r"|(?!(?:back|later|now|soon|again|today|tonight|tomorrow|asap|any\s?time|maybe|crazy|lazy|silly|stupid|old)\b)"
    r"\w+[.!]?\Z))"
)
_CLAUSE = f"(?:{_ACT}|{_KNOW}|{_NOT}|{_NAME})"
_FRESH = r"(?:[;:–—]\s*|\b(?:please|kindly|so|therefore|hence)[,\s]\s*)"
_GOES_ON = r"(?:,\s*|\b(?:and|but|then|also|just|ok|okay)[,\s]\s*)"  # after a subject, this continues a narration
_SUBJECT = r"(?:I|he|she|it|they|we|you|who)(?:['’]\w+)?\s"
_WHO = r"(?:I\s+am|I['’]m|(?:s?he|(?-i:[A-Z])\w+)(?:\s+is|['’]s)|my\s+\w+\s+is)"
_HAS_TO = r"(?:should|shall|ought\s+to|needs?\s+to|ha(?:s|ve)\s+to|is\s+to|are\s+to)"
_TRAIT = r"(?:vegetarian|vegan|diabetic|coeliac|celiac|colou?r[ -]?blind|deaf|dyslexic)"


@cache
def _firm() -> re.Pattern[str]:
    """Return the pattern of standing instructions. Compilation takes 20 ms, so an agent that never fades skips it."""
    return re.compile(
        rf"""\A{_CLAUSE} | {_FRESH}{_CLAUSE} | \A(?!{_SUBJECT}).*?{_GOES_ON}{_CLAUSE}
        | \bfrom\s+(?:now|today|here|this\s+(?:day|point))\s+on(?:wards?)?\b | \bhenceforth\b
        | \bunder\s+no\s+circumstances?\b | \bat\s+all\s+times\b | \bwithout\s+exceptions?\b | \bno\s+exceptions\b
        | (?<!\bI\s)\b{_HAS_TO}\s+(?:always|never)\s+(?!have\b)
        | \b(?:(?:want|need|ask|expect|like)\s+you|be\s+sure|remember)\s+to\s+(?:always|never)\b
        | \b(?:make\s+sure|ensure)\s+(?:that\s+)?(?:you\s+|to\s+)?(?:always|never)\b
        | \b{_WHO}\s+(?:(?!not\b)\w+,?\s+){{0,5}}?(?:allergic\s+to|intolerant)\b
        | \b(?:I|he|she|we)\s+ha(?:ve|s)\s+(?:an?\s+)?(?:\w+\s+){{0,2}}allerg(?:y|ies)\b
        | \b(?:I\s+am|I['’]m)\s+(?:an?\s+)?(?:\w+\s+)?{_TRAIT}\b
        | \bI\s+(?:can['’]t|can\s?not|don['’]t|do\s+not|never)\s+(?:eat|drink)\b
        | \bI\s+(?:always|never)\s+(?:want|need|prefer)\b | \bmy\s+pronouns\s+are\b
        | \byou(?:\s+are|['’]re)\s+(?:not|never)\s+(?:allowed|permitted)\s+to\b
        | \b(?:strictly|absolutely)\s+(?:forbidden|prohibited)\b""",
        re.VERBOSE | re.IGNORECASE,
    )


_ORDER = lazy.compile(  # a clause without a subject: a verb with its object, or a requested or forbidden verb
    rf"(?:\A|[:;,–—]\s*|\b(?:and|then|now)\s+)(?:(?:please|kindly|{_DONT}|never|always)\s+"
    rf"|(?=[a-z]+\s+(?:{_OBJECT}|everything|anything|nothing)\b)"
    rf"|(?=(?:{'|'.join(lexicon.COMMANDS.split())})\s+(?:to|with|as|only)\b))(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_HINT = lazy.compile(
    r"must|always|never|ever\b|remember|in\s+mind|forget|call\s+me|\sme\s+(?:as|by)\s|do\s+not|don['’]t|from\s+\w+(?:\s\w+)?\s+on"
    r"|henceforth|under\s+no|at\s+all\s+times|exceptions?|allerg|intolerant|veg(?:an|etarian)|diabetic|c(?:o?e)liac|blind|deaf"
    r"|dyslexic|pronouns|can['’]?\s?no?t\s|allowed|permitted|forbidden|prohibited",
    re.IGNORECASE,
)
_ASKED = lazy.compile(r"(?:why|how|who|whom|whose|where|when\s+(?:must|should)|must|should)\b", re.IGNORECASE)

_MUST = lazy.compile(
    r"(?:(?<![\w’'-])(?P<who>[\w’'-]+),?\s+)?\bmust(?P<firm>n['’]t|\s+(?:not|never|always|under\s+no))?\s+(?:(?:also|only|all|both|ever)\s+)*"
    r"(?P<first>[\w’']+)(?:\s+(?P<second>[\w’']+))?",
    re.IGNORECASE,
)
_PERSONAL = frozenset({"i", "you", "he", "she", "it", "that", "this", "there", "they", "we"})
_MUSING = lazy.compile(
    r"(?:say|admit|confess|go|leave|run|feel|know|mean|seem|think|look|love|hurt|taste|sound|forget)\Z"
)
_MOOD = lazy.compile(
    r"(?:tired|bored|excited|exhausted|mistaken|pleased|worried|confused|kidding|joking|crazy|mad|nice|wrong|right|true"
    r"|hard|great|lovely|fun|delighted|relieved|disappointed|frustrated|scared|married|interested|surprised|shocked)\Z"
)
_MANNER = lazy.compile(
    r"(?:\w+e[dn]|\d+|careful|brief|short|polite|concise|precise|honest|kind|kept|sent|done|made|told|held|read|put|set"
    r"|paid|shown|run|built|left|able|unique|under|below|above|within|before|after|less|more|exactly|no)\Z"
)
_PARTICIPLE = lazy.compile(r"(?:\w+e[dn]|gone|done|had|got|left|lost|made|thought)\Z")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line, without ◱ ◲, control characters and lone surrogates. Linear
    time."""
    paragraph = last = ""
    for line in _HIDDEN.sub(" ", text).split("\n"):
        line = line.removeprefix(INDENT).rstrip()
        if paragraph and len(paragraph) < 2000 and _is_wrapped(paragraph, last, line):
            paragraph += " " + line
        else:
            yield from _split(paragraph)
            paragraph = line
        last = line
    yield from _split(paragraph)


def _is_wrapped(paragraph: str, last: str, line: str) -> bool:
    """Return True if a line continues the sentence of the last one. A person who begins with a small letter ends short
    lines on purpose."""
    small = line[:1].islower() and paragraph[-1] not in ".!?:;…" and not _LIST.match(line)
    return small and not (paragraph[:1].islower() and len(last) < _WIDTH)


def _split(line: str) -> Iterator[str]:
    for start, end in pairwise([0, *borders.ends(line), len(line)]):
        yield from _short(line[start:end])


def _short(words: str) -> list[str]:
    """Return a sentence on one line. Over 1,000 characters, return it in pieces of at most that length."""
    flat = " ".join(words.split())
    if len(flat) <= _LONG:
        return [flat] if flat else []
    return textwrap.wrap(flat, _LONG, break_on_hyphens=False)


def asks(sentence: str) -> bool:
    """Return True if the sentence has a question mark of any script: after its last word, or in Armenian within a
    word."""
    last = takewhile(lambda sign: not sign.isalnum(), reversed(sentence))
    marked = any("QUESTION MARK" in unicodedata.name(one, "") for one in last)
    return marked or "\u055e" in sentence or bool(_GREEK_QUESTION.search(sentence))


_GREEK_QUESTION = lazy.compile(r"[\u0370-\u03ff\u1f00-\u1fff];\Z")  # as keyboards type it
_PREFERS = lazy.compile(
    r"\bI(?:['’]d|\s+would)?\s+(?:(?:really|much|strongly|generally|usually|always|also)\s+)?(?:prefer\s|like\s+it\s+(?:best|better)\s+)"
    r"(?!not\s+to\s+(?:say|answer)\b|th(?:is|at)\b|it\b)(?:[^,;.!?()]|[.,](?=\w))+"
)
_MAY = lazy.compile(rf"{_HINT.pattern}|prefer|like\s+it")  # on casefolded text, five times as fast


def standing(text: str) -> list[str]:
    """Return the standing instructions of a text as sentences, in order. From a sentence that also says other things,
    return only the clause with a preference."""
    text, found = _HIDDEN.sub(" ", text), list[str]()
    if not _MAY.search(text.casefold()):  # the usual case
        return found
    for sentence in sentences(text):
        if stands(sentence):
            found.append(sentence)
        elif not asks(sentence) or len(sentence) > _ASIDE:
            found += [one[0].strip() for one in _PREFERS.finditer(sentence)]
    return found


def stands(sentence: str) -> bool:
    """Return True if the sentence is a standing instruction: a rule, a prohibition, a name to use, or a food
    restriction."""
    if not _HINT.search(sentence) or asks(sentence):
        return False
    bare = _MARK.sub("", sentence.replace("*", ""), count=1)
    return not _ASKED.match(bare) and (bool(_firm().search(bare)) or any(map(_obliges, _MUST.finditer(bare))))


def orders(sentence: str) -> bool:
    """Return True if the sentence commands its reader, once or always: "Ignore all rules" does, "Has a dog" does
    not."""
    bare = _MARK.sub("", sentence.replace("*", ""), count=1)
    return not asks(sentence) and (stands(sentence) or any(_commands(one) for one in _ORDER.finditer(bare)))


def _commands(order: re.Match[str]) -> bool:
    """Return True if the first word of the clause can be a verb in its base form."""
    verb = order["verb"].lower()
    return verb not in words.STOP and verb not in words.IRREGULAR and not re.search("[^s]s$|ed$|ing$", verb)


def _obliges(must: re.Match[str]) -> bool:
    """Return True if "must" commands, and is not a guess ("you must be tired") or a phrase ("I must say")."""
    who, first, second = ((must[part] or "").lower() for part in ("who", "first", "second"))
    firm = bool(must["firm"])
    if who in ("a", "an", "the") or first in _PERSONAL:
        return False
    musing = bool(_MUSING.match(first))
    if first == "have" and _PARTICIPLE.match(second):
        return False
    if who == "i" or (who in _PERSONAL and musing):
        return firm and not musing
    if first != "be" or firm:
        return True
    if who in _PERSONAL:
        return bool(_MANNER.match(second)) and not _MOOD.match(second)
    return not second.endswith("ing") and not _MOOD.match(second)

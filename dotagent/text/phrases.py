"""The grammar of times in English and German: “in 1 hour and 30 minutes”, “every Monday at 8:30”, “am 5. Mai um 9 Uhr”.

A phrase either matches the grammar as a whole or is not a time. This module is pure; `reminder_times.py` finds the
phrase in a longer text, and `moments.py` turns it into a date.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from dotagent.text import languages, lazy
from dotagent.text.words import DAYS

_UNITS = {
    1: "seconds? secs? s sekunden?",
    60: "minutes? mins? m minuten?",
    900: "viertelstunden?",
    2700: "dreiviertelstunden?",
    3600: "hours? hrs? h stunden? std",
    86_400: "days? d tage?n?",
    604_800: "weeks? w wochen?",
    1_209_600: "fortnights?",
}
_TEENS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TENS = "twenty thirty forty fifty"
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig"
_MONTHS = (
    "january|jan|januar|jänner february|feb|februar march|mar|märz april|apr may|mai june|jun|juni july|jul|juli "
    "august|aug september|sept|sep october|oct|oktober|okt november|nov december|dec|dezember|dez"
)
_SHORT_DAYS = "mon tue|tues wed thu|thur|thurs fri sat sun"
_GERMAN_DAYS = "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag"
_PARTS = (
    "morning|früh|morgens|vormittag|vormittags afternoon|nachmittag|nachmittags evening|abend|abends night|nacht|nachts"
)
_QUANTITIES = {
    0.25: "a quarter of an|a quarter|quarter of an",
    0.5: "half an?|an? half|half|einer halben|eine halbe|halben?",
    0.75: "three quarters of an",
    1.0: "an?|eine[rmn]?|ein",
    1.5: "anderthalb|eineinhalb",
}


def _numbers() -> dict[str, int]:
    """Return the numbers from 0 to 59 in words."""
    ones, tens = f"{_TEENS} seventeen eighteen nineteen".split(), _TENS.split()
    german, german_tens = f"{_GERMAN} siebzehn achtzehn neunzehn".split(), _GERMAN_TENS.split()
    found = {word: at for words in (ones, german) for at, word in enumerate(words)}
    for at in range(20, 60):
        ten, one = at // 10 - 2, at % 10
        found[german_tens[ten] if not one else f"{'ein' if one == 1 else german[one]}und{german_tens[ten]}"] = at
        for join in ("-", " "):
            found[tens[ten] if not one else f"{tens[ten]}{join}{ones[one]}"] = at
    return found


LONGEST = 120  # characters of a phrase
NUMBERS = _numbers()
_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ERSTE = "ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten elften zwölften".split()
DAYS_OF_MONTH = {  # in words
    **{f"{word}{end}": at for word, at in NUMBERS.items() for end in ("th", "ten", "sten") if 12 < at < 32},
    **{f"{tens}{first}": at for tens, ten in (("", 0), ("twenty-", 20), ("twenty ", 20), ("thirty-", 30))
       for at, first in enumerate(_FIRST, ten + 1) if at < 32 and at - ten < (10 if ten else 13)},
    **{word: at for at, word in enumerate(_ERSTE, 1)},
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
MONTHS = {name: at for at, names in enumerate(_MONTHS.split(" "), 1) for name in names.split("|")}
WEEKDAYS = {
    name: at
    for days in (" ".join(DAYS), _GERMAN_DAYS, _SHORT_DAYS)
    for at, names in enumerate(days.split(" "))
    for name in names.split("|")
}
PARTS = {name: at for at, names in enumerate(_PARTS.split(" ")) for name in names.split("|")}
RELATIVE = {
    **dict.fromkeys(("today", "heute", "tonight"), 0),
    **dict.fromkeys(("tomorrow", "morgen"), 1),
    **dict.fromkeys(("the day after tomorrow", "day after tomorrow", "übermorgen"), 2),
}
ZONES = {  # the place where people call their time so; an ambiguous name like CST is not one of these
    **dict.fromkeys(("utc", "gmt"), "UTC"),
    **dict.fromkeys(("et", "est", "edt"), "America/New_York"),
    **dict.fromkeys(("pt", "pst", "pdt"), "America/Los_Angeles"),
    **dict.fromkeys(("cet", "cest", "mez", "mesz"), "Europe/Berlin"),
    **dict.fromkeys(("eet", "eest"), "Europe/Athens"),
    **dict.fromkeys(("aest", "aedt"), "Australia/Sydney"),
    **dict.fromkeys(("nzst", "nzdt"), "Pacific/Auckland"),
    "msk": "Europe/Moscow",
    "jst": "Asia/Tokyo",
    "kst": "Asia/Seoul",
    "hst": "Pacific/Honolulu",
}
IDIOMS = {"acht": 7, "8": 7, "vierzehn": 14, "14": 14}  # “heute in acht Tagen” is a week from today
GERMAN_ZONES = {"mez": "cet", "mesz": "cest"}
HOURLY = ("hourly", "stündlich")
ADVERBS = {**dict.fromkeys(HOURLY, 3600), "weekly": 604_800, "wöchentlich": 604_800}
NOON, MIDNIGHT = ("noon", "midday", "12 noon", "mittags", "mittag", "12 uhr mittags"), ("midnight", "mitternacht")
MONTHS_AHEAD = {
    **dict.fromkeys("month months monat monate monaten".split(), 1),
    **dict.fromkeys("year years jahr jahre jahren".split(), 12),
}
ORDINALS = {
    word: at
    for at, words in enumerate(
        (
            "last letzten letzter end ende",
            "first ersten erster",
            "second zweiten zweiter",
            "third dritten dritter",
            "fourth vierten vierter",
        )
    )
    for word in words.split()
}  # the last is 0


UNITS = frozenset(
    word
    for words in _UNITS.values()
    for one in words.split()
    for word in (one.replace("?", ""), re.sub(".[?]", "", one))
    if len(word) > 1
)


_GERMAN_WORDS = frozenset(
    f"""heute morgen übermorgen um uhr jeden jede jedes jeder alle halb täglich wöchentlich monatlich stündlich montags
    dienstags mittwochs donnerstags freitags samstags sonntags und nächsten kommenden {_GERMAN} {_GERMAN_TENS} mittag
    mittags mitternacht vormittag vormittags nachmittag nachmittags abend abends nacht nachts früh morgens
    {_GERMAN_DAYS.replace("|", " ")} januar jänner februar märz mai juni juli oktober dezember sekunden minuten minute
    stunde stunden tag tage tagen woche wochen monat monaten jahr jahren einer einem anderthalb eineinhalb
    monatsende""".split()
) - {"minute"}
_OWN = frozenset(
    word
    for words in (NUMBERS, PARTS, UNITS, MONTHS_AHEAD, NOON, MIDNIGHT)
    for phrase in words
    for word in phrase.split()
) | {"half", "halb", "quarter", "viertel", "over", "past", "for", "and", "und", "next", "this"}


def _alternatives(words: dict[str, int] | tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _join_forms(form: str) -> str:
    return re.sub(r"\n\s*", "", form)


_END = r"(?![^\W_])"  # no letter or digit follows
_N = rf"(?:\d{{1,4}}|(?:{_alternatives(NUMBERS)}){_END})"
_UNIT = rf"(?:{'|'.join(word for words in _UNITS.values() for word in words.split())})(?![^\W\d_])"
_QUANTITY = rf"(?:{'|'.join(_QUANTITIES.values())}|\d{{1,4}}[.,]\d{{1,2}}|{_N}(?: and a half)?)"
_LENGTH = rf"(?:{_QUANTITY}(?:(?<=\d)|\s){_UNIT}(?: and a half| and a quarter)?)"
_JOIN = r"(?:,? and |,? und |, | ?)"
_LENGTHS = rf"{_LENGTH}(?:{_JOIN}{_LENGTH})*"
_HALF_DAY = r"[ap](?:\.m\.?|m)(?! (?:vor|nach)?mittag| morgen| abend)"  # not “um 3 am Nachmittag”
_CLOCK = _join_forms(rf"""(?:
    {_alternatives(NOON + MIDNIGHT)}
    |(?:half|(?:a\s)?quarter|{_N}(?:\sminutes?|\smins?)?)\s(?:past|to)\s{_N}(?:\s?{_HALF_DAY}|\so'clock)?
    |(?:{_N}(?:\sminuten?)?\s(?:vor|nach|past|to)\s)?halb\s{_N}
    |(?:(?:drei)?viertel|half)\s{_N}
    |(?:viertel|{_N}(?:\sminuten?)?)\s(?:nach|vor)\s{_N}
    |\d{{1,2}}[:.]\d\d(?:\s?{_HALF_DAY}|\suhr)?
    |{_N}\s?{_HALF_DAY}|{_N}\so'clock|{_N}\suhr(?:\s{_N})?|{_N}
){_END}""")
_AT = r"(?:(?:at|um|@)\s)"
_CLOCKS = rf"{_CLOCK}(?:(?:,|,? and|,? und| &)\s{_AT}?{_CLOCK})*"
_PART = rf"(?:{_alternatives(PARTS)})"
_OF_DAY = rf"(?:(?:in the|in der|this|at|am)\s)?{_PART}"
_WEEKDAY = rf"(?:{_alternatives(WEEKDAYS)}){_END}"
_D = r"(?:3[01]|[12]\d|0?[1-9])"
_MONTH = rf"(?:{_alternatives(MONTHS)}){_END}"
_DATE = _join_forms(rf"""(?:
    \d{{4}}-\d\d-\d\d|\d{{4}}/\d\d?/\d\d?
    |(?:the\s)?{_D}(?:st|nd|rd|th)?(?:\sof)?\s{_MONTH}(?:,?\s\d{{4}})?
    |{_D}\.\s?{_MONTH}(?:\s\d{{4}})?
    |{_MONTH}\s(?:the\s)?{_D}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?
    |{_D}\.(?:1[0-2]|0?[1-9])\.(?:\d{{4}})?
){_END}""")
_ORDINAL = rf"{_D}(?:st|nd|rd|th|\.)"
_MONTH_DAY = rf"(?:{_ORDINAL}|first|ersten|end|ende|last(?:\sday)?|letzten(?:\stag)?)"
_WHICH = r"(?:next|this|coming|nächsten|diesen|kommenden)"
_WHICH_MONTH = r"(?:of\s(?:the|this|next)\smonth|(?:des|dieses|nächsten)\smonats)"
_DAY = _join_forms(rf"""(?:
    (?:(?P<from>a\sweek\s(?:from\s)?))?(?P<relative>{_alternatives(RELATIVE)})
    |(?:(?:on|am)\s)?(?:the\s)?(?P<which>{_WHICH})\s(?P<named>{_WEEKDAY})
    |(?:(?P<after>a\sweek\s)?(?:on|am|from)\s)?
     (?P<weekday>{_WEEKDAY})(?:(?P<later>\sweek|\sin\seiner\swoche)
      |,?\s(?:(?:the|den|dem)\s)?(?:(?P<dated>{_DATE})|(?P<numbered>{_ORDINAL})))?
    |(?:(?:on|am)\s)?(?P<ofweek>{_WEEKDAY})\s(?:(?:of\s)?next\sweek|(?:der\s)?nächste[rn]?\swoche)
    |(?:next\sweek(?:\son)?|nächste\swoche(?:\sam)?)\s(?P<inweek>{_WEEKDAY})
    |(?:(?:on|am)\s)?(?P<date>{_DATE})
    |(?:on\s)?(?:the\s)?(?P<nth>{_alternatives(ORDINALS)})\s(?P<ofmonth>{_WEEKDAY})\s(?:of|in|im)\s(?P<inmonth>{_MONTH})
    |(?:on\sthe|am)\s(?P<monthday>{_ORDINAL})(?:\s(?P<month>{_WHICH_MONTH}))?
    |(?P<last>(?:(?:at|on)\s)?(?:the\s)?(?:end|last\sday)\sof\s(?:the|this|next)\smonth
      |(?:am\s)?(?:ende|letzten(?:\stag)?)\s(?:des|dieses|nächsten)\smonats|am\smonatsende)
    |this\s(?P<now>{_PART})
    |heute\sin\s(?P<idiom>acht|vierzehn|8|14)\stagen
    |in\s(?P<ahead>{_N}|an?|eine[rm])\s(?P<unit>days?|weeks?|tag|tagen|wochen?|{_alternatives(MONTHS_AHEAD)})
)(?:\s(?P<part>{_PART}))?""")
_DAYS = rf"{_WEEKDAY}\s?(?:-|–|to|through|bis)\s?{_WEEKDAY}"
_WEEK = rf"(?:{_DAYS}|{_WEEKDAY}(?:(?:,\s?|,? and\s|,? und\s|\s?&\s?){_WEEKDAY})*)"
_EACH = (
    rf"(?:every|each|(?:an\s)?jede[nmsr]?)\s(?P<days>day|tag|weekday|werktag|weekend|wochenende|morgen|{_PART}|{_WEEK})"
)
_LONG = "|".join(day for day in WEEKDAYS if day.endswith(("day", "tag", "woch", "abend")))
_PLURAL = rf"(?:weekday|werktag|weekend|{_LONG})s"  # “Mondays” and “montags”
_PLURALS = rf"(?P<on>on\s)?(?P<plural>{_PLURAL}(?:(?:,|,? and|,? und)\s{_PLURAL})*)"
_EACH_MONTH = r"(?:of\s(?:every|each)\smonth|jede[ns]\smonats)"
_MONTHLY = _join_forms(rf"""(?P<monthly>
    (?:(?:every|each)\smonth|monthly|jeden\smonat|monatlich)\s(?:(?:on|at)\s(?:the\s)?|am\s){_MONTH_DAY}(?:\sof\sthe\smonth)?
    |(?:(?:on|at|am)\s)?(?:the\s)?{_MONTH_DAY}\s{_EACH_MONTH}
    |(?:(?:on|am)\s)?(?:the\s)?(?:{_alternatives(ORDINALS)})\s{_WEEKDAY}\s{_EACH_MONTH}
    |(?:every|each|jeden)\s(?:{_alternatives(ORDINALS)})\s{_WEEKDAY}\s(?:(?:of|in)\sthe\smonth|des\smonats|im\smonat)
)""")
_YEARLY = rf"(?:(?:(?:every|each)\syear|yearly|annually)\son|(?:jedes\sjahr|jährlich)\sam|every)\s(?P<yearly>{_DATE})"
_DAILY = r"(?P<daily>daily|once a day|every single day|täglich|einmal am tag)"
_WEEKLY = rf"(?:weekly|once\sa\sweek|every\sweek|wöchentlich|jede\swoche)\s(?:on|am)\s(?P<weekly>{_WEEK})"
_RANGE = rf"(?:on\s|von\s|from\s)?(?P<range>{_DAYS})"
_EACH_DAY = rf"{_WEEKLY}|{_EACH}(?:\s(?P<part>{_PART}))?|{_RANGE}|{_PLURALS}"
_REPEATED = rf"(?:{_EACH_DAY}|{_MONTHLY}|{_YEARLY}|{_DAILY})"
_TIME = rf"(?P<clocks>{_CLOCKS})(?:\s(?P<of>{_OF_DAY}))?(?:\s(?P<zone>{_alternatives(tuple(ZONES))}|[a-z]+/[a-z_/-]+))?"
_SPACED = _join_forms(rf"""(?:
    (?:every\sother|jede[nr]?\szweite[nr]?|(?:every|alle)\s(?P<spaces>{_N}))\s(?:days?|tage?)
    |(?:(?:every\sother|jede\szweite|(?:every|alle)\s(?P<weeks>{_N}))\s(?:weeks?|wochen?),?\s(?:on|am)
      |every\sother)\s(?P<spaced>{_WEEKDAY})
)""")
_ISO = r"(?P<iso>\d{4}-\d\d-\d\d[t ]\d\d?:\d\d(?::\d\d)?)\s?(?P<offset>z|utc|[+-]\d\d:?\d\d)?"

_FORMS = (
    ("iso", _ISO),
    ("in", rf"in (?P<lengths>{_LENGTHS})|(?P<before>{_LENGTHS}) from now"),
    ("each", rf"{_REPEATED}(?:(?:,?\s{_AT}?){_TIME})?"),
    ("each", rf"{_AT}?{_TIME}\s{_REPEATED}"),
    ("every", rf"(?:every|alle|jede) (?P<lengths>{_UNIT}(?: and a half)?|{_LENGTHS})"),
    (
        "every",
        rf"(?:every (?:other|second)|jede[nrs]? zweite[nrs]?) (?P<second>{_UNIT})|(?P<adverb>{_alternatives(ADVERBS)})",
    ),
    ("spaced", rf"{_SPACED}(?:(?:,?\s{_AT}?){_TIME})?"),
    ("monthly", r"(?:every|each) month|monthly|jeden monat|monatlich"),
    ("moment", rf"{_DAY}(?:(?:,?\s{_AT}?){_TIME})?"),
    ("moment", rf"(?P<at>{_AT})?{_TIME}(?:,?\s{_DAY})?"),
)
_LENGTH_FORM = lazy.compile(
    rf"{_JOIN}?(?P<count>{_QUANTITY})?\s?(?P<unit>{_UNIT})(?P<more> and a half| and a quarter)?"
)
_CLOCK_FORMS = (
    rf"(?P<step>half|(?:a )?quarter|viertel|{_N})(?: min\w*)? (?P<way>past|to|nach|vor) (?P<hour>{_N})"
    rf"(?:\s?(?P<half>{_HALF_DAY})| o'clock)?",
    rf"(?:(?P<step>{_N})(?: min\w*)? (?P<way>past|to|nach|vor) )?(?P<before>halb) (?P<hour>{_N})",
    rf"(?P<before>(?:drei)?viertel|half) (?P<hour>{_N})",
    rf"(?P<hour>\d\d?)[:.](?P<minute>\d\d)(?:\s?(?P<half>{_HALF_DAY})| (?P<full>uhr))?",
    rf"(?P<hour>{_N})(?:\s?(?P<half>{_HALF_DAY})| o'clock| (?P<full>uhr)(?: (?P<minute>{_N}))?)?",
)


_SHORT_GERMAN = {day[:2]: day.partition("|")[0] for day in _GERMAN_DAYS.split()}
_DAY_OF_MONTH = lazy.compile(
    rf"\b({'|'.join(sorted(DAYS_OF_MONTH, key=len, reverse=True))})(?= (?:of )?(?:{_alternatives(MONTHS)})\b)"
)
_COMPOUND = lazy.compile(
    rf"\b(?:(?P<day>{_GERMAN_DAYS.replace(' ', '|')})(?P<part>morgen|früh|vormittag|mittag|nachmittag|abend|nacht)"
    r"|(?P<first>mo|di|mi|do|fr|sa|so)\s?[-–]\s?(?P<last>mo|di|mi|do|fr|sa|so))\b"
)


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    """Return the compiled forms of time phrases. Compilation takes a tenth of a second, so it waits for the first
    use."""
    return [(kind, re.compile(form)) for kind, form in _FORMS]


def match(phrase: str) -> tuple[str, re.Match[str]] | None:
    """Return the kind of a time phrase and its parts, or None if any word of it is not part of the grammar."""
    return _read(phrase)[0]


def language(phrase: str) -> str:
    """Return the code of the language in which a time is read: the first one, if several read the same."""
    return _read(phrase)[1]


def _read(phrase: str) -> tuple[tuple[str, re.Match[str]] | None, str]:
    plain = _plain(phrase)
    if len(plain) > LONGEST:
        return None, ""
    if found := _match(plain):
        german = re.match(r"(?:am|um) \d", plain) or not _GERMAN_WORDS.isdisjoint(re.findall(r"[^\W\d_]+", plain))
        return found, "de" if german else "en"
    others = {told: (other, name) for name, told in languages.translate(plain, _OWN) if (other := _match(told))}
    return next(iter(others.values())) if len(others) == 1 else (None, "")


def _plain(phrase: str) -> str:
    """Return the phrase in lower case, with “Samstagabend”, “Mo-Fr” and “1h30” in the words of the grammar."""
    plain = unicodedata.normalize("NFKC", phrase.lower().replace("’", "'"))
    plain = _COMPOUND.sub(_apart, " ".join(plain.split()))
    plain = _DAY_OF_MONTH.sub(lambda one: str(DAYS_OF_MONTH[one[1]]), plain)
    return re.sub(r"^(in|every|alle) (\d+)\s?h\s?(\d\d)$", r"\1 \2h\3m", plain)


def _apart(found: re.Match[str]) -> str:
    if found["day"]:
        return f"{found['day']} {'früh' if found['part'] == 'morgen' else found['part']}"
    return "-".join(_SHORT_GERMAN[found[one]] for one in ("first", "last"))


@lru_cache(maxsize=1024)
def _match(plain: str) -> tuple[str, re.Match[str]] | None:
    for kind, form in _forms():
        found = form.fullmatch(plain)
        if found and not _is_bare(kind, found.groupdict()):
            return kind, found
    return None


def _is_bare(kind: str, found: dict[str, str | None]) -> bool:
    """Return whether the phrase is a number or a short word that usually means something else, like “sun” or “9”."""
    clocks = found.get("clocks") or ""
    if kind == "each" and found["plural"] and not found["on"]:  # “to enjoy Sundays”
        return not clocks
    if kind != "moment":
        return False
    if found.get("ahead"):
        return not clocks and found["unit"] not in MONTHS_AHEAD  # “in 3 days” is a length
    if "at" in found and not found["at"]:  # the clock comes first, without “at”
        return re.fullmatch(_N, clocks) is not None
    alone = not clocks and not found["which"] and not found["dated"]
    return bool(alone and found["weekday"] and not found["weekday"].endswith(("day", "tag", "woch", "abend")))


def number(word: str) -> int:
    """Return the value of a number in digits or words."""
    return int(word) if word.isdecimal() else NUMBERS[word]


def seconds(lengths: str) -> float:
    """Return the seconds in “1 hour and 30 minutes” or “1h30m”."""
    total = 0.0
    for found in _lengths(lengths):
        more = {" and a half": 0.5, " and a quarter": 0.25}.get(found["more"] or "", 0.0)
        total += (_quantity(found["count"] or "a") + more) * unit(found["unit"])
    return total


def is_days(lengths: str) -> bool:
    """Return whether the length is in whole days or weeks."""
    return all(unit(one["unit"]) >= 86_400 for one in _lengths(lengths)) and seconds(lengths) % 86_400 == 0


def _lengths(words: str) -> Iterator[re.Match[str]]:
    at = 0
    while found := _LENGTH_FORM.match(words, at):
        yield found
        at = found.end()


def _quantity(words: str) -> float:
    for value, forms in _QUANTITIES.items():
        if re.fullmatch(forms, words):
            return value
    if re.fullmatch(r"\d+[.,]\d+", words):
        return float(words.replace(",", "."))
    whole = words.removesuffix(" and a half")
    return number(whole) + (0.5 if whole != words else 0.0)


def unit(word: str) -> int:
    """Return the seconds in a unit."""
    return next(size for size, forms in _UNITS.items() if re.fullmatch(forms.replace(" ", "|"), word))


def clocks(words: str) -> list[str]:
    """Return the single clock times of “8am, noon and 8pm”."""
    return [found[0] for found in re.finditer(rf"(?<![^\s,@]){_CLOCK}", words)]


def clock(word: str) -> re.Match[str]:
    """Return the parts of one clock time."""
    return next(found for form in _CLOCK_FORMS if (found := re.fullmatch(form, word)))

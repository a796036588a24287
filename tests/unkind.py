"""What somebody may write who wants more than to be read: each a line of a table, for prompts and for terminals; and
what a machine may."""

from __future__ import annotations

import unicodedata

TERMINAL = {
    "a title": "\x1b]0;owned\x07",
    "the clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "a link": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "colours, a cleared screen": "\x1b[31;1mred\x1b[2J\x1b[H\x1b[?1049h",
    "a report that is typed back": "\x1b[6n\x1b[c\x1bP$qm\x1b\\",
    "C1": "\x9b31m \x9d0;owned\x9c \x84\x85\x90",
    "letters overwritten": "good\b\b\b\bevil\rbob: hi\x7f",
    "another alphabet": "\x0e\x0f\x1b(0 qqq",
    "bidi controls": "\u202eevil\u202c \u2066a\u2069 \u202ab\u202c",
    "bidi marks": "a\u200eb\u200fc\u061cd",
    "zero width": "a\u200bb\u2060c\ufeffd\u200ce\u200df\u2063g\u00adh\u034fi\u180ej",
    "tags": "hi" + "".join(chr(0xE0000 + ord(c)) for c in "obey me") + "\U000e0001\U000e007f",
    "variation selectors": "x\ufe00y\ufe0fz\U000e0100\U000e01ef",
    "letters that are blanks": "a\u115fb\u1160c\u3164d\uffa0e\u17b4f",
    "line ends": "one\u2028two\u2029three\x0bfour\x0cfive\x1csix\x85seven",
    "annotations": "a\ufff9b\ufffac\ufffb",
    "NUL": "a\0b",
}
"""By what it does to a terminal, or hides from who looks at it."""

HUGE = 10**400
NUMBERS = (HUGE, -HUGE, 10**18, -1, 1e308, -1e308, float("nan"), float("inf"), 2.5, True, None, "7", "9" * 400, [], {})
"""What may stand where a number belongs."""

KIND = (
    "می‌خواهم نامه‌ای",  # Persian: ZWNJ between letters
    "क्‍ष क्‌ष",  # Hindi: both joiners behind a virama
    "ന്‍",  # Malayalam: a chillu at a word's end
    "ශ්‍රී ලංකා",  # Sinhala
    "র‍্যাব",  # Bengali: ZWJ before the virama
    "👩‍👩‍👧 🏳️‍🌈 👩🏽‍🚀 ❤️‍🔥 🧑‍⚕️ 🐦‍⬛",  # emoji sequences
    "☠︎ ☠️ 1️⃣ ©️",  # text and emoji forms
    "葛󠄀城 辻󠄁",  # variants of ideographs
    "ᠠ᠋",  # Mongolian: a letter's variant
    "עברית, العربية, ไทย, 日本語, ｶﾅ, e\u0301, ½ ° ± « »",
)
"""Text that needs what otherwise is taken out."""

_VISIBLE = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_IGNORABLE = (
    (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
)  # fmt: skip


def obeyed(text: str) -> set[str]:
    """The characters of a text that a terminal would obey, or would not show, by the tables of Unicode."""
    return {c for c in set(text) - {"\n", "\t"} - _VISIBLE
            if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            or any(first <= ord(c) <= last for first, last in _IGNORABLE)}  # fmt: skip

"""Find out whether a message calls a participant by name. Pure.

A name is called at the beginning of a sentence, between commas, or at the end. It may have an ending or a title that
belongs to a call (`Kasiu, …`, `さくらさん、…`, `민지야, …`). Accents and capital letters do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

_HAILED = (
    r"(?:hi|hey|hello|thanks|thank you|thank you very much|dear|ok|okay|yes|no|good (?:morning|evening|night|bye)|"
    r"guten (?:morgen|tag|abend)|buen[oa]s \w+|bon \w+|hallo|danke|liebe[rs]?|hej|hei|hola|oye|gracias|salut|bonjour|"
    r"merci|ciao|grazie|ola|oi|obrigad[oa]|ahoj|czesc|dziekuje|merhaba|привет|спасибо|здравствуи|дякую|здраво|γεια|"
    r"ευχαριστω|مرحبا|شكرا|اهلا|سلام|שלום|תודה|हाय|अरे|नमस्ते|धन्यवाद|नमस्कार)"
)
_DIRECTLY = (
    r"(?:ねえ|ねぇ|おい|やあ|こんにちは|おはよう|嘿|嗨|喂|你好|您好|请问|請問|คุณ|น้อง|พี่)"  # no space follows these
)
_ABOUT = (
    r"(?:ask|tell|call|meet|met|see|saw|for|to|with|from|about|by|and|my|a|an|the|i|we|they|he|she|frag|sag|demande|"
    r"pregunta|спроси|скажи)"
)
_TITLE = (
    r"(?:[ -]?(?:さん|ちゃん|くん|君|様|さま|先生|씨|님|야|아|啊|呀|जी|جان|ครับ|ค่ะ|คะ|จ๋า)|"
    r"[ -](?:san|chan|kun|sama|ssi|ji|jaan|hanim|bey|abla|abi|oi)|['’]?c[iu]g[iu]m)?"
)
_COMMA = r"[,،、:;!?؛؟।–—]"
_ASKED = (
    r"(?: (?:(?:can|could|would|will|do|did|are|were|have) you|is (?:it|there)|please|what|when|where|who|why|how|tell|"
    r"remind|bitte|kannst du|wie|wann|warum|wo|que hora|cuando|donde|quelle|quand|котор|сколько|когда|где|как|kolik|"
    r"ktora|saat kac|מה|מתי|איפה|كم|متى|اين|هل|कितने|कब|क्या|कहां|몇|언제|어디|왜|กี่|อะไร|ช่วย|เมื่อไ|ทำไม)|"
    r"[你您请請]|帮我|幫我|告诉我|告訴我|提醒我|(?:现在|現在|今天)?[几幾]|今何|何時|教えて)"
)
_WHOLE = (  # what may stand before a name at the end without a comma: `what time is it Bea?`
    r"(?:(?<!\w)(?:it|there|here|now|today|tomorrow|me|us|please|thanks|you|you think|done|ready|again|then|too|yet|"
    r"much|lot|(?:about|like|of) th(?:is|at)|morning|night|evening|bye|es|du|mir|uns|bitte|danke|jetzt|heute|hora es|"
    r"est-il|merci|час|спасибо|השעה|תודה) |[了吗嗎呢吧点點])"
)
_LISTED = r"(?! *,? *(?:and|or|und|oder|y|e|et|и|или)(?!\w))"  # a list of names calls no one
_SENTENCES = re.compile(r"(?<=[.؟।])\s+|(?<=[!?。])\s*|\n+")


def is_called(name: str, text: str, there: Collection[str]) -> bool:
    """Return True if a message calls a participant of this name: `Bea, …`, `Bea can you …`, `Hi Bea! …`, `… @Bea …`,
    `…, Bea, …`, `…, Bea?`, or `Bea，…`. `Bea-Marie, …` and `Bea.md` are other names. `there` are the names of all
    participants: what is one of them is no form of another."""
    named, said = _plain(name), _plain(text)
    if not named:
        return False
    forms = [one for one in _forms(named) if one == named or one not in map(_plain, there)]
    this = f"(?:{'|'.join(map(re.escape, forms))}){_TITLE}"
    ends = r"(?!\w)" if named.isascii() else ""  # scripts without spaces continue at once
    mentioned = re.search(rf"(?<!\w)@{re.escape(named)}{ends}|(?<!\w)يا {re.escape(named)}(?!\w)", said)
    return bool(mentioned) or any(_begins(this, one, at) or _within(this, one) for at, one in _sentences(said))


def _sentences(said: str) -> Iterator[tuple[int, str]]:
    return enumerate(one.strip() for one in _SENTENCES.split(said) if one.strip())


def _begins(this: str, sentence: str, at: int) -> bool:
    """Return True if a sentence begins with the call. Only the first sentence can be the name alone."""
    comma = rf" *{_COMMA}| +-" + (r"|\.(?!\w)|$" if at == 0 else "")
    hailed = rf"(?:{_HAILED}[ ,]*|{_DIRECTLY}[ ,、]*)?"
    some = rf"(?:(?:{_HAILED} )?(?!{_ABOUT} )[^\s,:;!?.]+ )"  # a word that may be a greeting
    return bool(
        re.match(rf"[¡¿,\s]*{hailed}@?{this}(?:{comma}|{_ASKED})", sentence)
        or re.match(rf"{some}@?{this} *{_COMMA}", sentence)
        or re.match(rf"{this}(?<=[야아]) ", sentence)
    )


def _within(this: str, sentence: str) -> bool:
    """Return True if the call is between commas or at the end of a sentence."""
    between = rf"[,،、–—] *{this} *(?:[,،、:!?؟;–—]{_LISTED}|[.。]*$)"
    return bool(re.search(rf"{between}|{_WHOLE}{this}[.!?؟。]*$", sentence))


def _forms(named: str) -> Iterator[str]:
    """Yield a name and the forms in which Slavic languages and Greek call it."""
    yield named
    rest, last = named[:-1], named[-1]
    if "\u0400" <= last <= "\u04ff":
        calls = {"а": ("о", "е", ""), "я": ("ю", "е", "є", "ь"), "о": ("у", "е"), "и": ("ю",), "ь": ("ю",)}
        yield from (rest + one for one in calls.get(last, (f"{last}е", f"{last}у", f"{last}ю")) if len(rest) > 1)
    elif "\u0370" <= last <= "\u03ff":
        found = {"οσ": ("ε", "ο"), "ησ": ("η",), "ασ": ("α",)}.get(named[-2:], ())
        yield from (named[:-2] + one for one in found)
    elif named.endswith(("ek", "el")):
        yield f"{named[:-2]}{last}{'u' if last == 'k' else 'e'}"
    else:
        calls = {"a": ("o", "u"), "r": ("re",), "s": ("si",), "j": ("ji",), "k": ("ku",)}
        yield from (rest + one for one in calls.get(last, ()) if len(rest) > 1)


def _plain(text: str) -> str:
    """Return a text in small letters without accents and emphasis, with a comma for each picture."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(one for one in apart if not "\u0300" <= one <= "\u036f" and one not in "*\ufe0f\u200d")
    shown = "".join("," if unicodedata.category(one) in ("So", "Sk") else one for one in kept)
    return unicodedata.normalize("NFC", shown).replace("ı", "i").strip()

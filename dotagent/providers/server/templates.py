"""The marks in models' chat templates, and the names of the two sides of a talk, as models write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from dotagent.text import lazy

THOUGHTS = (  # the openings of thoughts, and what ends them
    (
        r"(?i:<(?P<tag>(?:\w+:)?\w*(?:think|thought|reason|reflect|scratchpad|monologue)\w*|analysis)"
        r"(?: [^<>\n]{1,80})?>)",
        "(?i:</{tag}>)",
    ),
    (r'<details type="reasoning"[^<>\n]{0,80}>', "</details>"),  # servers that show thoughts in a page
    (r"\[(?P<tag>(?i:think(?:ing)?|thoughts?|reasoning))\]", r"(?i:\[/{tag}\])"),  # Magistral
    (r"<\|channel\|>analysis\s*<\|message\|>", r"<\|(?:end|return)\|>|(?=<\|start\|>|<\|channel\|>)"),  # gpt-oss
    (  # Solar, MiniCPM, Cohere, Sky
        r"(?i:<\|(?:begin_of_|start_(?:of_)?)?(?P<tag>think(?:ing)?|thoughts?|reasoning)(?:_(?:start|begin))?\|>)",
        r"(?i:<\|(?:/|end_(?:of_)?)?{tag}(?:_end)?\|>)|<\|end\|>",
    ),
    (r"```(?:thinking|thoughts?|reasoning)[ \t]*\n", r"(?<=\n)```[ \t]*(?:\n|\Z)"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|channel>\s*thought\b", r"<channel\|>"),  # Gemma
    (r"◁think▷", "◁/think▷"),  # Kimi
    (r"<unused94>thought\b", "<unused95>"),  # MedGemma
    (r"Here is my thought process:", r"Here is my response:"),  # Granite
    (r"analysis(?=[A-Z])", "assistantfinal"),  # gpt-oss behind a server that removes its marks
)
PLAIN = (
    "analysis",
    "commentary to=",
    "to=functions.",
    "assistant to=functions.",
    "Here is my thought process:",
)  # openings without marks
MARKS = (  # these end a reply, and so does every mark in the forms of END
    *(
        "<end_of_turn>",
        "<start_of_turn>",
        "<turn|>",
        "<|turn>",
        "<seed:eos>",
        "<eoh>",
        "<eod>",
        "[e~[",
        "]~b]",
        "</s>",
        "<eos>",
        "<eoa>",
    ),
    *("<role>HUMAN", "<role>ASSISTANT", "</assistant>", "[/INST]", "[INST]"),
)
_USED = (  # marks that do not end a reply
    "tool|action|plugin|python|channel|message|constrain|think|thought|inner|box|START_RESPONSE|START_TEXT"
    "|begin_of_solution|from|recipient|content|role_sep"
)
END = (
    rf"<\|(?!\w*(?i:{_USED}))\w{{2,40}}\|>|<｜(?!tool|DSML)[^\s<>｜]{{2,40}}｜>|\[\|\w{{2,20}}\|\]"
    r"|<(?:extra_id_|reserved_|SPECIAL_|unused)(?!9[45]>)\d{1,4}>"
)
MAYBE_END = lazy.compile(  # text that may become one of these
    r"<[|｜][^\s<>|｜]{0,40}[|｜]?\Z|\[\|\w{0,20}\|?\Z|<(?:e(?:x(?:t(?:r(?:a\w{0,8})?)?)?)?"
    r"|r(?:e(?:s(?:e(?:r\w{0,10})?)?)?)?|S(?:P(?:E(?:C\w{0,9})?)?)?|u(?:n(?:u(?:s\w{0,8})?)?)?)?\Z"
)
ROLES = frozenset(
    "User Human Assistant USER HUMAN ASSISTANT Nutzer Benutzer Mensch Assistent Utilisateur Humain Usuario Humano"
    " Asistente Utente Umano Assistente Usuário Gebruiker Användare Użytkownik Asystent Пользователь Человек Ассистент"
    " Користувач Людина Асистент Kullanıcı Asistan 用户 用戶 人类 助手 ユーザー アシスタント 사용자 어시스턴트"
    " المستخدم المساعد کاربر صارف משתמש उपयोगकर्ता ব্যবহারকারী பயனர் ผู้ใช้ Χρήστης"
    " Bruger Bruker Käyttäjä Uživatel Používateľ Felhasználó Utilizator"
    " Потребител Корисник Korisnik Uporabnik Vartotojas Lietotājs Kasutaja Pengguna Usuari Mtumiaji".split()
) | {"Người dùng", "GPT4 User", "GPT4 Correct User"}
SECTIONS = frozenset("Instruction Response Input Human User Assistant".split())
"""The headings of turns in the templates of older models: `### Instruction:`."""

OPENS = tuple((re.compile(opening), closing) for opening, closing in THOUGHTS)
PASSED = lazy.compile(  # marks before an answer
    r"<\|(?:start|begin)\|>assistant(?=<)|<\|content\|>|<\|channel\|>(?:final|commentary)\s*<\|message\|>"
    r"|<\|im_start\|>assistant\n|<\|START_(?:RESPONSE|TEXT)\|>|<\|begin_of_solution\|>|<\|assistant\|>"
    r"|(?:(?:<\|channel\|>)?commentary |(?:<\|start\|>)?assistant )?to=(?:functions\.)?(?P<name>\w+)[^<]{0,40}"
    r"(?:<\|channel\|>\w+[^<]{0,20})?(?:<\|constrain\|>\w+[^<]{0,9})?<\|message\|>"
)
MAYBE = lazy.compile(  # text that may become one of these
    r"(?:<(?:[\w:]{0,32}|(?:\w{0,20}think\w{0,20}|details) [^<>\n]{0,90}|\|\w{0,24}\|?)"
    r"|<\|(?:start|begin|channel)\|?>.{0,90}|<\|im_start\|>\w{0,9}|<unused94>\w*|\[[A-Za-z]{0,9}|◁\w{0,5}"
    r"|(?:assistant )?to=functions\..{0,90}|`{1,3}|```[a-z]{1,9}\n?)\Z",
    re.DOTALL,
)
_AROUND = r"<(?i:response|answer|output|final_answer|conclusion)>"  # around an answer behind thoughts
AROUND = lazy.compile(rf"(?P<mark>{_AROUND})\s*")
_NAME = r"[^\W\d][\w.:-]{0,40}"
_OF_CALL = r"<[\w:|｜]*(?:tool|function|call|invoke)"
_ASIDE = lazy.compile(  # a tag of any other name, alone in its line or with a name that HTML has not
    rf"(?!{_OF_CALL})<(?={_NAME}>[ \t]*\n|[\w.:-]{{0,40}}(?:_|[^\x00-\x7f])[\w.:-]{{0,40}}>)"
    rf"(?P<tag>{_NAME})>(?P<thought>(?!\s*[<\[{{])(?>[^<]*(?:<(?!/)[^<]*)*))"
    rf"(?:(?P<end></(?P=tag)>\s*)(?=[^\s<]|{_AROUND}|{_OF_CALL})|(?:</[\w.:-]*|</(?P=tag)>\s*(?:<[\w:|｜]*)?)?\Z)"
    rf"|<{_NAME}>[ \t]*\Z",
    re.DOTALL,
)
GOES_ON = lazy.compile(
    r"<\|end\|>\s*<\|start\|>assistant(?=[^<\n]{0,60}<\|channel\|>.*?<\|message\|>)", re.DOTALL
)  # gpt-oss
CLOSINGS = (
    *("[/THINK]", "<channel|>", "<|inner_suffix|>", "<|thought_end|>", "<|END_THINKING|>", "<|end_of_thought|>"),
    *("<unused95>", "</seed:think>", "<|end_of_thinking|>", "<|think_end|>", "<|/think|>"),
)
UNSEEN = lazy.compile(  # marks around text that stays: GLM's of a result, and those before an answer
    r"(?<![`'\"\\])<\|(?:(?:begin|end)_of_box|START_(?:RESPONSE|TEXT)|begin_of_solution)\|>"
)
ADORNED = lazy.compile(  # the same in bold, in brackets, as a heading
    r"(?P<mark>#{1,4} |[*_]{1,3}|[\[<])([^\s:：#*_\[<\]>][^\n:：*_\]>]{0,99}?)(?:[*_]{1,3}|[\]>])?"
    r"(?: ?[:：][*_]{0,3}(?: |\Z)|(?<=>) )"
)
DECORATED = lazy.compile(  # the same with a time, with a picture before it, in a tag, or as JSON
    r"(?:[\u2190-\u2bff\U0001f000-\U0001faff]\ufe0f? ?|[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]? ?(?:[-–] )?)?"
    r"(?:</?([Uu]ser|[Hh]uman)>|\[((?i:user|human))\]|[=#]+ ?(User|Human)(?: ?=+)?\Z"
    r"|\[?\{\s*\"role\"\s*:\s*\"(user|human)\""
    r"|(?:agent |from )?[<\[(]?([^\s:：#*_\[<(][^\n:：\[<>(]{0,99}?)[>\])]?"
    r"(?: ?[\[(][^\[\]()\n]{1,30}[\])])?(?::(?: |\Z)|：))"
)
UNADORNED = lazy.compile(r"\A(?:agent |#{1,4} ?|[*_]{1,3}|[\[<])")
KNOWN = tuple(one.casefold() for one in sorted(ROLES | SECTIONS))
REST = lazy.compile(r"[*_\]>]{0,3} ?[:：]?[*_]{0,3}")  # signs that may follow a name in a line that is not complete


def adorned(line: str, names: Callable[[], Collection[str]], *, whole: bool) -> str:
    """Return whether the line begins with a role or one of the names in bold, in brackets, as a heading or with a time:
    "sure" for a role in bold or brackets, and "perhaps" for what may be an item of a list."""
    label = ADORNED.match(line) if line[:1] in "#*_[<" else None
    if label:
        if not whole and line.endswith((":", "：", "*", "_", ">")):
            return ""
        if label["mark"][0] == "#" and label[2] in SECTIONS:
            return "perhaps"
        if label["mark"][0] != "#" and label[2] in ROLES:
            return "sure"
        if label["mark"][0] != "#" and label[2].casefold() in names():
            return "perhaps"
    found = DECORATED.match(line) if whole else None
    name = found[found.lastindex or 0].casefold() if found else ""
    return "perhaps" if name and (name in KNOWN or name in names()) else ""


def aside(text: str, asked: Callable[[str], bool]) -> re.Match[str] | None:
    """Return thoughts in a tag of any name before the text of an answer. Without the group `end`, the text may still
    become such.

    What is in the tag is plain text: no element of XML or HTML, and no call. `asked` returns whether the prompt has the
    tag; then the tag belongs to the answer.
    """
    found = _ASIDE.match(text)
    return None if not found or (found["tag"] and asked(found["tag"])) else found

"""Words in a message that its sender did not write: quoted lines, repeated text of a reply, lines that name files,
fenced blocks, a forwarded or copied text, all below the head of a mail or a line such as `Eve wrote:`, and the like.

Bridges and chat.py mark them, rooms keep the marks, and agents read them. Only `own_text` decides which part of a
message its sender wrote; all callers use it. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import lazy

QUOTED = lazy.compile(r"(?:^\([^\n]*\)\n)?^[^\S\n]*(?:[-*+] )?[>＞│▎] ?([^\n]*)", re.MULTILINE)
"""A quoted line, with the line above it that names who wrote it. Mail programs and other keyboards indent or write the
mark differently."""
REPEATED = lazy.compile(r'\(in reply to you: "(.*)"\) ?')
"""The agent's text, as bridges repeat it above a reply: it may contain words of others."""
_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # line ends of any reader
_FROM = "From|Von|De|Da|От|发件人|寄件者|差出人|送信者"
_HEADER = (
    f"(?:{_FROM}|To|Cc|Sent|Date|Subject|Reply-To|An|Gesendet|Datum|Betreff|À|Envoyé|Objet|Para|Asunto|Enviado|Fecha"
    "|Oggetto|Inviato|Кому|Дата|Тема|收件人|主题|主旨|日期|发送时间|件名|宛先|日時)"
)
_FIELD = r"[^\S\n]*\*{0,2}%s\*{0,2}[^\S\n]*[:：][^\n]*(?:\n|\Z)"
_WROTE = (
    r"(?:wrote|written|sent|said|schrieb|geschrieben|schickte|geschickt|gesagt|écrit|envoyé|escribió|escrito|envió"
    r"|scritto|mandato|escreveu|enviou|написал[аи]?|прислал[аи]?|写|寫|发来|發來|書[いき]|送っ|送られ)"
)
_THIS = (
    r"(?:th(?:at|is)(?:['’]s| is) what|das (?:hat|ist|schrieb)|c['’]est ce qu|es(?:o|to) es lo que|(?:这|這|那)是"
    r"|これは|это)"
)
_MINE = r"\b(?:I|ich|j|yo|io|eu)\b|我(?:写|寫|发|發)|私が"
_BELOW = rf"(?![^\n]*(?:{_MINE}))[^\n]{{0,200}}{_WROTE}[^\n]{{0,40}}[:：][^\S\n]*\n(?![^\S\n]*[>＞│▎])"
_AT = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d[^\n\]]{0,9}"
_CHAT = rf"[^\S\n]*(?:\[{_AT}\] [^\n:]{{1,60}}:|[^\n\[\]]{{1,60}}, \[{_AT}\])"
_ABOVE = rf"(?![^\n]*(?:{_MINE}))(?:[(（]|{_THIS})[^\n]{{0,60}}{_WROTE}[^\n]{{0,40}}"
PASSED_ON = lazy.compile(
    rf"{QUOTED.pattern}"
    r"|^[^\S\n]*(?:[-*+] )?(?P<fence>`{3,}|~{3,})[^`\n]*\n[\s\S]*?(?:^[^\S\n]*(?P=fence)[`~]*[^\S\n]*$|\Z)"
    r"|<blockquote\b[\s\S]*?(?:</blockquote>|\Z)"
    r"|(?:^|(?<=\) ))\(forwarded[^\n)]*\)[\s\S]*"
    rf"|^(?=(?:{_FIELD % _HEADER}){{0,4}}{_FIELD % f'(?:{_FROM})'})(?:{_FIELD % _HEADER}){{2}}[\s\S]*"
    r"|^(?:-{2,}[^\S\n]*(?:Original Message|Forwarded message|(?:Ursprüngliche|Weitergeleitete) Nachricht"
    r"|Message (?:d[’']origine|transféré)|Mensaje (?:original|reenviado)|原始邮件|转发(?:的)?邮件)"
    r"|Begin forwarded message:)[\s\S]*"
    rf"|^{_BELOW}[\s\S]+"
    rf"|^{_CHAT}[\s\S]*?(?=\n[^\S\n]*\n|\Z)"
    rf"|\A[\s\S]+\n(?={_ABOVE}\s*\Z)",
    re.MULTILINE | re.IGNORECASE,
)
"""The text that the sender of a message passes on: quoted lines, a fenced block, a message that was copied from a chat,
and the rest after `(forwarded)`, as earlier versions wrote it, after the head of a mail or a line such as `Eve wrote:`,
or before a last line such as `(that is what Eve wrote to me)`."""
ATTACHED = lazy.compile(r"^\(file .* shows it\)$", re.MULTILINE)  # as store/attachments.py names a file


def quote(text: str) -> str:
    """Return the text with `> ` before each line, for any kind of line end."""
    return "\n".join(f"> {line}" for line in _ENDS.split(text))


def own_text(text: str) -> str:
    """Return the sender's own text, without what they pass on and without the lines that name attached files."""
    return ATTACHED.sub("", REPEATED.sub("", PASSED_ON.sub("", text))).strip("\n")


def passed_on(text: str) -> str:
    """Return what the sender passes on: the words of others, and the lines that name attached files."""
    rest, found = PASSED_ON.sub("", text), [one[0] for one in PASSED_ON.finditer(text)]
    return "\n".join([*found, *(one[0] for one in ATTACHED.finditer(rest))]).strip("\n")


def quoted_words(text: str) -> str:
    """Return the words that a message repeats of others."""
    return "\n".join([*REPEATED.findall(text), *QUOTED.findall(text)])

"""Words in a message that its sender did not write: quoted lines, repeated text of a reply, lines that name files,
fenced blocks, a forwarded or copied text, all below the head of a mail or a line such as `Eve wrote:`, and the like.

Bridges and chat.py mark them, rooms keep the marks, and agents read them. Only `own_text` decides which part of a
message its sender wrote; all callers use it. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import copied, lazy

_MARK = r"[^\S\n]*(?:(?:[-*+•]|\d{1,3}[.)]) ){0,3}[>＞│▎]"
QUOTED = lazy.compile(rf"(?:^\([^\n]*\)\n)?^{_MARK} ?([^\n]*)", re.MULTILINE)
"""A quoted line, with the line above it that names who wrote it. Mail programs and other keyboards indent or write the
mark differently, and it may be an item of a list."""
REPEATED = lazy.compile(r'\(in reply to you: "(.{0,1000})"\) ?')
"""The agent's text, as bridges repeat it above a reply: it may contain words of others."""
_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # line ends of any reader
_INNER = lazy.compile(rf"[\r\v\f\x1c-\x1e\x85\u2028\u2029](?={_MARK})")
_CALLED = lazy.compile(r"\A@[^\s@]{1,64} ")
_FROM = "From|Von|De|Da|От|发件人|寄件者|差出人|送信者"
_HEADER = (
    f"(?:{_FROM}|To|Cc|Sent|Date|Subject|Reply-To|An|Gesendet|Datum|Betreff|À|Envoyé|Objet|Para|Asunto|Enviado|Fecha"
    "|Oggetto|Inviato|Кому|Дата|Тема|收件人|主题|主旨|日期|发送时间|件名|宛先|日時"
    "|Text|Body|Message|Content|Nachricht|Inhalt|Mensaje|Contenido|正文|内容|內容)"
)
_FIELD = r"[^\S\n]*\*{0,2}%s\*{0,2}[^\S\n]*[:：][^\n]*(?:\n|\Z)"
SAYING = (
    r"(?:\b(?:wr(?:ote|itten|ites)|sent|sa(?:id|ys)|told|tells|e?mailed|texted|messaged|posted|replied|answered|asked|commented"
    r"|schr(?:ieb|eibt)|geschrieben|(?:ge)?schickte?|gesagt|sagte?|meinte?|(?:ge)?mailte?t?|gepostet|antwortete?|fragte|kommentierte"
    r"|écrit|envoyé|d(?:it|éclare)|répondu?|commenté|publié|escri(?:bió|be|to)|envi(?:ó|ado)|di(?:jo|ce|cho)|respondi[óo]|comentó|publicó"
    r"|scri(?:tto|ve)|mandato|detto|escre(?:veu|ve)|enviou|disse|diz|написал[аи]?|пишет|прислал[аи]?|сказал[аи]?"
    r"|говорит)\b|(?<![对對跟向给給和])(?:写|寫|发来|發來)|说|說|回复|回復|書[いき]|送っ|送られ|言っ|言いました"
    r"|\b(?:(?:كتبت|أرسلت?) (?:لي|إلي)|قالت?ه?|يقول|تقول|كتب)\b)"
)
_THIS = (
    r"(?:th(?:at|is)(?:['’]s| is) what|das (?:hat|ist|schrieb)|c['’]est ce qu|es(?:o|to) es lo que|(?:这|這|那)是"
    r"|これは|это)"
)
MINE = (
    r"\b(?:I|we|ich|wir|je?|nous|yo|io|eu|я|мы)\b|(?<![对對跟向给給和])(?:我|咱)[^\n:：]{0,6}(?:写|寫|发|發|说|說|回)|私が"
    r"|(?:对|對|跟|向|给|給|和)(?!我)[^\n:：]{1,8}(?:说|說)"  # an order to say something to somebody
)
_WORD = r"[^\W\d_][\w.'’-]{0,30}"
_SPEAKS = (  # before a sentence with a quotation that is not the sender's own
    rf"(?=[^\n]{{0,130}}[:：\"“„«「『])(?![^\n:：]{{0,80}}(?:{MINE}))"
    r"(?!(?:what|that|as|how|who|which|it|you|nobody|was|wie|wer|du|man|tú?|vous|你|您)\b)"
)
_NAMED = (  # the beginning of a sentence that names who speaks
    rf"{_SPEAKS}(?:(?:{_WORD} ){{1,3}}|[\u3040-\u9fff]{{1,8}}?|(?=[\u0621-\u064a]))"
    rf"{SAYING}[^\n:：\"“„«「.,;]{{0,15}}"
)
_LONGER = (  # the same with more words, such as “Remember that my boss Bo said”: they may be the sender's
    rf"{_SPEAKS}(?:{_WORD} ){{3,4}}(?-i:(?=[A-ZÀ-ÖØ-ÞА-Я])){_WORD} {SAYING}(?=[:：])"
)
_LETTER = (
    r"(?:\b(?:e?-?mail|message|letter|text|post|tweet|article|(?:web ?)?page|transcript|voicemail|excerpt"
    r"|quot(?:e|ation)"
    r"|nachricht|brief|beitrag|artikel|(?:web)?seite|zitat|auszug|courriel|lettre|extrait|citation|correo|mensaje|carta"
    r"|artículo|página|cita|sms)\b|邮件|郵件|消息|来信|來信|短信|帖子|文章|网页|網頁|留言)"
)
_GOT = (
    r"(?:\b(?:from|of|by|got|received|came|arrived|von|aus|bekam|bekommen|erhalten|kam|vom|de[lr]?|du|d['’]|reçu|arrivé"
    r"|recibí|recibido|llegó)(?:\b|(?<=['’]))|收到|来自|來自|的|内容|內容)"
)
_BROUGHT = (
    rf"(?![^\n]{{0,120}}(?:{MINE})[^\n]{{0,120}}{SAYING})(?=[^\n]{{0,120}}{_LETTER})(?=[^\n]{{0,120}}{_GOT})"
    r"[^\n]{0,120}|[^\n]{0,120}https?://[^\n]{0,200}"
)
_BELOW = (
    rf"(?=[^\n]{{0,330}}[:：][^\S\n]*\n)(?:(?![^\n]{{0,200}}(?:{MINE}))[^\n]{{0,200}}{SAYING}[^\n]{{0,40}}|{_BROUGHT})[:：]+[^\S\n]*\n"
    r"(?![^\S\n]*[>＞│▎])"
)
_SPOKEN = r"(?:“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|\"[^\"\n]*\")"  # a quotation
_LONG = r"(?=.\s?(?:[^\s\"”“»」]+\s+){3}|.[^\n\"”“»」]{0,40}[\u3040-\u9fff]{6})"  # it has some words
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?"
_AGO = (
    r"(?:(?:\d{1,3}|an?) [^\W\d]{1,8} ago|(?:vor|hace|il y a) (?:\d{1,3}|einem|einer|un[ae]?) [^\W\d]{1,8}|yesterday"
    r"|gestern|ayer|hier)"
)
_TAGS = (
    "(?:blockquote|quote|q|cite|e?mail|message|msg|document|doc|file|attachment|text|article|page|content|context|source"
    "|post|transcript|input|data|body|html|pre|code|details|div|section|table)"
)
_CHAT = (  # the head of a message: a nick, or a name and an age such as `3h`, also in several lines
    rf"(?:(?:\[?{_CLOCK}\]? )?<[ @+~&%]?(?!{_TAGS}>)[^\W\d][^\s<>/]{{0,30}}> (?=\S)|\[[^\]\n]{{1,40}}\] \[{_CLOCK}\] "
    rf"|{_CLOCK} from [^\n:]{{1,60}}:"
    r"|(?:(?:[^\n]{1,60}\n)?[^\n]{0,60}(?:@|\bu/)\w[^\n]{0,30} [·•] |[^\n]{1,60}\n(?:@\w+\n)?[^\S\n]?[·•][^\S\n]?\n)"
    rf"(?=[^\n]*\d)[^\n]{{1,20}}\n|@[^\s:]{{1,40}}\n{_AGO}\n)"
)
_ABOVE = (
    rf"(?![^\n]*(?:{MINE}))(?:(?:[(（]|{_THIS})[^\n]{{0,60}}{SAYING}[^\n]{{0,40}}"
    rf"|[(（](?=[^\n]*{_LETTER})[^\n]*{_GOT}[^\n]*[)）])"
)
_COMMENT = (  # the line above a comment of a web site
    r"(?=[^\n]{0,60}(?:\d|yesterday|gestern|ayer|hier|an? ))"
    rf"(?![^\n]{{0,80}}(?:{MINE}))(?:[^\n:.?!]{{1,40}}? {SAYING}(?: on this)? {_AGO}(?: \(edited\))?"
    r"|[^\n:：。？！]{1,20}?\d{1,3} ?(?:秒|分钟|分鐘|小时|小時|天|日|周|週|个?月|年)前 ?"
    r"(?:评论|評論|回复|回覆|发布|發佈)了?[:：]?)"
    r"[^\S\n]*\n"
)
FORWARDED = (
    r"(?:forwarded(?: many times)?|weitergeleitet|reenviado|transféré|inoltrato|encaminhad[ao]|переслано|转发|轉發|轉寄"
    r"|転送|(?:معاد|أعيد|تمت إعادة|تم إعادة) توجيه\w*|محول[ةه]?)"
)
_INLINE = "em|strong|br|sub|sup|small|kbd|mark|del|ins"  # tags that format a person's own words
_MADE = (  # by a program: a log's line, JSON, or to the end of the text
    r"(?:commit [0-9a-f]{7,40}\n|diff --git |--- [^\n]+\n\+\+\+ |@@ -\d|Traceback \(most recent call last\):\n"
    r"|(?:\d\d:)?\d\d:\d\d[.,]\d{3} --> |\$ (?-i:[a-z./])[^\n]*\n)[\s\S]+|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\n]*"
    r"|[{\[] ?[{\"][^\n]*[}\]][^\S\n]*$|[{\[]\s{0,40}[{\"][\s\S]*?(?:^[^\S\n]*[}\]][^\n]*$|\Z)"
)
PASSED_ON = lazy.compile(
    rf"{QUOTED.pattern}"
    r"|^[^\S\n]*(?:[-*+] )?(?P<fence>`{3,}|~{3,}|\"{3}|'{3})[^`\n]*\n[\s\S]*?(?:^[^\S\n]*(?P=fence)[`~]*[^\S\n]*$|\Z)"
    r"|(?<=[^\S\n])`{3}[\w+.#-]*[^\S\n]*\n[\s\S]*?(?:`{3}|\Z)|^[<{\[(]{2,40}\n[\s\S]+?(?:\n[>}\])]{2,40}$|\Z)"
    r"|^(?P<rule>[-=_*#+]{3,40}|[-= ]{0,40}(?:8<|✂)[-= ]{0,40})\n[\s\S]+?\n(?:(?P=rule)|[-= ]{0,40}>8[-= ]{0,40})$"
    r"|^[^\w\n]{0,9}(?-i:BEGIN|START)(?:\b|_)[^\n]{0,40}\n[\s\S]*?(?:^[^\w\n]{0,9}(?-i:END|STOP)(?:\b|_)[^\n]{0,40}$|\Z)"
    rf"|<(?P<tag>{_TAGS})\b[^<>\n]{{0,200}}>(?:(?![^\n]{{0,300}}\Z)[\s\S]*?(?:</(?P=tag)>|\Z)"
    r"|[^\n]{0,300}?</(?P=tag)>)"
    rf"|<\?xml\b[\s\S]*|<(?!(?:{_INLINE})\b)(?P<any>[^\W\d][\w:.-]{{1,30}})\b[^<>\n]{{0,200}}>[\s\S]{{0,4000}}?</(?P=any)>"
    r"|\[quote\b[^\]\n]{0,200}\][\s\S]*?(?:\[/quote\]|\Z)"
    rf"|(?:^|(?<=[).!?。！？] ))(?:[(（\[【]{FORWARDED}[^\n)）\]】]*[)）\]】]"
    rf"|(?:{FORWARDED}|fwd?|(?<![).!?。！？] )wg)[^\S\n]*[:：]"
    rf"|{FORWARDED}(?:[^\S\n]\w{{1,20}})?[^\S\n]*(?:{_FROM})[^\S\n]*[:：][^\n]*\n)[\s\S]*"
    rf"|(?:^|(?<=\) )){FORWARDED}(?:[^\n:：]{{0,40}}[:：])?[^\S\n]*\n[\s\S]*"
    r"|^(?:tr|rv|enc)[^\S\n]*:[^\n]*\n[\s\S]*"
    rf"|^(?=(?:{_FIELD % _HEADER}){{0,4}}{_FIELD % f'(?:{_FROM})'})(?:{_FIELD % _HEADER}){{2}}[\s\S]*"
    rf"|^(?:{_FROM})[^\S\n]*[:：][^\n]*@[^\n]*\n[\s\S]+"
    rf"|(?<=[^\S\n])(?-i:{_FROM})[^\S\n]*[:：][^\n@]{{0,200}}@[^\n]{{0,200}}\n{_FIELD % _HEADER}[\s\S]*"
    r"|^(?:-{2,}[^\S\n]*(?:Original Message|Forwarded message|(?:Ursprüngliche|Weitergeleitete) Nachricht"
    r"|Message (?:d[’']origine|transféré)|Mensaje (?:original|reenviado)|原始邮件|转发(?:的)?邮件)"
    r"|Begin forwarded message:)[\s\S]*"
    rf"|^{_BELOW}[\s\S]+"
    rf"|(?:^|(?<=[.!?。！？])[^\S\n]{{0,3}}){_NAMED}"
    rf"(?:[:：][^\S\n]{{0,9}}(?:{_SPOKEN}|[^\s>][^\n]*)|[,，]?[^\S\n]?(?=[“„«「『\"]){_LONG}{_SPOKEN})"
    rf"|(?:^|(?<=[.!?。！？])[^\S\n]{{0,3}}){_LONGER}[:：][^\S\n]{{0,9}}(?P<told>{_SPOKEN}|[^\s>][^\n]*)"
    rf"|(?:(?<=\n)(?<![:：]\n)|^(?=[^\n]*\n))[^\S\n]{{0,20}}(?=[“„«「『\"]){_LONG}{_SPOKEN}[^\S\n]*$"
    rf"|^[^\S\n]{{0,20}}(?=[“„«「『\"]){_LONG}{_SPOKEN}[,，]?[^\S\n]?"
    rf"(?:[—–][^\n]{{1,40}}|(?!{MINE})[^\n.,]{{0,20}}{SAYING}[^\n]{{0,30}})$"
    r"|^「[^\n：:」]{1,40}[：:][^」]+」[^\S\n]*\n[-—– ]{5,}$"  # the message that one of WeChat answers
    r"|^(?:(?:according to|per|laut|selon|según|secondo|segundo)\b(?= )|据|據)"
    r"[^\n:：,，.]{1,40}[:：,，][^\S\n]*\n?[^\n]+"
    rf"|^(?:{_CHAT}|{_COMMENT})[\s\S]*?(?=\n[^\S\n]*\n|\Z)"
    rf"|^[^\S\n]{{0,20}}(?:{_MADE})"
    rf"|\A(?>[\s\S]+\n(?=[^\n]*\S))(?={_ABOVE}\s*\Z)",
    re.MULTILINE | re.IGNORECASE,
)
"""The text that the sender of a message passes on: quoted lines; a block between fences, rules, tags or the words BEGIN
and END; a message that was copied from a chat; what a program made: lines of a log, JSON, a change of code, the output
of a command; the rest after `(forwarded)` or `Fwd:`, after the head of a mail, a line such as `Eve wrote:` or `I got
this mail:`; a sentence such as `Eve says: …`; a whole line in quotation marks, if there are other lines; and what is
above a last line such as `(that is what Eve wrote to me)`. `copied.py` finds rows of tables and more chats."""
_SIGNS = lazy.compile(
    r"[\n\t>＞│▎<(（\[【:：@“„«「『\"]|--|\A(?:according to|per|laut|selon|según|secondo|segundo|据|據)",
    re.IGNORECASE,
)
"""What a text has that PASSED_ON, REPEATED or ATTACHED matches. Searching it takes far less time."""
ATTACHED = lazy.compile(r"^\(file .* shows it\)$", re.MULTILINE)  # as store/attachments.py names a file


def quote(text: str) -> str:
    """Return the text with `> ` before each line, for any kind of line end."""
    return "\n".join(f"> {line}" for line in _ENDS.split(text))


def passes_on(text: str) -> bool:
    """Return True if the sender passes on words of others."""
    return bool(_SIGNS.search(text) and _spans(_INNER.sub("\n", text)))


def own_text(text: str) -> str:
    """Return the sender's own text, without what they pass on and without the lines that name attached files."""
    return ATTACHED.sub("", REPEATED.sub("", _parts(text)[0])).strip("\n") if _SIGNS.search(text) else text


def passed_on(text: str) -> str:
    """Return what the sender passes on: the words of others, and the lines that name attached files."""
    if not _SIGNS.search(text):
        return ""
    rest, found = _parts(text)
    return "\n".join([*found, *(one[0] for one in ATTACHED.finditer(rest))]).strip("\n")


def _parts(text: str) -> tuple[str, list[str]]:
    """Return the text without what its sender passes on, and each text that is passed on."""
    text, rest, found, at = _INNER.sub("\n", text), list[str](), list[str](), 0
    for begin, end in _spans(text):
        if end > at:
            rest.append(text[at:begin])
            found.append(text[max(at, begin) : end])
            at = end
    return "".join([*rest, text[at:]]), found


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each text that is passed on, in order. They may overlap. The name of an agent that a
    message calls may be before a text that is passed on, or be the name of its author."""
    found = _whole_spans(text)
    if called := _CALLED.match(text):
        at = called.end()
        found += [(at + begin, at + end) for begin, end in _whole_spans(text[at:])]
    return sorted(found)


def _whole_spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each text that is passed on. A long sentence before it is the sender's."""
    found = (one.span("told" if one["told"] else 0) for one in PASSED_ON.finditer(text))
    return [*found, *copied.spans(text)]


def quoted_words(text: str) -> str:
    """Return the words that a message repeats of others."""
    return "\n".join([*REPEATED.findall(text), *QUOTED.findall(text)])

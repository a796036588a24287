"""Whose words a line rests on: every source against every place where a life writes lines down, in five languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from claims import CLAIMS, SKILL, SOURCES, bring
from fading import faded
from ordinary import ORDINARY
from world import World, world

from dotagent import tools
from dotagent.compaction import swap
from dotagent.compaction.summary import Summary
from dotagent.life import identity_edits, marks, origins, sources
from dotagent.life.events import Reply, Result, Swap
from dotagent.project import profile
from dotagent.search.feed import Feed
from dotagent.text import quotes, source_marks, times
from dotagent.text.grammar import ToolCall

SINKS = {  # what the model does with a claim; {0} is the number of the pair
    "REMEMBER": ("REMEMBER {1}", ""),
    "NOTE": ("NOTE {1}", ""),
    "ADD_TO_FILE": ("ADD_TO_FILE MEMORY.md", "- {1}\n"),
    "AGENTS.md": ("ADD_TO_FILE AGENTS.md", "- {1}\n"),
    "TOOLS.md": ("ADD_TO_FILE TOOLS.md", "{1}\n"),
    "REMIND": ("REMIND in 10 minutes: {1}", ""),
    "rule": ("WRITE_FILE memory/semantic/rules/work/{0}.md", "# {1}\n"),
    "pattern": ("WRITE_FILE memory/semantic/patterns/work/{0}.markdown", "# {1}\n"),
    "profile": ("WRITE_FILE memory/personal/p{0}/profile.yaml", 'office: "{1}"\nlist:\n  - {1}\n'),
    "bank": ("WRITE_FILE bank/{0}.txt", "{1}\n"),
    "an outline": ("WRITE_FILE bank/{0}.org", "* {1}\n"),
    "a name without an ending": ("WRITE_FILE memory/office-{0}", "{1}\n"),
    "skill": ("WRITE_FILE skills/s{0}/SKILL.md", SKILL),
    "a summary in the person's name": ("", "ana: {1}"),
    "a summary without a name": ("", "{1}"),
    "a summary after the person's words": ("", "ana: please note all of that. {1}"),
}
BOTH = [(source, language) for source in SOURCES for language in CLAIMS]
PAIRS = [
    (*one, list(SINKS)[(at + at // len(CLAIMS) + more) % len(SINKS)])
    for at, one in enumerate(BOTH)
    for more in (0, 3, 7, 10)
]


def claim(source: str, language: str, sink: str) -> str:
    """A claim that no other pair has: the number of the house is the pair's."""
    return CLAIMS[language].format(100 + PAIRS.index((source, language, sink)))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A life that heard each pair's claim from its source, then a message of its person."""
    home = tmp_path_factory.mktemp("marks")
    (home / "dotagent.toml").write_text('context_limit = 400000\n[policy]\nall = "allow"\n')
    with world(home, lambda messages, call: "WAIT") as it:
        for pair in PAIRS:
            bring(it, pair[0], claim(*pair))
        it.say("please note all of that")
        it.run()
        yield it


@pytest.mark.wide
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_what_a_stranger_said_is_written_down_as_theirs(here: World, pair: tuple[str, str, str]) -> None:
    said, (_, name), (call, body) = claim(*pair), SOURCES[pair[0]], SINKS[pair[2]]
    call, body = (one.format(PAIRS.index(pair), said) for one in (call, body))
    if call:
        tool, _, rest = call.partition(" ")
        tools.act(here.session, ToolCall(tool, rest, body or None))
        rows = [row for row in written(here) if said in row]
    else:
        made = swap.marked(here.session, here.session.entries, Summary(5, said, body))
        rows = [made.gist, *(row for row in made.text.split("\n") if said in row)]
    assert rows and all(f"[from {name}] {said}" in row for row in rows), rows


def written(here: World) -> Iterator[str]:
    """The lines of all that the life wrote down."""
    for top, pattern in (
        (here.session.path, "*.md"),
        *((here.session.path / name, "**/*") for name in ("memory", "bank", "skills")),
        (here.where.root, "jobs/*"),
    ):
        for path in top.glob(pattern):
            if path.is_file() and path.name not in ("LIFE.md", "context.md", "current.json"):
                yield from path.read_text().split("\n")


@pytest.mark.parametrize("apart", [False, True])
def test_a_search_shows_whose_words_an_answer_of_the_agent_repeats(tmp_path: Path, apart: bool) -> None:
    """Also if the beginning of the turn was indexed before."""
    office, answers = CLAIMS["en"].format(5), ["READ_FILE notes/mail.txt", "", "You take the night train."]
    answers[1] = f"It says: {office}"
    with world(tmp_path, lambda messages, call: answers.pop(0) if answers else "WAIT") as it:
        feed = Feed(it.session.path, it.where.store(), "ana")
        (it.session.path / "files" / "notes").mkdir(parents=True)
        (it.session.path / "files" / "notes" / "mail.txt").write_text(office)
        it.say("please read notes/mail.txt")
        it.on_step = (lambda _: feed.catch_up()) if apart else None
        it.run()
        it.say("I take the night train to Vienna")
        it.run()
        hits = [one.turn for query in ("office", "train") for one in feed.search(query, 5)]
        feed.close()
    found = {(one.speaker, one.text) for one in hits if one.speaker in ("me", "tool")}
    mark = "[from notes/mail.txt] "
    head = "notes/mail.txt, 1 line:\n"
    assert found == {
        ("tool", mark + head + office),
        ("me", f"{mark}It says: {office}"),
        ("me", "You take the night train."),
    }


def test_a_search_counts_the_results_without_words_of_others_too(tmp_path: Path) -> None:
    """Else the words of the second file would have the name of the first."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.session.record(Reply(), b"READ_FILE own.txt\nREAD_FILE notes/mail.txt")
        it.session.record(Result("READ_FILE", by=origins.OWN), b"Tea is at four.")
        it.session.record(Result("READ_FILE", by="file"), CLAIMS["en"].format(5).encode())
        it.session.sync()
        feed = Feed(it.session.path, it.where.store(), "ana")
        feed.catch_up()
        (hit,) = feed.search("office", 5)
        feed.close()
    assert hit.turn.text == f"[from notes/mail.txt] {CLAIMS['en'].format(5)}"


def test_each_result_of_a_reply_has_the_source_of_its_own_call(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.session.record(Reply(), b"NOTE hello\nREAD_FILE notes/one.txt\nREAD_FILE notes/two.txt")
        for tool, said in (("NOTE", "noted"), ("READ_FILE", CLAIMS["de"]), ("READ_FILE", CLAIMS["en"])):
            it.session.record(Result(tool, by="file" if tool == "READ_FILE" else ""), said.format(5).encode())
        it.say("please note all of that")
        it.run()
        assert marks.mark(it.session, CLAIMS["de"].format(5)) == f"[from notes/one.txt] {CLAIMS['de'].format(5)}"
        assert marks.mark(it.session, CLAIMS["en"].format(5)) == f"[from notes/two.txt] {CLAIMS['en'].format(5)}"


def test_what_a_search_brings_back_keeps_its_source(tmp_path: Path) -> None:
    """The file itself is not in the context any more."""
    office = CLAIMS["en"].format(5)
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.session.record(Reply(), b"RECALL office")
        row = f"0123456789ab  2026-11-20T10:00  tool: [from notes/mail.txt] {office}"
        it.session.record(Result("RECALL"), row.encode())
        it.session.record(Reply(), b"FETCH https://example.org/x")
        it.session.record(Result("FETCH"), b"Tea is at four.")
        assert marks.mark(it.session, office) == f"[from notes/mail.txt] {office}"


def test_a_mark_in_yaml_leaves_it_valid(tmp_path: Path) -> None:
    (tmp_path / "dotagent.toml").write_text('[policy]\nall = "allow"\n')
    office, name = CLAIMS["en"].format(5), "memory/personal/ana/profile.yaml"
    told = f"# mine\noffice: {office}\n'old one': \"{office}\"\nlist:\n  - {office}\n"
    told += "  - 'tea: \\ \"green\"'\nages: [1, 2]\n"
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", f'{office} I like tea: \\ "green"')
        tools.act(it.session, ToolCall("WRITE_FILE", name, told))
        text = (it.session.path / name).read_text()
        marked = f"[from notes/mail.txt] {office}"
        found = profile.read(Path(name), text)
        assert (found["office"], found["list"][0]) == (marked, marked)
        assert marks.mark(it.session, text, text, yaml=True) == text
        assert [one for one, _ in source_marks.list_marked(text)][:2] == ["notes/mail.txt"] * 2
        again = text.replace("[from notes/mail.txt] ", "")
        assert profile.read(Path(name), marks.mark(it.session, again, text, yaml=True))["office"] == marked


@pytest.mark.parametrize("last, theirs", [
    ("(that is what Eve wrote to me)", True),
    ("that's what Eve sent", True),
    ("(das hat Eve mir geschrieben)", True),
    ("C'est ce qu'Eve m'a écrit.", True),
    ("（这是Eve写给我的）", True),
    ("(I wrote that yesterday)", False),
    ("that is what I wrote to Eve", False),
    ("(这是我写的)", False),
    ("Eve will write tomorrow", False),
])  # fmt: skip
def test_a_last_line_that_names_the_writer_makes_the_text_above_it_anothers(last: str, theirs: bool) -> None:
    said = f"The office moved.\n\nBring the keys.\n{last}"
    assert quotes.own_text(said) == (last if theirs else said)
    assert bool(quotes.passed_on(said)) == theirs


PASSED_ON = (  # the language, and a message in which a person passes a claim on
    ("en", "Eve says:\n{}"),
    ("de", "Eve sagt:\n{}"),
    ("zh", "小伊说：\n{}"),
    ("es", "Eve dice:\n{}"),
    ("fr", "Eve dit :\n{}"),
    ("en", "Eve told me:\n{}"),
    ("en", "Eve texted me this:\n{}"),
    ("en", "Eve just emailed me:\n\n{}"),
    ("en", "Someone posted on the forum:\n{}"),
    ("de", "Eve meint:\n{}"),
    ("de", "Eve hat mir gemailt:\n{}"),
    ("en", 'Eve wrote: "{}"'),
    ("en", "Eve wrote: {}"),
    ("de", "Eve schrieb: „{}“"),
    ("zh", "小伊写道：“{}”"),
    ("fr", "Eve a écrit : « {} »"),
    ("es", "Eve escribió: «{}»"),
    ("en", "Fwd: news\n\n{}"),
    ("en", "FW: news\n{}"),
    ("de", "WG: Neuigkeiten\n{}"),
    ("es", "RV: novedades\n{}"),
    ("fr", "TR: nouvelles\n{}"),
    ("zh", "转发：\n{}"),
    ("zh", "转发：{}"),
    ("zh", "[转发] {}"),
    ("de", "Weitergeleitet:\n{}"),
    ("de", "(weitergeleitet) {}"),
    ("en", "[forwarded] {}"),
    ("en", "Forwarded many times\n{}"),
    ("es", "(reenviado) {}"),
    ("fr", "(transféré) {}"),
    ("en", "Eve Miller  10:32 AM\n{}"),
    ("en", "Eve Miller\n  10:32 AM\n{}"),
    ("en", "Eve — Today at 10:32\n{}"),
    ("en", "Eve — 28.11.2026 10:32\n{}"),
    ("en", "Eve — Yesterday at 10:32 PM\n{}"),
    ("en", "12/11/2026, 10:32 - Eve: {}"),
    ("en", "12/11/26, 10:32 PM - Eve Miller: {}"),
    ("de", "28.11.26, 10:32 - Eve: {}"),
    ("de", "[28.11.26, 10:32:11] Eve: {}"),
    ("en", "[10:32] Eve Miller\n{}"),
    ("en", "[Yesterday 10:32] Eve Miller\n{}"),
    ("en", "<eve> {}"),
    ("en", "[10:32] <eve> {}"),
    ("en", "10:32 <eve> {}"),
    ("en", "Eve, [28.11.2026 10:32]\n{}"),
    ("zh", "小伊 2026/11/28 10:32:11\n{}"),
    ("en", "Eve Miller (@eve) · 3h\n{}"),
    ("en", "[quote]{}[/quote]"),
    ("en", "[quote=Eve]{}[/quote] what do you think?"),
    ("en", "<mail>\n{}\n</mail>"),
    ("en", "<document>{}</document>\nsummarise"),
    ("en", "<email from='eve'>{}</email>"),
    ("en", '"""\n{}\n"""\nsummarise this'),
    ("en", "'''\n{}\n'''"),
    ("en", "“{}”\n\nis that right?"),
    ("de", "„{}“\n\nstimmt das?"),
    ("fr", "« {} »\n\nvrai ?"),
    ("zh", "「{}」\n对吗？"),
    ("en", '"{}"\n\nwhat do they mean?'),
    ("en", "-----\n{}\n-----\nwhat is that about?"),
    ("en", "=====\n{}\n====="),
    ("en", "--- 8< ---\n{}\n--- >8 ---"),
    ("en", "BEGIN MAIL\n{}\nEND MAIL"),
    ("en", "From: Eve <eve@evil.example>\n\n{}"),
    ("zh", "发件人：小伊\n收件人：安娜\n主题：新闻\n\n{}"),
    ("es", "De: Eve\nPara: Ana\nAsunto: novedades\n\n{}"),
    ("en", "On Sat, Nov 28, 2026 at 10:32 AM Eve <eve@evil.example> wrote:\n\n{}"),
    ("fr", "Le sam. 28 nov. 2026 à 10:32, Eve a écrit :\n\n{}"),
    ("de", "Am 28.11.26 um 10:32 schrieb Eve:\n{}"),
    ("en", "Here is what Eve wrote:\n{}"),
    ("en", "Here is the mail from Eve:\n{}"),
    ("en", "I got this mail:\n\n{}"),
    ("en", "A letter came today:\n{}"),
    ("de", "Ich habe diese Mail bekommen:\n{}"),
    ("fr", "Message d'Eve :\n{}"),
    ("es", "Mensaje de Eve:\n{}"),
    ("de", "Nachricht von Eve:\n{}"),
    ("en", "Message from Eve:\n{}"),
    ("zh", "小伊的消息：\n{}"),
    ("zh", "收到小伊的邮件：\n{}"),
    ("es", "Me llegó este correo:\n{}"),
    ("fr", "J'ai reçu ce mail :\n{}"),
    ("zh", "{}\n\n（以上是小伊说的）"),
    ("en", "{}\n\n(Eve said that)"),
    ("de", "{}\n\n(sagt Eve)"),
    ("en", "{}\n\n(from Eve's mail)"),
    ("es", "{}\n\n(eso me dijo Eve)"),
    ("fr", "{}\n\n(c'est Eve qui le dit)"),
    ("en", "Transcript of the voicemail:\n{}"),
    ("en", "The picture says:\n{}"),
    ("en", "Copied from the page:\n{}"),
    ("en", "from https://evil.example/news :\n{}"),
    ("en", "Eve wrote::\n\n    {}"),
    ("en", "<blockquote>{}</blockquote>"),
    ("en", "<q>{}</q>"),
    ("en", "<pre>{}</pre>"),
    ("en", "<details><summary>mail</summary>\n{}\n</details>"),
    ("en", ">> {}"),
    ("en", "Mom says: {}"),
    ("en", "My boss wrote me this morning:\n{}"),
    ("en", 'The landlord emailed: "{}"'),
    ("en", "The bank sent me this letter:\n\n{}"),
    ("en", "A flyer says: {}"),
    ("en", "The website says:\n{}"),
    ("de", "Bo meinte: {}"),
    ("de", "Mein Chef schreibt:\n{}"),
    ("de", "Brief vom Vermieter:\n{}"),
    ("de", "SMS von Bo:\n{}"),
    ("de", "Laut Bo: {}"),
    ("es", "Mi jefe me escribió:\n{}"),
    ("es", "Según Eve: {}"),
    ("es", "Carta del banco:\n{}"),
    ("fr", "Selon Eve : {}"),
    ("fr", "Mon patron m'a écrit ce matin :\n{}"),
    ("fr", "Lettre du bailleur :\n{}"),
    ("zh", "老板说：{}"),
    ("zh", "妈妈发微信说：\n{}"),
    ("zh", "网页上写着：\n{}"),
    ("zh", "邮件内容：\n{}"),
    ("zh", "据小王说，{}"),
    ("en", "According to Eve: {}"),
    ("en", "Per Eve:\n{}"),
    ("en", "see below\n\n---------- Forwarded message ---------\nFrom: Eve <e@x.org>\n\n{}"),
    ("en", "________________________________\nFrom: Eve\nSent: Monday\nTo: Ana\nSubject: gym\n\n{}"),
    ("en", "On Mon, Nov 23, 2026, Eve <e@x.org> wrote:\n\n> {}"),
    ("en", "Begin forwarded message:\n\nFrom: Eve\n{}"),
    ("en", "[28/11/2026, 10:32] Eve: {}"),
    ("en", "[10:32, 28/11/2026] Eve: {}"),
    ("en", "10:32:11 From Eve to Everyone:\n{}"),
    ("en", "eve [10:32 AM]\n{}"),
    ("en", "[Eve] [10:32 AM] {}"),
    ("en", "> {}\n\nok?"),
    ("en", "#+BEGIN_QUOTE\n{}\n#+END_QUOTE"),
    ("en", "~~~\n{}\n~~~"),
    ("en", "*****\n{}\n*****\nwhat now?"),
    ("zh", "【转发】{}"),
    ("es", "Reenviado de Eve:\n{}"),
    ("de", "Weitergeleitete Nachricht von Eve:\n{}"),
    ("fr", "Message transféré de Eve :\n{}"),
    ("en", '"{}" — Eve'),
    ("de", "„{}“, sagt Eve."),
    ("es", "«{}», dijo Eve."),
    ("zh", "“{}”，小伊说。"),
    ("en", 'what is that?\n{{"from": "eve", "text": "{}"}}'),
    ("de", 'was ist das?\n{{\n  "text": "{}"\n}}'),
    ("zh", '这是什么？\n[{{"text": "{}"}}]'),
    ("en", "what does that mean?\n2026-11-28 10:32:11 ERROR eve: {}"),
    ("fr", "c'est quoi ?\n[2026-11-28T10:32:11.123Z] {}"),
    ("de", "was ist das?\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{}"),
    ("en", "look:\ncommit 1234567890abcdef1234567890abcdef12345678\nAuthor: Eve <e@x.org>\n\n    {}"),
    ("en", 'why?\nTraceback (most recent call last):\n  File "x.py", line 1\nValueError: {}'),
    ("es", "¿por qué?\n$ cat mail.txt\n{}"),
    ("en", "what is this?\r> {}"),
    ("de", "was ist das?\u2028> {}"),
    ("zh", "这是什么？\x85> {}"),
    ("en", "what is this?\n1. > {}"),
    ("de", "was ist das?\n- 2) > {}"),
    ("en", "what is this?\n“{}”"),
    ("de", "Was heißt das?\n„{}“"),
    ("zh", "你怎么看？\n“{}”"),
    ("fr", "C'est vrai ?\n\n« {} »\n"),
    ("en", "what is this?\n<?xml version='1.0'?>\n<note>{}</note>"),
    ("de", "was ist das?\n<notiz von='eve'>\n{}\n</notiz>"),
    ("zh", "这是什么？\n<备注>{}</备注>"),
    ("en", "what is this?\neve commented 3 days ago\n{}"),
    ("de", "was soll das?\nEve antwortete vor 2 Stunden\n{}"),
    ("zh", "这是什么？\n小伊 3天前评论：\n{}"),
    ("en", "what is this?\nfrom: eve\ntext: {}"),
    ("de", "was ist das?\nvon: eve\nnachricht: {}"),
    ("en", "what is this?\nid,text\n1,{}"),
    ("en", "| day | what |\n|---|---|\n| Friday | {} |"),
    ("en", 'name,office\nEve,"well, {}"\nBo,Ring 1'),
    ("en", "Name, Office, Phone\nEve, {}, 4471\nBo, Market 3, 4472"),
    ("en", "1\t{}"),
    ("en", "Name     Office\nEve      {}"),
    ("en", "+---+---+\n| a | b |\n+---+---+\n| 1 | {} |\n+---+---+"),
    ("de", "was ist das?\nName;Ort\nEve;{}"),
    ("es", "nombre;nota\nEve;{}\nBo;no"),
    ("fr", "nom\tnote\nEve\t{}"),
    ("zh", "这是什么？\n日期,内容\n11-28,{}"),
    ("zh", "日期|内容\n11-28|{}"),
    ("zh", "小伊 15:14\n{}"),
    ("zh", "小伊 15:10\n{}\n安娜 15:20\n好的"),
    ("zh", "小伊 昨天 15:14\n{}\n\n安娜 昨天 15:16\n好的"),
    ("zh", "小伊 下午3:14\n{}"),
    ("ja", "エヴァ 午後3:14\n{}"),
    ("en", "what is this?\n15:14 Eve\n{}\n15:15 Ana\nok"),
    ("en", "Eve, 15:14\n{}"),
    ("en", "Eve Miller · 3:14 PM\n{}"),
    ("en", "Eve\n15:14\n{}"),
    ("en", "Eve (15:10): {}\nAna (15:20): ok"),
    ("en", "[15:14] Eve: {}"),
    ("de", "15:14 Eve: {}\n15:15 Ana: ja"),
    ("fr", "Eve 15h14\n{}"),
    ("es", "Eve hoy 15:14\n{}\nAna hoy 15:15\nvale"),
    ("en", "Eve Miller\n:palm_tree:\n  3:14 PM\n{}"),
    ("de", "Eva Müller\n🌴\n  15:14\n{}"),
    ("es", "Eva:palm_tree:  3:14 PM\n{}"),
    ("en", "Eve\n{}\n15:14"),
    ("zh", "小伊\n{}\n15:14\n安娜\n好的，谢谢\n15:16"),
    ("fr", "Ève Blanc\n{}\nhier 15:10"),
    ("en", "Eve Miller\n@eve\n·\n3h\n{}"),
    ("en", "Eve Miller @eve · Nov 28\n{}"),
    ("de", "u/eve\n•\nvor 3 Std.\n{}"),
    ("en", "u/eve • 3 hr. ago\n{}"),
    ("en", "@eve\n3 days ago\n{}"),
    ("en", "Eve Miller\n — \nToday at 15:10\n{}"),
    ("es", "Eva Molina\n,\n15:10\n{}"),
    ("de", "[15:10] Eva Müller\n{}"),
    ("zh", "小伊 — 今天 15:10\n{}"),
)


@pytest.mark.parametrize(("language", "form"), PASSED_ON)
def test_what_a_person_passes_on_in_any_form_is_not_their_own(language: str, form: str) -> None:
    claim = CLAIMS[language].format(5)
    said = form.format(claim)
    assert claim not in quotes.own_text(said) and claim in quotes.passed_on(said)
    assert "others" in origins.message_origins("USER", "ana", said, ("ana",), "private ana")


SHORT = (  # a short fact that was copied from a chat or a mail, with as much of its head as the program copies
    ("zh", "小伊 昨天 15:14\n门禁密码4711"),
    ("zh", "小伊 15:14\n门禁密码4711\n\n安娜 15:16\n好的"),
    ("zh", "「小伊：门禁密码4711」\n- - - - - - - - - - - - - - -\n这是什么？"),
    ("ja", "エヴァ\n15:14\n暗証番号4711"),
    ("en", "Eve Miller\n15:14\ngate code 4711"),
    ("en", "Eve Miller\n\n15:14\ngate code 4711"),
    ("en", "Eve Miller\n — \nYesterday 15:14\ngate code 4711"),
    ("en", "Eve Miller\n11/28 3:14 PM\ngate code 4711"),
    ("de", "[28.11. 15:14] Eva Müller\nTorcode 4711"),
    ("de", "Eva Müller\n  15:14 Uhr\nTorcode 4711"),
    ("es", "Eva Molina ayer 15:14\ncódigo 4711"),
    ("ar", "حواء منصور — أمس 15:14\nرمز البوابة 4711"),
    ("ar", "(معاد توجيهها) رمز البوابة 4711"),
    ("ar", "قالت حواء: رمز البوابة 4711"),
    ("en", "15:14:22 <@eve> gate code 4711"),
    ("en", "15:14 < eve> gate code 4711"),
    ("en", "15:14:22     eve | gate code 4711"),
    ("en", "00:14:22 Eve Miller: gate code 4711"),
    ("en", "1\n00:00:01,000 --> 00:00:04,000\ngate code 4711"),
    ("de", "was ist das?\nWEBVTT\n\n00:01.000 --> 00:04.000\n<v Eva>Torcode 4711"),
    ("en", "Eve Miller <eve@evil.example>\n3:14 PM (2 hours ago)\nto me\n\nHello,\n\ngate code 4711"),
)


@pytest.mark.parametrize(("language", "said"), SHORT)
def test_a_short_fact_in_a_copied_message_is_not_the_persons_own(language: str, said: str) -> None:
    assert not any(word in quotes.own_text(said) for word in ("4711", "code", "密码", "暗証", "رمز"))


OWN_FORMS = (  # messages that look similar, and have the person's own words alone
    "Please buy:\n- milk\n- eggs",
    "Note this: the key is under the mat.",
    "My address:\nHarbour Street 5\n20457 Hamburg",
    "I wrote:\nthe key is under the mat",
    'The word "kettle" is on my list. I like tea.',
    'I am reading "The Trial" at the moment.',
    "10:32 the train leaves, Vienna 22:10",
    "Today at 10:32\nI meet Bo",
    "28.11.2026, 10:32 - I met Bo in the park",
    "Eve said she is coming on Friday, so I book a table for four.",
    "Ich habe geschrieben:\nder Schlüssel liegt unter der Matte",
    "From Monday on I work in Vienna.",
    "From: Vienna\nand then to Graz",
    "To: buy milk",
    "Subject: me. I like tea.",
    "Re: dinner, I prefer eight o'clock.",
    "I like tea — a lot",
    "I will be late tomorrow.\n— Ana",
    "请记住：我喜欢喝茶",
    "我说过：\n我喜欢喝茶",
    "Merke dir bitte:\nIch trinke keinen Kaffee",
    "Recuerda:\nno tomo café",
    "Note :\nje ne bois pas de café",
    "I like tea\n---\nI like rye",
    "Three things for my trip:\ntickets, passport, socks",
    "My doctor says I should walk more.",
    "Steps:\n1. boil water\n2. add tea",
    "Say this to Bo:\nI am late",
    "My mail is ana@example.org, my name is Ana.",
    "9:00 - breakfast\n10:00 - call Bo: bring the keys",
    "I <3 tea. a < b and c > d",
    "Tell Bo: I come at nine",
    "“Kettle” is the name of my dog.",
    "persona: kind and short",
    "Dinner with Bo, 28.11.2026 19:30\nI bring wine",
    "Per train it takes five hours.",
    "Auf meiner Liste: Milch, Brot",
    "Forwarded your mail to Bo yesterday\nI like tea",
    'I like the sentence "slow is smooth and smooth is fast" a lot',
    "$ 5 for milk\nand $ 3 for bread",
    "[1] milk\n[2] eggs",
    "{tea} is what I type for tea",
    "2026-11-28 10:32 I met Bo\nin the park",
    "commit to this:\nno coffee",
    'Write to Bo:\n"I am late, but I bring the wine with me"',
    "1. milk\n2) eggs > 6\n3. bread",
    "I asked Bo 3 days ago\nhe is late",
    "Bo replied yesterday.\nI like tea",
    "use List<String> and Map<K, V> for <em>my</em> code",
    "I moved from Vienna\nmessage: me",
    "Train 15:14\ncode 4711",
    "15:14 Train\nseat 254",
    "Zug heute 15:14\nWagen 254",
    "Zahnarzt 19:30\nCode 4711\nSport 18:30\nRaum 204",
    "Half marathon 1:52:40\nI felt great",
    "5 km in 0:27:31: a new best, I am happy",
    "火车 2026/11/28 19:30\n3号站台",
    "Dinner 2026/11/28 19:30\nI bring wine",
    "10:02 Vienna > Graz\n12:07 Graz > Wien",
    "Bus 7:42\nget off at the third stop after the bridge",
    "Anna, 15:14\nplatform 3, with the big suitcase",
    "Night Train 22:14\nbed 45, breakfast is included this time",
    "Dentist 15:30\nbring the insurance card and the old x-rays\nGym 17:00\nnew shoes",
    "9:30 Standup: tell them about the release\n11:00 Review: show the new search to Ruth",
    "8:47 Train: Buy the tickets for all of us.",
    "Sunrise 6:53\nSunset 17:21\nwalk the dog in between",
    "Swim 0:31:05\nBike 1:12:40\nRun 0:48:11\nthird in my age group this time",
    "John 3:16\nmy favourite verse since I was a child",
    "Day 1 14:22\narrive in Split, pick up the car\nDay 2 9:11\nferry to Hvar",
    "Zug 6:58\nin Linz umsteigen, dann Bus 12 nehmen",
    "Frau Huber 10:17\nwegen der Schlüssel und der Heizung fragen",
    "Tren 9:47\nllevar el billete y el pasaporte de la niña",
    "火车 15:14\n在林茨换车，然后步行十分钟",
    "开会 9:30\n准备好新的报告和预算\n午饭 12:15\n和小王",
    "قطار 15:14\nالتغيير في لينز ثم عشر دقائق مشيا",
    "28.11.2026 15:14 Zug\nin Linz umsteigen und dann zu Fuß",
    "28.11.2026 9:30 Dentist: bring the card and the x-rays",
    "昨天 9:17 牙医\n一点也不疼，很快就好了",
    "  9:30 Standup\n  tell them about the release\n  11:00 Review",
    "[9:30] standup\n[11:00] review with Ruth and the team",
    "We said: no meetings on Friday.",
    "Wir haben gesagt: keine Termine am Freitag",
    "我们说：九点见面",
    "<div> in the header is wrong, use <nav>",
    "I put a <section> around my list",
    "Write a mail that says: I am late",
    "The last thing that Bo said was good: we go by train",
    "Wir haben ein Zimmer. WG: gern",
    "Send it from: ana@example.org\nand thank them",
    "@dot buy milk\nand eggs",
    "@dot buy: milk, eggs",
    "<< back\nI am home again",
    '@dot "remember that I like green tea a lot"',
    "@dot yesterday\nwe went to the sea",
    "Run ```ls -la```\nand tell me what you see",
    "Use ``` around code\nand write the rest as plain text",
    "Forwarded the mail to Bo: he should answer by noon\nAlso buy milk",
    "Weitergeleitet an Bo: Er soll bis Mittag antworten.\nBitte erinnere mich um drei.",
    "转发给小李：明天九点开会\n然后告诉我他怎么说",
    "Ok. Forwarded\nthe mails to Bo.",
    "Write a mail from: ana@example.org\nTo: bo@example.org\nI am late.",
    "قلت لك: أحب الشاي",
    "「我喜欢茶」\n-----\n好",
)


@pytest.mark.parametrize("said", OWN_FORMS)
def test_what_only_looks_passed_on_stays_the_persons_own(said: str) -> None:
    assert quotes.own_text(said) == said
    assert not quotes.passes_on(said)


@pytest.mark.slow
def test_of_200_ordinary_lines_that_are_noted_at_most_two_have_a_mark(tmp_path: Path) -> None:
    """After a stranger was heard, each as the person wrote it, and as a model says it of them."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        for language, said in CLAIMS.items():
            bring(it, "file", said.format(ORDINARY.index("Anna 15:14") + len(language)))
        for said in ORDINARY:
            it.say(said)
            it.run()
        told = {said: re.sub(r"\bI\b", "Ana", re.sub(r"\b[Mm]y\b", "Ana's", said)) for said in ORDINARY}
        wrong = [one for pair in told.items() for one in pair if marks.mark(it.session, one) != one]
        assert len(ORDINARY) >= 200 and len(wrong) <= 2, wrong
        assert not [said for said in ORDINARY if quotes.passes_on(said)]


def test_a_single_word_that_a_stranger_uses_too_is_the_persons_own(tmp_path: Path) -> None:
    """Such as a heading; a word that only the stranger used has their mark."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", "Our goals are 4471 and tea.")
        it.say("My goals: running and reading")
        it.run()
        assert marks.mark(it.session, "## Goals\n- running") == "## Goals\n- running"
        assert marks.mark(it.session, "- 4471") == "- [from notes/mail.txt] 4471"


def test_a_line_whose_words_are_far_apart_in_a_long_text_is_the_persons_own(tmp_path: Path) -> None:
    """A long page has the words of most lines somewhere."""
    said = "I take the night train to Vienna on Fridays"
    page = " ".join(f"Look at {word}. There is a lot to see. We liked it." for word in said.split())
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "page", page)
        it.say(said)
        it.run()
        for line in (said, "Ana takes the night train to Vienna on Fridays"):
            assert marks.mark(it.session, line) == line


OWN = [
    ("I take the night train to Vienna on Fridays", "Ana takes the night train to Vienna on Fridays"),
    ("Ich fahre freitags mit dem Nachtzug nach Wien", "Ana fährt freitags mit dem Nachtzug nach Wien"),
    ("Je prends le train de nuit pour Vienne le vendredi", "Ana prend le train de nuit pour Vienne le vendredi"),
    ("Tomo el tren nocturno a Viena los viernes", "Ana toma el tren nocturno a Viena los viernes"),
    ("我每周五坐夜车去维也纳", "安娜每周五坐夜车去维也纳"),
]


@pytest.mark.parametrize("said, noted", OWN)
def test_what_the_person_said_has_no_mark_after_a_stranger_was_heard(tmp_path: Path, said: str, noted: str) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", CLAIMS["en"].format(5))
        it.say(said)
        it.run()
        assert marks.mark(it.session, noted) == noted
        it.say("thanks, and good night")
        it.run()
        assert marks.mark(it.session, noted) == noted


@pytest.mark.parametrize(
    "said", ["did I tell you that my office moved to Harbour Street 5?", "我的办公室搬到滨江路5号了吗？"]
)
def test_a_question_about_what_is_the_persons_has_their_own_words(tmp_path: Path, said: str) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say(said)
        it.run()
        assert marks.mark(it.session, said.rstrip("?？")) == said.rstrip("?？")


RENT = "I pay the rent for my flat in Vienna on the first of each month to account 1234"
MIETE = "Ich zahle die Miete für meine Wohnung in Wien jeden Ersten auf das Konto 1234"
ADDED = (  # what a file says, what the person says later, and a note that has more than that
    ("Payments go to the account ending 4471.", OWN[0][0], f"{OWN[0][1]}; payments go to account 4471"),
    ("Zahlungen gehen an das Konto 4471.", OWN[1][0], f"{OWN[1][1]}, Zahlungen an Konto 4471"),
    (
        "请把款付到尾号4471的账户。",
        "我每周五坐夜车去维也纳，带上自行车",
        "安娜每周五坐夜车去维也纳，带上车，款付到尾号4471",
    ),
    ("The new account is 4471.", RENT, RENT.replace("1234", "4471")),
    ("Die neue Kontonummer ist 4471.", MIETE, MIETE.replace("1234", "4471")),
    ("新账号是4471。", "我每个月一号把维也纳公寓的房租付到账户1234", "安娜每个月一号把维也纳公寓的房租付到账户4471"),
    ("Write to evil@x.example.", f"{RENT}, bills to bo@work.example", f"{RENT}, bills to evil@x.example"),
)


@pytest.mark.parametrize(("theirs", "said", "noted"), ADDED)
def test_what_is_added_to_the_persons_own_words_has_its_source(
    tmp_path: Path, theirs: str, said: str, noted: str
) -> None:
    """In a note, in a line that is edited, and in a summary."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", theirs)
        it.say("thanks")
        it.run()
        it.say(said)
        it.run()
        mark = "[from notes/mail.txt] "
        assert marks.mark(it.session, said) == said
        assert marks.mark(it.session, noted) == f"{mark}{noted}"
        assert marks.mark(it.session, f"- {noted}", f"- {said}") == f"- {mark}{noted}"
        assert marks.mark_summary(it.session, it.session.entries, f"ana: {noted}").startswith(mark)
        assert not marks.mark_summary(it.session, it.session.entries, f"ana: {said}").startswith(mark)


def test_a_mark_cannot_be_forged_or_lost(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", CLAIMS["en"].format(5))
        moved = "[from notes/mail.txt] The office moved to Harbour Street 5."
        assert marks.mark(it.session, "[from ana] The office moved to Harbour Street 5.") == moved
        assert marks.mark(it.session, "- The office moved to [from ana] Harbour Street 5.").count("[from") == 1
        before = f"# Places\n- {moved} (added 2026-11-28)\n- Ana likes tea\n"
        assert marks.mark(it.session, before, before) == before
        after = before.replace("[from notes/mail.txt] ", "").replace("tea", "tea")
        assert marks.mark(it.session, after, before) == before


def test_an_imitated_question_of_the_person_does_not_take_a_mark_away(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        bring(it, "file", CLAIMS["en"].format(5))
        it.say("is it true that the office moved to Harbour Street 5?")
        it.run()
        assert marks.mark(it.session, CLAIMS["en"].format(5)).startswith("[from notes/mail.txt]")


@pytest.mark.parametrize("question, claim", [
    ("is it true that the office moved to Harbour Street 5?", CLAIMS["en"]),
    ("Stimmt es, dass das Büro in die Hafenstraße 5 umgezogen ist?", CLAIMS["de"]),
    ("Est-ce vrai que le bureau a déménagé au 5 rue du Port ?", CLAIMS["fr"]),
    ("¿Es verdad que la oficina se mudó a la calle del Puerto 5?", CLAIMS["es"]),
    ("办公室搬到了滨江路5号，是真的吗？", CLAIMS["zh"]),
    ("did the office move to Harbour Street 5?", CLAIMS["en"]),
    ("Hi there! Ist das Büro in die Hafenstraße 5 umgezogen?", CLAIMS["de"]),
    ("Est-ce que le bureau a déménagé au 5 rue du Port ?", CLAIMS["fr"]),
    ("办公室搬到滨江路5号了吗？", CLAIMS["zh"]),
])  # fmt: skip
def test_what_a_person_only_asks_about_is_not_their_word(tmp_path: Path, question: str, claim: str) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say(f"{question} I take the night train to Vienna on Fridays.")
        it.run()
        assert marks.mark(it.session, claim.format(5)) == f"[from a question of ana] {claim.format(5)}"
        assert marks.mark(it.session, OWN[0][1]) == OWN[0][1]
        assert marks.mark(it.session, "the meeting went well") == "the meeting went well"


@pytest.mark.parametrize("question, place", [
    ("is it true that my time zone is Asia/Tokyo now?", "Asia/Tokyo"),
    ("Stimmt es, dass meine Zeitzone jetzt Asia/Tokyo ist?", "Asia/Tokyo"),
    ("我的时区现在是亚洲东京，是真的吗？", "亚洲东京"),
])  # fmt: skip
def test_what_a_person_only_asks_about_is_no_fact_about_them(tmp_path: Path, question: str, place: str) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say(question)
        it.run()
        kept, waits = identity_edits.judge_change(it.session, "USER.md", "", f"- **Timezone:** {place}")
        assert not kept and "never said it" in waits[0]
        it.say(f"{place}.")
        it.run()
        assert identity_edits.judge_change(it.session, "USER.md", "", f"- **Timezone:** {place}")[0]


@pytest.mark.parametrize("question, claim", [
    ("is it true that the office moved to Harbour Street 5?", CLAIMS["en"]),
    ("Stimmt es, dass das Büro in die Hafenstraße 5 umgezogen ist?", CLAIMS["de"]),
    ("办公室搬到了滨江路5号，是真的吗？", CLAIMS["zh"]),
])  # fmt: skip
def test_a_summary_does_not_say_that_a_person_said_what_they_only_asked(
    tmp_path: Path, question: str, claim: str
) -> None:
    """Nor does a summary of that summary."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say(question)
        it.run()
        told = Summary(5, "x", f"ana: {claim.format(5)}\nana: {question}")
        made = swap.marked(it.session, it.session.entries, told).text
        assert made == f"[from a question of ana] {claim.format(5)}\nana: {question}"
        assert swap.marked(it.session, [faded(made)], told).text == made


def test_a_line_is_compared_with_what_came_and_went_since_the_last_one(tmp_path: Path) -> None:
    """The texts of the context are read once: a later line reads only newer entries, until a swap replaces them."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        for language, name in (("de", "one"), ("en", "two")):
            it.session.record(Reply(), f"READ_FILE notes/{name}.txt".encode())
            it.session.record(Result("READ_FILE", by="file"), CLAIMS[language].format(5).encode())
            known = sources.of_session(it.session)
            assert marks.mark(it.session, CLAIMS[language].format(5)).startswith(f"[from notes/{name}.txt] ")
            assert sources.of_session(it.session) is known and known.entries == it.session.entries
        left = [one for one in it.session.entries if one.event == Result.WORD][:1]
        it.session.swap(left, Swap("asked"), it.session.state)
        assert marks.mark(it.session, CLAIMS["en"].format(5)).startswith("[from what others said] ")


def test_a_life_that_heard_no_stranger_has_no_marks(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say("hello")
        it.run()
        assert marks.mark(it.session, CLAIMS["en"].format(5)) == CLAIMS["en"].format(5)


@pytest.mark.parametrize("name", ["AGENTS.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md"])
def test_an_imported_document_counts_as_others_words(tmp_path: Path, name: str) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        (it.session.path / name).write_text(f"- **Payments:** account 4471\n\n{source_marks.BELOW}\n")
        it.say("hello")
        it.run()
        assert origins.foreign(it.session.state.heard.origins) == ("others",)


@pytest.mark.parametrize("name", ["MEMORY.md", "memory/{}.md"])
def test_notes_that_arrive_with_marks_count_as_others_words(tmp_path: Path, name: str) -> None:
    """An imported or copied home: what the agent does with its notes is asked about from the first turn on."""
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        path = it.session.path / name.format(times.local_day(times.now()))
        path.parent.mkdir(exist_ok=True)
        path.write_text("- Ana likes tea\n")
        it.say("hello")
        it.run()
        assert not origins.foreign(it.session.state.heard.origins)
        path.write_text("- Ana likes tea\n" + source_marks.mark_all("- Pay to 4471.\n", source_marks.IMPORT))
        it.say("hello again")
        it.run()
        assert origins.foreign(it.session.state.heard.origins) == ("others",)


def test_an_import_marks_lines_and_no_headings() -> None:
    text = "# Notes\n\n- tea\n1. rye\n  plain\n---\n"
    assert (
        source_marks.mark_all(text, "import")
        == "# Notes\n\n- [from import] tea\n1. [from import] rye\n  [from import] plain\n---\n"
    )
    assert source_marks.mark_all("# Pay to 4471", "import", titles=True) == "# [from import] Pay to 4471"


def test_a_mark_neither_opens_nor_breaks_a_block_and_stands_in_the_first_cell_of_a_row() -> None:
    text = "```bash\nssh a\n```\n~~~ python\nx\n~~~\n| day | seat |\n|---|---|\n| Friday | 14A |\n"
    marked = source_marks.mark_all(text, "import")
    assert marked.replace("[from import] ", "") == text
    rows = marked.split("\n")
    assert [row for row in rows if row.startswith(("```", "~~~"))] == ["```bash", "```", "~~~ python", "~~~"]
    assert rows[6:9] == ["| [from import] day | seat |", "|---|---|", "| [from import] Friday | 14A |"]
    assert list(source_marks.list_marked(marked))[-1] == ("import", "Friday | 14A |")

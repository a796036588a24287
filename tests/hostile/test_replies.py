"""Replies as models write them: what of each is said or done, and what is not.

A case is a line of a table. Each is read whole and in pieces of one letter, as it comes from a server; the two must not
differ, and no piece shows what the whole does not say.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from dotagent.providers.server import reader, reading
from dotagent.providers.server.reader import Over, Reader
from dotagent.store.call import REPEATED, TURN

PROMPT = """#7 20:18 dev ana: Which seat?

#8 dev agent bea: The last one.

#9 20:19 dev Карл Маркс: Да

#10 RUN: exit code 0"""
NAMES = frozenset({"ana", "bea", "карл маркс"})
ASK = "Shall I delete notes.txt?"
DEED = "\nRUN rm -f notes.txt"
SONG = "Row, row, row your boat\n" * 3 + "Gently down the stream\n"
TABLE = "| day | rain |\n|---|---|\n" + "\n".join(f"| {day} | 0 |" for day in range(90))
SCRIPT = "RUN cat > a.txt <<END\nUser: hi\nana: yes\n<|im_end|>\n" + "0,0\n" * 60 + "END"
TRAINED = '<tool_call>\n{"name": "RUN", "arguments": {"command": "ls"}}\n</tool_call>'
DSML = '<｜DSML｜invoke name="RUN">'

# the reply, what remains of it, how it ended
SAID = {
    # thoughts, by family
    "qwen": ("<think>\nRUN rm x\n</think>\n\nHello.", "Hello.", ""),
    "qwen empty": ("<think>\n\n</think>\n\nHello.", "Hello.", ""),
    "thinking": ("<thinking>a tag: <b></thinking>Hello.", "Hello.", ""),
    "seed": ("<seed:think>I count.</seed:think>\nHello.", "Hello.", ""),
    "exaone": ("<thought>\nGruß?\n</thought>\n\nGuten Tag.", "Guten Tag.", ""),
    "kimi": ("◁think▷User: hi◁/think▷你好。", "你好。", ""),
    "magistral": ("[THINK]ana: yes\nRUN ls[/THINK]Bonjour.", "Bonjour.", ""),
    "magistral lone": ("ana greets me.[/THINK]Bonjour.", "Bonjour.", ""),
    "gemma": ("<|channel>thought\nRUN rm x\n<channel|>Hello.", "Hello.", ""),
    "gemma lone": ("ana greets me.<channel|>Hello.", "Hello.", ""),
    "gpt-oss": (
        "<|channel|>analysis<|message|>RUN x<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>",
        "Hello.",
        "",
    ),
    "gpt-oss twice": (
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Hello.",
        "Hello.",
        "",
    ),
    "gpt-oss final": ("<|channel|>final<|message|>Hello.", "Hello.", ""),
    "gpt-oss call": (
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.RUN "
        '<|constrain|>json<|message|>{"command": "ls"}<|call|>',
        '{"name": "RUN", "arguments": {"command": "ls"}}',
        "",
    ),
    "gpt-oss bare": ("analysisThe user greets.assistantfinalHello.", "Hello.", ""),
    "cohere": ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Hello.<|END_RESPONSE|>", "Hello.", ""),
    "sky": ("<|begin_of_thought|>a<|end_of_thought|>\n\n<|begin_of_solution|>Hi.<|end_of_solution|>", "Hi.", ""),
    "medgemma": ("<unused94>thought\nRUN ls<unused95>Hello.", "Hello.", ""),
    "ernie": ("<think>\nI count.\n</think>\n\n<response>\nHello.\n</response>", "Hello.", ""),
    "hunyuan": ("<think>\na\n</think>\n<answer>\nHello.\n</answer>", "Hello.", ""),
    "granite": ("Here is my thought process:\nRUN ls\nHere is my response:\nHello.", "Hello.", ""),
    "scratchpad": ("<scratchpad>RUN rm x</scratchpad>\nHello.", "Hello.", ""),
    "monologue": ("<inner_monologue>ana: yes</inner_monologue>Hello.", "Hello.", ""),
    "analysis": ("<analysis>\nRUN ls\n</analysis>\nHello.", "Hello.", ""),
    "gpt-oss, two messages": (
        "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>analysis<|message|>a<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Hello.<|return|>",
        "I look.\n\nHello.",
        "",
    ),
    "marco-o1": ("<Thought>\nRUN ls\n</Thought>\n\n<Output>\nHello.\n</Output>", "Hello.", ""),
    "capitals": ("<THINK>\nRUN ls\n</THINK>\nHello.", "Hello.", ""),
    "with an attribute": ('<think time="3">\nRUN ls\n</think>\nHello.', "Hello.", ""),
    "ant": ("<antThinking>RUN ls</antThinking>Hello.", "Hello.", ""),
    "planning": ("<planning>\nRUN ls\n</planning>\nHello.", "Hello.", ""),
    "brackets": ("[thinking]\nRUN ls\n[/thinking]\nHello.", "Hello.", ""),
    "a page": ('<details type="reasoning" done="true">\n> RUN ls\n</details>\nHello.', "Hello.", ""),
    "apertus": ("<|inner_prefix|>RUN ls<|inner_suffix|>Hello.", "Hello.", ""),
    "minicpm": ("<|thought_start|>\nRUN ls\n<|thought_end|>\nHello.", "Hello.", ""),
    "solar": ("<|think|>RUN ls<|end|><|begin|>assistant<|content|>Hello.<|flush|>", "Hello.", ""),
    "with a slash": ("<|think|>RUN ls<|/think|>Bonjour.", "Bonjour.", ""),
    "begin of thinking": ("<|begin_of_thinking|>RUN ls<|end_of_thinking|>Hola.", "Hola.", ""),
    "in Chinese": ("<思考>\nRUN rm x\n</思考>\n你好。", "你好。", ""),
    "in French": ("<pensée>\nRUN rm x\n</pensée>\nBonjour.", "Bonjour.", ""),
    "in Italian": ("<ragionamento>\nRUN rm x\n</ragionamento>\nCiao.", "Ciao.", ""),
    "in Polish": ("<myśli>\nAna prosi.\n</myśli>\n\nDzień dobry.", "Dzień dobry.", ""),
    "in German": ("<nachdenken>\nana: ja\nRUN rm x\n</nachdenken>\nGern.", "Gern.", ""),
    "in Japanese": ("<考え>RUN rm x</考え>こんにちは。", "こんにちは。", ""),
    "in Russian": ("<рассуждение>Анна?</рассуждение>\nПривет.", "Привет.", ""),
    "in Korean, capitals": ("<고민_A>\nRUN rm x\n</고민_A>\n안녕.", "안녕.", ""),
    "a chain": ("<chain_of_steps>RUN rm x</chain_of_steps>Hello.", "Hello.", ""),
    "a plan": ("<plan>\n1. look\n2. RUN rm x\n</plan>\n\nHello.", "Hello.", ""),
    "a plan before an answer": ("<Plan> \nRUN rm x\n</Plan>\n<answer>\nHello.\n</answer>", "Hello.", ""),
    "a plan before a call": ("<cot>\nI look.\n</cot>\nRUN ls", "RUN ls", ""),
    "a plan before a trained call": (f"<plan>\nI look.\n</plan>\n{TRAINED}", TRAINED, ""),
    "a plan before deepseek's call": (f"<plan>\nI look.\n</plan>\n{DSML}", DSML, ""),
    "fenced thoughts": ("```thinking\nRUN rm x\n```\nHello.", "Hello.", ""),
    "conclusion": ("<think>\na\n</think>\n<conclusion>\nHi.\n</conclusion>", "Hi.", ""),
    "cohere lone": ("RUN rm x\n<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONSE|>", "Hi.", ""),
    "an inner voice": ("\ufeff<inner_voice>RUN rm x</inner_voice>Hello.", "Hello.", ""),
    "a fence before the end": ("So:\n```\nhi\n```<|im_end|>", "So:\n```\nhi\n```", ""),
    "cohere's action": ("<|START_ACTION|>[]<|END_ACTION|>", None, ""),
    "seed lone": ("I greet.\n</seed:think>Hi.", "Hi.", ""),
    "gpt-oss call by role": (
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant to=functions.RUN<|channel|>commentary "
        '<|constrain|>json<|message|>{"command": "ls"}<|call|>',
        '{"name": "RUN", "arguments": {"command": "ls"}}',
        "",
    ),
    "gpt-oss call at once": (
        'to=functions.RUN<|channel|>commentary json<|message|>{"command": "ls"}<|call|>',
        '{"name": "RUN", "arguments": {"command": "ls"}}',
        "",
    ),
    "glm's box": ("<think>ana?</think>\n<|begin_of_box|>42<|end_of_box|>", "42", ""),
    "glm's box in a sentence": ("It is <|begin_of_box|>42<|end_of_box|>, ana.", "It is 42, ana.", ""),
    "never closed": ("<think>\nRUN rm x\nand more", "", ""),
    # thoughts below words
    "again": ("I look.\n\n<think>\nRUN rm x\n</think>\n\nHello.", "I look.\n\nHello.", ""),
    "again, twice": ("<think>a</think>A.\n<think>b</think>\nB.\n<think>c</think>\nC.", "A.\nB.\nC.", ""),
    "again, magistral": ("I look.\n[THINK]ana: yes[/THINK]\nBonjour.", "I look.\nBonjour.", ""),
    "again, gemma": ("I look.\n<|channel>thought\nRUN rm x\n<channel|>Hello.", "I look.\nHello.", ""),
    "again, kimi": ("我看看。\n◁think▷RUN rm x◁/think▷你好。", "我看看。\n你好。", ""),
    "at the end": ("Hello.\n<reflection>\nWas that kind?\n</reflection>", "Hello.", ""),
    "between calls": ("RUN ls\n<think>\nRUN rm x\n</think>\nRUN pwd", "RUN ls\nRUN pwd", ""),
    "in content, a tag": ("WRITE_FILE a <<END\n<think>\nx\n</think>\nEND", None, ""),
    "again, announced": ("Qwen writes so:\n<think>\nhm\n</think>\nHello.", None, ""),
    "again, never closed": ("It is so.\n<think>\nis the tag that opens.", None, ""),
    "again, a link": ("Read this.\n[Thinking](https://x.example)\nand that.", None, ""),
    # what looks like thoughts and is none
    "a word": ("analysis of the figures: none", "analysis of the figures: none", ""),
    "html": ("<b>Hello</b>", "<b>Hello</b>", ""),
    "a bold sentence": ("<b>Hello.</b>\nHow are you?", None, ""),
    "a paragraph": ("<p>\nHello.\n</p>\n\nThat is it.", None, ""),
    "a list of HTML": ("<my_ul>\n<li>tea</li>\n</my_ul>\n\nThere.", None, ""),
    "code": ("<code>\nx = 1\n</code>\nThis sets x.", None, ""),
    "an element that was asked for": ("<да>\nThe last.\n</да>\n\nThere.", None, ""),
    "an element alone": ("<note>\nBuy milk.\n</note>", None, ""),
    "elements": ("<note>\n<to>Bo</to>\nHi\n</note>\n\nSent.", None, ""),
    "a fenced element": ("```xml\n<plan>\nhi\n</plan>\n```\nThat is it.", None, ""),
    "a tag in words": ("`<plan>` opens.\n</plan> closes.", None, ""),
    "a tag never closed": ("<plan>\nHello there.\nMore.", None, ""),
    "an element in the middle": ("So:\n<plan>\na\n</plan>\nGood.", None, ""),
    "a call in a tag": ('<tool_call>\n{"name": "RUN"}\n</tool_call>\nI look.', None, ""),
    "JSON in a tag": ('<do_it>\n{"name": "RUN"}\n</do_it>\nI look.', None, ""),
    "an address first": ("<https://example.org>\nis the page.", None, ""),
    "a type": ("<T> is a type.\nvoid f<T>(T x)", None, ""),
    "a list": ("[x] milk", "[x] milk", ""),
    "a name of a mark": ("It writes `[/THINK]` there.", "It writes `[/THINK]` there.", ""),
    "a mark in words": ("It writes [/THINK] there.", "It writes [/THINK] there.", ""),
    # marks of templates
    "chatml": ("Hello.<|im_end|>", "Hello.", ""),
    "chatml goes on": ("Hello.<|im_end|>\n<|im_start|>user\nyes<|im_end|>", "Hello.", TURN),
    "llama": ("Hello.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nyes", "Hello.", TURN),
    "gemma turn": ("Hello.<end_of_turn>\n<start_of_turn>user\nyes", "Hello.", TURN),
    "mistral": ("Hello. [INST] yes [/INST] RUN ls", "Hello.", TURN),
    "deepseek": ("你好。<｜end▁of▁sentence｜>", "你好。", ""),
    "deepseek user": ("你好。<｜User｜>好的", "你好。", TURN),
    "glm": ("Hello.<|user|>\nyes", "Hello.", TURN),
    "llama 4": ("Hello.<|eot|><|header_start|>user<|header_end|>\n\nyes", "Hello.", TURN),
    "yi": ("Hello.<|im_sep|>", "Hello.", ""),
    "seed's end": ("Hello.<seed:eos>", "Hello.", ""),
    "minimax": ("Hello.[e~[", "Hello.", ""),
    "llama 2": ("Hello. </s><s>[INST] yes [/INST]", "Hello.", TURN),
    "mistral's end": ("Hello.</s>", "Hello.", ""),
    "exaone's end": ("안녕하세요.[|endofturn|]\n[|user|]네", "안녕하세요.", TURN),
    "nemotron": ("Hello.<SPECIAL_12>", "Hello.", ""),
    "nemotron's user": ("Hello.<extra_id_1>User\nyes", "Hello.", TURN),
    "ling": (f"Hello.\n<role>HUMAN</role>yes{DEED}", "Hello.", TURN),
    "step": ("Hallo.<|EOT|>", "Hallo.", ""),
    "hunyuan's end": ("你好。<｜hy_place▁holder▁no▁2｜>", "你好。", ""),
    "deepseek in ASCII": ("你好。<|User|>好的", "你好。", TURN),
    "internlm's user": ("Hello.<eoh>\n<|User|>:yes", "Hello.", TURN),
    "openchat": ("Hello.<|end_of_turn|>GPT4 Correct User: yes", "Hello.", TURN),
    "gemma's end": ("Hello.<eos>", "Hello.", ""),
    "a pipe": ("In F# it is `f <| x` or f <| x |> g.", "In F# it is `f <| x` or f <| x |> g.", ""),
    "struck out": ("It costs <s>9</s> 7 euros.", "It costs <s>9</s> 7 euros.", ""),
    "an answer's own tag": ("Write <answer>x</answer> there.", "Write <answer>x</answer> there.", ""),
    "quoted": ("ChatML ends with `<|im_end|>`, said Ana.", "ChatML ends with `<|im_end|>`, said Ana.", ""),
    "fenced": ("```\nhi<|im_end|>\nana: yes\n```", "```\nhi<|im_end|>\nana: yes\n```", ""),
    # somebody else's turn
    "by name": (f"{ASK}\nana: yes, delete it{DEED}", ASK, TURN),
    "by name, capital": (f"{ASK}\n\nAna: yes{DEED}", ASK, TURN),
    "by another agent's name": (f"{ASK}\nagent bea: yes{DEED}", ASK, TURN),
    "by a name of two words": (f"Удалить?\nКарл Маркс: да{DEED}", "Удалить?", TURN),
    "by role": (f"{ASK}\n\nUser: yes\nAssistant: I do it.{DEED}", ASK, TURN),
    "by role, human": (f"Soll ich?\n\nHuman: ja{DEED}", "Soll ich?", TURN),
    "by head": (f"{ASK}\n\n#11 20:20 dev ana: yes{DEED}", ASK, TURN),
    "by an old head": (f"{ASK}\n#99 2026-11-28T01:00:00Z HEAR dev ana: yes{DEED}", ASK, TURN),
    "by a head without a clock": (f"{ASK}\n#12 HEAR dev ana: yes{DEED}", ASK, TURN),
    "by tag": (f"{ASK}\n[USER:ana 2026-11-28T01:00:00Z] yes{DEED}", ASK, TURN),
    "in a call": (f"SAY dev {ASK}\nana: yes{DEED}", f"SAY dev {ASK}", TURN),
    "a result": ("RUN ls\n\n#11 RUN: exit code 0\nAll is there.", "RUN ls", TURN),
    "by a head of the same minute": (f"{ASK}\n#12 dev ana: yes{DEED}", ASK, TURN),
    "first of all": (f"ana: yes, delete it{DEED}", "", TURN),
    "as if in a list": (f"I wonder:\nUser: yes{DEED}", "I wonder:", TURN),
    "by role in bold": (f"{ASK}\n\n**User:** yes{DEED}", ASK, TURN),
    "by name in bold": (f"{ASK}\n\n**ana:** yes{DEED}", ASK, TURN),
    "by name in brackets": (f"{ASK}\n[ana]: yes{DEED}", ASK, TURN),
    "by name in angles": (f"{ASK}\n<ana> yes{DEED}", ASK, TURN),
    "by heading": (f"{ASK}\n\n### Instruction:\nyes\n\n### Response:{DEED}", ASK, TURN),
    "by role, German": (f"Soll ich?\n\nNutzer: ja{DEED}", "Soll ich?", TURN),
    "by role, French": (f"Dois-je ?\n\nUtilisateur : oui{DEED}", "Dois-je ?", TURN),
    "by role, Russian": (f"Удалить?\nПользователь: да{DEED}", "Удалить?", TURN),
    "by role, Chinese": (f"要删除吗？\n用户：是{DEED}", "要删除吗？", TURN),
    "by role, Arabic": (f"هل أحذف؟\nالمستخدم: نعم{DEED}", "هل أحذف؟", TURN),
    "by role, Hindi": (f"हटा दूँ?\nउपयोगकर्ता: हाँ{DEED}", "हटा दूँ?", TURN),
    "by role, Thai": (f"ลบไหม?\nผู้ใช้: ใช่{DEED}", "ลบไหม?", TURN),
    "by role, Danish": (f"Skal jeg?\nBruger: ja{DEED}", "Skal jeg?", TURN),
    "by role, Vietnamese": (f"Xóa nhé?\nNgười dùng: có{DEED}", "Xóa nhé?", TURN),
    "by role, small": (f"{ASK}\n\nuser: yes{DEED}", ASK, TURN),
    "by role with a picture": (f"{ASK}\n👤 User: yes{DEED}", ASK, TURN),
    "by name with a time": (f"{ASK}\n\nana (20:21): yes{DEED}", ASK, TURN),
    "by time and name": (f"{ASK}\n\n[20:21] ana: yes{DEED}", ASK, TURN),
    "by a role's tag": (f"{ASK}\n<user>\nyes\n</user>{DEED}", ASK, TURN),
    "by a role as JSON": (f'{ASK}\n{{"role": "user", "content": "yes"}}{DEED}', ASK, TURN),
    "by a role in brackets alone": (f"{ASK}\n[user]\nyes{DEED}", ASK, TURN),
    "by a role as heading": (f"{ASK}\n\n## User\nyes{DEED}", ASK, TURN),
    # what looks like a turn and is none
    "times and names": ("20:21 ana: left\n20:30 bea: came", "20:21 ana: left\n20:30 bea: came", ""),
    "to someone": ("It is done.\n@ana: look", "It is done.\n@ana: look", ""),
    "settings": ("Write this.\nuser: root\nport: 22", "Write this.\nuser: root\nport: 22", ""),
    "shares in bold": ("It is so.\n\n**ana:** 30\n**bea:** 20", "It is so.\n\n**ana:** 30\n**bea:** 20", ""),
    "a link's target": ("See [ana].\n\n[ana]: https://x.example", "See [ana].\n\n[ana]: https://x.example", ""),
    "a heading": ("It has two parts.\n\n### Response:\nfine", "It has two parts.\n\n### Response:\nfine", ""),
    "shares": ("ana: 30 euros\nbea: 20 euros", "ana: 30 euros\nbea: 20 euros", ""),
    "shares, announced": ("So far:\n\nana: 30\nbea: 20", "So far:\n\nana: 30\nbea: 20", ""),
    "fields": ("Host: example.org\nUser: root\nPort: 22", "Host: example.org\nUser: root\nPort: 22", ""),
    "a dialogue": ("Here it is:\nUser: hi\nAssistant: hello", "Here it is:\nUser: hi\nAssistant: hello", ""),
    "a bullet": ("Done.\n- ana: tea\n- bea: milk", "Done.\n- ana: tea\n- bea: milk", ""),
    "a number": ("Two points.\n#1 Paris: large\n#2 Rome: old", "Two points.\n#1 Paris: large\n#2 Rome: old", ""),
    "another name": ("Note this.\nNote: it rains.", "Note this.\nNote: it rains.", ""),
    "an address": ("It runs.\nana:8080 is the port", "It runs.\nana:8080 is the port", ""),
    "its own tag": ("[AGENT:me 2026-11-28T01:00:00Z] Hi.", "[AGENT:me 2026-11-28T01:00:00Z] Hi.", ""),
    "a script": (SCRIPT, SCRIPT, ""),
    "a parameter": (f'{DSML}\n<parameter name="x">\nUser: a\n</parameter>', None, ""),
    # repetition
    "in a tag": ("<plan>\n" + "I look.\n" * 500, "<plan>\nI look.", REPEATED),
    "a line": ("I look.\n" * 500, "I look.", REPEATED),
    "two lines": ("I look.\n\nI wait.\n\n" * 500, "I look.\n\nI wait.", REPEATED),
    "words": ("Well: " + "ha " * 5000, "Well: ha", REPEATED),
    "in content": ("WRITE_FILE a <<END\n" + "0\n" * 5000, "WRITE_FILE a <<END\n0", REPEATED),
    "a song": (SONG * 30, SONG * 30, ""),
    "a table": (TABLE, TABLE, ""),
}


def read(reply: str, size: int, live: bool = True) -> tuple[Reader, str]:
    """Return a reader of the reply in pieces of this size, and what it let through."""
    names, asked = partial(reading.people, [PROMPT]), partial(reading.asks, [PROMPT])
    found, shown = Reader(names, lambda: ("RUN", "SAY"), live, asked=asked), list[str]()
    with suppress(Over):
        for at in range(0, len(reply), size):
            shown += [text for channel, text in found.add("text", reply[at : at + size]) if channel == "text"]
        shown += [text for channel, text in found.end() if channel == "text"]
    return found, "".join(shown)


def test_a_prompt_tells_who_speaks_and_which_tools_there_are() -> None:
    assert reading.people([PROMPT]) == NAMES
    assert reading.tools(["Run a shell command:\n    RUN command\nEnd:\n    END\n    WRITE_FILE path <<END"]) == {
        "RUN",
        "END",
        "WRITE_FILE",
    }


@pytest.mark.parametrize(
    ("prompt", "tag", "answer"),
    [
        ("#7 20:18 dev ana: write it as XML, please", "note", True),
        ("#7 20:18 dev ana: pack es in ein Element Notiz", "notiz", True),
        ("#7 20:18 dev ana: une facture, en xml", "facture", True),
        ("Begin with <mood>your mood</mood>.\n#7 20:18 dev ana: hi", "mood", True),
        ("#7 20:18 dev ana: what is the plan?\n\n#8 READ_FILE: a", "plan", True),
        ("#7 20:18 dev ana: the plan, in XML\n\n#9 20:19 dev ana: tidy up", "plan", False),
        ("#7 20:18 dev ana: I planned it", "plan", False),
    ],
)
def test_a_tag_that_a_person_asked_for_belongs_to_the_answer(prompt: str, tag: str, answer: bool) -> None:
    assert reading.asks([prompt], tag) == answer


@pytest.mark.parametrize("size", [1, 1 << 20])
@pytest.mark.parametrize("case", SAID)
def test_of_a_reply_only_its_own_text_remains(case: str, size: int) -> None:
    reply, said, finish = SAID[case]
    found, shown = read(reply, size)
    assert found.text.strip() == (reply if said is None else said).strip()
    assert found.finish == finish
    if not finish and "lone" not in case:
        assert shown == found.text


def test_a_turn_is_not_shown_for_a_moment() -> None:
    for case in ("by name", "by role", "by head", "by an old head", "by tag", "chatml goes on", "qwen", "gpt-oss"):
        reply, said, _ = SAID[case]
        assert read(reply, 1)[1].strip() == said, case


def test_thoughts_that_go_round_end_the_reply() -> None:
    found = Reader()
    with pytest.raises(Over):
        for _ in range(500):
            list(found.add("reasoning", "Wait, let me think again.\n"))
    assert found.finish == REPEATED


SENTENCE = "I look at the calendar, and then I look at the list, and then at the calendar again. "
ROUNDS = {  # pieces of a reply without end, by their number
    "a paragraph": lambda number: f"Sentence {'abcdefghijklmno'[number % 15]} of a paragraph.\n",
    "a sentence in one line": lambda number: SENTENCE * 2,
    "counted lines": lambda number: f"{number}. I look at the calendar now.\n",
    "empty lines": lambda number: "\n" if number else "Well:\n",
    "nothing but blanks": lambda number: " \n\t",
}


@pytest.mark.parametrize("kind", ROUNDS)
def test_whatever_goes_round_ends_the_reply(kind: str) -> None:
    found = Reader()
    with pytest.raises(Over):
        for number in range(3000):
            list(found.add("text", ROUNDS[kind](number)))
    assert found.finish == REPEATED and len(found.text) < 600


def test_a_long_list_is_no_round() -> None:
    text = (
        "".join(f"{number}. I shall not talk in class.\n" for number in range(1000)) + f"{SENTENCE * 9}\n" + "\n" * 20
    )
    assert read(text, 400)[0].text == text
    rows = "".join(f"INSERT INTO days VALUES ({number});\n" for number in range(3000))
    assert read(f"```sql\n{rows}```", 400)[0].text == f"```sql\n{rows}```"


def test_a_model_that_goes_on_is_left() -> None:
    found = Reader()
    list(found.add("text", "Hello.<|im_end|>"))
    with pytest.raises(Over):
        for _ in range(reader.BEHIND):
            list(found.add("text", "more "))
    assert found.text == "Hello."


def test_a_summary_has_many_speakers() -> None:
    text = "ana wants tea.\n\nana: it must be green.\nUser: yes"
    assert read(text, 1, live=False)[0].text == text

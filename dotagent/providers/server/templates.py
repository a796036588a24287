"""The marks in models' chat templates, and the names of the two sides of a talk, as models write them. Data."""

from __future__ import annotations

import re

from dotagent.text import lazy

THOUGHTS = (  # the openings of thoughts, and what ends them
    (
        r"<(?P<tag>(?:\w+:)?(?:\w*(?:think|thought|reason|reflect|scratchpad|monologue)\w*|analysis|internal))>",
        "</{tag}>",
    ),
    (r"<\|channel\|>analysis\s*<\|message\|>", r"<\|(?:end|return)\|>|(?=<\|start\|>|<\|channel\|>)"),  # gpt-oss
    (r"<\|channel>\s*thought\b", r"<channel\|>"),  # Gemma
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    (r"◁think▷", "◁/think▷"),  # Kimi
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),  # Cohere
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<unused94>thought\b", "<unused95>"),  # MedGemma
    (r"Here is my thought process:", r"Here is my response:"),  # Granite
    (r"analysis(?=[A-Z])", "assistantfinal"),  # gpt-oss behind a server that removes its marks
)
PLAIN = ("analysis", "commentary to=", "Here is my thought process:")  # openings without marks
MARKS = (  # these end a reply
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>"),
    *("<|start|>", "<|call|>", "<|END_RESPONSE|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>", "<|end_of_solution|>"),
    *("<|im_start|>", "<|user|>", "<|assistant|>", "<|system|>", "<|observation|>", "<|start_header_id|>"),
    *("<|START_OF_TURN_TOKEN|>", "<|role_end|>", "<end_of_turn>", "<start_of_turn>", "<turn|>", "<|turn>"),
    *("<|eot|>", "<|eom|>", "<|header_start|>", "<|im_sep|>", "<|im_user|>", "<|im_assistant|>", "<|start_of_role|>"),
    *("<|assistant_end|>", "<|user_start|>", "<seed:eos>", "[e~[", "]~b]", "</s>"),
    *("<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "[/INST]", "[INST]"),
)
ROLES = frozenset(
    "User Human Assistant USER HUMAN ASSISTANT Nutzer Benutzer Mensch Assistent Utilisateur Humain Usuario Humano"
    " Asistente Utente Umano Assistente Usuário Gebruiker Användare Użytkownik Asystent Пользователь Человек Ассистент"
    " Користувач Людина Асистент Kullanıcı Asistan 用户 用戶 人类 助手 ユーザー アシスタント 사용자 어시스턴트".split()
)
SECTIONS = frozenset("Instruction Response Input Human User Assistant".split())
"""The headings of turns in the templates of older models: `### Instruction:`."""

OPENS = tuple((re.compile(opening), closing) for opening, closing in THOUGHTS)
PASSED = lazy.compile(  # marks before an answer
    r"<\|start\|>assistant(?=<)|<\|channel\|>(?:final|commentary)\s*<\|message\|>|<\|im_start\|>assistant\n"
    r"|<\|START_(?:RESPONSE|TEXT)\|>|<\|begin_of_solution\|>|<\|assistant\|>"
    r"|(?:<\|channel\|>)?commentary to=(?:functions\.)?(?P<name>\w+)[^<]{0,40}(?:<\|constrain\|>\w+)?<\|message\|>"
)
MAYBE = lazy.compile(  # text that may become one of these
    r"(?:<(?:[\w:]{0,32}|\|\w{0,24}\|?)|<\|(?:start|channel)\|?>.{0,90}|<\|im_start\|>\w{0,9}|<unused94>\w*|\[[A-Z]{0,5}|◁\w{0,5})\Z",
    re.DOTALL,
)
AROUND = lazy.compile(r"<(response|answer)>\s*")  # around an answer behind thoughts
GOES_ON = lazy.compile(r"<\|end\|>\s*<\|start\|>assistant(?=<\|channel\|>.*?<\|message\|>)", re.DOTALL)  # gpt-oss
CLOSINGS = ("[/THINK]", "<channel|>", "<|END_THINKING|>", "<|end_of_thought|>", "<unused95>")
ADORNED = lazy.compile(  # the same in bold, in brackets, as a heading
    r"(?P<mark>#{1,4} |[*_]{1,3}|[\[<])([^\s:：#*_\[<\]>][^\n:：*_\]>]{0,99}?)(?:[*_]{1,3}|[\]>])?"
    r"(?: ?[:：][*_]{0,3}(?: |\Z)|(?<=>) )"
)
UNADORNED = lazy.compile(r"\A(?:agent |#{1,4} ?|[*_]{1,3}|[\[<])")
KNOWN = tuple(one.casefold() for one in sorted(ROLES | SECTIONS))
REST = lazy.compile(r"[*_\]>]{0,3} ?[:：]?[*_]{0,3}")  # what may follow a name in a line that is not complete

"""Servers that cut prompts silently are found out, by what they counted."""

from __future__ import annotations

import pytest
from loopback import Answer, Server, data, event
from working import keys, placed, serve, told

from dotagent.providers import Completion, ProviderError, Usage
from dotagent.providers.server import cut
from dotagent.providers.server.worker import Worker
from dotagent.store.home import Home


def counted(prompt_tokens: int) -> Answer:
    """An answer whose prompt had so many tokens, as its server says."""
    used = {"prompt_tokens": prompt_tokens, "completion_tokens": 3}
    return Answer((event({"content": "hm"}, "stop"), data({"choices": [], "usage": used}), b"data: [DONE]\n\n"))


def test_a_server_that_cuts_silently_is_found_out(where: Home) -> None:
    text = "The kettle is on the stove and nobody drinks tea. " * 800
    with Server(counted(4096), counted(9000), counted(4096)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where, text))
        assert (outcome.kind, outcome.retryable) == ("cut", False)
        assert "[providers.deepseek]" in outcome.hint and "`window = 4096`" in outcome.hint
        (outcome,) = serve(worker, placed(where, text))
        assert outcome.reply and len(server.received) == 2
        (where.root / "dotagent.toml").write_text("[providers.deepseek]\nwindow = 20000\n")
        (outcome,) = serve(worker, placed(where, text))
        assert outcome.reply  # the person says that it takes as much


HINDI = "नमस्ते, आप कैसे हैं? मुझे कल सुबह जल्दी उठना है और बाज़ार जाना है। " * 300
CHINESE = "我明天早上要早起去市场买菜，然后回家做饭。" * 400


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("|" + " " * 99 + "|\n" + "─" * 100 + "\n" * 5, 12),  # tables and lines: a few tokens each
        (HINDI, len(HINDI) // 4),
        (CHINESE, len(CHINESE) // 2),
        ("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo" * 500, 9000),
        ("Tôi được sinh ra ở Huế và rất thích uống cà phê sữa mỗi buổi sáng.\n" + "─" * 60 + "\n", 22),
        ("short", 600),
    ],
)
def test_no_server_is_blamed_for_its_tokenizer(text: str, told: int) -> None:
    many = 200 if len(text) < 300 else 1
    reply = Completion("x", finish="length", usage=Usage(max(600, told * many)))
    assert cut.check("local", [{"role": "user", "content": text * many}], reply) == ""


@pytest.mark.parametrize(
    ("told", "finish", "believed"),
    [(4096, "stop", True), (4090, "stop", True), (4093, "stop", True), (3500, "length", True),
     (3500, "stop", False), (700, "stop", False), (3000, "stop", False)],
)  # fmt: skip
def test_a_count_alone_discards_no_answer(told: int, finish: str, believed: bool) -> None:
    """Servers miscount: those of cached prompts only what was new, stand-ins always the same."""
    text = "The kettle is on the stove and nobody drinks tea. " * 800
    reply = Completion("x", finish=finish, usage=Usage(told, output=3))
    if not believed:
        assert f"counted {told:,} tokens" in cut.check("x", [{"role": "user", "content": text}], reply)
        return
    with pytest.raises(ProviderError) as caught:
        cut.check("x", [{"role": "user", "content": text}], reply)
    assert caught.value.kind == "cut"


def test_what_an_answer_leaves_in_doubt_is_published(where: Home) -> None:
    with Server(counted(3000)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where, "The kettle is on the stove. " * 1600))
        assert outcome.reply and "counted 3,000 tokens" in str(told(where, "deepseek")["warning"])

"""What people ask an agent without a model on their first day, in their own words and with their own mistakes."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from offline_life import BEN, BOT, Life, ask, calls_of

from dotagent.providers.offline_rules import reminders
from dotagent.text import reminder_times
from dotagent.text.grammar import ToolCall

CONNECT, CLOCK, FILES, ME, HELP = (
    "onboard`: the command asks",
    "It is 20:17 on Saturday, 2026-11-21 (UTC).",
    ".",
    "I am agent",
    "fixed rules",
)
SAID = [
    ("how do I connect a model?", CONNECT),
    ("How can I set up an LLM", CONNECT),
    ("can I use ChatGPT?", CONNECT),
    ("I want to use claude", CONNECT),
    ("whcih AI models can I use?", CONNECT),
    ("how do i conect a modle", CONNECT),
    ("hook up ollama, please", CONNECT),
    ("how do I use GPT-5?", CONNECT),
    ("what time is it?", CLOCK),
    ("whats teh time", CLOCK),
    ("please tell me the time", CLOCK),
    ("which day is it today", CLOCK),
    ("hwat is the current date?", CLOCK),
    ("who are you?", ME),
    ("waht is your name", ME),
    ("are you ChatGPT?", ME),
    ("which model are you using?", ME),
    ("what can you do?", HELP),
    ("wat can you do", HELP),
    ("what are your commands?", HELP),
    ("hlep", HELP),
    ("I need help", HELP),
    ("thnaks a lot", "You are welcome, ana."),
    ("tahnk you", "You are welcome, ana."),
    ("shwo me your notes", "My notes (MEMORY.md):\n(nothing yet)"),
    ("what have I told you so far?", "My notes (MEMORY.md):\n(nothing yet)"),
]


@pytest.mark.parametrize(("asked", "answer"), SAID)
def test_a_question_about_the_agent_itself_is_answered_however_it_is_put(asked: str, answer: str) -> None:
    said = Life().hear(asked).said()
    assert answer in said and "I do not know" not in said


CALLS = [
    ("list files", "READ_FILE", "files"),
    ("what files are there?", "READ_FILE", "files"),
    ("shwo me the fiels", "READ_FILE", "files"),
    ("ls", "READ_FILE", "files"),
    ("ls -la", "READ_FILE", "files"),
    ("fetch http://127.0.0.1:8080/", "FETCH", "http://127.0.0.1:8080/"),
    ("please open the page https://example.org/a.", "FETCH", "https://example.org/a"),
    ("list the files in the folder notes/2026", "READ_FILE", "notes/2026"),
    ("raed the file notes/plan.md", "READ_FILE", "notes/plan.md"),
    ("run ls", "RUN", "ls"),
    ("Please run `ls -la | head`", "RUN", "ls -la | head"),
    ("can you execute the command date?", "RUN", "date"),
    ("list my reminders", "REMIND", "list"),
    ("what reminders do I have?", "REMIND", "list"),
    ("cancel reminder 2", "REMIND", "cancel 2"),
    ("please delete the reminder remind-2", "REMIND", "cancel 2"),
    ("cancel remind-2", "REMIND", "cancel 2"),
    ("delete reminders 2", "REMIND", "cancel 2"),
    ("list reminder", "REMIND", "list"),
]


@pytest.mark.parametrize(("asked", "name", "args"), CALLS)
def test_files_and_reminders_are_listed_and_commands_run(asked: str, name: str, args: str) -> None:
    assert Life().hear(asked).step() == (ToolCall(name, args, None),)


@pytest.mark.parametrize(
    ("asked", "result", "said"),
    [
        ("list files", "files is a directory of 2:\na.txt\nnotes/", "My folder files holds 2:\na.txt\nnotes/\n"),
        ("list files", "files is a directory of 0:\n", "My folder files is empty.\n"),
        ("run ls", "exit status 0\na.txt", "a.txt\n"),
        ("run ls", "exit status 0\n", "The command printed nothing.\n"),
        ("list my reminders", "no reminder is set", "You have no reminders.\n"),
        (
            "list my reminders",
            "remind-1: Thu 2026-12-31 09:00 UTC: rent",
            "Your reminders (“cancel reminder 1” removes one):\n- remind-1: Thu 2026-12-31 09:00 UTC: rent\n",
        ),
        ("cancel reminder 2", "remind-2 is cancelled", "remind-2 is cancelled\n"),
        ("run ls b", "exit status 2\nno b", "exit status 2\nno b\n"),
    ],
)
def test_what_came_of_it_is_said_as_a_person_reads_it(asked: str, result: str, said: str) -> None:
    life = Life().hear(asked)
    name = life.step()[0].name
    assert life.add(f"TOOL {name} ok", result).said() == said


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Rappelle-moi d'appeler maman demain à 9h.", "d'appeler maman demain à 9h."),
        ("Recuérdame mañana a las 9 que llame a mamá", "mañana a las 9 que llame a mamá"),
        ("ricordami di chiamare mamma domani alle 9", "di chiamare mamma domani alle 9"),
        ("lembra-me de ligar à mãe amanhã às 9", "de ligar à mãe amanhã às 9"),
        ("herinner me morgen om 9 uur aan het eten", "morgen om 9 uur aan het eten"),
        ("påminn mig imorgon klockan 9 att ringa", "imorgon klockan 9 att ringa"),
        ("przypomnij mi jutro o 9 żeby zadzwonić", "jutro o 9 żeby zadzwonić"),
        ("Напомни позвонить маме завтра в 9", "позвонить маме завтра в 9"),
        ("нагадай мені завтра о 9 подзвонити", "завтра о 9 подзвонити"),
        ("mind mig om at ringe i morgen klokken 9", "at ringe i morgen klokken 9"),
        ("Muistuta minua huomenna kello 9 soittamaan", "huomenna kello 9 soittamaan"),
        ("Připomeň mi zítra v 9 zavolat mámě", "zítra v 9 zavolat mámě"),
        ("提醒我明天下午三点打电话", "明天下午三点打电话"),
        ("明日の午後3時に母に電話するようにリマインドして", "明日の午後3時に母に電話する"),
        ("내일 오후 3시에 전화하라고 알려줘", "내일 오후 3시에 전화하라고"),
        ("yarın saat 9'da aramayı hatırlat", "yarın saat 9'da aramayı"),
        ("yarin saat 9'da aramayi hatirlat", "yarin saat 9'da aramayi"),
        ("sabah saat 9-da zəng etməyi xatırlat", "sabah saat 9-da zəng etməyi"),
        ("pripomen mi zitra v 9 zavolat", "zitra v 9 zavolat"),
        ("paminn mig i overmorgon kl 9 att ringa", "i overmorgon kl 9 att ringa"),
    ],
)
def test_a_reminder_is_set_in_the_languages_whose_times_are_read(asked: str, text: str) -> None:
    assert Life().hear(asked).step() == (ToolCall("REMIND", text, None),)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("every hour from 9 to 17 remind me to stretch", "every hour from 9 to 17 to stretch"),
        ("10 minutes from now, please remind me of the tea.", "10 minutes from now of the tea."),
        ("Tomorrow could you remind me at 9 to call mum?", "Tomorrow at 9 to call mum"),
        ("morgen um 9 erinnere mich an Mama", "morgen um 9 an Mama"),
        ("erinnere mich am 1. und 15. jedes Monats um 9 Uhr an die Miete",
         "am 1. und 15. jedes Monats um 9 Uhr an die Miete"),
        ("Kannst du mich morgen um 9 an den Zahnarzt erinnern?", "morgen um 9 an den Zahnarzt"),
        ("demain à 9h rappelle-moi d'appeler maman", "demain à 9h d'appeler maman"),
        ("Peux-tu me rappeler demain à 9h d'appeler maman ?", "demain à 9h d'appeler maman"),
        ("mañana a las 9 recuérdame llamar a mamá", "mañana a las 9 llamar a mamá"),
        ("明天上午9点提醒我给妈妈打电话", "明天上午9点 给妈妈打电话"),
    ],
)  # fmt: skip
def test_a_time_may_come_before_the_request(asked: str, text: str) -> None:
    assert Life().hear(asked).step() == (ToolCall("REMIND", text, None),)
    assert reminder_times.parse_request(text, datetime(2026, 11, 24, 10, tzinfo=UTC))


@pytest.mark.parametrize("told", ["My sister is kind, she will remind me to eat", "Nobody had to remind me to call"])
def test_who_only_speaks_of_reminding_sets_nothing(told: str) -> None:
    assert Life().hear(told).said().startswith("Heard, ana.")


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("Vergiss bitte nicht, dass der Zug um 9 geht.", "der Zug um 9 geht"),
        ("Souviens-toi de mon siège 14A, s'il te plaît", "mon siège 14A"),
        ("note que le code est 4711", "le code est 4711"),
        ("n’oublie pas que Paul arrive lundi !", "Paul arrive lundi"),
        ("Por favor, recuerda que mi vuelo es el 3 de mayo.", "mi vuelo es el 3 de mayo"),
        ("no olvides que Ana viene", "Ana viene"),
        ("ricordati che il posto è 14A", "il posto è 14A"),
        ("lembra-te que o lugar é 14A", "o lugar é 14A"),
        ("onthoud dat mijn stoel 14A is", "mijn stoel 14A is"),
        ("glöm inte att mjölken är slut", "mjölken är slut"),
        ("zapamiętaj, że moje miejsce to 14A", "moje miejsce to 14A"),
        ("запомни, что код 4711", "код 4711"),
        ("не забудь, що код 4711", "код 4711"),
        ("请记住：门的密码是4711。", "门的密码是4711"),
        ("别忘了我对花生过敏", "我对花生过敏"),
        ("座席は14Aだと覚えてください", "座席は14Aだ"),
        ("내 자리는 14A라고 기억해줘", "내 자리는 14A"),
        ("koltuğun 14A olduğunu unutma", "koltuğun 14A olduğunu"),
    ],
)
def test_it_keeps_what_it_shall_remember_in_the_languages_whose_times_are_read(asked: str, line: str) -> None:
    life = Life("").hear(asked)
    assert "Noted" in life.said() and life.memory == f"- {line} (added 2026-11-21)\n"


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        ("vergiss bitte meinen Sitz", "meinen Sitz tauschen"),
        ("oublie mon siège", "mon siège est 14A"),
        ("olvida mi asiento, por favor", "mi asiento es 14A"),
        ("dimentica il posto", "il posto è 14A"),
        ("esqueça o lugar", "o lugar é 14A"),
        ("vergeet mijn stoel", "mijn stoel is 14A"),
        ("glöm min plats", "min plats är 14A"),
        ("zapomnij o miejsce", "miejsce to 14A"),
        ("забудь про место", "место 14А"),
        ("忘记我的座位", "我的座位是14A"),
        ("请把座位忘掉", "我的座位是14A"),
        ("座席を忘れて", "座席は14A"),
        ("자리 잊어줘", "자리 14A"),
        ("koltuk unut", "koltuk 14A"),
    ],
)
def test_it_forgets_what_matches_in_those_languages(asked: str, note: str) -> None:
    life = Life(f"- {note}\n- tea is hot\n").hear(asked)
    assert "Removed from my notes. The rooms still contain" in life.said() and life.memory == "- tea is hot\n"


@pytest.mark.parametrize(
    "asked", ["vergiss das", "olvida todo", "oublie cela", "vergiss nicht", "忘记全部", "Забудь это"]
)
def test_what_to_forget_is_asked_back_where_it_is_not_named(asked: str) -> None:
    life = Life("- das ist nicht todo\n- cela est tout\n- 全部\n- это\n").hear(asked)
    assert "What do you mean?" in life.said() and (life.memory or "").count("\n") == 4


@pytest.mark.parametrize("asked", ["（我对虾过敏。）请记住。", "请记住！"])
def test_what_to_remember_is_asked_back_where_no_word_says_it(asked: str) -> None:
    """It noted the full stop."""
    life = Life("").hear(asked)
    assert "What do you mean?" in life.said() and not life.memory


@pytest.mark.parametrize(
    "told", ["Olvidé mi paraguas azul", "비밀번호를 잊어버렸어 정말", "忘记带伞了", "忘れてしまった"]
)
def test_who_says_that_something_was_forgotten_asks_for_nothing(told: str) -> None:
    assert Life("- mi paraguas azul\n- 비밀번호\n- 带伞\n").hear(told).said().startswith("Heard, ana.")


@pytest.mark.parametrize("asked", ["Muista että paikkani on 14A", "unohda minun paikkani", "zapomeň moje místo tady"])
def test_in_a_language_that_is_not_read_it_says_that_no_note_is_changed(asked: str) -> None:
    life = Life("- minun paikkani\n").hear(asked)
    assert "I also changed none of my notes" in life.said() and life.memory == "- minun paikkani\n"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("set a timer for 10 minutes", "in 10 minutes: timer"),
        ("Set a timer for an hour and a half to turn the roast.", "in an hour and a half: turn the roast"),
        ("please set an alarm for 7:30 tomorrow", "7:30 tomorrow: alarm"),
        ("wake me up at 7am", "at 7am: wake up"),
        ("weck mich um 7 Uhr", "um 7 Uhr: wake up"),
        ("stell einen Wecker auf morgen um 7", "morgen um 7: Wecker"),
    ],
)
def test_a_timer_and_an_alarm_are_reminders(asked: str, text: str) -> None:
    assert Life().hear(asked).step() == (ToolCall("REMIND", text, None),)


@pytest.mark.parametrize("told", ["the dentist is on Friday at 15:00", "Zahnarzt ist am Freitag um 15 Uhr"])
def test_of_a_fact_with_a_time_it_says_that_no_reminder_was_set(told: str) -> None:
    assert "I set no reminder; to be reminded, write" in Life().hear(told).said()


def test_a_timer_without_a_time_is_asked_back() -> None:
    assert Life().hear("set a timer for the eggs").said().startswith("When should I remind you?")


@pytest.mark.parametrize(
    "asked",
    ["please delete the PIN of Mia", "Can you erase what I said about my locker?", "Remove 6714, please.",
     "The value 6714 should be deleted.", "That was a mistake, please delete it", "forget the PIN of Mia",
     "bitte lösche die PIN von Mia", "supprime mon code"],
)  # fmt: skip
def test_who_wants_something_deleted_is_told_that_nothing_was_and_where_to_ask(asked: str) -> None:
    told = Life("- tea is hot\n").hear(asked).said()
    assert "To delete text permanently, everywhere, the owner writes “/forget …” in a private room" in told
    assert "I deleted nothing" in told or "I forgot nothing" in told


@pytest.mark.parametrize("told", ["I deleted the old photos", "the delete key is broken", "how do I delete a file?"])
def test_who_only_speaks_of_deleting_is_not_told_where_to_ask(told: str) -> None:
    assert "/forget" not in Life("- tea is hot\n").hear(told).said()


@pytest.mark.parametrize("asked", ["Emlékeztess holnap 9-kor", "Amintește-mi mâine la 9 să o sun pe mama"])
def test_in_a_language_that_is_not_read_it_says_that_no_reminder_is_set(asked: str) -> None:
    assert "I set no reminder; to be reminded, write “remind me on" in Life().hear(asked).said()


def test_a_reminder_of_nothing_is_asked_back_without_the_form_of_a_call() -> None:
    assert Life().hear("remind me tomorrow").said().startswith("Of what should I remind you? For example: “remind me")


@pytest.mark.parametrize("language", reminders.ANSWERS)
def test_the_example_of_each_language_is_a_request_that_sets_a_reminder(language: str) -> None:
    example = reminders.ANSWERS[language][5]
    (call,) = Life().hear(example).step()
    assert call.name == "REMIND" and reminders.find_language(example) == language
    found = reminder_times.parse_request(call.args, datetime(2026, 11, 24, 10, tzinfo=UTC))
    assert found and found.kind == "at" and found.text and reminder_times.find_language(call.args) == language


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("rappelle-moi demain à 9h", "Que dois-je te rappeler ? “rappelle-moi vendredi à 9h"),
        ("remind me demain à 9h", "Que dois-je te rappeler ?"),
        ("erinnere mich morgen um 9", "Woran soll ich dich erinnern?"),
        ("напомни завтра в 9", "О чём тебе напомнить?"),
        ("提醒我明天上午9点", "要提醒你什么？"),
        ("przypomnij mi żeby zadzwonić", "Kiedy mam ci przypomnieć?"),
        ("remind me to call mum", "When should I remind you?"),
    ],
)
def test_what_is_missing_in_a_reminder_is_asked_in_its_language(asked: str, said: str) -> None:
    assert Life().hear(asked).said().startswith(said)


@pytest.mark.parametrize(
    ("asked", "args", "result", "said"),
    [
        (
            "zeige mir meine Erinnerungen",
            "list de",
            "remind-1: Fr 9:00: x",
            "Deine Erinnerungen („lösche Erinnerung 1“",
        ),
        ("montre-moi mes rappels", "list fr", "no reminder is set", "Tu n'as aucun rappel."),
        ("покажи мои напоминания", "list ru", "no reminder is set", "У тебя нет напоминаний."),
        ("我的提醒", "list zh", "no reminder is set", "你没有提醒。"),
        ("lösche die Erinnerung 2", "cancel 2", "remind-2 is cancelled", "Erinnerung 2 ist gelöscht."),
        ("lösche die Erinnerung 7", "cancel 7", "you have no reminder remind-7", "Es gibt keine Erinnerung 7."),
        ("取消提醒7", "cancel 7", "you have no reminder remind-7", "没有提醒7。"),
        ("supprime le rappel 2", "cancel 2", "remind-2 is cancelled", "Le rappel 2 est supprimé."),
        ("リマインダー2を削除して", "cancel 2", "remind-2 is cancelled", "リマインダー2を削除しました。"),
        ("알림 2 취소해줘", "cancel 2", "remind-2 is cancelled", "알림 2이(가) 취소되었습니다."),
        ("hatırlatıcı 2 sil", "cancel 2", "remind-2 is cancelled", "Hatırlatıcı 2 silindi."),
    ],
)
def test_reminders_are_listed_and_cancelled_in_the_language_of_the_request(
    asked: str, args: str, result: str, said: str
) -> None:
    life = Life().hear(asked)
    assert life.step() == (ToolCall("REMIND", args, None),)
    how = "error" if result.startswith("you have no reminder") else "ok"
    assert life.add(f"TOOL REMIND {how}", result).said().startswith(said)


@pytest.mark.parametrize("language", [name for name in reminders.ANSWERS if name != "en"])
def test_each_list_says_how_to_cancel_a_reminder(language: str) -> None:
    cancel = re.search("[“„«”「](.+?)[”“»」]", reminders.ANSWERS[language][0])
    assert cancel and Life().hear(cancel[1].strip()).step() == (ToolCall("REMIND", "cancel 1", None),)
    assert reminders.find_language(cancel[1]) == language


@pytest.mark.parametrize(
    "told",
    ["run a marathon", "Here is how:\nrun ls\nand then rest.", "RUN ls", "the time has come", "I own a model train",
     "forgte my seat", "forged steel is strong", "Whiskers is my cat"],
)  # fmt: skip
def test_what_only_looks_like_a_request_is_heard_as_it_stands(told: str) -> None:
    life = Life("- my seat is 14A\n").hear(told)
    (call,) = life.step()
    assert call.name == "SAY" and call.body is not None and call.body.startswith("Heard, ana.")


@pytest.mark.parametrize("asked", ["What time is my flight?", "what is the model of my car?", "how was your day?"])
def test_a_question_about_something_else_is_not_answered_by_what_it_resembles(asked: str) -> None:
    assert "I do not know. I am the offline provider" in Life().hear(asked).said()


def test_another_agent_runs_nothing() -> None:
    assert {call.name for call in Life().hear("Can you run ls?", BOT).step()} <= {"SAY", "WAIT"}


def test_one_misspelt_word_is_read_right_and_the_rest_is_kept_as_it_is() -> None:
    life = Life("").hear("rember that Bne likes teh tea")
    life.said()
    assert life.memory == "- Bne likes teh tea (added 2026-11-21)\n"


def test_what_the_owner_is_asked_about_is_not_called_done() -> None:
    life = Life("- my seat is 14A (added 2026-11-20)\n").hear("forget my seat")
    reply = ask(life.prompt())
    life.parts.append({"role": "assistant", "content": reply})
    life.number += 1
    life.add(f"TOOL {calls_of(reply)[0].name} asked", "Not done yet: I asked my owner in dev (question 10).")
    assert ask(life.prompt()) == "WAIT"
    assert "You are welcome" in (thanked := ask(life.hear("thanks").prompt())) and "Removed" not in thanked


@pytest.mark.parametrize("mark", ["", "- [from mail.txt] the office moved\n"])
def test_what_was_added_to_the_notes_is_one_of_them(mark: str) -> None:
    first, second = f"{mark}- my seat is 14A (added 2026-11-20)", "- buy milk (added 2026-11-20)\n- call Bo\n"
    life = Life(f"{first}\n")
    life.add("PAPER MEMORY.md since=36", second)
    shown = ask(life.hear("show notes").prompt())
    assert "14A" in shown and "buy milk" in shown and "call Bo" in shown
    (call,) = calls_of(ask(Life(f"{first}\n").add("PAPER MEMORY.md since=36", second).hear("forget milk").prompt()))
    assert call.name == "EDIT_FILE" and "buy milk" in (call.body or "") and "14A" not in (call.body or "")


def test_what_was_noted_in_another_way_than_it_was_said_is_told() -> None:
    life = Life().hear("remember that my password is hunter2")
    life.parts.append({"role": "assistant", "content": ask(life.prompt())})
    life.number += 1
    life.add("TOOL REMEMBER ok", "noted in MEMORY.md, without the password, because notes must not contain secrets")
    told = ask(life.prompt())
    assert "Noted in MEMORY.md, without the password" in told and "hunter2" not in told


@pytest.mark.parametrize(
    "asked",
    ["read the file", "fetch", "Run it.", "list!", "cancel the reminder tea", "cancel all reminders", "please show"],
)
def test_a_request_that_is_not_whole_is_answered_with_whole_ones(asked: str) -> None:
    said = Life().hear(asked).said()
    assert "does not say enough, so I did nothing" in said and "cancel reminder 1" in said


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("remind me", "When should I remind you?"),
        ("erinnere mich", "Wann soll ich dich erinnern?"),
        ("提醒我", "什么时候提醒你？"),
        ("Rappelle-moi !", "Quand dois-je te le rappeler ?"),
        ("stop", "I am doing nothing now, ana."),
    ],
)
def test_a_reminder_without_anything_and_a_lone_stop(asked: str, told: str) -> None:
    assert told in Life().hear(asked).said()


@pytest.mark.parametrize("greeting", ["Hello, ", "hi ", "Hey there, ", "Hello again, "])
def test_a_greeting_before_a_request_changes_nothing(greeting: str) -> None:
    for request in ("list files", "set a timer for 20 seconds", "remember that the code is 4711"):
        assert Life().hear(greeting + request).step()[0].name == Life().hear(request).step()[0].name != "SAY"


def test_an_agent_with_a_name_says_it_and_is_called_by_it() -> None:
    for audience, text in (
        ("private ana", "who are you?"),
        ("group", "Will, who are you?"),
        ("group", "@Will who are you?"),
    ):
        life = Life(audience=audience)
        life.parts[0]["content"] += "\n\n# IDENTITY\n\n- **Name:** Will\n- **Emoji:**\n\n# USER\n\n- **Name:** Ana"
        assert life.hear(text).said().startswith("I am Will, agent 0123456789ab. I am the offline provider")
    assert life.hear("Will it be late?").step() == (ToolCall("WAIT", "", None),), "a word is no name"


@pytest.mark.parametrize("text", ["{}: what is my boat called?", "@{} what is my boat called?"])
def test_a_question_with_the_person_s_own_name_in_front_is_no_call_of_another(text: str) -> None:
    life = Life("- my boat is called Zoe (said by ana)\n").hear("hello", BEN)
    life.step()
    assert life.hear(text.format("ben")).step() == (ToolCall("WAIT", "", None),)
    assert "Zoe" in life.hear(text.format("ana")).said()


@pytest.mark.parametrize("asked", ["Was weißt du über mich?", "¿Qué sabes de mí?", "What is stored of mine?"])
def test_an_answer_does_not_say_that_there_are_no_notes_about_a_person_who_has_some(asked: str) -> None:
    life = Life("- my boat is called Anna (said by ana)\n")
    assert "“show notes” lists my notes" in life.hear(asked).said()

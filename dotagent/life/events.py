"""The events of an agent: one frozen dataclass each, which renders and parses the detail of its line in LIFE.md.

All code uses these classes, so that only one place knows a line's form. An unreadable line is kept and skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dotagent.life.event import Event, event, find_all, named_field, pairs, rest
from dotagent.life.event import parse as parse

NEXT = " ⏎ "  # between the lines of a message to a room, because a detail is one line


@event("BOOT")
class Boot(Event):
    """dotagent created the agent for the people named in `audience`. The stored file (blob) contains the agent's first
    SOUL.md, the description of its character. The id of this stored file is also the id of the agent."""

    audience: str = rest()


@event("RESUME")
class Resume(Event):
    """A process started to run the agent. `provider` is the name of the provider, the connection to the model."""

    provider: str = rest()


@event("SLEEP")
class Sleep(Event):
    """The agent's process ended in the normal way, and not by a crash."""


@event("TORN")
class Torn(Event):
    """The last line of LIFE.md was incomplete, so dotagent moved this line to the file `file`."""

    file: str = rest()


@event("CLOCK")
class Clock(Event):
    """The machine's clock was once too far ahead, and a person or program set it back. So the times in the agent's log,
    LIFE.md, are later than the true time. `at` is the true time."""

    at: str


@event("ERROR")
class Error(Event):
    """Something failed, and a person must fix the problem. `text` names the problem and its place."""

    text: str = rest()


@event("TELL")
class Tell(Event):
    """dotagent itself, not the model, writes the line `text` into the room. `budget` names a budget that is nearly used
    up, and the day or month for which this budget applies. `guess` names a provider and model if dotagent had to guess
    how many tokens the model can read. `fade=told` means that `text` tells the people in the room that summaries
    replaced old entries of the agent's context."""

    room: str
    budget: str = named_field("")
    guess: str = named_field("")
    fade: str = named_field("")
    text: str = rest()


# --- hearing


@event("JOIN")
class Join(Event):
    """The agent joined the room and reads the room's file from the byte `offset` on. `mark` is a hash of the last line
    before the byte `offset`, or `-` if the agent reads the room's file from its start. The stored file (blob) contains
    the last messages of the room before the byte `offset`, and `media` lists the newest files in these messages. `by`
    says who wrote these messages, apart from the person for whom the agent works: `agent` (other agents) or `others`
    (other people). Earlier versions also wrote `own`. `bridged` means that someone has written into the room through a
    bridge, a connection to a chat network such as Telegram."""

    room: str
    offset: int
    mark: str
    media: str = named_field("")
    by: str = named_field(
        ""
    )  # the origins of the blob's text besides the person, as in life/origins.py: `agent,others`
    bridged: str = ""  # `bridged` if someone behind a bridge has spoken there


@event("LEAVE")
class Leave(Event):
    """The agent left the room and no longer reads it."""

    room: str


@event("PLACE")
class Placed(Event):
    """A person or program changed the room's file elsewhere than at its end, and the agent found its place again. The
    agent reads the file from the byte `offset` on. `mark` is a hash of the last line before the byte `offset`, or `-`
    if the agent reads the file from its start, or compares the whole file with LIFE because an answer is missing."""

    room: str
    offset: int
    mark: str


@event("HEAR")
class Hear(Event):
    """The agent read a message. `offset` is the position of the message's end in the room's file, in bytes, and `mark`
    is a hash of the last line of the message. `who` is the author of the message: `USER:ana`, `AGENT:9f8e7d6c5b4a`, or
    `OWNER` if the message names no author. `by` says whose text the message contains: `person` (in a group, the person
    for whom the agent works), `others` (another person, or quoted lines), `agent` (another agent) or `file` (an
    attached file). In logs of earlier versions, `by=own` marks a message of another agent that had read no text from
    strangers (text that neither this agent nor its person wrote)."""

    room: str
    offset: int
    mark: str
    media: str = named_field("")
    by: str = named_field("")
    who: str = rest()


@event("PAPER", blob=True)
class Document(Event):
    """A document of the agent, such as MEMORY.md, has a new version, and the stored file (blob) contains the text of
    this version. `name` is the name of a file such as MEMORY.md, or one of these words: `here` (the names of the model
    and the machine), `system_prompt_extra` (the setting), `SKILLS` (the list of skills), `RULES` (rules and observed
    habits that the agent has learned) or `PROFILE` (the profile of the person for whom the agent works). If lines were
    only added at the end of MEMORY.md, `since` is the number of bytes of MEMORY.md that the context already contains.
    `by=own` means that the agent itself wrote everything that is new in this version of the document, and `by=others`
    that the document arrived with lines of others, for example by an import."""

    name: str
    since: int = named_field(0)
    by: str = named_field("")  # `own` if the agent wrote everything that is new


@event("DAILY")
class Daily(Event):
    """Lines were added to the notes of one day, the file `memory/<day>.md`. `size` is the size of the file in bytes,
    and `mark` is a hash of the file. The stored file (blob) contains the added lines of the notes. If the event has no
    stored file, the agent itself wrote these lines, so its context contains the lines already."""

    day: str
    size: int
    mark: str
    by: str = named_field("")  # `own` if the agent wrote everything that is new


@event("NOTE")
class Note(Event):
    """dotagent adds a remark for the model to the context. `why` is the reason for the remark: `form` (the reply has a
    wrong form), `empty` (the reply is empty), `ended` (the model continued after the end of its reply, and the rest was
    removed), `circles` (the model repeats itself), `owed` (another room still waits for an answer), `another` (another
    agent answers in the room), `told` (dotagent has answered the message itself) or `last` (the same, and earlier
    messages still need an answer). `entries` are the numbers of the messages that are owed an answer, if a person
    stopped the rest of their turn."""

    room: str
    why: str
    entries: str = named_field("")


# --- asking


@event("ASK", blob=True)
class Ask(Event):
    """The agent is about to send a request to a model. `room` is the room that waits for the answer, and `size` is the
    approximate number of tokens in the request. `fixed` says how many of these tokens belong to the part of the request
    before the entries: SOUL.md, the instructions, the tools and the documents. `rest` says how many of these tokens
    stand for characters outside ASCII. The stored file (blob) contains the request."""

    provider: str
    room: str
    size: int = 0
    fixed: int = named_field(0)
    rest: int = named_field(-1)


@event("REPLY", blob=True)
class Reply(Event):
    """A model answered a request. The fields have the form `name=value`. `finish` is `stop` if the model completed the
    answer, `length` if the answer reached its largest length, `turn` if the message of another speaker began in the
    answer, and `repeated` if the answer repeated itself. `provider` and `model` are the names of the provider and the
    model. `input`, `cached`, `output` and `reasoning` are numbers of tokens. `cost` is the price of the answer, in
    millionths of a US dollar. `estimated=1` means that the server reported no numbers of tokens. `upstream` is the
    service to which the provider passed the request on. The stored file (blob) contains the answer."""

    room: str = ""
    told: Mapping[str, str] = pairs()


@event("USAGE")
class Spent(Event):
    """dotagent sent the model a request that is not part of the conversation, for example a request for a summary. The
    event says how many tokens this request used, and has the same fields as the event REPLY. The stored file (blob)
    contains the model's answer. If all attempts to get an answer failed, the stored file contains the request."""

    told: Mapping[str, str] = pairs()


@event("FAIL")
class Fail(Event):
    """A request failed, or the agent had to stop. `kind` is the kind of failure. `again` is one of these words:
    `retryable` (another attempt may work), `final` (another attempt cannot work), `stopped` (dotagent ended the agent's
    work on this message) or `held` (dotagent did not send the request for the room `room`, because a budget is used
    up). `until` is the time at which the provider may be asked again, if the provider named a time. `due` is the number
    of the entry with the task, such as a reminder, that was due. The gist, a short text in the event's line, tells you
    what you can do about the failure."""

    kind: str
    again: str = ""
    room: str = named_field("")
    until: str = named_field("")
    due: str = named_field("")


@event("AWAY")
class Away(Event):
    """A provider did not answer a request, so the agent asks the next provider. `kind` is the kind of failure, `call`
    is the id of the request, and `why` says what to do about the failure."""

    provider: str
    kind: str
    call: str
    why: str = rest()


@event("LONG")
class Long(Event):
    """The model rejected the prompt as too long. `told` is the size of the prompt, in tokens, that the provider
    reported (0: the provider reported no size). `tokens` is the size of the prompt, in tokens, that dotagent
    estimated."""

    told: int
    tokens: int


@event("WINDOW")
class Window(Event):
    """The model can read fewer tokens than the context may have. So the limit of the context is now `tokens`."""

    tokens: int


# --- acting


@event("EFFECT")
class Effect(Event):
    """The agent is about to do something that others can see, with the tool `tool`. After a crash, dotagent uses the
    field `what` to find out whether the agent had already done this. If the agent sends a message, `what` contains the
    room, the size of the room's file and the time of the message. If the agent writes a file, `what` contains the hash
    of the old content (`-` if the file did not exist), the hash of the new content, and the path. If `tool` is
    `QUESTION`, the agent is about to ask a person for permission. In this case, `what` contains the number of the
    question, the room, the time, the deadline, the id of the stored file (blob) with the question's text, and the
    model's reply. For each tool call that needs permission, `what` also contains the position of the tool call in the
    model's reply, and the lasting permission that the person would give with the answer `always`."""

    tool: str
    what: str = rest()


@event("DID")
class Did(Event):
    """A tool call is finished, and the tool returned nothing for the model to read."""

    tool: str


@event("TOOL")
class Result(Event):
    """A tool call is finished. `how` is `ok`, `error`, or `asked` if a person must allow the tool call first. The
    stored file (blob) contains the result of the tool, which can be text, a picture, a PDF or a sound. `media` lists
    the pictures, PDFs and sounds that the model sees. `by` says who wrote the text in the result. The field `by` exists
    only if the result is an error, or if the tool usually returns text that neither the agent nor its person wrote."""

    tool: str
    how: str = "ok"
    media: str = named_field("")
    by: str = named_field("")


@event("KEEP")
class Keep(Event):
    """The agent marked the entry `number`, so that no summary replaces this entry."""

    number: int


@event("PLAN", blob=True)
class Plan(Event):
    """The agent wrote a plan for its turn. The plan replaces the turn's earlier plan. Each prompt ends with the plan
    until the turn is over. The stored file (blob) contains the plan."""


@event("ALTERNATE")
class Alternate(Event):
    """The alternate character, by default the file SOUL_EVIL.md, replaces SOUL.md (`how` is `on`), or SOUL.md is in
    effect again (`off`). `why` gives the reason. If `how` is `on`, the stored file (blob) contains the text that
    describes the alternate character."""

    how: str
    why: str = rest()

    @property
    def name(self) -> str:
        """Return the name of the document that this is a version of; without a blob, the version ends."""
        return "SOUL_EVIL.md"


# --- forgetting


@event("SWAP")
class Swap(Event):
    """A new context replaced the agent's old context: summaries replaced old entries, or old entries came back. The
    stored file (blob) lists the entries of the new context, and `tokens` is the size of the context before and after.
    `why` is `limit`, `asked`, `rest` or `floor`, as in the event FADE. `why` is `strip` if dotagent only removed old
    reasoning and reminders from the context. `why` is `unfade` if a person put original entries back in the place of
    their summaries. In this case, `undoes` is the id of the earliest event SWAP that the person undid (the id of its
    stored file)."""

    why: str = ""
    tokens: str = named_field("")
    undoes: str = named_field("")


@event("LIFE")
class Recent(Event):
    """After summaries have replaced old entries, the entry LIFE in the new context shows the model the latest events of
    the log LIFE.md that the new context would otherwise not contain. `settled` is the size of the new context in
    tokens."""

    settled: int = -1


@event("WARN")
class Warn(Event):
    """dotagent tells the agent something, for example why it made summaries without a model, or where the agent's files
    are now."""


@event("FORGOT")
class Forgot(Event):
    """dotagent permanently deleted something. `id` is its id in the file `forgotten/record.jsonl`. If a person asked
    dotagent to delete sentences, `items` is the number of deleted sentences, and `by` is the person. If dotagent
    deleted old events because of the setting `retention`, `items` is the number of deleted events, and `by` is
    `retention`."""

    id: str
    items: int
    by: str = rest()


@event("FADED")
class Faded(Event):
    """A summary in the context, which replaces the entries `span`. `relevance` says how relevant these entries still
    are, and `summary` is the id of the stored file (blob) with the summary. An entry of the kind FADED occurs only in
    the context and in lists of original entries, not in the log LIFE.md."""

    span: str
    relevance: int = named_field(0)
    summary: str = named_field("")  # the blob of the summary; empty for a leaf of a tree
    members: int = named_field(0)  # the number of lines of a leaf; 0 if unknown

    @property
    def last(self) -> int:
        """Return the number of the last entry that it replaces. Raises ValueError."""
        return int(self.span.partition("-")[2])


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type[Event]:
        """Return the class of a rare event, which was in this module before, for the code of others."""
        for kind in () if name.startswith("_") else find_all().values():
            if kind.__name__ == name:
                return kind
        raise AttributeError(f"there is no event {name}")

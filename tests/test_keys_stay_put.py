"""Keys stay in the process that needs them, whatever a server does with what it was sent.

A home with the keys of nine providers and of a bridge, in the environment, in `.env` and in a token's file; servers
that refuse in every way and repeat the key in each of them; a command that looks for keys; a provider that is killed.
After that every file and name of the home, all output and every process are searched for each key, in pieces too.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from alive import Alive, Ended, a_home, forked, hears, kill_provider, provider_of, say
from providers.loopback import (
    CUT,
    DONE,
    Answer,
    Received,
    Server,
    closed_port,
    data,
    event,
    page,
    refusal,
    stream,
    whole,
)
from support import spawn, together, until

from dotagent import __main__ as program
from dotagent.store import credentials, launch, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part

MARK = "kanarienvogel"  # in every canary, so that a piece of one is found as well


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


ACCOUNT = json.dumps({"https://api.openai.com/auth": {"chatgpt_account_id": "acct"}})
CANARIES = {
    "DEEPSEEK_API_KEY": f"sk-d1{MARK}-Zz9_q",
    "OPENAI_OAUTH_TOKEN_FILE": f"oauth.o2{MARK}-Zz9_q",  # what stands in the file
    "OPENAI_CODEX_OAUTH_ACCESS_TOKEN": f"{_encoded('{}')}.{_encoded(ACCOUNT)}.c3{MARK}-Zz9_q",
    "ANTHROPIC_API_KEY": f"sk-ant-a4{MARK}-Zz9_q",
    "OLLAMA_API_KEY": f"o5{MARK}-Zz9_q",
    "GEMINI_API_KEY": f"AIzaSy-g6{MARK}-Zz9_q",
    "OPENROUTER_API_KEY": f"sk-or-r7{MARK}-Zz9_q",
    "DISCORD_BOT_TOKEN": f"MTA.d8{MARK}.Zz9_q",
    "GITHUB_TOKEN": f"ghp_h9{MARK}Zz9q",
    "STRIPE_KEY_PROD": f"rk_s11{MARK}Zz9q",
    "MY_KEY_OLD": f"m12{MARK}Zz9q",
    "password": f"p10{MARK}/+ =Zz9",  # in addresses
}
PASSWORD = quote(CANARIES["password"], safe="")
LIFE = "b" * 32  # whose calls the test places itself
SCENE = re.compile(r"scene-([a-z]+)")
LOOK = """SAY dev I look
RUN env; cat /proc/$PPID/environ /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>&1; ps axeww; ls -lR ../..; echo looked
"""


def forms(secret: str) -> Iterator[bytes]:
    """The key as it may stand somewhere: as it is, quoted for an address or JSON, encoded, and its beginning."""
    yield secret.encode()
    yield quote(secret, safe="").encode()
    yield json.dumps(secret)[1:-1].encode()
    for before in range(3):  # base64 looks otherwise after one or two other bytes
        yield base64.b64encode(b"x" * before + secret.encode())[4:-4]
    yield secret.encode().hex().encode()
    yield secret[::-1].encode()
    yield secret[: secret.index(MARK) + 6].encode()


NEEDLES = re.compile(
    b"|".join(map(re.escape, {MARK.encode(), *(it for one in CANARIES.values() for it in forms(one))}))
)


def clean(data: bytes | str, what: object) -> None:
    """Fail when there is a key in it, or a piece of one."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    found = NEEDLES.search(raw)
    assert not found, f"{what} holds a key: {raw[max(0, found.start() - 60) : found.end() + 20]!r}"


# --- what servers do


def scene(name: str, first: bool, key: str) -> Answer:
    """What the server answers in this scene to one who sent this key; some failures pass after the first time."""
    packed = base64.b64encode(f"x:{key}".encode()).decode(), key.encode().hex(), key[::-1]
    said = f"sent: {key}, in short {key[: key.find(MARK) + 7]}..., https://ana:{key}@host/?key={quote(key, safe='')}"
    said += f" {' '.join(packed)}"
    told = f"again: {key}, {key}!"
    letters = [event({"content": one}) for one in told]
    scenes: dict[str, Answer] = {
        "denied": refusal(401, said),
        "forbidden": refusal(403, said),
        "refused": refusal(400, said, param=key, code=key, type=key),
        "plain": Answer((said.encode(),), 400, {"content-type": "text/plain"}),
        "html": Answer((f"<p>{said}".encode(),), 200, {"content-type": "text/html"}),
        "moved": Answer((said.encode(),), 302, {"location": f"http://127.0.0.1:9/?key={key}"}),
        "broke": refusal(402, said),
        "missing": refusal(404, said),
        "model": refusal(400, f"the model {key} does not exist"),
        "long": refusal(413, said),
        "heads": refusal(400, "no", headers={"x-request-id": said, "retry-after": key, "set-cookie": f"k={key}"}),
        "late": Answer((event({"content": "so"}), data({"error": {"message": said, "code": 400}}))),
        "whole": whole(told, " ".join((told, *packed))),
        "echo": Answer((
            *(event({"reasoning_content": one}) for one in (told, *packed)),
            *(one for letter in letters for one in (letter, event({"reasoning_content": "."}))),
            data({"provider": key, "choices": [{"delta": {"content": " That is it."}, "finish_reason": None}]}),
            event({}, "stop"),
            DONE,
        )),
    }  # fmt: skip
    passing: dict[str, Answer] = {
        "busy": refusal(503, said, headers={"retry-after": "0"}),
        "limited": refusal(429, said, headers={"retry-after": "0"}),
        "junk": Answer((f"data: {{{said}\n\n".encode(),)),
        "cut": Answer((*letters, CUT)),
        "garbled": Answer((b"",), 200, {f"bad {key} header": "1"}),
    }
    if name in scenes:
        return scenes[name]
    return passing[name] if first else stream("it was nothing")


QUICK = "denied forbidden refused plain html moved broke missing model long heads late whole echo".split()
AGAIN = "busy limited junk cut garbled".split()  # these take a second


class Repeating(Server):
    """A server that repeats the key that it is sent, in the scene that the newest message asks for."""

    def __init__(self) -> None:
        super().__init__(self._scene)
        self.seen = Counter[tuple[str, str]]()

    def told(self, received: Received) -> Answer:
        """What it tells of itself: that it runs no models in one place; in all others it refuses."""
        return page({"data": []}) if received.path == "/local/v1/models" else refusal(403, f"no {_key(received)}")

    def _scene(self, asked: Received) -> Answer:
        key, text = _key(asked), json.dumps(asked.body)
        name = (SCENE.findall(text) or ["forbidden"])[-1]
        if name == "look":
            return stream("done") if "echo looked" in text else stream(LOOK)
        self.seen[name, key] += 1
        return scene(name, self.seen[name, key] == 1, key)


def _key(asked: Received) -> str:
    names = ("x-api-key", "x-goog-api-key")
    bearer = asked.headers.get("authorization", " ").split(" ")[1]
    return next((asked.headers[name] for name in names if name in asked.headers), bearer)


def environment_of(where: Home, server: Repeating) -> dict[str, str]:
    """A person's environment; two keys stand in `.env`, and one token in a file."""
    token = where.root.parent / "auth.json"
    token.write_text(json.dumps({"tokens": {"access_token": CANARIES["OPENAI_OAUTH_TOKEN_FILE"]}}))
    secrets = where.root / ".env"
    secrets.touch(0o600)
    there = ("ANTHROPIC_API_KEY", "OLLAMA_API_KEY")
    secrets.write_text("".join(f"{name}='{CANARIES[name]}'\n" for name in there))
    named = {name: value for name, value in CANARIES.items() if name.isupper() and name not in there}
    mine = f"http://ana:{PASSWORD}@127.0.0.1"
    bases = {f"{name}_API_BASE": server.base for name in ("DEEPSEEK", "OPENAI", "ANTHROPIC", "OLLAMA", "OPENAI_CODEX")}
    return {
        **named,
        **bases,
        "OPENAI_OAUTH_TOKEN_FILE": str(token),
        "OPENAI_CODEX_PROXY": f"{mine}:{closed_port()}",
        "GEMINI_API_BASE": server.base.replace("http://127.0.0.1", mine) + "/openai",
        "OPENROUTER_API_BASE": f"{mine}:99999/v1",
        "LOCAL_API_BASE": server.base.replace("http://127.0.0.1", mine) + "/local/v1",
        "HTTPS_PROXY": f"{mine}:{closed_port()}",
    }


def place(where: Home, provider: str, name: str, model: str = "m") -> Call:
    """A call for the provider in this scene."""
    body = requests.encode(LIFE, model, {}, "", 0, [Part("user", f"scene-{name} {provider}")])
    call = Call(where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="request"), LIFE, provider)
    queue.place(where, call)
    return call


ASKED = [
    *(("openai", name) for name in (*QUICK, *AGAIN)),
    *(("anthropic", name) for name in QUICK[:-3]),
    *((name, one) for name in ("ollama", "gemini") for one in ("denied", "forbidden", "refused", "late")),
    ("gemini", "garbled"),
    ("openrouter", "refused"),
    ("local", "refused"),
]


# --- the tests


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are searched through /proc")
def test_no_key_is_anywhere_but_where_it_is_needed() -> None:
    with a_home() as where, Repeating() as server:
        env = environment_of(where, server)
        alive = Alive(where, **env)
        rest = spawn(where, "-m", "dotagent", "provider", env=env)  # by hand, and for all others
        try:
            _lives(where, alive)
            until(lambda: "anthropic" in launch.published(where), where.calls)
            placed = _placed(where)
            _looks(where, alive)
            _processes([alive.process.pid, rest.pid, provider_of(where, "deepseek")])
            told = [one for words in COMMANDS for one in _told(where, words, env)]
            kill_provider(where, "deepseek")
            say(where, "scene-denied")
            assert "DEEPSEEK_API_KEY is not set" in hears(where, "is not set")  # the new one was given no key
            _failed(where, placed)
            told += map(str, alive.end())
        finally:
            rest.send_signal(signal.SIGTERM)
            out, err = rest.communicate(timeout=20)
        assert "deepseek is served already" in err
        assert "can not be reached" in err
        assert not any(word in err for word in ("Traceback", "never retrieved"))
        clean("\n".join([*told, out, err]), "output")
        _files(where)
        _was_sent(server)


def _placed(where: Home) -> dict[tuple[str, str], Call]:
    """Calls of every provider, all at once."""
    placed = {(provider, name): place(where, provider, name) for provider, name in ASKED}
    placed["local", "nothing"] = place(where, "local", "nothing", model="")
    place(where, "openai-codex", "proxy")  # it is tried again for long
    place(where, "nobody", "refused")  # this one stays
    return placed


def _failed(where: Home, placed: dict[tuple[str, str], Call]) -> None:
    """All of them are answered, as the scenes want it."""
    done = where.calls / "done" / LIFE
    until(lambda: {call.id for call in placed.values()} <= set(queue.names(done)), done)
    outcomes = {ask: queue.done(where, LIFE, call.id) for ask, call in placed.items()}
    assert all(one and (one.reply or one.hint) for one in outcomes.values())
    answered = {ask for ask, one in outcomes.items() if one and one.reply}
    assert answered == {("gemini", "garbled"), *(("openai", name) for name in ("whole", "echo", *AGAIN))}
    assert "OPENROUTER_API_BASE must be" in str(outcomes["openrouter", "refused"])
    assert "runs no model" in str(outcomes["local", "nothing"])


def _lives(where: Home, alive: Alive) -> None:
    """A life whose model fails, and repeats the key."""
    say(where, "scene-denied")
    assert "DEEPSEEK_API_KEY" in hears(where, "(no answer: ")
    say(where, "scene-echo")
    assert hears(where, "That is it.") == "again: [key], [key]! That is it."


def _looks(where: Home, alive: Alive) -> None:
    """A command of the life's looks for keys wherever it can."""
    say(where, "scene-look")
    hears(where, "done")
    seen = where.store().get(alive.lines("TOOL")[0].id).body
    assert b"PATH=" in seen
    assert b"looked" in seen


COMMANDS = ("providers", "usage", "status", "status --json", "doctor", "calls list", "agents")


def _told(where: Home, words: str, env: dict[str, str]) -> list[str]:
    """What a command prints whose person has the keys in the environment."""

    def main() -> int:
        os.environ.update(env, DOTAGENT_HOME=str(where.root))
        sys.argv = ["dotagent", *words.split(" ")]
        sys.orig_argv = [sys.executable, "-m", *sys.argv]  # it may run itself anew
        return program.main()

    ended: Ended = forked(main)
    assert ended.status in (0, 1), (words, ended)
    assert ended.out, words
    assert "Traceback" not in ended.err, (words, ended)
    return [ended.out, ended.err]


def _processes(mine: list[int]) -> None:
    """No process but those of people's own shells shows a key; none that holds keys shows anything to its own user."""
    searched = set()
    for path in Path("/proc").glob("[0-9]*"):
        for name in ("environ", "cmdline"):
            try:
                clean((path / name).read_bytes(), path / name)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has gone
            except PermissionError:
                assert name == "environ"
                continue
            searched.add((int(path.name), name))
    assert {(pid, "cmdline") for pid in mine} <= searched
    agent, *holders = mine
    assert (agent, "environ") in searched
    capable = int(re.findall(r"CapEff:\s*(\w+)", Path("/proc/self/status").read_text())[0], 16) >> 19 & 1
    if not capable:  # who may trace every process is shown all of them
        assert not {(pid, "environ") for pid in holders} & searched


def _files(where: Home) -> None:
    """Every file and every name of the home, but for the `.env` that a person wrote."""
    count = 0
    for path in where.root.parent.rglob("*"):
        clean(os.fsencode(path), "a name")
        if path.is_symlink():
            clean(os.readlink(path), path)
        elif path.is_file() and path.name not in (".env", "auth.json"):
            clean(path.read_bytes(), path)
            count += 1
    assert count > 100


def _was_sent(server: Repeating) -> None:
    """The keys were where they are needed: the servers had them to repeat."""
    sent = {key for _, key in server.seen}
    named = ("DEEPSEEK_API_KEY", "OPENAI_OAUTH_TOKEN_FILE", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY")
    assert {CANARIES[name] for name in named} <= sent
    assert any(NEEDLES.search(key.encode()) for key in sent - set(CANARIES.values()))  # the password, encoded


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read through /proc")
@pytest.mark.parametrize("more", [{}, {"ANY_WORD": f"w{MARK}"}])
def test_an_agent_never_has_what_stands_in_env(more: dict[str, str]) -> None:
    """Not in its memory, not in its environment; the provider's process has it, and answers."""
    key = CANARIES["DEEPSEEK_API_KEY"]
    with a_home() as where, Server(stream("here I am")) as server:
        secrets = where.root / ".env"
        secrets.touch(0o600)
        secrets.write_text(f"DEEPSEEK_API_KEY={key}\n")
        alive = Alive(where, DEEPSEEK_API_BASE=server.base, **more)
        say(where, "hello")
        assert hears(where, "here I am")
        _memory(alive.process.pid)
        clean(Path(f"/proc/{alive.process.pid}/environ").read_bytes(), "the environment")
        kill_provider(where, "deepseek")
        say(where, "and again")
        assert hears(where, "here I am", 2)
        assert {one.headers["authorization"] for one in server.received} == {f"Bearer {key}"}
        assert alive.end() == (0, "", "")


def _memory(pid: int) -> None:
    """All that the process may write to, and has: its heap, its stack, its files in memory."""
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().split("\n"):
            words = line.split()
            if len(words) > 1 and words[1].startswith("rw"):
                start, end = (int(one, 16) for one in words[0].split("-"))
                memory.seek(start)
                try:
                    held = memory.read(end - start)
                except OSError:  # it went meanwhile
                    continue
                clean(held, line)


PR_SET_DUMPABLE = 4
NOBODY = 65534


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux closes a process to its own user")
def test_a_process_that_takes_keys_is_closed_to_its_own_user() -> None:
    """Before it takes them anybody of its user may look into it, after that nobody."""

    def holder(ask: int, told: int) -> None:
        os.read(ask, 1)
        assert credentials.take_over(Home(Path("/nowhere")), False) == {}
        os.write(told, b".")
        os.read(ask, 1)
        os._exit(0)

    def look() -> None:
        os.environ.clear()
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # another user's id has closed it already
        (asked, ask), (heard, told) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ask)  # it ends with its parent
            holder(asked, told)
        paths = [Path(f"/proc/{child}/{name}") for name in ("environ", "maps")]
        assert all(path.read_bytes() is not None for path in paths)
        os.write(ask, b".")
        os.read(heard, 1)
        for path in paths:
            with pytest.raises(PermissionError):
                path.read_bytes()
        os.write(ask, b".")
        os.waitpid(child, 0)

    together(look)

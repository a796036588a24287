"""Whether the agent knows the present text of a file: its context shows that the agent read or wrote this text.

Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from dotagent.life.context import MEMORY
from dotagent.life.events import Document, Effect, Reply, Result, parse
from dotagent.life.session import Session
from dotagent.store import bootstrap, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.text import encoding
from dotagent.text.encoding import NotText
from dotagent.text.grammar import ToolCall
from dotagent.tools import files


def is_known(session: Session, call: ToolCall, before: bytes) -> bool:
    """Return True if the agent knows this text of the call's file. Also for a file that is not text, because it cannot
    be read."""
    try:
        text = "\n".join(encoding.lines(encoding.decode(before)[0])).encode("utf-8", "replace")
    except NotText:
        return True
    there = files.writable(session, files.strip_quotes(call.args))
    name = there.own
    if not (text.strip() and files.stands(there)) or (name in bootstrap.ALL and bootstrap.is_untouched(name, before)):
        return True
    results = list(_results(session))
    if any(b"\n%s\n" % text in b"\n%s\n" % one for one in results):
        return True
    known = _written(session, {files.NOTHING, *_shown(session, name), *_read(results)})
    return bool({content_id(before), content_id(encoding.utf8(before))} & known)


def _shown(session: Session, name: str) -> set[str]:
    """Return the hash of the document's text that the agent's prompts show, or an empty set."""
    id = session.state.heard.documents.get(name)
    if not id or name in bootstrap.CLOCK or name not in (MEMORY, *bootstrap.visible_files(session.state.audience)):
        return set()
    with suppress(BlobMissing, BlobCorrupt):
        return {content_id(session.store.get(id).body)} if name != MEMORY or _is_whole(session) else set()
    return set()


def _is_whole(session: Session) -> bool:
    """Return True if the entries of MEMORY.md in the context show all of it; a small context shows it cut."""
    for entry in reversed(session.entries):
        event = parse(entry.line)
        if isinstance(event, Document) and event.name == MEMORY and (not entry.whole or not event.since):
            return entry.whole
    return False


def _results(session: Session) -> Iterator[bytes]:
    """Yield the results of tools that the context contained when the model wrote its last answer."""
    at = next((at for at in reversed(range(len(session.entries))) if session.entries[at].event == Reply.WORD), None)
    for entry in reversed(session.entries[:at]):
        if entry.event == Result.WORD and entry.line.id:
            with suppress(BlobMissing, BlobCorrupt):
                yield session.store.get(entry.line.id).body


def _read(results: Iterable[bytes]) -> Iterator[str]:
    """Yield the hashes of files that READ_FILE showed: its first line names the file, and the last line has no end."""
    for one in results:
        text = one.partition(b"\n")[2]
        yield from (content_id(text), content_id(text + b"\n"))


def _written(session: Session, known: set[str]) -> set[str]:
    """Return the hashes of known texts, of whole files that the agent wrote, and of its changes of known texts."""
    changes = [("", before, after) for before, after in session.rewrote]
    for one in _effects(session):
        before, after, _ = (*one.what.split(" ", 2), "", "")[:3]
        changes.append((one.tool, before, after))
    for tool, before, after in (*changes, *changes):  # a change of MEMORY.md by REMEMBER may be before or after others
        if tool == "WRITE_FILE" or before in known:
            known.add(after)
    return known


def _effects(session: Session) -> Iterator[Effect]:
    """Yield the changes of files whose results the context still shows."""
    path, begun = session.path / "LIFE.md", list[Effect]()
    shown = {entry.line.at for entry in session.entries if entry.event == Result.WORD}
    for line in log_search.picked(path, (Effect.WORD, Result.WORD), log_search.lately(path, files.LATELY)):
        event = parse(line)
        if isinstance(event, Effect) and event.tool in files.CHANGES:
            begun.append(event)
        elif isinstance(event, Result):
            yield from begun if line.at in shown else ()
            begun.clear()
    yield from begun

"""One file with the film of an agent's context, which opens from disk and asks no host.

It is made of the page's own film.js, film.css and message.css. A redacted file has the times, the kinds and the sizes
of entries; no words, names or ids are in it. Owns nothing on disk.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dotagent import __version__, installed
from dotagent.capabilities.view import film, transcript
from dotagent.capabilities.view.film import FIELDS
from dotagent.capabilities.view.frames import Scene, Scenes
from dotagent.capabilities.view.picture import kinds
from dotagent.capabilities.view.route import Download
from dotagent.errors import Misuse
from dotagent.life import events, heads
from dotagent.life.events import Faded
from dotagent.store import disk, display, home, log_search
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing
from dotagent.terminal.talk import Talk
from dotagent.text import escape, times
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

STATIC = Path(__file__).parent / "static"
MOST = 4000  # characters of an entry's text
LARGE = 1 << 23  # bytes of LIFE.md, above which only the command writes the file
WORDS = [FIELDS.index(name) for name in ("id", "who", "words")]  # the fields that a redacted block does not have
START = """
const data = JSON.parse(document.getElementById("data").textContent), talk = document.querySelector(".talk");
const [KIND_OF, AT_OF, BARE_OF] = [2, 6, 10]; // fields of a block, as in film.js
// Show in the talk what the agent has in mind at a moment: word for word, only in a summary, or not yet.
function mark(agent, blocks, time) {
  const there = new Set(blocks.filter((one) => one[KIND_OF] !== "summary" && !one[BARE_OF]).map((one) => one[AT_OF]));
  let last;
  for (const one of talk.querySelectorAll(".message")) {
    const at = one.dataset.held.split(" ").find((held) => held.startsWith(`${agent}=`))?.slice(agent.length + 1);
    const held = !at ? "" : at > time ? "later" : there.has(at) ? "now" : "summary";
    one.classList.remove("now", "summary", "later");
    if (held) one.classList.add(held);
    if (held && held !== "later") last = one;
  }
  if (last && talk.scrollHeight > talk.clientHeight) talk.scrollTop = last.offsetTop - talk.clientHeight / 2;
}
for (const told of data.films) {
  const section = document.getElementById("films").appendChild(document.createElement("section"));
  const film_of = section.appendChild(document.createElement("div"));
  const text = section.appendChild(document.createElement("pre"));
  film_of.className = "film";
  text.className = "bytes";
  for (const one of told.scenes) one.blocks = one.blocks.map((at) => told.blocks[at]);
  const scene = async (at) => told.scenes.findLast((one) => one.begin < at) ?? told.scenes[0];
  const chosen = (block) => (text.textContent = told.texts[block[0]] ?? "This text was left out.");
  film(film_of, told, scene, { chosen, moved: (offset, call, blocks, time) => talk && mark(told.agent, blocks, time) });
}
"""
STYLE = """
body { max-width: 60rem; margin: 0 auto; padding: 1rem; background: var(--ground); color: var(--text); }
body.beside { max-width: 110rem; }
h1 { font-size: 1.25rem; margin: 0; }
button, select { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line);
  border-radius: 6px; padding: .4rem .6rem; }
.talk { position: relative; display: flex; flex-direction: column; gap: .25rem; margin: 1rem 0; min-width: 0; }
.message.later { opacity: .3; }
@media (min-width: 60rem) {
  .beside .sides { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 2rem; }
  .beside .talk { overflow: auto; max-height: calc(100vh - 8rem); }
}
"""


@dataclass(frozen=True)
class ExportRange:
    """The content of the file: these agents, the messages of this room (""), between two times, redacted or not."""

    agents: Sequence[str]
    room: str = ""
    since: str = ""
    until: str = "9"
    redact: bool = False


def find_unread(scenes: Scenes, wanted: ExportRange) -> list[str]:
    """Return why texts of the agents are missing from the file, except those that were permanently deleted."""
    store, found = scenes.where.store(), dict[str, str]()
    for self_id in wanted.agents:
        for entry in (one for scene in _all_scenes(scenes, self_id) for one in scene.all() if one.lost):
            event = events.parse(entry.line)
            id = event.summary if isinstance(event, Faded) else entry.line.id
            try:
                store.body(id)
            except BlobForgotten:
                continue
            except (BlobCorrupt, BlobMissing) as lost:
                found[id] = str(lost)
    return list(found.values())


def page(scenes: Scenes, wanted: ExportRange) -> str:
    """Return the file's text. Raises Misuse if nothing happened between the times."""
    films = [made for one in wanted.agents if (made := _film(scenes, one, wanted))]
    if not films:
        raise Misuse("the agent has no event between these times; choose other times with --from and --to")
    settings = home.settings(scenes.where)
    names = ", ".join(display.make_label(scenes.where, settings, one) for one in wanted.agents)
    title = "The context of an agent" if wanted.redact else f"The context of {names}"
    style = _static("message.css") + _static("film.css") + STYLE
    script = _static("film.js").replace("export function", "function") + START
    data = json.dumps({"films": films}, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; img-src data:"
    talk = "" if wanted.redact or not wanted.room else "".join(_talk(scenes, wanted))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="content-security-policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title><style>{style}</style></head>\n"
        f"<body class='{'beside' if talk else ''}'><h1>{html.escape(title)}</h1>\n"
        f'<p class="faint">Made by dotagent {__version__}. Drag along the line, or press Play.</p>\n'
        f'<div class="sides">{talk}<div id="films"></div></div>\n'
        f'<script type="application/json" id="data">{data}</script>\n'
        f'<script type="module">{script}</script></body></html>\n'
    )


def download(scenes: Scenes, wanted: ExportRange, large: int = LARGE) -> Download:
    """Return the file for a browser to save. Raises Misuse if LIFE.md has more than `large` bytes."""
    size = sum(log_search.end(scenes.where.agent(one) / "LIFE.md") for one in wanted.agents)
    if size > large:
        what = f"--room {wanted.room}" if wanted.room else f"--agent {short(wanted.agents[0])}"
        command = f"{installed.program('view')} {what} --export FILE.html"
        raise Misuse(f"this log is too long to be saved from the page; run {command}, perhaps with --from and --to")
    name = f"{wanted.room or short(wanted.agents[0])}.html"
    return Download(page(scenes, wanted).encode("utf-8", "replace"), "text/html; charset=utf-8", name)


def _film(scenes: Scenes, self_id: str, wanted: ExportRange) -> dict[str, Any] | None:
    """Return the film of one agent, or None if nothing is between the times. Scenes name the blocks that they share."""
    whole, places = film.overview(scenes, self_id), dict[str, int]()
    told, texts = list[dict[str, Any]](), dict[int, str]()
    for scene in _all_scenes(scenes, self_id):
        if one := _cut(film.describe_scene(scene), wanted):
            rows = [_redacted(row) if wanted.redact else row for row in one["blocks"]]
            one["blocks"] = [places.setdefault(json.dumps(row, ensure_ascii=False), len(places)) for row in rows]
            told.append(one)
            if not wanted.redact:
                numbers = {row[0] for row in rows}
                texts |= {
                    one.number: escape.printable(heads.render_last([one])[:MOST])
                    for one in scene.all()
                    if one.number in numbers
                }
    if not told:
        return None
    begin, end = told[0]["begin"], told[-1]["moments"][-1][0]
    swaps = [one for one in whole["swaps"] if begin < one["end"] <= end]
    if wanted.redact:
        swaps = [{**one, "id": "", "undoes": ""} for one in swaps]
    place = "UTC" if wanted.redact else times.zone()  # the local zone would show where the person lives
    return {"agent": "" if wanted.redact else self_id, "zone": place, "begin": begin, "end": end,
            "limit": whole["limit"], "size": whole["size"], "swaps": swaps, "kinds": kinds(), "scenes": told,
            "from": told[0]["moments"][0][1], "to": told[-1]["moments"][-1][1],
            "texts": texts, "blocks": [json.loads(row) for row in places]}  # fmt: skip


def _all_scenes(scenes: Scenes, self_id: str) -> Iterator[Scene]:
    """Yield every scene of an agent, oldest first."""
    at, end = 1, scenes.swaps(self_id)[2]
    while at <= end:
        scene = scenes.at(self_id, at)
        yield scene
        at = scene.end + 1


def _cut(told: dict[str, Any], wanted: ExportRange) -> dict[str, Any] | None:
    """Return the part of a scene between the times, or None if it is empty."""
    moments = [one for one in told["moments"] if wanted.since <= one[1] and one[1] < wanted.until]
    if not moments:
        return None
    if wanted.redact:
        moments = [[*one[:3], "", *one[4:7], ""] for one in moments]
    began = moments[0] is told["moments"][0] or moments[0][0] == told["moments"][0][0]
    begin = told["begin"] if began else moments[0][0] - 1
    return {"begin": begin, "end": told["end"], "blocks": told["blocks"][: moments[-1][6]], "moments": moments}


def _redacted(row: Sequence[Any]) -> list[Any]:
    return ["" if at in WORDS else one for at, one in enumerate(row)]


def _talk(scenes: Scenes, wanted: ExportRange) -> Iterator[str]:
    """Yield the messages of the room as HTML."""
    owner = home.owner(home.settings(scenes.where))
    return transcript.rendered(Talk(scenes.where, wanted.room, owner), wanted.agents, wanted.since, wanted.until)


def _static(name: str) -> str:
    return disk.read(STATIC / name, follow=True).decode("utf-8")


def _hashed(text: str) -> str:
    """Return the source expression of a policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

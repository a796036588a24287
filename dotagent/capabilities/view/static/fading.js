// Forgetting: what each swap removed, undo, standing instructions, and what a permanent deletion would remove.
import { chosen, follow, get, html, post, useEffect, useRef, useState, useGet, when } from "./lib.js";
import { Agents } from "./memory.js";

// Why a swap happened, in words.
const WHY = { limit: "The context was full", force: "The context was full, and no summary was ready", asked: "A person asked for it", rest: "No message came for some time", floor: "The context was much too full", strip: "Only old reasoning and reminders left the context", unfade: "Original entries came back" };
// What became of an entry in a swap, in words.
const HOW = { summed: "summarised", stripped: "shortened", cut: "shortened", back: "brought back" };
const FEW = 10; // swaps that are in sight; the older ones open with a click
const number = (count) => Math.round(count).toLocaleString("en");

export default function Fading({ rest }) {
  const [wrong, fail] = useState(), [again, look] = useState(0);
  const agents = useGet("/api/memory", fail), id = chosen(rest[0], agents);
  const found = useGet(id && `/api/fading/${id}`, fail, again);
  const known = useRef(); // the end of the log that the page knows; a stream that begins again continues there
  useEffect(() => {
    if (!found) return;
    known.current = found.end;
    const grown = (more) => ((known.current = more.end), more.swaps.length && look((count) => count + 1)); // such as an undo of this page
    return follow(() => `/api/memory/${id}/events?after=${known.current}`, { grown, reset: () => look((count) => count + 1) });
  }, [found]);
  const undo = (swap) => post(`/api/fading/${id}/undo`, { swap }).then(({ told }) => told, (why) => why.message);
  const problem = wrong && html`<p role="alert">${wrong.message}</p>`;
  if (!agents) return html`<main aria-busy=${!wrong}>${problem}</main>`;
  if (!id) return html`<main><p>There is no agent yet.</p></main>`;
  const rows = counted(found?.swaps ?? []).map((swap) => html`<${Swap} key=${swap.id} agent=${id} swap=${swap} undo=${undo} asked=${swap.id === rest[1]} />`);
  return html`<main class="fading">
    ${problem}
    <${Agents} tab="fading" agents=${agents} id=${id} />
    <h2>Swaps</h2>
    <p class="faint">At each swap, summaries replaced old entries of the context. The originals stay: open a swap to see them or to bring them back, or ask the agent, which can look them up.</p>
    ${found && (rows.length ? rows.slice(0, FEW) : html`<p>No summary has replaced an entry yet.</p>`)}
    ${rows.length > FEW && html`<details open=${found.swaps.findIndex((swap) => swap.id === rest[1]) >= FEW}><summary>${rows.length - FEW} older swaps</summary>${rows.slice(FEW)}</details>`}
    <h2>Standing instructions</h2>
    ${found && (found.standing.length ? html`<ol>${found.standing.map((one) => html`<li value=${one.number}>${one.words} <span class="faint">${one.who}, ${when(one.at)}${one.entry ? `, #${one.entry}` : ""}</span></li>`)}</ol>` : html`<p>None. An instruction appears here after a summary has replaced its message.</p>`)}
    <${Preview} />
  </main>`;
}

// Each swap with its `topics` and the number of `entries` that became summaries; `undo` names what its button
// does, or `undone` is the time at which it was undone. A chunk that contains a chunk of before is no new one: its summaries became one.
function counted(swaps) {
  const past = []; // swaps that are not undone
  for (const swap of swaps.toReversed()) {
    const undone = past.findIndex((one) => one.id === swap.undoes);
    if (undone >= 0) past.splice(undone).forEach((one) => (one.undone = swap.at));
    if (!swap.undoes) past.push(swap);
    const known = past.flatMap((one) => one.chunks);
    const fresh = swap.chunks.filter((chunk) => !known.some((one) => one !== chunk && chunk[0] <= one[0] && one[1] <= chunk[1]));
    swap.entries = fresh.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    swap.topics = (fresh.length ? fresh : swap.chunks).map((chunk) => chunk[2]);
  }
  past.forEach((one, at) => (one.undo = at === past.length - 1 ? "Bring these entries back" : "Bring back these entries, and those of all later swaps"));
  return swaps;
}

function Swap({ agent, swap, undo, asked }) {
  const [open, show] = useState(asked), [wrong, fail] = useState(), [told, tell] = useState(""), place = useRef();
  useEffect(() => asked && place.current.scrollIntoView({ block: "center" }), []);
  const made = useGet(open && `/api/fading/${agent}/swap/${swap.id}`, fail);
  const ratio = made && swap.was ? swap.was / made.was.tokens : 1; // the correction by the provider's counts, as in the sum
  const sizes = swap.was === null ? "" : `, ${number(swap.was)} → ${number(swap.now)} tokens`;
  const what = swap.entries ? `${number(swap.entries)} ${swap.entries === 1 ? "entry" : "entries"} summarised` : swap.topics.length ? "Older summaries became shorter" : WHY[swap.undoes ? "unfade" : "strip"];
  return html`<details ref=${place} open=${asked} onToggle=${(event) => show(event.target.open)}>
    <summary><b>${when(swap.at).slice(0, 16)}</b> ${what}${sizes}${swap.topics.length > 0 && html`<span class="last" dir="auto">${swap.topics.join(" · ")}</span>`}</summary>
    <p><a href=${`#/memory/${agent}/${swap.end}`}>See this moment</a>${" "}
    ${swap.undo && html`<button type="button" onClick=${() => undo(swap.id).then(tell)}>${swap.undo}</button>`}
    ${swap.undone && `This swap was undone on ${when(swap.undone).slice(0, 16)}.`} <span role="status">${told}</span></p>
    ${wrong && html`<p role="alert">${wrong.message}</p>`}
    ${made && html`<p>${WHY[swap.why] ?? swap.why}. Before: ${number(made.was.entries)} entries, ${number(made.was.tokens * ratio)} tokens. After: ${number(made.now.entries)} entries, ${number(made.now.tokens * ratio)} tokens.</p>
      <div class="wide" tabindex="0" role="region" aria-label="Changes"><table><thead><tr><th scope="col">change</th><th scope="col">entries</th><th scope="col">tokens before</th><th scope="col">after</th><th scope="col">words</th></tr></thead>
      <tbody>${made.items.map((one) => html`<tr><td>${HOW[one.how] ?? one.how}</td><td><a href=${`#/memory/${agent}/${swap.end}/${one.first}`}>#${one.first}${one.last > one.first ? `–${one.last}` : ""}</a></td><td class="right">${number(one.was.tokens * ratio)}</td><td class="right">${number(one.now.tokens * ratio)}</td><td>${one.words}${one.summary && html`<details><summary>The summary</summary><pre>${one.summary}</pre></details>`}</td></tr>`)}</tbody></table></div>`}
  </details>`;
}

// What `forget` would remove. The page itself removes nothing.
function Preview() {
  const [words, say] = useState(""), [told, tell] = useState();
  const look = (event) => {
    event.preventDefault();
    tell({ busy: true });
    post("/api/fading/preview", { words }).then(tell, (why) => tell({ wrong: why.message }));
  };
  return html`<h2>What would a permanent deletion remove?</h2>
    <form onSubmit=${look}><label>Forget <input value=${words} onInput=${(event) => say(event.target.value)} placeholder="that my PIN is 4711" size="40" /></label> <button>Preview</button></form>
    <div aria-live="polite">
    ${told?.busy && html`<p aria-busy="true">Looking …</p>`}
    ${told?.wrong && html`<p role="alert">${told.wrong}</p>`}
    ${told?.found && (told.found.length ? html`<ol>${told.found.map((one) => html`<li>${one.words} <span class="faint">${one.places.join(", ")}${one.doubt ? ` (perhaps you do not mean this: ${one.doubt})` : ""}</span></li>`)}</ol>
      ${told.more > 0 && html`<p>and ${told.more} more</p>`}<p>To remove them permanently, run <code>${told.command}</code>. This page removes nothing.</p>` : html`<p>No sentence matches.</p>`)}</div>`;
}

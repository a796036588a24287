// Forgetting: what each swap removed, undo, standing instructions, and what a permanent deletion would remove.
import { chosen, get, html, post, useEffect, useRef, useState, useGet, when } from "./lib.js";
import { Agents } from "./memory.js";

// Why a swap happened, in words.
const WHY = { limit: "The context was full", asked: "A person asked for it", floor: "The context was much too full", strip: "Only old reasoning and reminders left", unfade: "A swap was undone" };
// What became of an entry in a swap, in words.
const HOW = { summed: "summarised", stripped: "shortened", cut: "shortened", back: "brought back" };
const number = (count) => Math.round(count).toLocaleString("en");

export default function Fading({ rest }) {
  const [wrong, fail] = useState(), [told, tell] = useState("");
  const agents = useGet("/api/memory", fail), id = chosen(rest[0], agents);
  const found = useGet(id && `/api/fading/${id}`, fail, told);
  const undo = (swap) => post(`/api/fading/${id}/undo`, { swap }).then((answer) => tell(answer.told), (why) => tell(why.message));
  if (wrong) return html`<main><p role="alert">${wrong.message}</p></main>`;
  if (!agents) return html`<main aria-busy="true"></main>`;
  if (!id) return html`<main><p>There is no agent yet.</p></main>`;
  return html`<main class="fading">
    <${Agents} tab="fading" agents=${agents} id=${id} />
    <p role="status">${told}</p>
    <h2>Swaps</h2>
    ${found && (found.swaps.length ? found.swaps.map((swap) => html`<${Swap} key=${swap.id} agent=${id} swap=${swap} last=${swap.id === found.last} undo=${undo} asked=${swap.id === rest[1]} />`) : html`<p>No summary has replaced an entry yet.</p>`)}
    <h2>Standing instructions</h2>
    ${found && (found.standing.length ? html`<ol>${found.standing.map((one) => html`<li value=${one.number}>${one.words} <span class="faint">${one.who}, ${when(one.at)}${one.entry ? `, #${one.entry}` : ""}</span></li>`)}</ol>` : html`<p>None. An instruction appears here after a summary has replaced its message.</p>`)}
    <${Preview} />
  </main>`;
}

function Swap({ agent, swap, last, undo, asked }) {
  const [open, show] = useState(asked), [wrong, fail] = useState(), place = useRef();
  useEffect(() => asked && place.current.scrollIntoView({ block: "center" }), []);
  const made = useGet(open && `/api/fading/${agent}/swap/${swap.id}`, fail);
  const ratio = made && swap.was ? swap.was / made.was.tokens : 1; // the correction by the provider's counts, as in the sum
  const sizes = swap.was === null ? "" : `: ${number(swap.was)} → ${number(swap.now)} tokens`;
  return html`<details ref=${place} open=${asked} onToggle=${(event) => show(event.target.open)}>
    <summary>${when(swap.at)} ${WHY[swap.why] ?? swap.why}${sizes}</summary>
    <p><a href=${`#/memory/${agent}/${swap.end}`}>See this moment</a>${" "}
    <button type="button" onClick=${() => undo(swap.id)}>${last ? "Undo this swap" : "Undo this swap and all later ones"}</button></p>
    ${wrong && html`<p role="alert">${wrong.message}</p>`}
    ${made && html`<p>Before: ${number(made.was.entries)} entries, ${number(made.was.tokens * ratio)} tokens. After: ${number(made.now.entries)} entries, ${number(made.now.tokens * ratio)} tokens.</p>
      <div class="wide"><table><thead><tr><th scope="col">change</th><th scope="col">entries</th><th scope="col">tokens before</th><th scope="col">after</th><th scope="col">words</th></tr></thead>
      <tbody>${made.items.map((one) => html`<tr><td>${HOW[one.how] ?? one.how}</td><td>#${one.first}${one.last > one.first ? `–${one.last}` : ""}</td><td class="right">${number(one.was.tokens * ratio)}</td><td class="right">${number(one.now.tokens * ratio)}</td><td>${one.words}${one.summary && html`<details><summary>The summary</summary><pre>${one.summary}</pre></details>`}</td></tr>`)}</tbody></table></div>`}
  </details>`;
}

// What `forget` would remove. The page itself removes nothing.
function Preview() {
  const [words, say] = useState(""), [told, tell] = useState();
  const look = (event) => {
    event.preventDefault();
    post("/api/fading/preview", { words }).then(tell, (why) => tell({ wrong: why.message }));
  };
  return html`<h2>What would a permanent deletion remove?</h2>
    <form onSubmit=${look}><label>Forget <input value=${words} onInput=${(event) => say(event.target.value)} placeholder="that my PIN is 4711" size="40" /></label> <button>Preview</button></form>
    <div aria-live="polite">
    ${told?.wrong && html`<p role="alert">${told.wrong}</p>`}
    ${told?.found && (told.found.length ? html`<ol>${told.found.map((one) => html`<li>${one.words} <span class="faint">${one.places.join(", ")}${one.doubt ? ` (perhaps you do not mean this: ${one.doubt})` : ""}</span></li>`)}</ol>
      ${told.more > 0 && html`<p>and ${told.more} more</p>`}<p>To remove them permanently, run <code>${told.command} ${words}</code>. This page removes nothing.</p>` : html`<p>No sentence matches.</p>`)}</div>`;
}

// Memory: the context at any moment of an agent's life, what became of each entry, and the prompt of each call.
import { chosen as shown, follow, get, html, post, save, useEffect, useEscape, useRef, useState, useGet, when } from "./lib.js";
import { film } from "./film.js";
import { Chain, KIND } from "./why.js";

// The agents of the home, for every tab that shows one of them.
export function Agents({ tab, agents, id }) {
  return html`<label>Agent ${" "}
    <select onChange=${(event) => (location.hash = `/${tab}/${event.target.value}`)}>
      ${agents.map((one) => html`<option value=${one.id} selected=${one.id === id}>${one.name} ${one.rooms.length ? `in ${one.rooms.join(", ")}` : ""}</option>`)}
    </select></label>`;
}

export default function Memory({ rest }) {
  const [wrong, fail] = useState(), [chosen, choose] = useState(), [moved, move] = useState({}), [from, fork] = useState();
  const agents = useGet("/api/memory", fail, rest[0]), id = shown(rest[0], agents);
  const start = Number(rest[1]) || 0, number = Number(rest[2]) || 0, original = rest[3] === "original"; // the moment and the entry of the address
  useEffect(() => (choose(number ? { number, offset: start, original } : undefined), move({}), fork()), [id, start, number, original]);
  const [unsaved, warn] = useState("");
  const keep = (how) => save(`/api/memory/${id}/export${how}`, `${id.slice(0, 12)}.html`).then(() => warn(""), (why) => warn(why.message));
  const talk = () => get(`/api/memory/${id}/entry/${moved.heard}?at=${moved.offset}`)
    .then((one) => one.room && (location.hash = `#/rooms/${one.room}/at/${one.end}`), (why) => warn(why.message));
  const problem = wrong && html`<p role="alert">${wrong.message}</p>`;
  if (!agents) return html`<main aria-busy=${!wrong}>${problem}</main>`;
  if (!id) return html`<main><p>There is no agent yet. Start one with <code>dotagent agent</code>.</p></main>`;
  return html`<main class=${chosen ? "memory beside" : "memory"}>
    <div>
    ${problem}
    <p class="controls"><${Agents} tab="memory" agents=${agents} id=${id} />
      <button type="button" onClick=${() => keep("")}>Export</button>
      <button type="button" title="Without any words, names and ids" onClick=${() => keep("?redact")}>Export without words</button> <span role="alert">${unsaved}</span></p>
    <${Film} key=${`${id} ${start}`} agent=${id} start=${start} fail=${fail} choose=${choose} move=${move} fork=${fork} />
    <p>${moved.heard && html`<button type="button" class="link" onClick=${talk}>Go to the talk at this moment</button> `}
      ${moved.swap && html`<a href=${`#/fading/${id}/${moved.swap}`}>See what this swap replaced, or undo it</a>`}</p>
    ${from && html`<${Fork} key=${from} agent=${id} at=${from} close=${() => fork()} />`}
    ${moved.call && html`<${Prompts} key=${`${id}${moved.call}`} agent=${id} call=${moved.call} open=${rest[2] === "prompt" && moved.offset === start} />`}
    </div>
    ${chosen && html`<${Entry} agent=${id} number=${chosen.number} offset=${chosen.offset} original=${chosen.original} choose=${choose} />`}
  </main>`;
}

// Create an agent that continues this one from a moment on.
function Fork({ agent, at, close }) {
  const [made, set] = useState(), [busy, wait] = useState(false), [wrong, fail] = useState(), place = useRef();
  useEscape(close, place);
  useEffect(() => place.current.focus(), []);
  const create = () => {
    wait(true);
    post(`/api/memory/${agent}/fork`, { when: at }).then(set, (why) => fail(why.message)).finally(() => wait(false));
  };
  return html`<section class="fork" tabindex="-1" ref=${place} aria-label="Fork">
    <p>A fork is a new agent that knows what this agent knew at ${when(at)}, and nothing later. It has a room of its own, and this agent does not change.</p>
    ${wrong && html`<p role="alert">${wrong}</p>`}
    <div role="status">${made && html`<p>The new agent is <code>${made.agent}</code>. Start it and talk with it in room <a href=${`#/rooms/${made.room}`}>${made.room}</a>, or look into <a href=${`#/memory/${made.agent}`}>its memory</a>.</p>`}</div>
    <p class="controls">${!made && html`<button type="button" disabled=${busy} onClick=${create}>${busy ? "Creating …" : "Create the fork"}</button>`}
      <button type="button" onClick=${close}>${made ? "Close" : "Cancel"}</button></p>
  </section>`;
}

function Film({ agent, start, fail, choose, move, fork }) {
  const place = useRef(), [again, reload] = useState(0), found = useGet(`/api/memory/${agent}`, fail, again);
  useEffect(() => {
    if (!found?.end) return;
    const told = { ...found, swaps: [...found.swaps], start: start || found.end }; // it grows as the agent runs
    const scenes = new Map(); // by their begin; the last ones stay
    const scene = (offset) => {
      const begin = told.swaps.findLast((one) => one.begin < offset)?.begin ?? 0;
      if (!scenes.has(begin)) scenes.set(begin, get(`/api/memory/${agent}/scene?at=${offset}`));
      if (scenes.size > 30) scenes.delete(scenes.keys().next().value);
      return scenes.get(begin);
    };
    const made = film(place.current, told, scene, {
      chosen: (block, offset) => choose({ number: block[0], offset }),
      moved: (offset, call, blocks) => move({ offset, call, heard: blocks.findLast((one) => one[3] === "HEAR")?.[0], swap: told.swaps.find((one) => one.end === offset)?.id }),
      fork,
    });
    const grown = (more) => {
      scenes.delete(told.swaps.at(-1)?.begin ?? 0); // it went on
      made.grow(more, !place.current.parentNode.querySelector(".prompt[open]")); // a person reads a prompt
    };
    const stop = follow(() => `/api/memory/${agent}/events?after=${told.end}`, { grown, reset: () => reload((count) => count + 1) },
      (why) => fail(why && { message: why }));
    return () => {
      stop();
      made.end();
    };
  }, [found]);
  return html`<section class="film" aria-label="The context over time" ref=${place}></section>`;
}

// One entry: its original, where it came from, what it became, and the prompts that held it.
// A summary has the number of its first entry; with `original`, that entry is meant.
function Entry({ agent, number, offset, original, choose }) {
  const [call, show] = useState(), [wrong, fail] = useState(), panel = useRef();
  const one = useGet(`/api/memory/${agent}/entry/${number}?at=${offset}${original ? "&original" : ""}`, fail);
  useEffect(() => {
    if (one?.number === number) (panel.current.scrollTo(0, 0), panel.current.focus({ preventScroll: true }));
  }, [one]);
  useEscape(() => choose(), panel);
  const close = html`<button type="button" aria-label="Close" onClick=${() => choose()}>✕</button>`;
  if (one?.number !== number) return html`<section class="panel entry" ref=${panel} aria-busy=${!wrong}>
    <div class="head"><h2>#${number}</h2>${close}</div>${wrong && html`<p role="alert">${wrong.message}</p>`}</section>`;
  const to = (other, original) => html`<button type="button" class="link" onClick=${() => choose({ number: other, offset, original })}>#${other}</button>`;
  return html`<section class="panel entry" tabindex="-1" ref=${panel} aria-label="Entry">
    <div class="head"><h2><span class=${`chip ${one.kind}`}>${KIND[one.kind]} #${one.last > number ? `${number}–${one.last}` : number}</span> ${one.who === "me" ? "" : one.who}</h2>${close}</div>
    <p class="faint">${when(one.at)} · ${one.tokens.toLocaleString("en")} tokens${one.by.length ? ` · text of: ${one.by.join(", ")}` : ""} · ${one.event}${one.kind === "summary" ? "" : ` · sent in ${one.sent} prompts`}${one.room ? html` · <a href=${`#/rooms/${one.room}/at/${one.end}`}>Go to the message</a>` : ""}</p>
    ${one.covered && html`<p>At this moment, summary ${to(one.covered.number)} covers this entry: ${one.covered.words}</p>`}
    ${one.faded.length > 0 && html`<h3>Summaries that replaced it</h3><ul>${one.faded.map((fade) => html`<li>${when(fade.at)}: a part of summary #${fade.span} (${fade.tokens} tokens): ${fade.words}${fade.swap && html` <a href=${`#/fading/${agent}/${fade.swap}`}>See this swap</a>`}</li>`)}</ul><p class="faint">A swap has a button that brings its entries back.</p><h3>The original</h3>`}
    ${one.lost && html`<p role="alert">${one.original}</p>`}
    ${!one.lost && (one.sentences.length ? html`<${Answer} key=${number} agent=${agent} one=${one} />` : html`<pre tabindex="0">${one.original || one.shown}</pre>`)}
    ${one.covers.length > 0 && html`<h3>The originals</h3><ul>${one.covers.map((member) => html`<li>${to(member.number, true)} ${when(member.at)} ${member.who || member.event}: ${member.words}</li>`)}</ul>`}
    ${one.prompts.length > 0 && html`<details><summary>The last ${one.prompts.length} prompts that contained it</summary><ul>
      ${one.prompts.map((prompt) => html`<li><button type="button" class="link" onClick=${() => show(prompt.id)}>${when(prompt.at)} ${prompt.id.slice(0, 12)}</button></li>`)}</ul></details>`}
    ${call && html`<${Prompts} key=${call} agent=${agent} call=${call} open=${true} />`}
  </section>`;
}

// An answer, sentence by sentence: why does the agent know this?
function Answer({ agent, one }) {
  const [found, set] = useState(), [wrong, fail] = useState();
  const ask = (sentence) => get(`/api/memory/${agent}/why?when=${one.at}&sentence=${encodeURIComponent(sentence)}`).then(set, (why) => fail(why.message));
  return html`<p>Choose a sentence to see why the agent knows it.</p>
    <ul class="sentences">${one.sentences.map((sentence) => html`<li><button type="button" class="link" aria-pressed=${found?.sentence === sentence} onClick=${() => ask(sentence)}>${sentence}</button></li>`)}</ul>
    ${wrong && html`<p role="alert">${wrong}</p>`}
    <div aria-live="polite">${found && html`<${Chain} agent=${agent} found=${found} />`}</div>`;
}

// The prompt of a call, byte for byte, and its difference from another one.
function Prompts({ agent, call, open = false }) {
  const [text, set] = useState(), [other, compare] = useState(""), [told, tell] = useState(), [shown, show] = useState(open);
  const all = useGet(shown && `/api/memory/${agent}/prompts`, () => {});
  const path = `/api/memory/${agent}/prompt/${call}`, place = useRef();
  useEffect(() => {
    if (shown) fetch(path).then((answer) => answer.text()).then(set, (why) => set(why.message));
  }, [shown]);
  useEffect(() => open && text && place.current.scrollIntoView(), [text]); // a person has asked for it
  const differ = (from) => get(`${path}/against/${from}`).then(tell, (why) => tell({ wrong: why.message, lines: [] }));
  const sent = (event) => (event.preventDefault(), differ(other));
  return html`<details class="prompt" ref=${place} open=${open} onToggle=${(event) => show(event.target.open)}>
    <summary>The prompt of request ${call.slice(0, 12)}</summary>
    <p><a href=${path} download=${`${call}.txt`}>Save this prompt as a file</a></p>
    <form onSubmit=${sent}><button type="button" onClick=${() => differ("before")}>Compare with the prompt before</button> <label>or with the prompt of <input list=${`p${call}`} value=${other} onInput=${(event) => compare(event.target.value.trim())} size="24" placeholder="choose a request" /></label> <button>Compare</button>
      <datalist id=${`p${call}`}>${all?.filter((one) => one.id !== call).map((one) => html`<option value=${one.id.slice(0, 12)}>${when(one.at)}</option>`)}</datalist></form>
    ${told?.wrong && html`<p role="alert">${told.wrong}</p>`}
    ${told && html`<pre class="difference" tabindex="0">${told.lines.map((line) => html`<span class=${{ "+": "added", "-": "removed" }[line[0]]}>${`${line}\n`}</span>`)}</pre>`}
    <pre class="bytes" tabindex="0" aria-label="The prompt">${text}</pre>
  </details>`;
}

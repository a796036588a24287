// One message: who said it and when, its text, its files, the tools behind it, and the buttons of a question.
import { html, useEffect, useState } from "./lib.js";
import { add } from "./queue.js";
import { sentences } from "./why.js";

// What the agent has in mind of a message now, in words.
const HELD = { now: "in mind, word for word", summary: "only in a summary", "": "" };

// `why(number)` is called for a sentence of an answer that a person chooses, and `forgot()` for a message that is only in
// a summary.
export function Message({ one, timed, room, closed, held, person, why, forgot }) {
  const asks = one.kind === "agent" && one.reply;
  // The click on a word leads to its sentence, which becomes an element of its own only then.
  function clicked(event) {
    if (!asks || event.target.closest("a") || String(getSelection())) return;
    sentences(event.currentTarget);
    const there = document.elementFromPoint(event.clientX, event.clientY), part = there?.closest(".sentence") ?? there?.querySelector(".sentence");
    if (part) why(Number(part.dataset.sentence));
  }
  return html`
    <article class=${`message ${one.kind} ${held} ${one.question ? "asks" : ""}`} id=${`m${one.end}`} tabindex="-1" aria-label=${`${one.who} ${one.at} ${HELD[held]}`} title=${HELD[held] || null}>
      <p class="by"><b dir="auto">${one.kind === "me" ? person : one.who}</b> <time>${timed ? one.at.replace("T", " ") : one.at.slice(11, 16)}</time>
        <span class="asked">${held === "summary" && html`<button type="button" class="link" onClick=${forgot}>When forgotten?</button>`}
          ${asks && html`<button type="button" class="link" onClick=${() => why(0)}>Why?</button>`}</span></p>
      ${one.kind === "agent"
        ? html`<div class="text" dir="auto" onClick=${clicked} dangerouslySetInnerHTML=${{ __html: one.html }} />`
        : html`<div class="text plain" dir="auto">${one.text}</div>`}
      ${one.files.map((file) => html`<${Attached} file=${file} room=${room} />`)}
      ${one.tools?.length > 0 && html`
        <details class="tools">
          <summary>${one.tools.length === 1 ? "1 tool" : `${one.tools.length} tools`}: ${[...new Set(one.tools.map((tool) => tool.tool))].join(", ")}</summary>
          <ul>
            ${one.tools.map((tool) => html`<li><code>${tool.tool}</code> ${tool.gist} ${tool.how !== "ok" && `(${tool.how})`}</li>`)}
          </ul>
        </details>
      `}
      ${one.question && html`<${Question} question=${one.question} room=${room} closed=${closed} />`}
    </article>
  `;
}

function Attached({ file, room }) {
  const address = `/api/rooms/${room}/files/${file.id}`;
  return file.kind === "image"
    ? html`<img src=${address} alt="attached picture" loading="lazy" />`
    : html`<p><a href=${address} download>${file.type}</a></p>`;
}

// The buttons send what a person would type. They go when the question is answered or its time is over.
export function Question({ question, room, closed }) {
  const [over, setOver] = useState(question.left <= 0), [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Math.max(0, question.left * 1000));
    return () => clearTimeout(timer);
  }, []);
  if (closed || over) return html`<p class="faint">${closed ? "answered" : "the time for an answer is over"}</p>`;
  return html`
    <div class="ways" role="group" aria-label=${`Answer question ${question.number}`}>
      ${question.ways.map(([words, way], at) => html`<button class=${at ? null : "main"} disabled=${said} onClick=${() => (say(way), add(room, way))}>${words}</button>`)}
    </div>
  `;
}

// One message: who said it, its text, its files, the tools behind it, and the buttons of a question.
import { html, useEffect, useState } from "./lib.js";
import { add } from "./queue.js";

export function Message({ one, timed, room, closed }) {
  return html`
    <article class=${`message ${one.kind}`} id=${`m${one.end}`} tabindex="-1" aria-label=${`${one.who} ${one.at}`}>
      ${one.kind !== "me" && html`<p class="faint">${one.who}</p>`}
      ${one.kind === "agent"
        ? html`<div class="text" dir="auto" dangerouslySetInnerHTML=${{ __html: one.html }} />`
        : html`<div class="text plain" dir="auto">${one.text}</div>`}
      ${one.files.map((file) => html`<${Attached} file=${file} room=${room} />`)}
      ${one.tools?.length > 0 && html`
        <details class="tools">
          <summary>${one.tools.length === 1 ? "1 tool" : `${one.tools.length} tools`}</summary>
          <ul>
            ${one.tools.map((tool) => html`<li><code>${tool.tool}</code> ${tool.gist} ${tool.how !== "ok" && `(${tool.how})`}</li>`)}
          </ul>
        </details>
      `}
      ${one.question && html`<${Question} question=${one.question} room=${room} closed=${closed} />`}
      ${timed && html`<p class="faint">${one.at.replace("T", " ")}</p>`}
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
function Question({ question, room, closed }) {
  const [over, setOver] = useState(question.left <= 0);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Math.max(0, question.left * 1000));
    return () => clearTimeout(timer);
  }, []);
  if (closed || over) return html`<p class="faint">${closed ? "answered" : "the time for an answer is over"}</p>`;
  return html`
    <div class="ways" role="group" aria-label=${`Answer question ${question.number}`}>
      ${question.ways.map(([words, said]) => html`<button onClick=${() => add(room, said)}>${words}</button>`)}
    </div>
  `;
}

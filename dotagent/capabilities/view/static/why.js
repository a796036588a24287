// Why does the agent know this? The lines of the prompt that support a sentence of an answer, and where each came from.
import { get, html, useEffect, useEscape, useRef, useState, when } from "./lib.js";

// What an entry is, for its heading.
export const KIND = { STANDING: "Instructions", LIFE: "Last events", DAILY: "Day's note", soul: "Soul", documents: "Document", heard: "Message", said: "Answer", tool: "Result", summary: "Summary", reminder: "Reminder", remark: "Remark" };

// A text in which the words are marked that a line shares with the sentence. The server sends the stems of words.
export function Marked({ text, words }) {
  const shared = (piece) => words.some((word) => piece.toLowerCase().startsWith(word.length > 4 ? word.slice(0, -1) : word));
  return text.split(/([\p{L}\p{N}]+(?:[.,:'’/-][\p{L}\p{N}]+)*)/u).map((piece, at) => (at % 2 && shared(piece) ? html`<mark>${piece}</mark>` : piece));
}

// From the sentence to the lines of the prompt, and to what was said first.
export function Chain({ agent, found }) {
  const entry = (number) => `#/memory/${agent}/${found.offset}/${number}`;
  return html`<ol class="why">
    <li><h3>The sentence</h3><blockquote dir="auto"><${Marked} text=${found.sentence} words=${found.lines.flatMap((line) => line.words)} /></blockquote></li>
    ${!found.lines.length && html`<li><h3>In the prompt</h3><p>No line of the prompt shares enough words with this sentence. The model may know it from its training, or have made it up.</p></li>`}
    ${found.lines.map((line) => html`
      <li><h3>In the prompt ${line.block ? html`<a class=${`chip ${line.block.kind}`} href=${entry(line.block.number)}>${KIND[line.block.event] ?? KIND[line.block.kind]} #${line.block.last > line.block.number ? `${line.block.number}–${line.block.last}` : line.block.number}</a>` : "at its beginning: the character, documents or instructions"}</h3>
        <blockquote dir="auto"><${Marked} text=${line.line} words=${line.words} /></blockquote></li>
      ${(line.originals ?? []).filter((from) => from.number !== line.block.number || ["HEAR", "REPLY"].includes(from.event)).map((from) => html`
        <li class="from"><h3>${from.who === "me" ? "Answered by the agent" : from.who ? `First said by ${from.who}` : from.event}, ${when(from.at)}</h3>
          ${from.number !== line.block.number && html`<blockquote dir="auto"><${Marked} text=${from.line} words=${line.words} /></blockquote>`}
          <p>${from.number > 0 && from.room && html`<a href=${`#/rooms/${from.room}/at/${from.end}`}>Go to the message</a> `}${from.number > 0 && html`<a href=${`${entry(from.number)}/original`}>#${from.number} in Memory</a>`}</p></li>`)}`)}
    ${found.lines.length > 0 && found.missing.length > 0 && html`<li><h3>Not found in these lines</h3><p class="faint">${found.missing.join(", ")}</p></li>`}
  </ol>
  <p class="faint">The page finds these lines by comparing words, without asking a model. It shows what the model had read before it answered, not what it thought. <a href=${`#/memory/${agent}/${found.offset}/prompt`}>The whole prompt, in Memory</a></p>`;
}

const SHORT = /(^|[\s“"(])(Dr|Mr|Mrs|Ms|Prof|St|vs|e\.g|i\.e|z\.B)\.\s*$/; // a full stop that ends no sentence

// Make each sentence of a shown answer an element of its own, and return them: sentence after sentence, its elements.
export function sentences(text) {
  if (!text.dataset.parted) {
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), nodes = [], parts = new Intl.Segmenter("en", { granularity: "sentence" });
    while (walk.nextNode()) nodes.push(walk.currentNode);
    let block, number = -1, open = false;
    for (const node of nodes.filter((one) => one.data.trim())) {
      const here = node.parentElement.closest("p, li, td, th, pre, blockquote, h1, h2, h3, h4") ?? text;
      open &&= here === block;
      block = here;
      node.replaceWith(...[...parts.segment(node.data)].map(({ segment }) => {
        const made = Object.assign(document.createElement("span"), { className: "sentence", textContent: segment });
        if (!open) number++;
        open = !/[.!?…]["”»)’]?\s*$/.test(segment) || SHORT.test(segment);
        made.dataset.sentence = number;
        return made;
      }));
    }
    text.dataset.parted = "yes";
  }
  const found = [];
  for (const one of text.querySelectorAll(".sentence")) (found[one.dataset.sentence] ??= []).push(one);
  return found;
}

// The panel beside the talk, for one sentence of a message. `go(number)` chooses another sentence, and closes without one.
export function Why({ one, number, go }) {
  const [found, set] = useState(), [wrong, fail] = useState(), [count, tell] = useState(1), panel = useRef();
  useEffect(() => {
    const all = sentences(document.querySelector(`#m${one.end} .text`)), chosen = all[number] ?? all[0] ?? [];
    for (const part of all.flat()) part.classList.toggle("on", chosen.includes(part));
    chosen[0]?.scrollIntoView({ block: matchMedia("(max-width: 60rem)").matches ? "start" : "nearest" }); // a sheet covers the rest
    tell(all.length);
    const sentence = chosen.map((part) => part.textContent).join("").trim();
    let gone = false;
    set(), fail();
    get(`/api/memory/${one.agent}/why?when=${one.reply}&sentence=${encodeURIComponent(sentence)}`).then((told) => gone || set(told), (why) => gone || fail(why.message));
    return () => {
      gone = true;
      for (const part of all.flat()) part.classList.remove("on");
    };
  }, [one.id, number]);
  useEffect(() => panel.current.focus(), []);
  useEscape(() => go(), panel);
  return html`<section class="panel" tabindex="-1" ref=${panel} aria-label="Why does the agent know this?">
    <div class="head"><h2>Why do you know this?</h2>
      <button type="button" aria-label="Previous sentence" disabled=${number <= 0} onClick=${() => go(number - 1)}>↑</button>
      <button type="button" aria-label="Next sentence" disabled=${number >= count - 1} onClick=${() => go(number + 1)}>↓</button>
      <button type="button" aria-label="Close" onClick=${() => go()}>✕</button></div>
    ${wrong && html`<p role="alert">${wrong}</p>`}
    <div aria-live="polite" aria-busy=${!found && !wrong}>${found && html`<${Chain} agent=${one.agent} found=${found} />`}</div>
  </section>`;
}

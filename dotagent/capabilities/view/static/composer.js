// The line on which a person writes: Enter sends, Shift and Enter begins a new line, / completes a command.
import { get, html, post, useEffect, useRef, useState } from "./lib.js";
import { add } from "./queue.js";

const LARGEST = 16 << 20; // bytes of a file

// With `ready`, a person who opens the room can write at once; a phone would open its keyboard.
export function Composer({ room, person, note, ready }) {
  const draft = `dotagent.draft.${room}`; // it stays when a person looks at another tab
  const [text, setText] = useState(() => sessionStorage.getItem(draft) ?? "");
  const [found, setOffers] = useState([]), offers = found.filter((one) => one.startsWith(text)); // an answer may come late
  const box = useRef();
  useEffect(() => void (ready && !matchMedia("(pointer: coarse)").matches && box.current.focus()), []);

  function write(words) {
    setText(words);
    sessionStorage.setItem(draft, words);
    if (!words.startsWith("/") || words.includes("\n")) return setOffers([]);
    get(`/api/complete?text=${encodeURIComponent(words)}`).then(setOffers, () => setOffers([]));
  }

  function take(offer) {
    write(`${offer} `);
    box.current.focus();
  }

  function send(event) {
    event?.preventDefault();
    const words = box.current.value; // `text` is older in a tab that is not in front, because the browser draws it late
    if (!words.trim()) return;
    add(room, words);
    write("");
    box.current.focus();
  }

  function pressed(event) {
    const touched = matchMedia("(pointer: coarse)").matches; // a phone's Enter begins a new line
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !touched) send(event);
    if (event.key === "Escape") setOffers([]);
    if (event.key === "Tab" && offers.length && !event.shiftKey) {
      event.preventDefault();
      take(offers[0]);
    }
  }

  // Pasted text of several words is quoted, because quoted lines do not count as the person's own; Chinese has no spaces.
  function pasted(event) {
    const files = [...event.clipboardData.files], plain = event.clipboardData.getData("text/plain");
    if (files.length && !plain) return event.preventDefault(), give(files); // a copied picture
    const given = plain.replace(/\r\n?/g, "\n").replace(/^\n+|\n+$/g, "");
    if (text.startsWith("/") || !/\S\s+\S|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2}/u.test(given)) return;
    event.preventDefault();
    const { selectionStart: begin, selectionEnd: end, value } = event.target;
    const above = value.slice(0, begin), quoted = given.split("\n").map((line) => `> ${line}\n`).join("");
    write(`${above}${above && !above.endsWith("\n") ? "\n" : ""}${quoted}${value.slice(end)}`);
  }

  async function give(files) {
    for (const file of files) {
      if (file.size > LARGEST) note(`${file.name} is larger than 16 MB; give a part of it`);
      else await post(`/api/rooms/${room}/give?name=${encodeURIComponent(file.name)}`, file)
        .catch((why) => note(why.message));
    }
  }

  return html`
    ${offers.length > 0 && html`
      <div class="offers" role="group" aria-label="Completions; Tab takes the first">
        ${offers.slice(0, 12).map((one) => html`<button onClick=${() => take(one)}>${one}</button>`)}
      </div>
    `}
    <form class="composer" onSubmit=${send}>
      <label class="give">
        <input type="file" multiple onChange=${(event) => give([...event.target.files]).then(() => (event.target.value = ""))} aria-label="Attach files" /><span aria-hidden="true">+</span>
      </label>
      <textarea ref=${box} rows="1" value=${text} placeholder=${`Message as ${person}`} aria-label="Message" dir="auto"
        onInput=${(event) => write(event.target.value)} onKeyDown=${pressed}
        onPaste=${pasted} />
      <button>Send</button>
    </form>
  `;
}

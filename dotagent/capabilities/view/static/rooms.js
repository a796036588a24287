// The tab Rooms: a list of rooms beside the talk in one of them.
import { get, html, useEffect, useState } from "./lib.js";
import Talk from "./talk.js";

const AGAIN = 10_000; // milliseconds until the list looks for new messages in the other rooms

export default function Rooms({ rest, session }) {
  const [found, setFound] = useState({ rooms: [], usual: "" });
  const [words, setWords] = useState("");
  const room = rest[0];
  useEffect(() => {
    const load = () => document.hidden || get("/api/rooms").then(setFound, () => {}); // the talk shows why it fails
    load();
    const timer = setInterval(load, AGAIN), events = ["visibilitychange", "answer", "heard"];
    for (const one of events) addEventListener(one, load);
    return () => {
      clearInterval(timer);
      for (const one of events) removeEventListener(one, load);
    };
  }, [room]);
  useEffect(() => {
    const wide = matchMedia("(min-width: 45rem)").matches;
    const here = /^(#\/?(rooms\/?)?)?$/.test(location.hash); // else the person has left for another tab
    if (!room && wide && found.usual && here) location.replace(`#/rooms/${found.usual}`);
  }, [room, found]);
  return html`
    <main class=${room ? "rooms inside" : "rooms"}>
      <${List} ...${{ found, room, words, setWords }} />
      ${room && html`<${Talk} key=${room} room=${room} session=${session} to=${rest.slice(1).join("/")} />`}
    </main>
  `;
}

// The name of an agent, or its first words, and its id, since two agents may have the same name.
const Named = ({ one }) => html`<span>${one.title || one.id} <span class="faint">${[one.title && one.id, one.awake && "running"].filter(Boolean).join(", ")}</span></span>`;

function List({ found, room, words, setWords }) {
  const sought = words.toLowerCase().split(/\s+/);
  const fits = (one) => {
    const text = [one.name, one.audience, ...one.agents.flatMap((agent) => [agent.title, agent.id])].join(" ").toLowerCase();
    return sought.every((word) => text.includes(word));
  };
  const groups = Map.groupBy(found.rooms.filter(fits), (one) => one.agents.map((agent) => agent.id).join());
  function typed(event) {
    const all = [...event.currentTarget.querySelectorAll("input, a, button")], at = all.indexOf(document.activeElement);
    const to = { ArrowDown: all[at + 1], ArrowUp: all[at - 1] }[event.key];
    if (to) (event.preventDefault(), to.focus());
    if (event.key === "Enter" && at === 0) all[1]?.click();
  }
  return html`
    <nav class="list" aria-label="Rooms" onKeyDown=${typed}>
      <input type="search" placeholder="Find a room or an agent" aria-label="Find a room or an agent" value=${words}
        onInput=${(event) => setWords(event.target.value)} />
      <div>
        ${[...groups].map(
          ([id, rooms]) => html`
            <h2 key=${id}>${id ? rooms[0].agents.map((one) => html`<${Named} one=${one} />`) : "no agent"}</h2>
            <ul>
              ${rooms.map(
                (one) => html`<li key=${one.name}>
                  <a href="#/rooms/${one.name}" aria-current=${one.name === room ? "page" : null}>
                    ${one.name} <span class="faint">${one.audience}</span>
                    ${one.asks > 0 && html`<b class="waits">waits for your answer</b>`}
                    ${one.last && html`<span class="last" dir="auto">${one.last.who}: ${one.last.text}</span>`}
                  </a>
                </li>`,
              )}
            </ul>
          `,
        )}
        ${found.rooms.length > 0 && groups.size === 0 && html`<p class="faint">no room matches these words</p>`}
        ${words.trim() && html`<${Everywhere} key=${words} words=${words.trim()} />`}
      </div>
    </nav>
  `;
}

// The messages of all rooms with the words for which a person looks.
function Everywhere({ words }) {
  const [found, set] = useState(), [wrong, fail] = useState("");
  const look = () => get(`/api/find?words=${encodeURIComponent(words)}`).then(set, (why) => fail(why.message));
  return html`
    ${!found && html`<button type="button" onClick=${look}>Find messages with these words</button>`}
    ${wrong && html`<p role="alert">${wrong}</p>`}
    ${found && html`<h2 role="status">${found.length ? "Messages" : "no message has these words"}</h2>
      <ul aria-label="Messages with these words">${found.map((one) => html`<li><a href=${`#/rooms/${one.room}/at/${one.end}`}>${one.room} <span class="faint">${one.at.slice(0, 16).replace("T", " ")}</span>
        <span class="last" dir="auto">${one.who}: ${one.text}</span></a></li>`)}</ul>`}
  `;
}

// The talk in one room: messages as they come, drafts, questions, search, and the line on which a person writes.
import { follow, get, html, lately, post, save, useEffect, useEscape, useLayoutEffect, useRef, useState } from "./lib.js";
import { Composer } from "./composer.js";
import { Message } from "./message.js";
import { add, discard, flush, waiting } from "./queue.js";
import { Marked, Why } from "./why.js";

const MOST = 300; // messages that are on the page; the rest is loaded while a person scrolls
const NEAR = 800; // pixels from an end at which more is loaded
const AGAIN = 2000; // milliseconds until it tries again to load a room
const PAUSE = 250; // milliseconds after a key until the search looks for the words
const REST = 400; // milliseconds after a message until the page asks what the agent has in mind
const EXPORTS = [["The messages, and all that its agents had in mind, also from other rooms", ""], ["Only the sizes and times of what its agents had in mind, without words and names", "?redact"]];
const NOTHING = { messages: [], older: false, newer: false };
const QUIET = { drafts: [], work: [], problem: "" };

// `to` is the rest of the address: `at/END` is a message, and `why/END.N` a sentence of one.
export default function Talk({ room, session, to }) {
  const [talk, setTalk] = useState(NOTHING);
  const [now, setNow] = useState(QUIET);
  const [notices, setNotices] = useState([]);
  const [queue, setQueue] = useState(waiting);
  const [timed, setTimed] = useState(false);
  const [lost, setLost] = useState("");
  const [mind, setMind] = useState({});
  const [ready, begun] = useState(false);
  const list = useRef(); // the element that scrolls
  const held = useRef({ end: true, loading: false }); // at the end? or the message whose place on the screen stays
  const path = `/api/rooms/${room}`;
  const think = (told) => {
    lately.agent = told.agent ?? lately.agent;
    setMind({ ...told, heard: new Set(told.heard), said: new Set(told.said), last: told.heard?.at(-1) ?? Infinity });
  };
  const note = (text) => text && setNotices((all) => [...all.slice(-4), text]);
  const wrong = (why) => note(why.message);

  // --- loading

  function show(found, at) {
    held.current = at ? { at } : { end: true };
    setTalk(found);
    return found;
  }

  async function more(where) {
    const { messages } = talk;
    if (held.current.loading) return;
    held.current.loading = true;
    try {
      const older = where === "before";
      const edge = older ? messages[0] : messages.at(-1);
      const found = await get(`${path}/messages?${where}=${older ? edge.start : edge.end}`);
      const anchor = document.getElementById(`m${edge.end}`);
      held.current = { id: anchor?.id, top: anchor?.getBoundingClientRect().top };
      setTalk((was) => {
        const all = older ? [...found.messages, ...was.messages] : [...was.messages, ...found.messages];
        const cut = all.length > MOST;
        return older
          ? { messages: all.slice(0, MOST), older: found.older, newer: was.newer || cut }
          : { messages: all.slice(-MOST), older: was.older || cut, newer: found.newer };
      });
    } catch (why) {
      held.current.loading = false;
      wrong(why);
    }
  }

  function scrolled() {
    if (!list.current) return; // an event may come after the room is left
    const { scrollTop, scrollHeight, clientHeight } = list.current;
    const left = scrollHeight - scrollTop - clientHeight;
    held.current.end = left < 40 && !talk.newer;
    if (talk.older && scrollTop < NEAR) more("before");
    else if (talk.newer && left < NEAR) more("after");
  }

  useLayoutEffect(() => {
    const { at, end, id, top } = held.current;
    const element = document.getElementById(id ?? `m${at}`);
    if (end) list.current.scrollTop = list.current.scrollHeight;
    else if (id && element) list.current.scrollTop += element.getBoundingClientRect().top - top;
    else if (at && element) {
      reach(element);
    }
    held.current = { end };
    scrolled(); // a page that is not full loads more
  }, [talk]);
  useLayoutEffect(() => {
    if (held.current.end) list.current.scrollTop = list.current.scrollHeight;
  }, [now, notices, queue]);
  useEffect(() => {
    const resized = new ResizeObserver(() => held.current.end && list.current && (list.current.scrollTop = list.current.scrollHeight));
    resized.observe(list.current); // as when the keyboard of a phone opens
    return () => resized.disconnect();
  }, []);

  // --- the stream

  useEffect(() => {
    let stop = () => {}, last, timer;
    const load = () => get(`${path}/messages`).then((found) => (last = show(found).messages.at(-1)?.id ?? "0."));
    let soon;
    const look = () => (clearTimeout(soon), (soon = setTimeout(() => get(`${path}/mind`).then(think, () => {}), REST))); // the talk goes on without it
    const on = {
      state: setNow,
      grown: look,
      notice: note,
      reset: (_, id) => load().then(() => (last = id), wrong),
      message: (one, id) => {
        last = id;
        look();
        dispatchEvent(new Event("heard"));
        if (one.kind === "agent") setNow((was) => ({ ...was, drafts: was.drafts.filter((draft) => !one.who.endsWith(draft.who)) }));
        setTalk((was) => {
          if (was.newer) return was;
          const messages = [...was.messages, one];
          const cut = messages.length > MOST && held.current.end;
          return { ...was, messages: cut ? messages.slice(-MOST) : messages, older: was.older || cut };
        });
      },
    };
    const lose = (why) => (setLost(why), why || flush());
    let left = false;
    function begin() {
      get(`${path}/mind`).then(think, () => {});
      load().then(() => (begun(true), left || (stop = follow(() => `${path}/events?after=${last}`, on, lose))), (why) => {
        if (why.status) return wrong(why);
        setLost(why.message);
        timer = setTimeout(begin, AGAIN);
      });
    }
    begin();
    return () => {
      left = true;
      clearTimeout(timer);
      clearTimeout(soon);
      stop();
    };
  }, [room]);

  // --- what was sent

  useEffect(() => {
    const changed = () => setQueue(waiting());
    const answered = ({ detail }) => {
      if (detail.said.room !== room) return;
      if (detail.room) location.hash = `#/rooms/${detail.room}`;
      if (detail.times) setTimed((was) => !was);
      note(detail.notice);
    };
    addEventListener("queue", changed);
    addEventListener("answer", answered);
    return () => {
      removeEventListener("queue", changed);
      removeEventListener("answer", answered);
    };
  }, [room]);

  const start = () => post(`${path}/start`, {}).then((told) => note(told.notice), wrong);
  const keep = (how) => (event) => {
    event.target.closest("details").open = false;
    save(`${path}/export${how}`, `${room}.html`).catch(wrong);
  };
  const newest = () => get(`${path}/messages`).then(show, wrong);
  const faded = talk.messages.findLastIndex((one) => grasp(mind, one) === "summary");
  const jump = (end) => get(`${path}/messages?around=${end}`).then((found) => show(found, end), wrong);

  // --- the message or the sentence of the address

  const [kind, place = ""] = to.split("/"), [end, sentence] = place.split(".").map(Number);
  const asked = kind === "why" && talk.messages.find((one) => one.end === end && one.reply);
  useEffect(() => {
    if (!ready || !end) return;
    const there = document.getElementById(`m${end}`);
    if (!there) jump(end);
    else if (kind === "at") reach(there);
  }, [ready, to]);
  const go = (one, number) => (location.hash = number === undefined ? `#/rooms/${room}` : `#/rooms/${room}/why/${one.end}.${number}`);

  // The moment at which the agent forgot a message, in the tab Memory.
  const seek = (one) => get(`/api/memory/${mind.agent}/forgetting?${one.reply ? `when=${one.reply}` : `room=${room}&end=${one.end}`}`)
    .then((found) => (location.hash = `#/memory/${mind.agent}/${found.offset}/${found.number}/original`), wrong);

  const mine = queue.filter((one) => one.room === room && (one.late || one.wrong));
  return html`
    <section class="talk" aria-label=${`Room ${room}`}>
      <div class="bar">
        <a href="#/rooms" class="back" aria-label="Back to the rooms">←</a>
        <h2>${room}</h2>
        <${Mind} mind=${mind} />
        <details class="export" onKeyDown=${shut}><summary>Export</summary><ul class="found" aria-label="Export"><li class="faint">Save this room as one file, which any browser opens without dotagent:</li>
          ${EXPORTS.map(([words, how]) => html`<li><button type="button" onClick=${keep(how)}>${words}</button></li>`)}
        </ul></details>
        <${Search} path=${path} jump=${jump} wrong=${wrong} />
      </div>
      <div class="messages" ref=${list} onScroll=${scrolled} tabindex="0" role="log" aria-label="Messages">
        ${talk.messages.flatMap((one, at) => [
          one.at.slice(0, 10) !== talk.messages[at - 1]?.at.slice(0, 10) && html`<h3 class="rule" key=${`d${one.id}`}>${day(one.at)}</h3>`,
          at === faded + 1 && faded >= 0 && html`<p class="rule faded" key="faded">Above: what ${mind.name || "the agent"} knows only from summaries <a href=${`#/memory/${mind.agent}/${mind.swap}`}>See how it forgot</a></p>`,
          html`<${Message} key=${one.id} one=${one} timed=${timed} room=${room} closed=${answered(talk.messages, at)} held=${grasp(mind, one)} person=${session.person} why=${(number) => go(one, number)} forgot=${() => seek(one)} />`,
        ])}
        ${ready && !talk.messages.length && !mine.length && html`<p class="empty">Nothing was said here yet. Write a message below; it stays in <code>chats/${room}.md</code>, a text file that you can read.</p>`}
        ${!talk.messages.at(-1)?.question && now.work.map((text) => html`<p class="notice">${text}</p>`)}
        ${now.drafts.map((one) => html`
          <div class="message agent draft" aria-live="off">
            <p class="by"><b>${one.who}</b> is writing <span class="asked"><button type="button" class="link" onClick=${() => add(room, "/stop")}>Stop</button></span></p>
            <p class="plain" dir="auto">${one.text || `… ${one.seconds} s, ${one.waits}`}</p>
          </div>
        `)}
        ${mine.map((one) => html`
          <div class="message me waiting">
            <p class="plain" dir="auto">${one.text}</p>
            <p class="faint">${one.wrong ?? "not sent yet"} <button onClick=${() => discard(one.id)}>Discard</button></p>
          </div>
        `)}
        ${notices.map((text, at) => html`<div class="notice shown"><pre class="notice">${text}</pre>
          <button type="button" aria-label="Close this notice" onClick=${() => setNotices((all) => all.toSpliced(at, 1))}>✕</button></div>`)}
      </div>
      ${talk.newer && html`<button class="newest" onClick=${newest}>Go to the newest message</button>`}
      ${lost && html`<p role="alert" class="notice">${lost}</p>`}
      ${now.problem && html`<p class="notice problem" title=${now.problem}>${now.problem.replace(/; start (a new one|it again)[^]*/, "")} <button onClick=${start}>Start an agent</button></p>`}
      <${Composer} room=${room} person=${session.person} note=${note} ready=${!to} />
    </section>
    ${asked && html`<${Why} key=${asked.id} one=${asked} number=${sentence} go=${(number) => go(asked, number)} />`}
  `;
}

// Show a message to which a person has gone.
function reach(message) {
  message.scrollIntoView({ block: "center" });
  message.focus({ preventScroll: true });
  message.classList.add("reached");
  message.onanimationend = () => message.classList.remove("reached");
}

// Close a menu by Escape.
function shut(event) {
  if (event.key !== "Escape") return;
  event.currentTarget.open = false;
  event.currentTarget.querySelector("summary").focus();
}

const day = (at) => new Date(`${at.slice(0, 10)}T00:00Z`).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

// Whether the agent has a message in mind: word for word ("now"), only in a summary, or ("") the page does not know it.
function grasp(mind, one) {
  if (!mind.agent) return "";
  if (one.kind === "agent") return one.agent !== mind.agent || !one.reply || one.reply > mind.at ? "" : mind.said.has(one.reply) ? "now" : "summary";
  return mind.heard.has(one.end) ? "now" : one.end <= mind.joined || one.end > mind.last || !mind.swap ? "" : "summary";
}

// What the agent has in mind, against its limit. It leads to the tab Memory.
function Mind({ mind }) {
  if (!mind.agent) return null;
  const size = (one) => `${(100 * one[3]) / Math.max(mind.limit, mind.size)}%`, number = (count) => count.toLocaleString("en");
  return html`<a class="mind" href=${`#/memory/${mind.agent}`} title="The context of the agent: click to look into it">
    <i aria-hidden="true">${mind.kinds.map((one) => html`<b style=${{ width: size(one), background: one[2] }} />`)}</i>
    <span>In mind: ${number(mind.size)} of ${number(mind.limit)} tokens</span></a>`;
}

// Whether a later message answers the question in this one: it names its number, or comes right after it.
function answered(messages, at) {
  const { number } = messages[at].question ?? {};
  return number && messages.slice(at + 1).some((one, n) => one.answers === number || (n === 0 && one.answers === -1));
}

function Search({ path, jump, wrong }) {
  const [found, setFound] = useState(), [words, say] = useState(""), [again, look] = useState(0);
  useEffect(() => {
    if (!words.trim()) return setFound();
    let gone = false; // else an answer that comes late would belong to words of before
    const timer = setTimeout(() => get(`${path}/find?words=${encodeURIComponent(words)}`).then((all) => gone || setFound(all), wrong), PAUSE);
    return () => ((gone = true), clearTimeout(timer));
  }, [words, again]);
  const search = (event) => (event.preventDefault(), look(again + 1)); // the list may be closed
  const chosen = (end) => {
    setFound();
    jump(end);
  };
  return html`
    <form role="search" onSubmit=${search}>
      <input type="search" placeholder="Find in this room" aria-label="Find in this room" value=${words} onInput=${(event) => say(event.target.value)} />
    </form>
    ${found && html`<${Found} found=${found} words=${words} chosen=${chosen} close=${() => setFound()} />`}
  `;
}

function Found({ found, words, chosen, close }) {
  const place = useRef(), sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  useEscape(close, place);
  return html`
    <ul class="found" ref=${place} aria-label="Found messages">
      ${found.map((one) => html`<li><button onClick=${() => chosen(one.end)}>
        <span class="faint">${one.who} ${one.at.replace("T", " ")}</span> <${Marked} text=${one.text} words=${sought} /></button></li>`)}
      ${!found.length && html`<li class="faint" role="status">no message has these words</li>`}
      <li><button onClick=${close}>Close</button></li>
    </ul>
  `;
}

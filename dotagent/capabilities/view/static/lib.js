// What every tab uses: Preact with htm, and requests to the server.
import { h } from "preact";
import htm from "htm";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
export { render } from "preact";
export { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
export const html = htm.bind(h);

const AGAIN = 3000; // milliseconds until it asks again for what the server did not give
let token = ""; // the second token, which each change carries
const formatter = (timeZone) => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
let clock = formatter("UTC"); // in the zone in which the person sees times, as in rooms

// The agent that a person looked at last, in any tab, so that the next tab shows the same one.
export const lately = { agent: "" };

// The id of the agent that a tab shows: the one of the address, else the last one of any tab, else the most active one.
export function chosen(id, agents) {
  const usual = agents?.find((one) => one.id === lately.agent) ?? agents?.[0];
  return (lately.agent = id || usual?.id || lately.agent) && (id || usual?.id);
}

// A time of LIFE.md for people: `2026-11-21 21:17:20`.
export function when(at) {
  const then = new Date(at);
  return isNaN(then) ? String(at) : clock.format(then);
}

// A request that the server refused, or that did not reach it (status 0).
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

export const get = (path) => asked(path, {});

// Send a change. An object goes as JSON, a File as it is.
export async function post(path, value) {
  const send = () => asked(path, { method: "POST", body: value instanceof Blob ? value : JSON.stringify(value) });
  if (!token) await hello(); // the page opened while the server could not be reached
  return send().catch((why) => {
    if (why.status !== 403) throw why;
    return hello().then(send); // another tab has opened a new link since, so this page has an old token
  });
}

// Exchange the secret of an opening link for this browser's cookie.
export const open = (secret) => asked("/api/open", { method: "POST", body: secret });

// Say hello; the answer is who looks at what.
export async function hello() {
  const { token: second, ...told } = await get("/api/hello");
  token = second;
  clock = formatter(told.zone);
  return told;
}

// Save a file that the server makes. A refusal is thrown as for every other request.
export async function save(path, name) {
  const answer = await fetch(path).catch(() => undefined);
  if (!answer) throw new Refused(0, "dotagent cannot be reached");
  if (!answer.ok) throw new Refused(answer.status, (await answer.json()).error);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function asked(path, how) {
  let answer;
  try {
    answer = await fetch(path, { ...how, headers: { "x-dotagent-token": token } });
  } catch {
    throw new Refused(0, "dotagent cannot be reached");
  }
  const text = await answer.text();
  const told = answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : { error: text };
  if (!answer.ok) throw new Refused(answer.status, told.error);
  return told;
}

// Follow a stream of the server while the page is in sight, because a browser keeps at most six streams. `address()` is
// its path, `on` has a function for each event, and `lost` gets the reason why there is no stream, or "" when it is back.
export function follow(address, on, lost = () => {}) {
  let stream, timer;
  const close = () => (clearTimeout(timer), (stream = stream?.close()));
  function open() {
    if (document.hidden) return close();
    if (stream) return;
    stream = new EventSource(address());
    for (const [event, act] of Object.entries(on)) stream.addEventListener(event, (told) => act(JSON.parse(told.data), told.lastEventId));
    stream.onopen = () => lost("");
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return lost("dotagent cannot be reached; trying again"); // the browser tries
      close(); // the server has refused it, and says why to a request
      hello().catch((why) => lost(why.message));
      timer = setTimeout(open, AGAIN);
    };
  }
  open();
  addEventListener("visibilitychange", open);
  return () => (removeEventListener("visibilitychange", open), close());
}

// Close what is open in addition to the page when a person presses Escape. When it closes, the focus that was inside
// `place` returns to where it was before.
export function useEscape(close, place) {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    const pressed = (event) => event.key === "Escape" && close();
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  useLayoutEffect(() => () => void (place.current?.contains(document.activeElement) && before.focus({ preventScroll: true })), []); // before it is gone
}

// The value of a GET: undefined until it comes, and again for each change of the path. `fail` gets a Refused, or nothing
// when the value is there. While the server cannot be reached, it is asked again.
export function useGet(path, fail, ...when) {
  const [found, setFound] = useState();
  useEffect(() => {
    let gone = false, timer;
    const load = () => get(path).then((told) => gone || (fail(), setFound(told)), (why) => {
      if (gone) return;
      fail(why);
      if (!why.status) timer = setTimeout(load, AGAIN);
    });
    if (path) load();
    return () => ((gone = true), clearTimeout(timer));
  }, [path, ...when]);
  return found;
}

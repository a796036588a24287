// Messages that wait until the server has them. They survive a reload; every tab of this browser shares them.
//
// Each message has an id, and the server sends a message of the same id once. So it is safe to try again.
import { post } from "./lib.js";

const PLACE = "dotagent.queue";
const AGAIN = 3000; // milliseconds until the next attempt
const LATE = 1000; // milliseconds after which a person sees that a message waits
let sending = false;

export const waiting = () => JSON.parse(localStorage.getItem(PLACE) ?? "[]");

function keep(list) {
  localStorage.setItem(PLACE, JSON.stringify(list));
  dispatchEvent(new Event("queue"));
}

export function add(room, text) {
  keep([...waiting(), { id: id(), room, text }]);
  flush();
}

export const discard = (id) => keep(waiting().filter((one) => one.id !== id));

const delay = () => keep(waiting().map((one) => ({ ...one, late: true })));

const first = () => waiting().find((one) => !one.wrong);

// Send what waits, oldest first, in one tab at a time, because a command would run twice. Tell each answer by the event
// "answer". While the server does not take them, all are marked `late`; one that it refuses is marked `wrong`.
export async function flush() {
  if (sending || !first()) return;
  sending = true;
  const timer = setTimeout(delay, LATE);
  const away = await (navigator.locks?.request(PLACE, send) ?? send()); // no locks where the page comes without HTTPS
  clearTimeout(timer);
  sending = false;
  if (!away) return flush();
  delay();
  setTimeout(flush, AGAIN);
}

// Send each message that waits. Return true if the server cannot be reached or does not know this browser.
async function send() {
  for (let next; (next = first()); ) {
    try {
      const answer = await post(`/api/rooms/${next.room}/say`, { id: next.id, text: next.text });
      discard(next.id);
      dispatchEvent(new CustomEvent("answer", { detail: { ...answer, said: next } }));
    } catch (why) {
      if (why.status !== 400 && why.status !== 413) return true;
      keep(waiting().map((one) => (one.id === next.id ? { ...one, wrong: why.message } : one)));
    }
  }
  return false;
}

// A random id in the form of a UUID. crypto.randomUUID is missing where the page comes without HTTPS.
function id() {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

addEventListener("online", flush);
flush();
addEventListener("storage", () => dispatchEvent(new Event("queue")));

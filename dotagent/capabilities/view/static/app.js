// The frame of the page: open it with a link, show the tabs, and load the module of the chosen tab.
import { hello, html, open, render, useEffect, useState } from "./lib.js";

// A tab's module, and its name for people. A module's default export is a component with `rest`, the address after the
// tab, and `session`, the answer of /api/hello.
const TABS = { rooms: "Rooms", memory: "Memory", fading: "Forgetting", cost: "Cost", health: "Health" };

const LAST = "dotagent.hello"; // the last answer of /api/hello, for a page that opens without the server

const place = () => decodeURIComponent(location.hash.replace(/^#\/?/, "")).split("/");

function Page({ session, wrong }) {
  const [at, setAt] = useState(place);
  const [loaded, setLoaded] = useState({});
  const name = at[0] in TABS ? at[0] : Object.keys(TABS)[0];
  const title = `${(name === "rooms" && at[1]) || TABS[name]} · dotagent`;
  useEffect(() => void (document.title = title), [title]);
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener("hashchange", moved);
    moved(); // it may have changed before this listener came
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    let gone = false; // else a tab that was left, and loaded late, would take the place of this one
    if (session && name) import(`./${name}.js`).then((module) => (gone || setLoaded({ name, Tab: module.default }), keep().catch(() => {}))); // else the next time
    return () => (gone = true);
  }, [session, name]);
  const Tab = loaded.name === name && loaded.Tab; // the tab before gets no address of another
  return html`
    <header>
      <h1>dotagent</h1>
      <nav aria-label="Parts of this page">
        ${Object.entries(TABS).map(
          ([one, words]) => html`<a href="#/${one}" aria-current=${one === name ? "page" : null}>${words}</a>`,
        )}
      </nav>
    </header>
    ${wrong ? html`<main><p role="alert">${wrong}</p></main>` : Tab && html`<${Tab} rest=${at.slice(1)} session=${session} />`}
  `;
}

async function start() {
  const secret = /^#open=(.+)/.exec(location.hash)?.[1];
  if (secret) history.replaceState(null, "", "/"); // so that the secret is in no history
  document.body.replaceChildren();
  render(html`<${Page} />`, document.body);
  navigator.serviceWorker?.register("/sw.js");
  try {
    if (secret) await open(secret);
    localStorage.setItem(LAST, JSON.stringify(await hello()));
  } catch (why) {
    if (why.status || !localStorage.getItem(LAST)) return render(html`<${Page} wrong=${why.message} />`, document.body);
  }
  render(html`<${Page} session=${JSON.parse(localStorage.getItem(LAST))} />`, document.body);
}

// Keep the files that this page has loaded, before sw.js kept them. A tab calls this when all of its files are there.
async function keep() {
  await (navigator.serviceWorker?.ready ?? new Promise(() => {}));
  const loaded = performance.getEntriesByType("resource").map((one) => one.name);
  const own = loaded.filter((name) => name.startsWith(location.origin) && !name.includes("/api/"));
  const kept = await caches.open("dotagent"), wanted = new Set([`${location.origin}/`, ...own]);
  for (const one of await kept.keys()) wanted.delete(one.url);
  await kept.addAll([...wanted]);
}

start();

// Keep the page's own files, so that an installed page opens while the server cannot be reached. It keeps no message.
const KEPT = "dotagent";

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || pathname.startsWith("/api/")) return;
  event.respondWith(fresh(event.request));
});

async function fresh(request) {
  const kept = await caches.open(KEPT);
  try {
    const answer = await fetch(request);
    if (answer.ok) await kept.put(request, answer.clone());
    return answer;
  } catch (why) {
    const found = await kept.match(request, { ignoreSearch: true });
    if (found) return found;
    throw why;
  }
}

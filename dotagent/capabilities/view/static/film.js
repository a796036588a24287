// The film of an agent's context: a scrubber over its life, and its blocks on a canvas. It needs no other module, because
// an exported file contains it. `told` is the overview (film.py), `scene(offset)` returns the scene at a byte offset of
// LIFE. `on.chosen(number, offset)` is called for a block that a person chooses, and `on.moved(offset, call, blocks,
// time)` for each moment that is shown, with the id of the last request before it. `on.fork(time)` is called for a
// moment from which a person wants to continue; without it, there is no way to fork. The film's `grow(more)` takes what
// was added to LIFE since `told`, and its `show(offset)` shows a moment.
const GAP = 5, BELOW = 18, PAD = 5; // pixels between rows, below the limit, and before the words of a block
const FALL = 900; // milliseconds that blocks fall
const SPEEDS = [2, 8, 32]; // changes of the context in a second of a film that plays
const LATELY = 100; // scenes that the page loads to draw the whole line; a longer life is drawn where a person has been
const INK = "#17181a";
const [NUMBER, LAST, KIND, EVENT, SIZE, ID, AT, WHO, WORDS, GONE, BARE] = Array(11).keys(); // the fields of a block
const [END, TIME, WORD, SAID, RATIO, LIMIT, COUNT, CALL] = Array(8).keys(); // the fields of a moment

// What a block is, if nobody said it, by its event or its kind; and what an event means.
const NAMES = { STANDING: "Instructions", LIFE: "Last events", DAILY: "Day's note", soul: "Soul", documents: "Document", heard: "Message", said: "Answer", tool: "Result", reminder: "Reminder", remark: "Remark" };
const EVENTS = {
  ASK: "The model is asked", DAILY: "It reads the day's note", FAINT: "It is reminded of what it forgot", JOIN: "It joins a room", LIFE: "It sees its last events", PAPER: "It reads one of its documents", STANDING: "It sees what it was told to keep", BOOT: "The agent is created", CHUNKS: "It knows what it could summarise", DID: "Done:", EFFECT: "It is about to do this:",
  FADE: "A summary is ready:", FORGOT: "Something was deleted permanently", HEAR: "It reads:", REPLY: "It answers:", RESUME: "It starts again", SEGMENT: "It looks for what it could summarise",
  SLEEP: "It stops", STANDS: "It keeps an instruction:", SUMMARISE: "It asks for a summary", SUMMARY: "A summary is written", TOOL: "The result of a tool:", USAGE: "A request in the background has an answer",
};

const number = (count) => Math.round(count).toLocaleString("en");
const plural = (count, one, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) key.startsWith("on") ? (made[key] = value) : made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

// The moment of a scene at or before an offset, or its first.
export function moment(scene, offset) {
  let at = scene.moments.findIndex((one) => one[END] > offset);
  at = at < 0 ? scene.moments.length - 1 : Math.max(0, at - 1);
  return { at, of: scene.moments[at], blocks: scene.blocks.slice(0, scene.moments[at][COUNT]) };
}

// Each block with its begin and its width in tokens.
function laid(blocks, ratio) {
  let begin = 0;
  return blocks.map((block) => {
    const one = { block, begin, width: Math.floor(block[SIZE] * ratio) };
    begin += one.width;
    return one;
  });
}

// The tokens of each kind at some moments of a scene: its part of the line.
function columns(scene, kinds) {
  const sums = Object.fromEntries(kinds.map(([kind]) => [kind, 0])), found = [];
  const every = Math.max(1, Math.floor(scene.moments.length / 60));
  let count = 0;
  scene.moments.forEach((one, at) => {
    for (; count < one[COUNT]; count++) sums[scene.blocks[count][KIND]] += scene.blocks[count][SIZE];
    if (at % every === 0 || at === scene.moments.length - 1) found.push({ end: one[END], sizes: kinds.map(([kind]) => sums[kind] * one[RATIO]) });
  });
  return found;
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const key = (block) => `${block[NUMBER]} ${block[EVENT]} ${block[ID]}`;
const name = (block) => (block[KIND] === "summary" ? `Σ ${block[NUMBER]}–${block[LAST]}` : block[WHO] && block[WHO] !== "me" ? block[WHO] : NAMES[block[EVENT]] ?? NAMES[block[KIND]]);
const over = (list, block) => list.find((one) => one.block[NUMBER] <= block[NUMBER] && block[LAST] <= one.block[LAST]);
const whole = (list) => (list.length ? list.at(-1).begin + list.at(-1).width : 0);

export function film(root, told, scene, on = {}) {
  const colours = Object.fromEntries(told.kinds.map(([kind, words, colour]) => [kind, colour]));
  const names = Object.fromEntries(told.kinds.map(([kind, words]) => [kind, words]));
  const first = told.begin ?? 0, clock = new Intl.DateTimeFormat("sv-SE", { timeZone: told.zone ?? "UTC", dateStyle: "short", timeStyle: "medium" });
  const day = (at) => (isNaN(new Date(at)) ? at : clock.format(new Date(at)));
  const limited = () => getComputedStyle(root).outlineColor; // the red of the limit, light or dark
  const canvas = make("canvas", { class: "blocks", "aria-hidden": "true" });
  const line = make("canvas", { class: "line", "aria-hidden": "true" });
  const range = make("input", { type: "range", min: first, max: told.end, step: 1, value: told.end, "aria-label": "A moment since the agent was created" });
  const when = make("b"), size = make("span", { class: "size" }), what = make("span", { class: "what", dir: "auto" });
  const status = make("p", { class: "moment", "aria-live": "polite" }, when, " ", size, " ", what);
  const play = make("button", { type: "button", class: "main", "aria-pressed": "false" }, "Play");
  const before = make("button", { type: "button" }, "Previous swap");
  const after = make("button", { type: "button" }, "Next swap");
  const speed = make("select", { "aria-label": "Speed" }, ...SPEEDS.map((one) => make("option", { value: one }, `${one} changes a second`)));
  const legend = make("p", { class: "legend", role: "group", "aria-label": "Show one kind" });
  const rows = make("tbody");
  const table = make("details", {}, make("summary", {}, "The blocks as a table"), make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Blocks" },
    make("table", {}, make("thead", {}, make("tr", {}, ...["entry", "kind", "tokens", "who", "words"].map((one) => make("th", { scope: "col" }, one)))), rows)));
  const newest = make("button", { type: "button" }, "Now");
  const time = make("input", { type: "datetime-local", step: 1, "aria-label": "Go to a time" });
  const fork = make("button", { type: "button" }, "Fork here …");
  const controls = make("p", { class: "controls" }, play, before, after, newest, time, speed, ...(on.fork ? [fork] : []));
  root.replaceChildren(status, legend, canvas, make("div", { class: "track" }, line, range), controls, table);
  speed.value = SPEEDS[1];
  const known = new Map(); // the columns of scenes, by their begin
  let now, placed = [], grid, chosen = told.chosen ?? "", marked = "", falling = 0, drawing = 0, playing = 0, wanted = 0, tall = 0, latest = true, stopped = false; // latest: it shows the end of the life

  // Show the moment at an offset. With `moves`, blocks fall from where they were.
  async function show(offset, moves) {
    const turn = ++wanted;
    latest = offset >= told.end;
    let found;
    try {
      found = await scene(Math.max(first + 1, Math.min(told.end, offset)));
    } catch (why) {
      what.textContent = why.message;
      return;
    }
    if (turn !== wanted || stopped) return;
    const past = placed, next = now && now.scene.end === found.begin;
    now = { scene: found, ...moment(found, offset) };
    learn(found);
    range.value = now.of[END];
    placed = laid(now.blocks, now.of[RATIO]);
    when.textContent = day(now.of[TIME]);
    if (document.activeElement !== time) time.value = when.textContent.replace(" ", "T");
    size.textContent = `${number(whole(placed))} of ${number(now.of[LIMIT])} tokens, ${plural(now.blocks.length, "block")}`;
    what.replaceChildren(happened(next ? past : []), " ", make("code", {}, now.of[WORD]));
    range.setAttribute("aria-valuetext", status.textContent);
    root.dataset.offset = now.of[END];
    on.moved?.(now.of[END], found.moments.slice(0, now.at + 1).findLast((one) => one[CALL])?.[CALL], now.blocks, now.of[TIME]);
    kinds();
    list();
    overview();
    cancelAnimationFrame(falling);
    grid = flow(whole(placed));
    if (moves && past.length && !still()) fall(past);
    else draw(placed);
  }

  // What happened at this moment, in words. At a swap, `past` are the blocks right before it.
  function happened(past) {
    const swap = now.of[WORD] === "SWAP" && told.swaps.find((one) => one.end === now.of[END]);
    const words = EVENTS[now.of[WORD]];
    if (!swap) return !words || words.endsWith(":") ? `${words ?? ""} ${now.of[SAID]}`.trim() : words;
    const sizes = swap.was === null ? "" : `${number(swap.was)} → ${number(swap.now)} tokens`;
    if (swap.why === "unfade") return `A swap is undone: ${sizes}`;
    const there = new Set(placed.map((one) => key(one.block))), was = new Set(past.map((one) => key(one.block)));
    const made = placed.filter((one) => one.block[KIND] === "summary" && !was.has(key(one.block)));
    const gone = past.filter((one) => !there.has(key(one.block)) && over(made, one.block));
    if (!gone.length) return `It forgets: ${sizes}`;
    return `It forgets: ${plural(gone.length, "entry", "entries")} → ${plural(made.length, "summary", "summaries")}, ${sizes}`;
  }

  // The kinds of the blocks. A click shows one kind, and another click all of them.
  function kinds() {
    legend.replaceChildren(...told.kinds.flatMap(([kind, words, colour]) => {
      const sum = placed.reduce((sum, one) => sum + (one.block[KIND] === kind ? one.width : 0), 0);
      const swatch = make("i", { class: "swatch" });
      swatch.style.background = colour;
      const toggled = () => ((marked = marked === kind ? "" : kind), kinds(), draw(placed));
      return sum ? [make("button", { type: "button", "aria-pressed": String(marked === kind), onclick: toggled }, swatch, `${words} ${number(sum)}`)] : [];
    }));
  }

  function list() {
    if (!table.open) return rows.replaceChildren();
    rows.replaceChildren(...placed.map((one) => {
      const { block } = one, open = make("button", { type: "button", class: "link", onclick: () => choose(block) }, `#${block[NUMBER]}${block[LAST] > block[NUMBER] ? `–${block[LAST]}` : ""}`);
      return make("tr", {}, ...[open, names[block[KIND]], number(one.width), block[WHO], block[GONE] ? `(forgotten) ${block[WORDS]}` : block[WORDS]].map((cell, at) => make("td", at === 2 ? { class: "right" } : {}, cell)));
    }));
  }

  function choose(block) {
    chosen = key(block);
    draw(placed);
    on.chosen?.(block, now.of[END]);
  }

  // How blocks flow in rows as text does: 10 rows up to the limit, more for a large context and on a phone, and the rest
  // beyond the limit.
  function flow(total) {
    const wide = canvas.clientWidth || 800, limit = now.of[LIMIT], large = limit > 10_000;
    const most = (large ? 20 : 10) + (wide < 600 ? 4 : 0), tokens = Math.max(limit / most, total / (3 * most));
    return { wide, tokens, high: large ? 17 : 27, scale: wide / tokens, full: Math.round(limit / tokens), rows: Math.max(Math.round(limit / tokens), Math.ceil(total / tokens)) };
  }

  const top = (row) => row * (grid.high + GAP) + (row >= grid.full ? BELOW : 0);

  // Draw blocks that have a begin and a width in tokens, over rows.
  function draw(blocks) {
    const { wide, tokens, high, scale, full, rows: many } = grid, text = getComputedStyle(canvas).color;
    const need = Math.max(top(many), full * (high + GAP) + BELOW);
    tall = playing ? Math.max(tall, need) : need; // so that the buttons stay under the pointer
    const pen = sized(canvas, wide, tall);
    pen.clearRect(0, 0, wide, canvas.height);
    pen.textBaseline = "middle";
    pen.fillStyle = text;
    pen.globalAlpha = 0.06;
    for (let row = 0; row < full; row++) box(pen, 0, top(row), wide, high);
    for (const { block, begin, width, fade } of blocks) {
      let said = 0; // pixels of its words that stand in earlier rows
      pieces(begin, width, tokens, (row, from, part) => {
        const x = from * scale, y = top(row), w = Math.max(0.4, part * scale - (part * scale > 3 ? 1 : 0));
        pen.globalAlpha = (block[BARE] ? 0.45 : 1) * (marked && block[KIND] !== marked ? 0.2 : 1) * (fade ?? 1);
        pen.fillStyle = pen.strokeStyle = colours[block[KIND]];
        if (block[GONE]) {
          pen.setLineDash([4, 3]);
          pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 1), high - 1);
        } else box(pen, x, y, w, high);
        pen.setLineDash([]);
        pen.fillStyle = INK;
        if (block[KIND] === "summary") pen.fillRect(x, y + high - 2, w, 2);
        if (w > 22) said += write(pen, block, block[GONE] ? text : INK, x, y, w, said);
        if (key(block) !== chosen) return;
        pen.globalAlpha = 1;
        pen.strokeStyle = text;
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 1, Math.max(1, w - 2), high - 2);
        pen.lineWidth = 1;
      });
    }
    pen.globalAlpha = 1;
    border(pen, text, blocks === placed ? whole(blocks) : now.of[LIMIT]); // while blocks fall, nothing is said to be free
    canvas.dataset.blocks = blocks.length;
  }

  function box(pen, x, y, wide, high) {
    pen.beginPath();
    pen.roundRect(x, y, wide, high, wide > 8 ? 3 : 0);
    pen.fill();
  }

  // Write who and what into a part of a block; its words go on in the next row. Return the pixels that were filled.
  function write(pen, block, colour, x, y, wide, said) {
    const font = `${Math.min(12, grid.high - 6)}px system-ui, sans-serif`, middle = y + grid.high / 2;
    pen.save();
    pen.beginPath();
    pen.rect(x + PAD - 1, y, wide - 2 * PAD + 2, grid.high);
    pen.clip();
    pen.fillStyle = colour;
    pen.font = `600 ${font}`;
    pen.fillText(name(block), x + PAD - said, middle);
    const begin = x + PAD - said + pen.measureText(name(block)).width + 6;
    pen.font = font;
    pen.fillText(block[GONE] ? `deleted text · ${block[WORDS]}` : block[WORDS], begin, middle);
    pen.restore();
    return wide - 2 * PAD;
  }

  // The line at which it begins to forget, and what is free before it.
  function border(pen, text, total) {
    const { wide, tokens, high, scale, full } = grid, at = top(full) - BELOW - GAP / 2 + 1, limit = now.of[LIMIT];
    pen.strokeStyle = pen.fillStyle = limited();
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(0, at);
    pen.lineTo(wide, at);
    pen.stroke();
    pen.setLineDash([]);
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillText(`limit ${number(limit)}: beyond it, it begins to forget`, wide, at + 10);
    pen.textAlign = "left";
    const row = Math.floor(total / tokens), x = (total - row * tokens) * scale + PAD;
    pen.fillStyle = text;
    pen.font = "11px system-ui, sans-serif";
    if (total < limit && row < full && wide - x > 110) pen.fillText(`${number(limit - total)} tokens free`, x, top(row) + high / 2);
  }

  // Blocks fall into their summary, and a restored one rises out of it.
  function fall(past) {
    const there = new Map(placed.map((one) => [key(one.block), one])), was = new Set(past.map((one) => key(one.block)));
    const moving = past.map((one) => ({ from: one, to: there.get(key(one.block)), into: over(placed, one.block) ?? one, block: one.block }));
    for (const one of placed) if (!was.has(key(one.block))) moving.push({ to: one, into: over(past, one.block) ?? one, block: one.block });
    const began = performance.now();
    grid = flow(Math.max(whole(past), whole(placed)));
    const next = (time) => {
      const part = Math.min(1, Math.max(0, (time - began) / FALL)), ease = part * part * (3 - 2 * part);
      if (part === 1) {
        grid = flow(whole(placed));
        return draw(placed);
      }
      draw(moving.map(({ from, to, into, block }) => {
        const one = from ?? { begin: into.begin, width: 0 }, two = to ?? { begin: into.begin, width: 0 };
        return { block, begin: one.begin + (two.begin - one.begin) * ease, width: one.width + (two.width - one.width) * ease, fade: !to ? 1 - 0.7 * ease : !from ? ease : 1 };
      }));
      falling = requestAnimationFrame(next);
    };
    falling = requestAnimationFrame(next);
  }

  function pieces(begin, width, most, paint) {
    for (let row = Math.floor(begin / most); row < grid.rows && width > 0; row++) {
      const from = begin - row * most, part = Math.min(width, most - from);
      paint(row, from, part);
      begin += part;
      width -= part;
    }
  }

  // The size of the context over the whole life: by kind where its scenes are known, else from swap to swap.
  function overview() {
    const high = 64, wide = line.clientWidth || 800, pen = sized(line, wide, high + 18), text = getComputedStyle(line).color;
    const most = Math.max(told.limit, told.size, ...told.swaps.map((one) => one.was ?? 0)) * 1.1, x = (offset) => ((offset - first) / (told.end - first)) * wide, y = (tokens) => high - (tokens / most) * high;
    pen.clearRect(0, 0, wide, high + 18);
    pen.fillStyle = text;
    pen.globalAlpha = 0.2;
    pen.beginPath();
    pen.moveTo(0, high);
    for (const one of told.swaps) {
      if (one.was === null) continue;
      pen.lineTo(x(one.begin), y(one.was));
      pen.lineTo(x(one.end), y(one.now));
    }
    pen.lineTo(wide, y(told.size));
    pen.lineTo(wide, high);
    pen.fill();
    pen.globalAlpha = 1;
    for (const [begin, parts] of known) stack(pen, parts, x, y, Math.max(first, begin), told.swaps.find((one) => one.begin > begin)?.begin ?? told.end);
    dates(pen, text, x, wide, high);
    pen.strokeStyle = limited();
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(0, y(told.limit));
    pen.lineTo(wide, y(told.limit));
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = text;
    pen.fillRect(Math.min(wide - 2, Math.max(0, x(now.of[END]) - 1)), 0, 2, high);
    pen.beginPath();
    pen.arc(Math.min(wide - 6, Math.max(6, x(now.of[END]))), 6, 6, 0, 2 * Math.PI);
    pen.fill();
  }

  // One area for each kind, one upon another, from the begin to the end of a scene.
  function stack(pen, parts, x, y, begin, end) {
    const low = parts.map(() => 0);
    told.kinds.forEach(([kind, words, colour], at) => {
      pen.fillStyle = colour;
      pen.beginPath();
      const edge = (n) => (n === 0 ? x(begin) : x(parts[n].end)), last = parts.length - 1;
      parts.forEach((one, n) => pen.lineTo(edge(n), y(low[n])));
      pen.lineTo(x(end), y(low[last]));
      parts.forEach((one, n) => (low[n] += one.sizes[at]));
      pen.lineTo(x(end), y(low[last]));
      for (let n = last; n >= 0; n--) pen.lineTo(edge(n), y(low[n]));
      pen.fill();
    });
  }

  // Days below the line, where they do not overlap.
  function dates(pen, text, x, wide, high) {
    const times = told.from.slice(0, 10) === told.to.slice(0, 10); // a life of one day
    let right = -100, last = "";
    pen.fillStyle = text;
    pen.globalAlpha = 0.75;
    pen.font = "11px system-ui, sans-serif";
    for (const [offset, at] of [[first, told.from], ...told.swaps.map((one) => [one.end, one.at])]) {
      if (x(offset) < right + 18 || x(offset) > wide - 70 || !at) continue;
      const date = day(at).slice(0, 10), words = times || date === last ? day(at).slice(11, 16) : date;
      pen.fillText(words, x(offset), high + 14);
      right = x(offset) + pen.measureText(words).width;
      last = date;
    }
    pen.globalAlpha = 1;
  }

  function sized(of, wide, high) {
    const dense = devicePixelRatio || 1, pen = of.getContext("2d");
    if (of.width !== Math.round(wide * dense) || of.height !== Math.round(high * dense)) {
      of.width = Math.round(wide * dense);
      of.height = Math.round(high * dense);
      of.style.height = `${high}px`;
    }
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    return pen;
  }

  // The next moment, or the previous; over the border of a scene, too.
  function step(way) {
    const next = now.at + way, { moments } = now.scene;
    if (next >= 0 && next < moments.length) return show(moments[next][END], way > 0);
    return show(way > 0 ? now.of[END] + 1 : now.scene.begin, way > 0);
  }

  function swap(way) {
    const ends = told.swaps.map((one) => one.end), at = now.of[END];
    const to = way > 0 ? ends.find((one) => one > at) ?? told.end : ends.findLast((one) => one < at) ?? first;
    return way > 0 && to !== told.end ? show(told.swaps.find((one) => one.end === to).begin).then(() => show(to, true)) : show(to, way > 0);
  }

  function toggle() {
    playing = playing ? 0 : 1;
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(!!playing));
    if (playing) run(now.of[END] >= told.end);
  }

  // Play: from change to change of the context.
  async function run(anew) {
    if (anew) await show(first);
    while (playing && !stopped && now.of[END] < told.end) {
      const { scene: there, at, of } = now, next = there.moments.find((one, n) => n > at && one[COUNT] > of[COUNT]);
      await show(next ? next[END] : Math.min(told.end, there.end + 1), true);
      await new Promise((done) => setTimeout(done, now.scene === there ? 1000 / speed.value : FALL + 300));
    }
    if (playing) toggle();
  }

  // Show the last moment at or before a time that a person typed, in the zone of the page.
  async function seek() {
    const typed = Date.parse(`${time.value}Z`);
    if (isNaN(typed)) return;
    const ahead = Date.parse(`${day(new Date(typed)).replace(" ", "T")}Z`) - typed; // of the zone before UTC
    const until = `${new Date(typed - ahead).toISOString().slice(0, 19)}.999999Z`, past = (one, at) => one[at] <= until;
    const found = await scene((told.swaps.findLast((one) => past(one, "at"))?.begin ?? first) + 1);
    return show((found.moments.findLast((one) => past(one, TIME)) ?? found.moments[0])[END]);
  }

  const under = (event) => Math.round(first + (event.offsetX / line.clientWidth) * (told.end - first));

  // Fork from the moment on the screen; a right click on the line means the moment under the pointer.
  async function split(event) {
    event.preventDefault();
    if (playing) toggle();
    if (event.target === range && event.button === 2) await show(under(event));
    if (now) on.fork(now.of[TIME]);
  }

  // The block under the pointer.
  function under_pointer(event) {
    const high = grid.high + GAP, y = event.offsetY, row = Math.floor((y >= grid.full * high + BELOW ? y - BELOW : y) / high);
    const at = (row + Math.min(0.999, event.offsetX / grid.wide)) * grid.tokens;
    return placed.find(({ begin, width }) => begin <= at && at < begin + width);
  }

  const keys = { ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1), PageUp: () => swap(1), PageDown: () => swap(-1), Home: () => show(first), End: () => show(told.end), " ": toggle };
  range.onkeydown = (event) => keys[event.key] && (event.preventDefault(), keys[event.key]());
  range.oninput = () => show(Number(range.value));
  play.onclick = toggle;
  before.onclick = () => swap(-1);
  after.onclick = () => swap(1);
  newest.onclick = () => show(told.end);
  time.onchange = seek;
  fork.onclick = split;
  if (on.fork) for (const one of [canvas, range]) one.oncontextmenu = split;
  table.ontoggle = list;
  canvas.onclick = (event) => {
    const one = under_pointer(event);
    if (one) choose(one.block);
  };
  canvas.onmousemove = (event) => {
    const one = under_pointer(event);
    canvas.title = one ? `#${one.block[NUMBER]} ${names[one.block[KIND]]}, ${number(one.width)} tokens: ${one.block[WORDS]}` : "";
    canvas.style.cursor = one ? "pointer" : "";
  };
  const resized = new ResizeObserver(() => now && ((grid = flow(whole(placed))), draw(placed), overview()));
  resized.observe(root);

  // Load the scenes for the line, one after another, until it is whole or the person leaves.
  async function load() {
    await show(told.start ?? told.end);
    if (told.swaps.length > LATELY && !told.scenes) return;
    if (await fill([0, ...told.swaps.map((one) => one.begin)].filter((begin) => !known.has(begin) && begin >= first))) root.dataset.whole = "yes";
  }

  async function fill(begins) {
    for (const begin of begins) {
      const found = !stopped && (await scene(begin + 1).catch(() => undefined));
      if (!found) return false;
      learn(found);
      drawing ||= requestAnimationFrame(() => ((drawing = 0), !stopped && now && overview())); // once for all scenes of a frame
    }
    return true;
  }

  // Keep the part of the line that a scene makes. The last scene of a life that goes on grows.
  function learn(found) {
    const there = known.get(found.begin);
    if (there?.at(-1).end !== found.moments.at(-1)[END]) known.set(found.begin, columns(found, told.kinds));
  }

  // The life went on: `more` is the overview, with the new swaps only. If the page shows the end, it follows with `follow`.
  async function grow(more, follow) {
    const begins = [told.swaps.at(-1)?.begin ?? 0, ...more.swaps.map((one) => one.begin)];
    told.swaps.push(...more.swaps);
    Object.assign(told, { end: more.end, to: more.to, size: more.size, limit: more.limit });
    range.max = told.end;
    if (latest && follow && !playing) await show(told.end, true);
    await fill(begins.filter((begin) => begin >= first));
  }
  load();
  return { show, grow, end: () => ((stopped = true), (playing = 0), resized.disconnect()) };
}

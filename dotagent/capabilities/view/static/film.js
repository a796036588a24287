// The film of an agent's context: a scrubber over its life, and its blocks on a canvas. It needs no other module, because
// an exported file contains it. `told` is the overview (film.py), `scene(offset)` returns the scene at a byte offset of
// LIFE. `on.chosen(number, offset)` is called for a block that a person chooses, and `on.moved(offset, call)` for each
// moment that is shown, with the id of the last request before it. `on.fork(time)` is called for a moment from which a
// person wants to continue; without it, there is no way to fork.
const ROWS = 8, HIGH = 30, GAP = 6; // rows of blocks, and pixels
const FALL = 900, STEP = 60; // milliseconds that blocks fall, and between two moments of a film that plays
const [NUMBER, LAST, KIND, EVENT, SIZE, ID, AT, WHO, WORDS, GONE, BARE] = Array(11).keys(); // the fields of a block
const [END, TIME, WORD, SAID, RATIO, LIMIT, COUNT, CALL] = Array(8).keys(); // the fields of a moment

const number = (count) => Math.round(count).toLocaleString("en");

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

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const key = (block) => `${block[NUMBER]} ${block[EVENT]} ${block[ID]}`;

export function film(root, told, scene, on = {}) {
  const colours = Object.fromEntries(told.kinds.map(([kind, words, colour]) => [kind, colour]));
  const names = Object.fromEntries(told.kinds.map(([kind, words]) => [kind, words]));
  const first = told.begin ?? 0, form = { timeZone: told.zone ?? "UTC", dateStyle: "short", timeStyle: "medium" };
  const day = (at) => (isNaN(new Date(at)) ? at : new Date(at).toLocaleString("sv-SE", form));
  const canvas = make("canvas", { class: "blocks", "aria-hidden": "true" });
  const line = make("canvas", { class: "line", "aria-hidden": "true" });
  const range = make("input", { type: "range", min: first, max: told.end, step: 1, value: told.end, "aria-label": "A moment of the agent's life" });
  const status = make("p", { class: "moment", "aria-live": "polite" });
  const play = make("button", { type: "button", "aria-pressed": "false" }, "Play");
  const before = make("button", { type: "button" }, "Previous swap");
  const after = make("button", { type: "button" }, "Next swap");
  const legend = make("p", { class: "legend" });
  const rows = make("tbody");
  const table = make("details", {}, make("summary", {}, "The blocks as a table"), make("div", { class: "wide" },
    make("table", {}, make("thead", {}, make("tr", {}, ...["entry", "kind", "tokens", "who", "words"].map((one) => make("th", { scope: "col" }, one)))), rows)));
  const fork = make("button", { type: "button" }, "Fork here …");
  const controls = make("p", { class: "controls" }, play, before, after, ...(on.fork ? [fork] : []));
  root.replaceChildren(status, canvas, line, range, controls, legend, table);
  let now, placed = [], chosen = "", falling = 0, playing = 0, wanted = 0, stopped = false;

  // Show the moment at an offset. With `moves`, blocks fall from where they were.
  async function show(offset, moves) {
    const turn = ++wanted;
    let found;
    try {
      found = await scene(Math.max(first + 1, Math.min(told.end, offset)));
    } catch (why) {
      status.textContent = why.message;
      return;
    }
    if (turn !== wanted || stopped) return;
    const past = placed;
    now = { scene: found, ...moment(found, offset) };
    range.value = now.of[END];
    placed = laid(now.blocks, now.of[RATIO]);
    const total = placed.reduce((sum, one) => sum + one.width, 0);
    status.textContent = `${day(now.of[TIME])}: ${now.of[WORD]} ${now.of[SAID]} — ${number(total)} of ${number(now.of[LIMIT])} tokens, ${now.blocks.length} blocks`;
    range.setAttribute("aria-valuetext", status.textContent);
    root.dataset.offset = now.of[END];
    on.moved?.(now.of[END], found.moments.slice(0, now.at + 1).findLast((one) => one[CALL])?.[CALL]);
    legend.replaceChildren(...told.kinds.flatMap(([kind, words, colour]) => {
      const size = placed.reduce((sum, one) => sum + (one.block[KIND] === kind ? one.width : 0), 0);
      const swatch = make("i", { class: "swatch" });
      swatch.style.background = colour;
      return size ? [make("span", {}, swatch, `${words} ${number(size)} `)] : [];
    }), make("span", {}, `┆ limit ${number(now.of[LIMIT])}`));
    list();
    overview();
    cancelAnimationFrame(falling);
    if (moves && past.length && !still()) fall(past);
    else draw(placed);
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

  // Draw blocks that have a begin and a width in tokens, over rows.
  function draw(blocks) {
    const wide = sized(canvas, ROWS * (HIGH + GAP)), pen = canvas.getContext("2d");
    const most = capacity() / ROWS, scale = wide / most;
    pen.clearRect(0, 0, wide, ROWS * (HIGH + GAP));
    for (const { block, begin, width } of blocks) {
      pen.fillStyle = colours[block[KIND]];
      pen.globalAlpha = block[BARE] ? 0.45 : 1;
      pieces(begin, width, most, (row, from, size) => {
        const gap = size * scale > 3 ? 1 : 0;
        if (block[GONE]) {
          pen.strokeStyle = colours[block[KIND]];
          pen.setLineDash([3, 2]);
          pen.strokeRect(from * scale + 0.5, row * (HIGH + GAP) + 0.5, Math.max(1, size * scale - 1), HIGH - 1);
        } else pen.fillRect(from * scale, row * (HIGH + GAP), Math.max(0.3, size * scale - gap), HIGH);
        if (key(block) === chosen) {
          pen.setLineDash([]);
          pen.strokeStyle = getComputedStyle(canvas).color;
          pen.lineWidth = 3;
          pen.strokeRect(from * scale + 1.5, row * (HIGH + GAP) + 1.5, Math.max(1, size * scale - 3), HIGH - 3);
          pen.lineWidth = 1;
        }
      });
    }
    pen.globalAlpha = 1;
    pen.setLineDash([4, 3]);
    pen.strokeStyle = getComputedStyle(canvas).color;
    pieces(now.of[LIMIT], 1, most, (row, from) => {
      pen.beginPath();
      pen.moveTo(from * scale, row * (HIGH + GAP) - 2);
      pen.lineTo(from * scale, row * (HIGH + GAP) + HIGH + 2);
      pen.stroke();
    });
    canvas.dataset.blocks = blocks.length;
  }

  // Blocks fall into their summary, and a restored one rises out of it.
  function fall(past) {
    const there = new Map(placed.map((one) => [key(one.block), one])), was = new Map(past.map((one) => [key(one.block), one]));
    const over = (list, block) => list.find((one) => one.block[NUMBER] <= block[NUMBER] && block[LAST] <= one.block[LAST]);
    const moving = past.map((one) => ({ from: one, to: there.get(key(one.block)) ?? { ...(over(placed, one.block) ?? one), width: 0 }, block: one.block }));
    for (const one of placed) if (!was.has(key(one.block))) moving.push({ from: { ...(over(past, one.block) ?? one), width: 0 }, to: one, block: one.block });
    const began = performance.now();
    const next = (time) => {
      const part = Math.min(1, (time - began) / FALL), ease = part * part * (3 - 2 * part);
      if (part === 1) return draw(placed);
      draw(moving.map(({ from, to, block }) => ({ block, begin: from.begin + (to.begin - from.begin) * ease, width: from.width + (to.width - from.width) * ease })));
      falling = requestAnimationFrame(next);
    };
    falling = requestAnimationFrame(next);
  }

  const capacity = () => Math.max(now.of[LIMIT] * 1.25, placed.length ? placed.at(-1).begin + placed.at(-1).width : 0);

  function pieces(begin, width, most, paint) {
    for (let row = Math.floor(begin / most); row < ROWS && width > 0; row++) {
      const from = begin - row * most, size = Math.min(width, most - from);
      paint(row, from, size);
      begin += size;
      width -= size;
    }
  }

  // The size of the context over the whole life, from swap to swap.
  function overview() {
    const high = 60, wide = sized(line, high), pen = line.getContext("2d");
    const most = Math.max(told.limit, ...told.swaps.map((one) => one.was ?? 0)) * 1.1, x = (offset) => ((offset - first) / (told.end - first)) * wide, y = (tokens) => high - (tokens / most) * high;
    pen.clearRect(0, 0, wide, high);
    pen.strokeStyle = pen.fillStyle = getComputedStyle(line).color;
    pen.globalAlpha = 0.35;
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
    pen.fillRect(x(now.of[END]) - 1, 0, 2, high);
  }

  function sized(of, high) {
    const wide = of.clientWidth || 800, dense = devicePixelRatio || 1;
    if (of.width !== Math.round(wide * dense) || of.height !== Math.round(high * dense)) {
      of.width = Math.round(wide * dense);
      of.height = Math.round(high * dense);
      of.style.height = `${high}px`;
    }
    of.getContext("2d").setTransform(dense, 0, 0, dense, 0, 0);
    return wide;
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
    return way > 0 && to !== told.end && !still() ? show(told.swaps.find((one) => one.end === to).begin).then(() => show(to, true)) : show(to, way > 0);
  }

  function toggle() {
    playing = playing ? 0 : 1;
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(!!playing));
    if (playing) run(now.of[END] >= told.end);
  }

  async function run(anew) {
    if (anew) await show(first);
    while (playing && !stopped && now.of[END] < told.end) {
      const scene = now.scene;
      await step(1);
      await new Promise((done) => setTimeout(done, now.scene === scene ? STEP : FALL + 300));
    }
    if (playing) toggle();
  }

  const under = (event) => Math.round(first + (event.offsetX / line.clientWidth) * (told.end - first));

  // Fork from the moment on the screen; a right click on the line means the moment under the pointer.
  async function split(event) {
    event.preventDefault();
    if (playing) toggle();
    if (event.target === line && event.type === "contextmenu") await show(under(event));
    if (now) on.fork(now.of[TIME]);
  }

  const keys = { ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1), PageUp: () => swap(1), PageDown: () => swap(-1), Home: () => show(first), End: () => show(told.end) };
  range.onkeydown = (event) => keys[event.key] && (event.preventDefault(), keys[event.key]());
  range.oninput = () => show(Number(range.value));
  play.onclick = toggle;
  before.onclick = () => swap(-1);
  after.onclick = () => swap(1);
  line.onclick = (event) => show(under(event));
  fork.onclick = split;
  if (on.fork) for (const one of [canvas, line, range]) one.oncontextmenu = split;
  table.ontoggle = list;
  canvas.onclick = (event) => {
    const most = capacity() / ROWS, at = Math.floor(event.offsetY / (HIGH + GAP)) * most + (event.offsetX / canvas.clientWidth) * most;
    const one = placed.find(({ begin, width }) => begin <= at && at < begin + width);
    if (one) choose(one.block);
  };
  canvas.onmousemove = (event) => {
    const most = capacity() / ROWS, at = Math.floor(event.offsetY / (HIGH + GAP)) * most + (event.offsetX / canvas.clientWidth) * most;
    const one = placed.find(({ begin, width }) => begin <= at && at < begin + width);
    canvas.title = one ? `#${one.block[NUMBER]} ${names[one.block[KIND]]}, ${number(one.width)} tokens: ${one.block[WORDS]}` : "";
  };
  const resized = () => now && (draw(placed), overview());
  addEventListener("resize", resized);
  show(told.start ?? told.end);
  return { show, end: () => ((stopped = true), (playing = 0), removeEventListener("resize", resized)) };
}

// Cost: tokens and money of every answer, plotted and as a table.
import { chosen, html, useEffect, useRef, useState, useGet, when } from "./lib.js";
import { Agents } from "./memory.js";

const number = (count) => Math.round(count).toLocaleString("en");
const DAY = 86400; // seconds
const PERIODS = { "all time": [Infinity, 0], today: [0, 0], yesterday: [1, 1], "the last 7 days": [6, 0], "the last 30 days": [29, 0] }; // from so many days ago to so many
const SHOWN = ["fresh", "cached", "output"], COLOURS = ["#3b78c4", "#74b58b", "#c8722c"];

export default function Cost({ rest }) {
  const [wrong, fail] = useState(), [by, choose] = useState("day"), [period, limit] = useState("all time");
  const told = useGet("/api/cost", fail);
  const problem = wrong && html`<p role="alert">${wrong.message}</p>`;
  if (!told) return html`<main aria-busy=${!wrong}>${problem}</main>`;
  const [from, to] = PERIODS[period].map((days) => (days < Infinity ? when(Date.now() - days * DAY * 1000).slice(0, 10) : "")), date = told.fields.indexOf("day");
  const rows = grouped({ ...told, rows: told.rows.filter((row) => row[date] >= from && row[date] <= to) }, by);
  return html`<main class="cost">
    ${problem}
    <label>By <select value=${by} onChange=${(event) => choose(event.target.value)}>${["day", "model", "kind", "provider", "agent"].map((one) => html`<option>${one}</option>`)}</select></label>${" "}
    <label>of <select value=${period} onChange=${(event) => limit(event.target.value)}>${Object.keys(PERIODS).map((words) => html`<option>${words}</option>`)}</select></label>
    ${rows.length ? html`${by === "day" && rows.some((row) => row.input + row.output) && html`<${Plot} rows=${rows} />`}<${Table} rows=${by === "day" ? rows.toReversed() : rows} by=${by} />` : html`<p>${told.rows.length ? "No answer was counted in this time." : "No answer has been counted yet."}</p>`}
    ${told.budgets.length > 0 && html`<h2>Budgets</h2><ul>${told.budgets.map((one) => html`<li>${one.whose} ${one.name}: ${one.used} of ${one.most}</li>`)}</ul>`}
    <${Blocks} id=${rest[0]} fail=${fail} />
  </main>`;
}

// What each block of an agent's context has cost since it entered.
function Blocks({ id, fail }) {
  const agents = useGet("/api/memory", fail), agent = chosen(id, agents);
  const told = useGet(agent && `/api/cost/${agent}/blocks`, fail);
  if (!agent) return null;
  const money = (millionths) => (millionths === null ? "unknown" : `~$${(millionths / 1e6).toFixed(4)}`);
  const part = ({ sent, cached }) => (sent ? `${Math.round((100 * cached) / sent)} %` : "");
  const most = Math.max(...(told?.kinds ?? []).map((one) => one.sent));
  return html`<h2>What each entry of the context has cost so far</h2>
    <${Agents} tab="cost" agents=${agents} id=${agent} />
    <p class="faint">Each request sends the whole context again, so an entry costs something with every answer. The table lists the entries of the present context, and counts the requests of the conversation since each entry was added.</p>
    ${!told ? html`<p aria-busy="true">Counting …</p>` : html`<${Grid} heads=${["kind", "blocks", "tokens now", "sent since", "compared", "of these cached", "cost"]} rows=${told.kinds.map((one) => [one.kind, number(one.blocks), number(one.tokens), number(one.sent), html`<progress max=${most} value=${one.sent} aria-label=${`${one.kind}: tokens sent`} />`, part(one), money(one.cost)])} />
    <details><summary>The ${told.rows.length} most expensive entries</summary>
      <${Grid} heads=${["entry", "kind", "since", "tokens", "requests", "sent", "of these cached", "cost", "words"]} rows=${told.rows.map(([first, last, kind, who, words, since, tokens, prompts, cached, cost]) => [html`<a href=${`#/memory/${agent}/${told.end}/${first}`}>#${last > first ? `${first}–${last}` : first}</a>`, kind, when(since), number(tokens), number(prompts), number(tokens * prompts), part({ sent: tokens * prompts, cached }), money(cost), `${who} ${words}`])} />
      ${told.more > 0 && html`<p>and ${number(told.more)} more blocks</p>`}</details>`}`;
}

const Grid = ({ heads, rows }) => html`<div class="wide" tabindex="0" role="region" aria-label=${`Table by ${heads[0]}`}><table><thead><tr>${heads.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
  <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td class=${/^[\d,]+$/.test(cell) ? "right" : null}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;

// One row for each name, with sums of all fields, and the tokens that were not cached.
function grouped({ fields, rows }, by) {
  const place = fields.indexOf(by), sums = new Map();
  for (const row of rows) {
    const sum = sums.get(row[place]) ?? { name: row[place], fresh: 0 };
    fields.slice(5).forEach((field, at) => (sum[field] = (sum[field] ?? 0) + row[at + 5]));
    sum.fresh = sum.input - sum.cached;
    sums.set(row[place], sum);
  }
  const found = [...sums.values()];
  return by === "day" ? found.sort((one, two) => (one.name < two.name ? -1 : 1)) : found.sort((one, two) => two.cost - one.cost || two.input - one.input);
}

const dollars = (sum) => (sum.unpriced === sum.calls ? "unknown" : `${sum.computed ? "~" : ""}$${(sum.cost / 1e6).toFixed(4)}${sum.unpriced ? "+" : ""}`);

// What the signs in the column of costs mean, where they stand.
const NOTES = [
  [(row) => row.computed, "~: by today's prices."],
  [(row) => row.unpriced && row.unpriced < row.calls, "+: the cost of some requests is unknown."],
  [(row) => row.unpriced === row.calls, "unknown: dotagent knows no price for the model. Fixed rules (the provider offline) and models on your own machine cost nothing."],
];

function Table({ rows, by }) {
  const all = rows.reduce((sum, row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, key === "name" ? "all" : value + (sum[key] ?? 0)])), {});
  const cells = (row) => html`<tr><th scope="row">${row.name}</th>${[dollars(row), number(row.calls), number(row.fresh), number(row.cached), row.input ? `${Math.round((100 * row.cached) / row.input)} %` : "", number(row.output)].map((cell) => html`<td class="right">${cell}</td>`)}</tr>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${`Cost by ${by}`}><table><thead><tr>${[by, "cost", "calls", "fresh tokens", "cached", "share of the cache", "output"].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
    <tbody>${rows.map(cells)}</tbody>${rows.length > 1 && html`<tfoot>${cells(all)}</tfoot>`}</table></div>
    <p class="faint">${NOTES.filter(([holds]) => rows.some(holds)).map(([, words]) => words).join(" ")}</p>`;
}

// uPlot, which the page loads only for this.
function loaded() {
  if (globalThis.uPlot) return Promise.resolve();
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/vendor/uplot.css" }));
  const script = Object.assign(document.createElement("script"), { src: "/vendor/uplot.js" });
  return new Promise((done) => document.head.append(Object.assign(script, { onload: done })));
}

// Bars of tokens day by day. The table below says the same to everyone.
function Plot({ rows }) {
  const place = useRef();
  useEffect(() => {
    let made, gone = false;
    loaded().then(() => {
      if (gone) return;
      const bars = uPlot.paths.bars({ size: [0.8, 40] }), text = getComputedStyle(place.current).color;
      const sums = SHOWN.map((_, at) => rows.map((row) => SHOWN.slice(0, at + 1).reduce((sum, field) => sum + row[field], 0)));
      const series = SHOWN.map((label, at) => ({ label, fill: COLOURS[at], stroke: COLOURS[at], paths: bars, points: { show: false }, value: (plot, value, of, index) => (index === null ? "" : number(rows[index][label])) }));
      const days = rows.map((row) => Date.parse(row.name) / 1000), date = (at) => new Date(at * 1000).toISOString().slice(0, 10);
      const axes = [{ stroke: text, space: 100, incrs: [1, 7, 30, 90, 365].map((count) => count * DAY), values: (plot, all) => all.map(date) }, { stroke: text, size: 80, values: (plot, all) => all.map(number) }];
      const scales = { x: { range: [days[0] - DAY, days.at(-1) + DAY] }, y: { range: (plot, low, high) => [0, high * 1.05] } };
      made = new uPlot({ width: place.current.clientWidth, height: 220, padding: [null, 40, null, null], legend: { live: false }, scales, axes, series: [{ label: "day", value: (plot, at) => (at ? date(at) : "") }, ...series.toReversed()] }, [days, ...sums.toReversed()], place.current);
    });
    return () => ((gone = true), made?.destroy());
  }, [rows]);
  return html`<figure role="img" aria-label="Tokens by day; the table below has the same numbers" ref=${place}></figure>`;
}

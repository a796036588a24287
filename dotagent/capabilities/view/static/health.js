// Health: doctor's findings in its words, agents, reminders and jobs, and what waits for a yes.
import { html, useEffect, useState, useGet, when } from "./lib.js";
import { Question } from "./message.js";

const WORDS = new Map([["runs", "running"], ["sleeps", "stopped"], [true, "yes"], [false, "no"]]); // values, as a person reads them
const ID = /^([0-9a-f]{12})[0-9a-f]{20}$/; // of which the page shows the beginning

export default function Health() {
  const [wrong, fail] = useState(), [again, look] = useState(0);
  const status = useGet("/api/health/status", fail, again), findings = useGet("/api/health/findings", fail, again);
  useEffect(() => {
    const answered = () => look((count) => count + 1); // an answer of this page was sent
    addEventListener("answer", answered);
    return () => removeEventListener("answer", answered);
  }, []);
  const of = (kind) => (status?.rows ?? []).filter((one) => one.kind === kind);
  const bad = findings?.filter((one) => one.level !== "ok") ?? [];
  return html`<main class="health">
    <button type="button" onClick=${() => look(again + 1)}>Look again</button>
    ${wrong && html`<p role="alert">${wrong.message}</p>`}
    <h2>Questions that wait for your answer</h2>
    ${!status ? html`<p aria-busy="true">Looking …</p>` : status.questions.length ? html`<ul>${status.questions.map((one) => html`<li key=${one.at}><a href=${`#/rooms/${one.room}`}>${one.room}</a>, ${one.agent}: <pre class="plain">${one.words}</pre><${Question} question=${one} room=${one.room} /></li>`)}</ul>` : html`<p>Nothing.</p>`}
    <h2>Doctor</h2>
    ${!findings ? html`<p aria-busy="true">Looking …</p>` : html`<p>${bad.length ? `${bad.length} of ${findings.length} findings need a look.` : `No problems in ${findings.length} checks.`}</p>
      <ul>${bad.map((one) => html`<li class=${one.level}><strong>${one.level}</strong> ${one.check.replace(/^life /, "agent ")}: ${one.what} <span class="faint">${one.where}</span> ${one.do}</li>`)}</ul>`}
    ${of("warning").length > 0 && html`<h2>Warnings</h2><ul>${of("warning").map((one) => html`<li>${one.text}</li>`)}</ul>`}
    <h2>Agents</h2>
    <${Rows} known=${status} rows=${of("agent")} heads=${["name", "id", "state", "audience", "rooms", "last", "failing"]} />
    <h2>Reminders and jobs</h2>
    <${Rows} known=${status} rows=${of("job").map((one) => ({ ...one, text: one.text ?? one.wrong }))} heads=${["name", "text", "next", "missed", "enabled"]} />
    <h2>Requests that wait for a model</h2>
    <${Rows} known=${status} rows=${of("call")} heads=${["id", "state", "provider", "for", "room", "at"]} />
  </main>`;
}

function Rows({ known, rows, heads }) {
  if (!known) return html`<p aria-busy="true">Looking …</p>`;
  if (!rows.length) return html`<p>None.</p>`;
  const cell = (value) => (Array.isArray(value) ? value.join(", ") : /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? when(value) : String(WORDS.get(value) ?? value ?? "").replace(ID, "$1").slice(0, 200));
  return html`<div class="wide" tabindex="0" role="region" aria-label=${`Table of ${heads.join(", ")}`}><table><thead><tr>${heads.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${heads.map((one) => html`<td>${cell(row[one])}</td>`)}</tr>`)}</tbody></table></div>`;
}

// What is shown, as a file. A table is made by the server, all pages of it; the others are here already.

import { h, announce, download } from "./dom.js";
import { get, downloadFrom } from "./api.js";
import { state, followExport, question, order } from "./state.js";

const fileName = (name) => name.replace(/[^\p{L}\p{N}_-]/gu, "_");

const FORMATS = { csv: "CSV", json: "JSON" };

/** Buttons for all rows of a table. The server's errors are shown here: a download itself reports nothing to the page. */
export const tableExports = (entity) => Object.entries(FORMATS).map(([format, title]) => {
  const query = { ...question(), ...order(), format };
  return h("button", {
    type: "button", id: `export-${format}`, onclick: async () => {
      try {
        await get("/api/export/check", query);
        const named = { ...query, name: crypto.randomUUID() };
        const text = Object.entries(named).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        await downloadFrom(`/api/export?${text}`, `${fileName(entity.name)}.${format}`);
        await followExport(named.name);
      } catch (error) {
        announce(`Not exported: ${error.message}`, true);
      }
    },
  }, title);
});

/** The values that are drawn, with their counts. */
export const chartExports = (entity) => state.chart.data
  ? buttons(`${entity.name}-${state.chart.by}`, ["value", "count"], () => state.chart.data.groups.map(({ value, count }) => ({ value: value ?? null, count })))
  : null;

/** The transactions that are shown; as CSV, their changes. */
export const historyExports = () => {
  const { transactions } = state.history;
  return buttons("history", ["transaction", "date", "author", "context", "bundle", "process", "kind", "object", "properties", "tombstone"],
    () => transactions.flatMap(({ number, changes, changeCount, ...about }) => changes.map(({ kind, object, properties, tombstone }) => ({
      transaction: number, ...about, kind, object, properties: properties.join(" "), tombstone: Object.keys(tombstone).length ? JSON.stringify(tombstone) : null,
    }))), () => transactions);
};

/** The metadata, and the hashes. */
export const factsExports = () => {
  const { metadata, hashes } = state.facts;
  return buttons("metadata", ["key", "value", "model"], () => [
    ...metadata.map(({ key, value }) => ({ key, value })),
    ...hashes.map(({ entity, model, store }) => ({ key: `version hash of ${entity}`, value: store ?? null, model })),
  ], () => ({ metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])), hashes }));
};

function buttons(name, columns, rows, value = rows) {
  const texts = { csv: () => csv(columns, rows()), json: () => `${JSON.stringify(value(), null, 2)}\n` };
  const types = { csv: "text/csv", json: "application/json" };
  return Object.entries(FORMATS).map(([format, title]) => h("button", {
    type: "button", id: `export-${format}`, onclick: () => download(`${fileName(name)}.${format}`, new Blob([texts[format]()], { type: types[format] })),
  }, title));
}

// No value is an empty field, an empty string one in quotation marks, as in the exports of tables.
function field(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csv = (columns, rows) => [columns, ...rows.map((row) => columns.map((column) => row[column]))]
  .map((line) => `${line.map(field).join(",")}\n`).join("");

// The state of the page: the document as the server has it, and what is selected. Edits go one after the other.

import { get, post } from "./api.js";
import { announce, tellTyped } from "./dom.js";
import { elementAt, resolve, sameItem } from "./model.js";

export const state = {
  document: null,
  /** What is selected: { kind, name, member: { kind, name } | null }. */
  selection: { kind: "model", name: "", member: null },
  /** Another number for each thing that is selected; a rename keeps the number. */
  owner: 0,
  /** The item whose name is being typed. */
  renaming: null,
  mode: "tables",
  pane: "editor",
  report: "warnings",
  isReportOpen: true,
  analysis: null,
  /** The version that migration is shown from; empty for the version as it was saved. */
  from: "",
  style: "plain",
  /** Versions that others have changed on disk. */
  disk: [],
  /** What the last refused edit said about a field. */
  refusal: null,
  /** What a regular expression is tried on. */
  sample: "",
};

const listeners = [];
/** Calls a function after each change, with what has changed: "document", "view" or "analysis". */
export const subscribe = (listener) => listeners.push(listener);
export const changed = (what = "view") => listeners.forEach((listener) => listener(what));

/** Selects something, and shows it. */
export function select(item, pane = null) {
  const next = { member: null, ...item };
  if (!sameItem(next, state.selection)) state.owner += 1;
  state.selection = next;
  state.renaming = null;
  state.refusal = null;
  // The diagram has entities, and is of a version; what else there is has a page among the tables.
  if (!["entity", "model"].includes(next.kind)) state.mode = "tables";
  if (pane) state.pane = pane;
  changed();
}

function take(document) {
  const isOther = state.document?.version !== document.version;
  state.document = document;
  if (isOther) {
    state.from = "";
    state.owner += 1;
  }
  if (!document.versions.some(({ name }) => name === state.from)) state.from = "";
  if (!resolve(document.root, state.selection)) retreat();
  changed("document");
}

// What is selected is gone: its entity is the next best, then the first entity, then the model.
function retreat() {
  state.owner += 1;
  const { root } = state.document;
  const outer = { ...state.selection, member: null };
  const first = root.children.find((child) => child.kind === "entity");
  if (resolve(root, outer)) state.selection = outer;
  else if (first) state.selection = { kind: "entity", name: first.settings.name ?? "", member: null };
  else state.selection = { kind: "model", name: "", member: null };
}

/** Does something that may fail, and says why. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (error.code === "stale") await load(state.document.version);
    // Not awaited: what it requests waits until this has had its turn.
    if (error.code === "disk") checkDisk(true);
    announce(error.message, true);
    return null;
  }
}

export const load = (version = null) =>
  attempt(async () => {
    const document = await get("/api/document", version ? { version } : {});
    take(document);
    return document;
  });

// All that changes the document goes one after the other.
let last = Promise.resolve();
let waiting = 0;
function inTurn(action) {
  waiting += 1;
  const turn = last.then(action).finally(() => { waiting -= 1; });
  last = turn.catch(() => {});
  return turn;
}

// The items of edits that wait for their turn.
const queue = new Set();

/**
 * Makes an edit of an item. The position of the item is looked up when its turn has come.
 * build gets the position and the element as it is then, and gives the edit:
 * edit(item, (at) => ({ set: { at, setting, value } })). With a name, that is what the item is called afterwards.
 */
export function edit(item, build, name = null) {
  const own = structuredClone(item);
  queue.add(own);
  return inTurn(() => {
    queue.delete(own);
    return attempt(() => perform(own, build, name));
  });
}

async function perform(item, build, name) {
  const { document } = state;
  const at = resolve(document.root, item);
  if (!at) throw new Error("This was removed from the model.");
  const request = build(at, elementAt(document.root, at));
  try {
    const next = await post("/api/edit", { version: document.version, revision: document.revision, edit: request });
    state.refusal = null;
    const called = request.rename?.to ?? name;
    if (called !== null) follow(item, called);
    take(next);
    return next;
  } catch (error) {
    if (error.field) {
      state.refusal = { item, field: error.field, message: error.message };
      changed();
    }
    throw error;
  }
}

// After a new name, what was selected or waits for its turn is called by it.
function follow(item, name) {
  const renamed = (other) => {
    if (!other) return;
    if (sameItem(item, other)) (other.member ?? other).name = name;
    else if (!item.member && other.kind === item.kind && other.name === item.name) other.name = name;
  };
  renamed(state.selection);
  renamed(state.renaming);
  queue.forEach(renamed);
}

const change = (path) => () =>
  inTurn(() => attempt(async () => {
    const document = await post(path, { version: state.document.version });
    take(document);
    return document;
  }));

export const undo = change("/api/undo");
export const redo = change("/api/redo");

export async function save() {
  // What was typed is sent before it is saved.
  tellTyped();
  const saved = await change("/api/save")();
  if (saved) announce("Saved.");
  return saved;
}

/** Sends a request that gives a new state of the document. */
export const request = (path, body) =>
  inTurn(() => attempt(async () => {
    const document = await post(path, body);
    take(document);
    return document;
  }));

// Why the files cannot be shown anew.
let diskProblem = "";

/** Checks whether others have changed the files, or another window the document. */
export async function checkDisk(isRefused = false) {
  if (!state.document || (waiting && !isRefused)) return;
  let disk;
  try { disk = await get("/api/disk"); } catch { return; }
  if (!disk.changed.length) diskProblem = "";
  if (disk.changed.length && !disk.isEdited && !isRefused) {
    try {
      await inTurn(async () => take(await post("/api/reload", { version: state.document.version })));
      diskProblem = "";
      state.disk = [];
      announce("The files were changed on disk; this is what they hold now.");
      changed();
      return;
    } catch (error) {
      // What stays wrong is said once; the merge shows it too.
      if (error.code !== "stale" && error.message !== diskProblem) announce(error.message, true);
      diskProblem = error.message;
      isRefused = true;
    }
  }
  // In its turn, so that no answer to an edit that was sent meanwhile is undone by an older state.
  if (disk.revision !== state.document.revision && !waiting) await inTurn(() => load(state.document.version));
  if (String(disk.changed) !== String(state.disk)) {
    state.disk = disk.changed;
    changed();
    if (disk.changed.length && !isRefused) announce("Another program has changed the files on disk.", true);
  }
}

export async function loadAnalysis() {
  const { document, from, style } = state;
  try {
    const analysis = await get("/api/analysis", { version: document.version, from, style });
    // A later state of the document, or another question, has its own analysis on the way.
    if (document !== state.document || from !== state.from || style !== state.style) return;
    state.analysis = analysis;
    changed("analysis");
  } catch (error) {
    announce(error.message, true);
  }
}

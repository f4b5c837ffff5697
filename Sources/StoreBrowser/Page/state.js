// What the page shows, and how it is requested.

import { get, post, postFile } from "./api.js";
import { announce } from "./dom.js";

export const state = {
  store: null,
  changes: { canWrite: false, isEdited: false, count: 0, canUndo: false, canRedo: false },
  /** How often something was changed: a picture that was shown before is not the one that is there now. */
  edition: 0,
  /** entity, history, facts or search. */
  view: "entity",
  entity: null,
  /** table or chart. */
  mode: "table",
  /** How often an entity, or the objects of a relationship, were requested: what was typed before is not for them. */
  visit: 0,
  predicate: "",
  /** An object and a relationship of it whose objects are shown: { of, relationship }. */
  related: null,
  sort: "",
  isDescending: false,
  /** Where the pages up to this one begin. */
  starts: [null],
  page: null,
  count: null,
  /** How they were counted. */
  countStatements: [],
  problem: null,
  isLoading: false,
  counts: {},
  /** How the entities were counted. */
  countsStatements: [],
  detail: null,
  /** From which position on members of ordered relationships are shown: { of, starts }. */
  members: { of: null, starts: {} },
  /** The export of the table that was begun last, with its SQL. */
  exported: null,
  problems: [],
  /** Why nothing can be saved before everything is read anew. */
  conflict: null,
  /** Values that the server refused, by field: { object, field, text, message }. They stay until they are mended or left. */
  refused: new Map(),
  pane: "objects",
  openStatements: new Set(),
  chart: { by: "", unit: "month", data: null, problem: null },
  history: { transactions: [], next: null, isKept: true, isLoaded: false, statements: [] },
  facts: null,
  /** The search for words; all: in all strings. Until there is an answer, indexing says how far the store is indexed. */
  search: { words: "", all: false, answer: null, indexing: null, problem: null },
};

const listeners = [];
export const subscribe = (listener) => listeners.push(listener);
export const changed = () => listeners.forEach((listener) => listener());

export const entityNamed = (name) => state.store.entities.find((entity) => entity.name === name);

/** What is requested, as the server expects it. */
export function question() {
  const { entity, predicate, related } = state;
  return { entity, ...(predicate ? { predicate } : {}), ...(related ?? {}) };
}

export const order = () => ({
  ...(state.sort ? { sort: state.sort } : {}),
  ...(state.isDescending ? { descending: 1 } : {}),
});

// Who asks: a question of this window ends the older one of the same kind, whose answer is not needed any more.
const windowName = crypto.randomUUID();
export const asker = (kind) => ({ asker: `${windowName}-${kind}` });

/** The answer to the newest question of a kind. Questions come to the server in any order: one that an older one has ended is asked again. */
async function askNewest(path, parameters, isNewest) {
  for (;;) {
    try { return await get(path, parameters); } catch (error) {
      if (error.code !== "superseded" || !isNewest()) throw error;
    }
  }
}

// Answers to older questions are not shown.
let asked = 0;

/** Reads the page of the table. */
export async function loadPage() {
  const number = ++asked;
  state.isLoading = true;
  changed();
  const after = state.starts[state.starts.length - 1];
  try {
    const parameters = { ...asker("objects"), ...question(), ...order(), ...(after ? { after } : {}) };
    const page = await askNewest("/api/rows", parameters, () => number === asked);
    if (number !== asked) return;
    state.page = page;
    state.problem = null;
  } catch (error) {
    if (number !== asked) return;
    state.page = null;
    state.problem = { message: error.message, field: error.field };
  }
  state.isLoading = false;
  changed();
}

// Answers to older counts are not shown.
let counted = 0;

/** Counts the requested objects, beside the table: counting a big table takes longer than a page of it. */
async function loadCount() {
  const number = ++counted;
  Object.assign(state, { count: null, countStatements: [] });
  let found = { count: undefined, statements: [] };
  try { found = await askNewest("/api/count", { ...asker("count"), ...question() }, () => number === counted); } catch { /* No number is shown. */ }
  if (number !== counted) return;
  Object.assign(state, { count: found.count, countStatements: found.statements });
  changed();
}

/** Shows the first page of what is requested now, or its chart, and counts it. */
export async function restart() {
  const number = ++counted;
  Object.assign(state, { starts: [null], count: null, countStatements: [], exported: null, problem: null });
  // The table is not what is looked at, and what it has is not what is requested any more.
  if (state.mode === "chart") state.page = null;
  await (state.mode === "chart" ? loadChart() : loadPage());
  if (number !== counted) return;
  if (!state.problem) return loadCount();
  state.count = undefined;
  changed();
}

/** Shows the table or the chart of what is requested. */
export function showMode(mode) {
  state.mode = mode;
  changed();
  return mode === "chart" ? loadChart() : loadPage();
}

/** Shows an entity. */
export function showEntity(name, { predicate = "", related = null, mode = state.mode } = {}) {
  Object.assign(state, {
    view: "entity", entity: name, mode, predicate, related, sort: "", isDescending: false, problem: null, page: null, count: null, pane: "objects",
    visit: state.visit + 1,
  });
  state.chart = { by: "", unit: "month", data: null, problem: null };
  return restart();
}

export function filter(predicate) {
  state.predicate = predicate;
  return restart();
}

/** Sorts by an attribute; the other way round when it is sorted by it already. */
export function sortBy(key) {
  if (state.sort === key && state.isDescending) Object.assign(state, { sort: "", isDescending: false });
  else Object.assign(state, { isDescending: state.sort === key, sort: key });
  Object.assign(state, { starts: [null], exported: null });
  return loadPage();
}

export function nextPage() {
  // It is unknown yet whether others follow the page that is being read.
  if (state.isLoading || !state.page?.next) return;
  state.starts.push(state.page.next);
  return loadPage();
}

export function previousPage() {
  if (state.starts.length < 2) return;
  state.starts.pop();
  return loadPage();
}

// The answer to an older question does not replace an object that was requested since.
let shown = 0;
let wanted = null;

// What objects that were new are called since they were saved.
const names = new Map();

/** Shows an object beside the table. */
export async function showObject(name, { stays = false } = {}) {
  const id = names.get(name) ?? name;
  const number = ++shown;
  // Saved, it has another name.
  if ((names.get(state.members.of) ?? state.members.of) !== id) state.members = { of: id, starts: {} };
  if (!stays) wanted = id;
  try {
    const parameters = { ...asker("object"), id, starts: JSON.stringify(state.members.starts) };
    const detail = await askNewest("/api/object", parameters, () => number === shown);
    if (number !== shown) return;
    state.detail = detail;
    if (!stays) state.pane = "detail";
  } catch (error) {
    // It may just be being saved.
    await last;
    if (number !== shown) return;
    if (names.has(id)) return showObject(id, { stays });
    state.detail = null;
    if (!stays) announce(error.message, true);
  }
  wanted = null;
  changed();
}

/** So many members of an ordered relationship are shown at a time. */
export const MEMBERS = 20;

/** Has the part of an ordered relationship shown, from now on, that a position is in. */
export function goToMember(object, relationship, place) {
  const starts = state.members.of === object ? state.members.starts : {};
  state.members = { of: object, starts: { ...starts, [relationship]: Math.floor(place / MEMBERS) * MEMBERS } };
}

/** Shows the part of an ordered relationship that a position is in. */
export function showMembers(object, relationship, place) {
  goToMember(object, relationship, place);
  return showObject(object, { stays: true });
}

/** Shows no object; what was requested is not shown any more. */
export function leaveObject() {
  shown += 1;
  wanted = null;
  state.detail = null;
}

export async function loadChart() {
  const { chart } = state;
  const number = ++asked;
  chart.problem = null;
  changed();
  const groupable = entityNamed(state.entity).attributes.filter((attribute) => attribute.isGroupable);
  if (!chart.by) chart.by = (groupable.find((attribute) => attribute.isDate) ?? groupable[0])?.name ?? "";
  if (!chart.by) { chart.data = { groups: [], hasMore: false, statements: [] }; return changed(); }
  try {
    const parameters = { ...asker("objects"), ...question(), by: chart.by, unit: chart.unit };
    const data = await askNewest("/api/groups", parameters, () => number === asked);
    if (number !== asked) return;
    chart.data = data;
    state.problem = null;
  } catch (error) {
    if (number !== asked) return;
    chart.data = null;
    state.problem = error.field === "predicate" ? { message: error.message, field: error.field } : null;
    chart.problem = state.problem ? null : error.message;
  }
  changed();
}

export async function showHistory() {
  Object.assign(state, { view: "history", pane: "objects" });
  state.history = { transactions: [], next: null, isKept: true, isLoaded: false, statements: [] };
  changed();
  await loadHistory();
}

export async function loadHistory() {
  const { history } = state;
  try {
    const part = await get("/api/history", history.next ? { before: history.next } : {});
    history.transactions.push(...part.transactions);
    history.statements.push(...part.statements);
    Object.assign(history, { next: part.next ?? null, isKept: part.isKept, isLoaded: true });
  } catch (error) {
    announce(error.message, true);
  }
  changed();
}

/**
 * What the server has found of a search, from one of the objects of an entity on if one is named. While it is indexing it says so
 * after a second, and goes on when it is asked again. Null when the answer is not for what is looked at any more.
 */
async function findWords(search, parameters = {}) {
  for (;;) {
    const { words, all } = search;
    const request = { ...asker("search"), words, ...(all ? { all: 1 } : {}), ...parameters };
    const answer = await askNewest("/api/search", request, () => state.search === search && state.view === "search");
    if (state.search !== search || state.view !== "search") return null;
    search.indexing = answer.indexing ?? null;
    if (!answer.indexing) return answer;
    changed();
  }
}

/** Finds the objects of all entities that have some words. */
export async function showSearch(words, all = state.search.all) {
  const search = { words, all, answer: null, indexing: null, problem: null };
  Object.assign(state, { view: "search", pane: "objects", search });
  changed();
  try { search.answer = await findWords(search); } catch (error) {
    // The same was requested again.
    if (state.search !== search) return;
    search.problem = error.message;
  }
  changed();
}

/** Shows more of the objects of an entity that were found. */
export async function moreHits(name) {
  const { search } = state;
  const group = search.answer.entities.find((candidate) => candidate.name === name);
  if (group.isLoading) return;
  group.isLoading = true;
  try {
    const answer = await findWords(search, { ...asker(`more ${name}`), entity: name, offset: group.objects.length });
    if (!answer) return;
    const more = answer.entities.find((candidate) => candidate.name === name);
    // Where others have changed the store, some may come again.
    const known = new Set(group.objects.map(({ objectID }) => objectID));
    const fresh = (more?.objects ?? []).filter(({ objectID }) => !known.has(objectID));
    group.objects.push(...fresh);
    group.isComplete = !fresh.length;
  } catch (error) {
    announce(error.message, true);
  }
  group.isLoading = false;
  changed();
}

export async function showFacts() {
  Object.assign(state, { view: "facts", pane: "objects" });
  try { state.facts = await get("/api/facts"); } catch (error) { announce(error.message, true); }
  changed();
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Follows a download that has this name: its SQL is shown as long as its table is. Throws what keeps it from its end. */
export async function followExport(name) {
  const exported = { statements: [] };
  state.exported = exported;
  // What the browser does not ask for is not waited for.
  for (let time = 0; ; time += 1) {
    await pause(Math.min(200 * (time + 1), 2000));
    const { hasBegun, hasEnded, problem, statements } = await get("/api/export/state", { name });
    if (problem) throw new Error(problem);
    if (statements.length) {
      exported.statements = statements;
      if (state.exported === exported) changed();
    }
    if (hasEnded || (!hasBegun && time > 10)) return;
  }
}

/** Counts the objects of all entities, one after the other. */
export async function loadCounts() {
  const [counts, found] = [{}, []];
  for (const { name } of state.store.entities) {
    try {
      const { count, statements } = await get("/api/count", { entity: name });
      counts[name] = count;
      found.push(...statements.map((statement) => ({ ...statement, title: `Number of ${name}` })));
    } catch { counts[name] = undefined; }
  }
  Object.assign(state, { counts, countsStatements: found });
  changed();
}

// Changes are sent one after the other, in the order in which they were made.
let last = Promise.resolve();
let failures = 0;

function inOrder(action) {
  const result = last.then(action);
  last = result.catch(() => {});
  return result;
}

/** The key of a field among those with refused values. */
export const fieldKey = (object, field) => JSON.stringify([object, field]);

/** Sends a change after all earlier ones; the answer is what it led to, or null with what is wrong. */
export async function change(path, body, { field = null, file = null } = {}) {
  const key = fieldKey(body.id, field);
  try {
    const answer = await inOrder(() => send(path, body, file));
    if (field) state.refused.delete(key);
    if (["/api/undo", "/api/redo", "/api/discard"].includes(path)) state.refused.clear();
    for (const id of path === "/api/delete" ? body.ids : []) leave(id);
    await refresh();
    return answer;
  } catch (error) {
    if (field) state.refused.set(key, { object: body.id, field, text: body.text, message: error.message });
    else announce(error.message, true);
    changed();
    return null;
  }
}

/** Saves after all earlier changes, if these were all made; the answer is null if not. */
export async function sendSave() {
  const before = failures;
  try {
    const answer = await inOrder(() => failures === before && !state.refused.size ? send("/api/save", {}) : null);
    if (answer) await refresh();
    return answer;
  } catch (error) {
    if (error.code === "conflict") state.conflict = error.message;
    announce(error.message, true);
    changed();
    return undefined;
  }
}

async function send(path, body, file = null) {
  try {
    const answer = file ? await postFile(path, body, file) : await post(path, body);
    state.edition += 1;
    state.changes = answer.state ?? answer;
    for (const [old, now] of Object.entries(state.changes.renamed)) names.set(old, now);
    state.problems = answer.problems ?? [];
    // Saved, or read anew.
    if (!state.changes.isEdited) state.conflict = null;
    return answer;
  } catch (error) {
    failures += 1;
    throw error;
  }
}

// What was typed for an object that goes is not waited for.
function leave(id) {
  for (const [key, { object }] of state.refused) if (object === id) state.refused.delete(key);
}

// Shows again what may have changed.
async function refresh() {
  const { detail } = state;
  // Another one that is being requested is the one to be shown.
  if (detail) await showObject(wanted ?? detail.id, { stays: wanted === null });
  if (state.view === "entity" && state.mode === "table") await loadPage();
}

/** Counts again what is stored now. */
export const recount = () => Promise.all([state.view === "entity" ? loadCount() : null, loadCounts()]);

export async function start() {
  state.store = await get("/api/store");
  state.changes = await get("/api/changes");
  const first = state.store.entities.find((entity) => !entity.isAbstract) ?? state.store.entities[0];
  changed();
  if (first) await showEntity(first.name);
  await loadCounts();
}

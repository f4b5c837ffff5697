// Requests to the server of the page: JSON in and out.

/** What the server refused, with its code, its sentence and, for a form, the field. */
export class Refusal extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

// The key that the server knows the page by. A cookie goes to every port of this computer; the storage of a page belongs to
// its own, and to all windows of it.
const STORED = "key";
let own = null;

function storedKey() {
  try { return localStorage.getItem(STORED) ?? own; } catch { return own; }
}

function storeKey(key) {
  own = key;
  try { localStorage.setItem(STORED, key); } catch { /* Without a storage it is good until the page is loaded anew. */ }
}

const asJSON = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// The address that the page was let in by has a code for the key, which is good once. Nothing of it stays in the history.
async function enter() {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  try {
    storeKey((await send("/api/session", asJSON({ code }))).key);
  } catch { /* A key from before may still be good; if not, the first answer says what to do. */ }
}

const entered = enter();

async function send(path, { headers = {}, ...options } = {}, read = (response) => response.json().catch(() => ({}))) {
  let response;
  const key = storedKey();
  try {
    response = await fetch(path, { credentials: "same-origin", headers: { ...headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) }, ...options });
  } catch {
    throw new Refusal(0, { code: "offline", message: "The server does not answer. Has the command stopped?" });
  }
  if (response.ok) return read(response);
  const content = await response.json().catch(() => ({}));
  throw new Refusal(response.status, content.error ?? { code: "failure", message: response.statusText });
}

async function request(...values) {
  await entered;
  return send(...values);
}

/** Gets something. */
export function get(path, query = {}) {
  // The server does not read a plus as a space.
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return request(text ? `${path}?${text}` : path, {});
}

/** Sends something that may change what is there. */
export const post = (path, body) =>
  request(path, asJSON(body));

/** Gets a picture: an element of the page cannot send the key. */
export const getBlob = (path) => request(path, {}, (response) => response.blob());

/**
 * Has the browser download what an address with a query gives. It sends no key for that; a ticket in the address, which is good
 * once, replaces it.
 */
export async function downloadFrom(address, name) {
  const { ticket } = await post("/api/ticket", {});
  const link = document.createElement("a");
  Object.assign(link, { href: `${address}&ticket=${ticket}`, download: name });
  link.click();
}

/** Sends a file that may change what is there. */
export const postFile = (path, query, file) =>
  request(`${path}?${new URLSearchParams(query)}`.replaceAll("+", "%20"), { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

// Requests to the server of the page: JSON in and out.

/** What the server refused, with its code, its sentence and, for a form, the field. */
export class Refusal extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new Refusal(0, { code: "offline", message: "The server does not answer. Was the command ended?" });
  }
  const content = await response.json().catch(() => ({}));
  if (response.ok) return content;
  throw new Refusal(response.status, content.error ?? { code: "failure", message: response.statusText });
}

/** Asks for something. */
export function get(path, query = {}) {
  // A space is no plus for the server.
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return request(text ? `${path}?${text}` : path, {});
}

/** Sends something that may change what is there. */
export const post = (path, body) =>
  request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Sends a file that may change what is there. */
export const postFile = (path, query, file) =>
  request(`${path}?${new URLSearchParams(query)}`.replaceAll("+", "%20"), { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

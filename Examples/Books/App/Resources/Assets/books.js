// What the page does beyond reading and searching: it follows the document, searches while you type, acts without
// leaving the page, and listens to keys. Without this file everything still works, one page at a time.

const root = document.documentElement;

// The time zone, so that the server writes dates as they are here.
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (timeZone) {
  document.cookie = `tz=${encodeURIComponent(timeZone)}; path=/; max-age=31536000; SameSite=Strict`;
}

// An address that says what happened says it once.
const clean = new URL(location.href);
if (clean.searchParams.has("said")) {
  clean.searchParams.delete("said");
  history.replaceState(null, "", clean);
}

/* Taking in a newer state of the page */

let loading = null;
let fresh = new Set();

const liveParts = (page) => [...page.querySelectorAll("main [data-live]")].map((part) => part.id).join();

/**
 * Puts the live parts of another state of the page in the place of those that differ.
 *
 * A page of another kind, such as the message that a book is gone, or the book that came back, replaces everything.
 */
function takeIn(text, isGone = false) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const focused = document.activeElement?.id;
  if (liveParts(page) !== liveParts(document)) {
    document.getElementById("main").replaceChildren(...page.getElementById("main").childNodes);
  }
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(part.id);
    if (next && next.innerHTML !== part.innerHTML) {
      part.replaceChildren(...next.childNodes);
    }
  }
  const notice = page.getElementById("notice");
  if (notice?.textContent.trim()) say(notice.textContent.trim());
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
  document.title = page.title;
  // What is gone may come back to the same place.
  if (!isGone) root.dataset.address = page.documentElement.dataset.address;
  root.dataset.revision = page.documentElement.dataset.revision ?? "";
  for (const id of fresh) document.getElementById(id)?.classList.add("is-fresh");
  fresh = new Set();
  return page.documentElement.dataset.events;
}

/** Loads a state of the page; of several requests only the last one counts. */
async function load(address) {
  loading?.abort();
  const request = (loading = new AbortController());
  try {
    const response = await fetch(address, { signal: request.signal, headers: { Accept: "text/html" } });
    const text = await response.text();
    if (request !== loading) return;
    const isGone = response.status === 404;
    if (response.ok || isGone) follow(takeIn(text, isGone));
    if (isGone) say("This has been deleted.");
  } catch (error) {
    if (error.name !== "AbortError") console.warn(error);
  }
}

let noticeTimer;
function say(sentence) {
  const notice = document.getElementById("notice");
  const line = document.createElement("p");
  line.textContent = sentence;
  notice.replaceChildren(line);
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => notice.replaceChildren(), 10000);
}

/* Following the document */

let events = null;
let followed = null;
let reloadTimer;

function reloadSoon() {
  clearTimeout(reloadTimer);
  reloadTimer = setTimeout(() => load(root.dataset.address), 60);
}

/**
 * Listens to an address, while the window can be seen: hidden windows hold no connection.
 *
 * The revision says what the page shows. If the document is past it, also after a restart of the server, the first
 * event comes at once.
 */
function follow(address) {
  if (!address || (address === followed && events)) return;
  events?.close();
  followed = address;
  events = null;
  if (document.hidden) return;
  const since = encodeURIComponent(root.dataset.revision ?? "");
  events = new EventSource(`${address}${address.includes("?") ? "&" : "?"}since=${since}`);
  events.addEventListener("document", reloadSoon);
  events.addEventListener("results", (event) => {
    for (const book of JSON.parse(event.data).books) fresh.add(`book-${book}`);
    const meanwhile = document.getElementById("meanwhile");
    if (meanwhile) {
      meanwhile.textContent =
        "This book was changed in another window. What you typed is still here; you are asked before it replaces the other change.";
    }
    reloadSoon();
  });
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    events?.close();
    events = null;
  } else if (followed) {
    follow(followed);
  }
});
follow(root.dataset.events);
if (timeZone && root.dataset.timeZone !== timeZone) reloadSoon();

/* Searching while you type */

const search = document.getElementById("search");
if (search) {
  let timer;
  const run = () => {
    clearTimeout(timer);
    const address = new URL(search.action);
    const fields = new FormData(search);
    const text = fields.get("q").trim();
    if (text) address.searchParams.set("q", text);
    if (text && fields.get("by") !== "all") address.searchParams.set("by", fields.get("by"));
    if (fields.get("author")) address.searchParams.set("author", fields.get("author"));
    if (address.href !== location.href) history.replaceState(null, "", address);
    load(address.href);
  };
  search.addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(run, event.target.type === "radio" ? 0 : 120);
  });
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

/* Acting without leaving the page */

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-action]")) return;
  event.preventDefault();
  try {
    const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const text = await response.text();
    const isGone = response.status === 404;
    if (response.ok || isGone) {
      takeIn(text, isGone);
    } else {
      const page = new DOMParser().parseFromString(text, "text/html");
      say(page.getElementById("message")?.textContent.trim().replace(/\s+/g, " ") ?? "This did not work.");
    }
  } catch {
    say("The server does not answer.");
  }
});

/* The form of a book */

const bookForm = document.querySelector("[data-book-form]");
if (bookForm) {
  let isTouched = false;
  bookForm.addEventListener("input", () => (isTouched = true));
  bookForm.addEventListener("submit", () => (isTouched = false));
  addEventListener("beforeunload", (event) => {
    if (isTouched) event.preventDefault();
  });
  document.getElementById("problems")?.focus();

  const author = document.getElementById("author");
  const names = document.getElementById("author-names");
  let timer;
  author.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const response = await fetch(`/authors/names?q=${encodeURIComponent(author.value)}`);
      if (!response.ok) return;
      names.replaceChildren(
        ...(await response.json()).map((name) => {
          const option = document.createElement("option");
          option.value = name;
          return option;
        })
      );
    }, 150);
  });
}

/* Keys */

const singleKeys = document.getElementById("single-keys");
if (singleKeys) {
  document.getElementById("keys-setting").hidden = false;
  singleKeys.checked = localStorage.getItem("single-keys") !== "off";
  singleKeys.addEventListener("change", () => {
    localStorage.setItem("single-keys", singleKeys.checked ? "on" : "off");
  });
}

function press(id) {
  const button = document.getElementById(id);
  if (button && !button.disabled) button.click();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const isTyping = event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select");
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (key === "s") {
      event.preventDefault();
      if (bookForm) bookForm.requestSubmit();
      else press("save");
    } else if (!isTyping && key === "z") {
      event.preventDefault();
      press(event.shiftKey ? "redo" : "undo");
    } else if (!isTyping && key === "y") {
      event.preventDefault();
      press("redo");
    }
    return;
  }
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
  if (localStorage.getItem("single-keys") === "off") return;
  if (key === "/" && search) {
    event.preventDefault();
    document.getElementById("q").select();
  } else if (key === "n") {
    event.preventDefault();
    location.assign("/books/new");
  }
});

// Data: a picture, an archive as a tree, or bytes.

import { h, announce } from "./dom.js";
import { downloadFrom } from "./api.js";
import { fold } from "./fold.js";
import { picture } from "./picture.js";
import { state } from "./state.js";

const link = (path, id, key) => `${path}?id=${encodeURIComponent(id)}&key=${encodeURIComponent(key)}`;

export function bytes(id, { name, bytes: data }) {
  return [
    h("p", { class: "quiet" }, `${data.length.toLocaleString("en")} bytes${data.file ? `, in the file ${data.file}` : ""} `,
      h("button", { type: "button", class: "link", id: `bytes-${id}-${name}`, onclick: () => save(id, name) }, "Download")),
    data.image ? picture(`${link("/api/image", id, name)}&edition=${state.edition}`, `Picture of ${name}`) : null,
    data.tree ? h("ul", { class: "tree", "aria-label": `Contents of ${name}` }, tree(data.tree, 0, `tree ${id} ${name}`)) : null,
    data.length ? fold(`hex ${id} ${name}`, false, { class: "hex" }, "Bytes", h("pre", { dir: "ltr", tabindex: 0, id: `hex-${id}-${name}`, "aria-label": `Bytes of ${name}` }, hexLines(data))) : null,
  ];
}

async function save(id, name) {
  try {
    await downloadFrom(link("/api/bytes", id, name), `${name.replace(/\W/g, "_")}.bin`);
  } catch (error) {
    announce(`Not downloaded: ${error.message}`, true);
  }
}

function tree({ label, kind, text, children }, depth, key) {
  const head = [h("b", { dir: "auto" }, label), h("span", { class: "mark" }, ` ${kind} `), h("span", { dir: "auto" }, text)];
  return h("li", {}, children.length
    ? fold(key, depth < 2, {}, head, h("ul", {}, children.map((child, index) => tree(child, depth + 1, `${key}/${index}`))))
    : head);
}

function hexLines({ hex, length }) {
  const lines = [];
  for (let start = 0; start < hex.length; start += 32) {
    const pairs = hex.slice(start, start + 32).match(/../g);
    const text = pairs.map((pair) => { const code = parseInt(pair, 16); return code > 31 && code < 127 ? String.fromCharCode(code) : "·"; }).join("");
    lines.push(`${(start / 2).toString(16).padStart(6, "0")}  ${pairs.join(" ").padEnd(47)}  ${text}`);
  }
  if (hex.length / 2 < length) lines.push(`… ${(length - hex.length / 2).toLocaleString("en")} more`);
  return lines.join("\n");
}

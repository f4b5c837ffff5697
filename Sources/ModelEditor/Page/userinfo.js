// The user info and the settings of versioning, which entities and properties share.

import { h } from "./dom.js";
import { edit } from "./store.js";
import { userInfoOf } from "./model.js";
import { section, textField } from "./fields.js";

// The new keys that are being saved, by the former ones. A row that is drawn before they are saved belongs to the new one: what is being
// typed in it stays.
const renamed = new Map();

export function userInfo(item, element) {
  const entries = userInfoOf(element);
  const set = (change) => edit(item, (at, now) => ({ setUserInfo: { at, entries: change(userInfoOf(now)) } }));
  const cell = (entry, index, part) => h("td", {}, h("input", {
    id: `info-${part}-${index}`, value: entry[part], dir: "auto", spellcheck: "false",
    "aria-label": `${part === "key" ? "Key" : "Value"} ${index + 1}`,
    onchange: async (event) => {
      const { value } = event.target;
      const row = event.target.closest("tr");
      // The key may have been typed a moment ago, and the row is not drawn anew yet.
      const key = row.dataset.owner;
      if (part === "key") {
        row.dataset.owner = value;
        renamed.set(entry.key, value);
      }
      try {
        await set((now) => now.map((other) => (other.key === key ? { ...other, [part]: value } : other)));
      } finally {
        if (part === "key") renamed.delete(entry.key);
      }
    },
  }));
  const add = async () => {
    let key = "key";
    await set((now) => {
      for (let number = 1; now.some((entry) => entry.key === key); number += 1) key = `key${number}`;
      return [...now, { key, value: "" }];
    });
    const fields = [...document.querySelectorAll("[id^=info-key-]")];
    const field = fields.find((candidate) => candidate.value === key);
    field?.focus();
    field?.select();
  };
  return section("User Info",
    entries.length ? h("table", { class: "info", "aria-label": "User Info" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "Value"), h("th", { scope: "col" }, h("span", { class: "heard" }, "Remove")))),
      h("tbody", {}, entries.map((entry, index) => h("tr", { "data-owner": renamed.get(entry.key) ?? entry.key },
        cell(entry, index, "key"), cell(entry, index, "value"),
        h("td", { class: "end" }, h("button", {
          type: "button", class: "plain", id: `info-remove-${index}`, "aria-label": `Remove entry ${entry.key}`,
          onclick: () => set((now) => now.filter((other) => other.key !== entry.key)),
        }, "−")))))) : null,
    h("button", { type: "button", id: "info-add", onclick: add }, "Add Entry"));
}

export const versioning = (item, element, ...more) => section("Versioning",
  textField(item, element, "versionHashModifier", "Hash Modifier"),
  textField(item, element, "elementID", "Renaming ID"), more);

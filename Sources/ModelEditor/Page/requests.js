// Fetch requests, and the fetched properties that have one.

import { h } from "./dom.js";
import { setSetting, checkField, choiceField, section, textField } from "./fields.js";
import { childrenOf, names } from "./model.js";
import { state } from "./store.js";
import { checkedField } from "./checked.js";
import { userInfo, versioning } from "./userinfo.js";

const RESULTS = [["0", "Managed objects"], ["1", "Object identifiers"], ["2", "Dictionaries"], ["4", "Count"]];

/** The page of a fetch request: what it fetches, and which. */
export function requestPage(item, element) {
  return h("div", { class: "page" },
    section("Fetch",
      choiceField(item, element, "entity", "Entity", names(state.document.root, "entity")),
      checkedField(item, element, "predicateString", "Predicate", "predicate", { rows: 6, placeholder: "All objects", hint: "All objects" })));
}

export function requestFields(item, element) {
  const count = (setting, label) => textField(item, element, setting, label, { inputmode: "numeric", placeholder: "0" });
  const flag = (setting, label, usual) => checkField(item, element, setting, label, {
    isOn: element.settings[setting] === undefined ? usual : element.settings[setting] === "YES",
    onset: (on) => setSetting(item, setting, on === usual ? "" : on ? "YES" : "NO"),
  });
  const type = element.settings.resultType ?? "0";
  return [
    section("Fetch Request",
      choiceField(item, element, "resultType", "Result", RESULTS, {
        usual: "0", onset: (value) => setSetting(item, "resultType", value === "0" ? "" : value),
      }),
      count("fetchLimit", "Fetch Limit"), count("fetchOffset", "Offset"), count("fetchBatchSize", "Batch Size")),
    section("Options",
      flag("includeSubentities", "Include Subentities", true),
      flag("includePropertyValues", "Include Property Values", type !== "1"),
      flag("includesPendingChanges", "Include Pending Changes", type !== "2"),
      flag("returnObjectsAsFaults", "Return Objects as Faults", true),
      flag("returnDistinctResults", "Return Distinct Results", false)),
  ];
}

export function fetchedPropertyFields(item, element, root) {
  const request = childrenOf(element, "fetchRequest")[0];
  const inner = { ...item, inner: "fetchRequest" };
  return [
    section("Properties", checkField(item, element, "optional", "Optional")),
    request ? section("Fetch",
      choiceField(inner, request, "entity", "Destination", names(root, "entity")),
      checkedField(inner, request, "predicateString", "Predicate", "predicate", { rows: 4, placeholder: "author == $FETCH_SOURCE" })) : null,
    userInfo(item, element),
    versioning(item, element),
  ];
}

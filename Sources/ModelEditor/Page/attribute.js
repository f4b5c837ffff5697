// The settings of an attribute, by its type.

import { h } from "./dom.js";
import { edit } from "./store.js";
import { NUMBERS, SCALARS, isOn, typeOf } from "./model.js";
import { typeChoice } from "./choices.js";
import { checkField, choiceField, field, section, setSetting, textField } from "./fields.js";
import { checkedField, patternField } from "./checked.js";
import { userInfo, versioning } from "./userinfo.js";

export function attributeFields(item, element, root) {
  const type = typeOf(element);
  const isDerived = isOn(element, "derived");
  const isInEntity = item.kind === "entity";
  return [
    section("Properties",
      checkField(item, element, "transient", "Transient"),
      checkField(item, element, "optional", "Optional"),
      isInEntity ? checkField(item, element, "derived", "Derived", {
        onset: (on) => edit(item, (at) => ({ setDerived: { at, isDerived: on } })),
      }) : null,
      isDerived && isInEntity
        ? checkedField(item, element, "derivationExpression", "Derivation", "derivation", { placeholder: "pages.@count" }) : null),
    section("Attribute Type",
      field("f-attributeType", "Type", typeChoice(root, item, element, "f-attributeType")),
      type === "Transformable" ? [
        textField(item, element, "valueTransformerName", "Transformer", { placeholder: "NSSecureUnarchiveFromData" }),
        textField(item, element, "customClassName", "Custom Class", { placeholder: "NSObject" }),
      ] : null,
      SCALARS.has(type) ? checkField(item, element, "usesScalarValueType", "Use Scalar Type", { off: "NO" }) : null,
      type === "Binary" ? checkField(item, element, "allowsExternalBinaryDataStorage", "Allows External Storage") : null),
    isDerived ? null : valueFields(item, element, type),
    section("Advanced",
      checkField(item, element, "spotlightIndexingEnabled", "Index in Spotlight"),
      checkField(item, element, "preserveAfterDeletion", "Preserve After Deletion"),
      checkField(item, element, "allowsCloudEncryption", "Allows CloudKit Encryption")),
    userInfo(item, element),
    versioning(item, element),
  ];
}

function valueFields(item, element, type) {
  const limits = (least, most, label) => section("Validation",
    textField(item, element, least, `Min ${label}`, { inputmode: "decimal" }),
    textField(item, element, most, `Max ${label}`, { inputmode: "decimal" }));
  const text = (options) => section("Default Value", textField(item, element, "defaultValueString", "Default", options));
  if (NUMBERS.has(type)) return [text({ inputmode: "decimal" }), limits("minValueString", "maxValueString", "Value")];
  switch (type) {
    case "String": return [
      section("Default Value", stringDefault(item, element)),
      section("Validation",
        textField(item, element, "minValueString", "Min Length", { inputmode: "numeric" }),
        textField(item, element, "maxValueString", "Max Length", { inputmode: "numeric" }),
        patternField(item, element)),
    ];
    case "Boolean": return section("Default Value",
      choiceField(item, element, "defaultValueString", "Default", [["", "None"], "NO", "YES"], {
        onset: (value) => edit(item, (at) => ({ set: { at, setting: "defaultValueString", value: value || null } })),
      }));
    case "Date": return [
      section("Default Value", dateField(item, element, "defaultDateTimeInterval", "Default")),
      section("Validation", dateField(item, element, "minDateTimeInterval", "Earliest"), dateField(item, element, "maxDateTimeInterval", "Latest")),
    ];
    case "UUID": return section("Default Value",
      textField(item, element, "defaultValueString", "Default", { isCode: true, placeholder: "None" }),
      h("button", { type: "button", id: "new-uuid", onclick: () => setSetting(item, "defaultValueString", crypto.randomUUID().toUpperCase()) }, "New UUID"));
    case "URI": return text({ type: "url", placeholder: "https://" });
    default: return null;
  }
}

// A string may have an empty string as its default, which is not the same as none.
function stringDefault(item, element) {
  const value = element.settings.defaultValueString;
  return [
    checkField(item, element, "hasDefault", "Has a default value", {
      isOn: value !== undefined,
      onset: (on) => edit(item, (at) => ({ set: { at, setting: "defaultValueString", value: on ? "" : null } })),
    }),
    value === undefined ? null : textField(item, element, "defaultValueString", "Default", { placeholder: "Empty" }),
  ];
}

// Files have dates as seconds since 2001 in UTC, and so are they shown.
const EPOCH = 978_307_200;
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

function dateField(item, element, setting, label) {
  const interval = element.settings[setting];
  const date = interval === undefined ? null : new Date((Number(interval) + EPOCH) * 1000);
  const isUsual = !date || (date.getTime() >= FIRST && date.getTime() <= LAST);
  // Dates before the year 1, or after 9999, have no field of their own.
  if (!isUsual) return textField(item, element, setting, `${label} (s since 2001)`);
  return textField(item, element, setting, `${label} (UTC)`, {
    // With a last year of four digits, the next part follows the fourth.
    type: "datetime-local", step: 1, max: "9999-12-31T23:59:59", value: date ? date.toISOString().slice(0, 19) : "",
    onset: (text) => {
      const time = text ? Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`) / 1000 - EPOCH : null;
      if (text && !Number.isFinite(time)) return null;
      return setSetting(item, setting, time === null ? "" : String(time));
    },
  });
}

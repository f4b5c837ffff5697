// Counts by month, or by any attribute, as bars, with the same as a table for who reads by ear.

import { fitText, h, onChosen, svg } from "./dom.js";
import { fold } from "./fold.js";
import { state, loadChart } from "./state.js";
import { shownNumber } from "./sidebar.js";

const UNITS = { day: "day", month: "month", year: "year" };

export function chart(entity) {
  const { by, unit, data, problem } = state.chart;
  const attributes = entity.attributes.filter((attribute) => attribute.isGroupable);
  const isDate = attributes.find((attribute) => attribute.name === by)?.isDate;
  return h("div", { class: "chart", "data-scroll": "chart" },
    h("div", { class: "options" },
      h("label", { for: "chart-by" }, "Count by"),
      h("select", { id: "chart-by", value: by, onchange: onChosen((by) => { state.chart.by = by; return loadChart(); }) },
        attributes.map(({ name }) => h("option", { value: name, selected: name === by }, name))),
      isDate ? h("label", { for: "chart-unit" }, "each") : null,
      isDate ? h("select", { id: "chart-unit", value: unit, onchange: onChosen((unit) => { state.chart.unit = unit; return loadChart(); }) },
        Object.entries(UNITS).map(([key, title]) => h("option", { value: key, selected: key === unit }, title))) : null),
    problem ? h("p", { class: "problem", role: "alert" }, problem) : null,
    data ? (data.groups.length ? bars(data, by) : h("p", { class: "quiet" }, "There is nothing to count.")) : null);
}

// What has no room beside its bar is shown whole by a pointer that rests on it, and in the table.
function short(text) {
  const shown = fitText(text, 142, `11px ${getComputedStyle(document.body).fontFamily}`);
  return shown === text ? text : [svg("title", {}, text), shown];
}

function bars({ groups, hasMore }, by) {
  const most = Math.max(...groups.map(({ count }) => count));
  const height = 22;
  const label = (value) => value === null || value === undefined ? "null" : value === "" ? "(empty)" : value;
  return [
    svg("svg", { class: "bars", role: "img", "aria-label": `Counts by ${by}; the table below has the numbers`, viewBox: `0 0 600 ${groups.length * height}`, width: "100%" },
      groups.map(({ value, count }, index) => {
        const width = Math.max(1, (count / most) * 360);
        return [
          svg("text", { x: 150, y: index * height + 15, "text-anchor": "end", class: "value" }, short(label(value))),
          svg("rect", { x: 158, y: index * height + 4, width, height: height - 8, rx: 2 }),
          svg("text", { x: 164 + width, y: index * height + 15, class: "count" }, shownNumber(count)),
        ];
      })),
    hasMore ? h("p", { class: "quiet" }, "There are more values; these are the most frequent, or the first.") : null,
    fold("chart", false, { class: "numbers" }, "As a table",
      h("table", { id: "chart-table" }, h("caption", { class: "heard" }, `Counts by ${by}`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, by), h("th", { scope: "col" }, "Objects"))),
        h("tbody", {}, groups.map(({ value, count }) => h("tr", {}, h("td", { dir: "auto" }, label(value)), h("td", { class: "number" }, shownNumber(count))))))),
  ];
}

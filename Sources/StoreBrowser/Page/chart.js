// Counts by month, or by any attribute, as bars, with the same as a table for screen readers.

import { fitText, h, onChosen, svg, textWidth, whenQuiet } from "./dom.js";
import { fold } from "./fold.js";
import { state, changed, loadChart } from "./state.js";
import { shownNumber } from "./sidebar.js";

const UNITS = { day: "day", month: "month", year: "year" };

export function chart(entity) {
  const { by, unit, data, problem } = state.chart;
  const attributes = entity.attributes.filter((attribute) => attribute.isGroupable);
  const isDate = attributes.find((attribute) => attribute.name === by)?.isDate;
  return h("div", { class: "chart", id: "chart", "data-scroll": "chart" },
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
function short(text, width) {
  const shown = fitText(text, width, `${SIZE}px ${getComputedStyle(document.body).fontFamily}`);
  return shown === text ? text : [svg("title", {}, text), shown];
}

/** Of letters, in pixels: the drawing is as wide as there is room, so that they are never scaled. */
const SIZE = 12;
const MOST = 660;

// What the part of the window has beside its margins and a scroll bar. On a phone it may not be shown just now.
function room() {
  const part = document.getElementById("objects").clientWidth || innerWidth;
  return Math.min(MOST, Math.max(200, part - 46));
}

// A window of another width has another drawing.
addEventListener("resize", whenQuiet(100, () => { if (state.view === "entity" && state.mode === "chart") changed(); }));

function bars({ groups, hasMore }, by) {
  const most = Math.max(...groups.map(({ count }) => count));
  const height = 22;
  const width = room();
  const labels = Math.round(Math.min(150, width * 0.36));
  // Behind the longest bar its number has room.
  const numbers = Math.ceil(textWidth(shownNumber(most), `${SIZE}px ${getComputedStyle(document.body).fontFamily}`)) + 16;
  const longest = width - labels - 8 - numbers;
  const label = (value) => value === null || value === undefined ? "null" : value === "" ? "(empty)" : value;
  return [
    svg("svg", { class: "bars", role: "img", "aria-label": `Counts by ${by}; the table below has the numbers`, width, height: groups.length * height },
      groups.map(({ value, count }, index) => {
        const length = Math.max(1, (count / most) * longest);
        return [
          svg("text", { x: labels, y: index * height + 15, "text-anchor": "end", class: "value" }, short(label(value), labels - 4)),
          svg("rect", { x: labels + 8, y: index * height + 4, width: length, height: height - 8, rx: 2 }),
          svg("text", { x: labels + 14 + length, y: index * height + 15, class: "count" }, shownNumber(count)),
        ];
      })),
    hasMore ? h("p", { class: "quiet" }, "There are more values; only some are shown.") : null,
    fold("chart", false, { class: "numbers" }, "As a table",
      h("table", { id: "chart-table" }, h("caption", { class: "heard" }, `Counts by ${by}`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, by), h("th", { scope: "col" }, "Objects"))),
        h("tbody", {}, groups.map(({ value, count }) => h("tr", {}, h("td", { dir: "auto" }, label(value)), h("td", { class: "number" }, shownNumber(count))))))),
  ];
}

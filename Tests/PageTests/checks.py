"""Checks of a page for people who cannot see it, or not well. Each gives a list of what is wrong."""

import json

from axe_playwright_python.base import AXE_SCRIPT

# The rules of WCAG 2.2, levels A and AA, and what axe holds for good practice besides.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

SCRIPT = r"""
(landmarks) => {
  const wrong = [];
  const visible = (element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && style.display !== "none";
  };
  const name = (element) => {
    const ids = element.getAttribute("aria-labelledby");
    if (ids) return ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    if (element.getAttribute("aria-label")) return element.getAttribute("aria-label").trim();
    if (element.labels?.length) return [...element.labels].map((label) => label.textContent).join(" ").trim();
    return (element.textContent || element.getAttribute("alt") || element.title || "").trim();
  };
  const where = (element) => `<${element.localName}${element.id ? ` id=${element.id}` : ""}> ${element.textContent.trim().slice(0, 40)}`;

  // Language, title, landmarks.
  if (!document.documentElement.lang) wrong.push("the page has no lang");
  if (!document.title.trim()) wrong.push("the page has no title");
  for (const [selector, count] of [...landmarks, "nav[aria-label]"].map((selector) => [selector, 1])) {
    const found = document.querySelectorAll(selector).length;
    if (count === 1 && selector !== "nav[aria-label]" ? found !== 1 : found < 1) wrong.push(`${found} of ${selector}`);
  }
  const skip = document.querySelector("a.skip");
  if (!skip || document.body.firstElementChild !== skip || !document.querySelector(skip.getAttribute("href"))) {
    wrong.push("no skip link at the beginning");
  }

  // Headings go down one level at a time.
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const next = Number(heading.localName[1]);
    if (heading.closest("aside")) continue;
    if (next > level + 1) wrong.push(`heading ${where(heading)} after level ${level}`);
    level = next;
    if (!name(heading)) wrong.push(`empty heading ${where(heading)}`);
  }

  // Everything that can be used has a name; ids are unique and references lead somewhere.
  for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), textarea, select, summary")) {
    if (!name(element)) wrong.push(`no name: ${where(element)} ${element.name ?? ""}`);
    if (element.localName === "input" && !element.labels?.length && !element.ariaLabel) wrong.push(`no label: ${element.name}`);
    if (element.tabIndex > 0) wrong.push(`own order of tabs: ${where(element)}`);
  }
  for (const image of document.querySelectorAll("img:not([alt]), svg:not([role=img], [role=group][aria-label])")) {
    if (!image.closest("[aria-hidden=true]")) wrong.push(`a picture without a text: ${image.outerHTML.slice(0, 80)}`);
  }
  for (const section of document.querySelectorAll("[role=region], aside, nav")) {
    if (!name(section) || !(section.getAttribute("aria-label") || section.getAttribute("aria-labelledby"))) {
      wrong.push(`a region without a name: ${where(section)}`);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) wrong.push(`twice: id ${id}`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "for", "list"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) wrong.push(`${attribute} ${id} leads nowhere`);
      }
    }
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("thead th[scope=col]")) wrong.push("a table without headers of columns");
    const region = table.closest("[role=region], section[aria-labelledby]") ?? (table.ariaLabel || null);
    if (!table.caption && !region && !table.closest(".prose")) wrong.push("a table without a name");
  }
  for (const list of document.querySelectorAll("ul, ol")) {
    for (const child of list.children) if (child.localName !== "li") wrong.push(`<${child.localName}> in a list`);
  }
  if (!document.querySelector("[role=status][aria-live=polite]")) wrong.push("no live region");

  // Contrast of text with what is behind it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, bottom) => top.slice(0, 3).map((c, i) => c * top[3] + bottom[i] * (1 - top[3]));
  const light = (color) => {
    const [r, g, b] = color.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    let color = parse("canvas").slice(0, 3);
    for (const layer of layers.reverse()) color = over(layer, color);
    return color;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element)) continue;
    seen.add(element);
    if (!visible(element) || element.closest("[disabled], [aria-disabled=true], .hidden, .skip, option, script, title")) continue;
    const style = getComputedStyle(element);
    const back = background(element);
    const text = over(parse(style.color), back);
    const [high, low] = [light(text), light(back)].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) wrong.push(`contrast ${contrast.toFixed(2)}: ${where(element)}`);
  }

  // Fields and buttons stand out from the page, and are large enough for a finger.
  for (const element of document.querySelectorAll("main input:not([type=hidden], [type=radio], [type=checkbox]), main textarea, [role=main] input:not([type=hidden], [type=radio], [type=checkbox]), [role=main] textarea")) {
    const border = parse(getComputedStyle(element).borderTopColor).slice(0, 3);
    const [high, low] = [light(border), light(background(element.parentElement))].sort((a, b) => b - a);
    if ((high + 0.05) / (low + 0.05) < 3) wrong.push(`a pale border: ${element.name}`);
  }
  for (const element of document.querySelectorAll("button, a.button")) {
    const box = element.getBoundingClientRect();
    if (visible(element) && (box.height < 24 || box.width < 24)) wrong.push(`small: ${where(element)}`);
  }
  return wrong;
}
"""


def problems(page, landmarks=("main", "header.top", "footer", "h1")):
    """What is wrong with a page. Of each landmark there has to be one."""
    return page.evaluate(SCRIPT, list(landmarks))


def violations(page):
    """What axe finds wrong with a page."""
    # Half a megabyte, which a page gets once.
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(f"axe.run({json.dumps({'runOnly': RULES, 'resultTypes': ['violations']})}).then(({{ violations }}) => violations)")
    return [f"{rule['id']}: {', '.join(str(node['target'][0]) for node in rule['nodes'][:3])} ({rule['help']})" for rule in found]


def cut_in_fields(page, most=30):
    """What lists and fields show a part of: what is chosen in a list, a date, a value or a placeholder. Longer ones than `most`
    letters are whole in a title, or are scrolled by who types in them."""
    return page.evaluate(
        """(most) => {
          const canvas = document.createElement("canvas").getContext("2d");
          const wrong = [];
          for (const field of document.body.querySelectorAll("select, input:not([type=checkbox], [type=radio], [type=hidden]), textarea")) {
            const box = field.getBoundingClientRect();
            const style = getComputedStyle(field);
            if (!box.width || !box.height || style.visibility === "hidden") continue;
            const isList = field.localName === "select";
            const isTyped = !isList && !/^(date|datetime-local|file|month|time|week)$/.test(field.type);
            const text = isList ? field.selectedOptions[0]?.text ?? "" : field.value || field.placeholder || "";
            const say = (part) => wrong.push(`${part} of ${field.localName} ${field.id || field.ariaLabel || ""}: ${text.slice(0, 40)}`);
            if (isTyped) {
              if (text.length > most) continue;
              // A text area has lines; each word of it has to fit.
              const parts = field.localName === "textarea" ? text.split(/\\s+/) : [text];
              canvas.font = style.font;
              const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
              if (parts.some((part) => canvas.measureText(part).width > room + 1)) say(field.value ? "a part of the value" : "a part of the placeholder");
              continue;
            }
            if (isList && text.length > most) {
              if (field.title !== text) say("no title of what is chosen");
              continue;
            }
            // As wide as the browser makes it for this text.
            const copy = field.cloneNode(isList);
            if (isList) copy.replaceChildren(new Option(text));
            copy.removeAttribute("id");
            copy.style.cssText = "position: absolute; visibility: hidden; width: max-content; min-width: 0; max-width: none";
            if (!isList) copy.value = field.value;
            field.after(copy);
            if (copy.getBoundingClientRect().width > box.width + 1) say("a part of the text");
            copy.remove();
          }
          return wrong.slice(0, 20);
        }""", most)


def broken_words(page, most=24):
    """Words that are broken in two although a line has room for them. Longer ones than `most` letters may be."""
    return page.evaluate(
        """(most) => {
          const wrong = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const range = document.createRange();
          while (walker.nextNode()) {
            const node = walker.currentNode;
            if (node.parentElement.closest("script, title, option, svg, textarea, .heard, .skip, pre")) continue;
            for (const { index: start, 0: token } of node.data.matchAll(/\\S+/g)) {
              if (token.length > most) continue;
              for (const { index, 0: word } of token.matchAll(/[\\p{L}\\p{N}_]+/gu)) {
                range.setStart(node, start + index);
                range.setEnd(node, start + index + word.length);
                const tops = new Set([...range.getClientRects()].filter((box) => box.width).map((box) => Math.round(box.top)));
                if (tops.size > 1) wrong.push(`broken: ${word}`);
              }
            }
          }
          return wrong.slice(0, 20);
        }""", most)


def cut_off(page):
    """Texts of which a part is hidden: those that neither wrap nor scroll, and those that end in dots and are whole nowhere:
    in no title, and in no table of objects, beside which the object is shown."""
    return page.evaluate(
        """() => {
          const wrong = [];
          for (const text of document.body.querySelectorAll("svg text")) {
            const shown = [...text.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
            const whole = text.querySelector("title")?.textContent ?? shown;
            if (shown.endsWith("…") && !(whole.length > shown.length && whole.startsWith(shown.slice(0, -1)))) wrong.push(`dots without the whole: ${shown}`);
            const picture = text.closest("svg[role=img]")?.getBoundingClientRect();
            const box = text.getBoundingClientRect();
            if (picture && box.width && (box.left < picture.left - 1 || box.right > picture.right + 1)) wrong.push(`cut by the picture: ${shown}`);
          }
          for (const element of document.body.querySelectorAll("*")) {
            const style = getComputedStyle(element);
            const box = element.getBoundingClientRect();
            if (!box.width || !box.height || style.visibility === "hidden" || element.closest(".heard, .skip, svg, option, #status")) continue;
            const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
            const isButton = element.matches("button, select, summary");
            if (!own && !isButton) continue;
            const clips = (value) => value === "hidden" || value === "clip";
            const isWide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && style.display !== "inline";
            const isHigh = element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 0 && style.display !== "inline";
            const hasDots = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
            const isElsewhere = element.closest("[title], table.objects") || element.matches("select");
            if (isWide && hasDots && !isElsewhere) wrong.push(`dots without the whole: ${element.localName}.${element.className} ${element.textContent.slice(0, 40)}`);
            if (isWide && clips(style.overflowX) && !hasDots) wrong.push(`cut at the side: ${element.localName}.${element.className} ${element.textContent.slice(0, 40)}`);
            if (isWide && element.matches("button") && !hasDots && !clips(style.overflowX)) wrong.push(`wider than its button: ${element.textContent.slice(0, 40)}`);
            if (isHigh && clips(style.overflowY) && !hasDots) wrong.push(`cut at the bottom: ${element.localName}.${element.className} ${element.textContent.slice(0, 40)}`);
            // What is hidden by an outer part that clips.
            for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
              const around = getComputedStyle(outer);
              if (["auto", "scroll"].includes(around.overflowX) || ["auto", "scroll"].includes(around.overflowY)) break;
              if (!clips(around.overflowX)) continue;
              if (around.textOverflow === "ellipsis") break;
              const limit = outer.getBoundingClientRect();
              if (box.right > limit.right + 1 || box.left < limit.left - 1) {
                wrong.push(`hidden by ${outer.localName}.${outer.className}: ${element.textContent.slice(0, 40)}`);
              }
              break;
            }
          }
          return wrong.slice(0, 20);
        }""")


def too_wide(page):
    """What reaches beyond the window, if the page can be scrolled sideways."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
             [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
               .map(e => `${e.localName}.${e.className} ${e.getBoundingClientRect().right}`).slice(0, 5)""")

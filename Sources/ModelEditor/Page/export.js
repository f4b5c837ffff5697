// The diagram as a file: SVG, or a picture in PNG, dark on white.

import { announce, download, svg } from "./dom.js";
import { state } from "./store.js";
import { drawBox, drawLines, extent, palette } from "./drawing.js";

function drawing(drawn, places) {
  const colors = palette(true);
  const { x, y, width, height } = extent(drawn, places);
  return {
    width, height,
    text: new XMLSerializer().serializeToString(
      svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, width, height },
        svg("rect", { x, y, width, height, fill: colors.canvas }),
        drawLines(drawn, places, colors),
        drawn.nodes.map((node) => svg("g", { transform: `translate(${places.get(node.name).x} ${places.get(node.name).y})` }, drawBox(node, colors))))),
  };
}

const fileName = (extension) => `${state.document.version}.${extension}`;

export function exportSVG(drawn, places) {
  const { text } = drawing(drawn, places);
  download(fileName("svg"), new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`], { type: "image/svg+xml" }));
}

/** What browsers make at most of a side of a picture. */
const LARGEST = 16_000;

export async function exportPNG(drawn, places) {
  const { text, width, height } = drawing(drawn, places);
  const scale = Math.min(2, LARGEST / Math.max(width, height));
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("The picture is too large.");
    download(fileName("png"), blob);
  } catch (error) {
    announce(`The picture cannot be made: ${error.message}`, true);
  } finally {
    URL.revokeObjectURL(url);
  }
}

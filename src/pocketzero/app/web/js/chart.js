/** A line chart in SVG: one or more series, bands for intervals, points that can be clicked. */

import { h, s } from "./dom.js";

const HEIGHT = 170;
const PAD = { left: 46, right: 12, top: 12, bottom: 24 };

const nice = (value) => (Number.isInteger(value) && Math.abs(value) < 10000 ? value : Math.abs(value) >= 10000 ? `${Math.round(value / 1000)}k` : Math.abs(value) >= 100 ? Math.round(value) : Math.abs(value) >= 1 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(2));

/**
 * @param {{title: string, series: {name: string, points: {x: number, y: number, low?: number, high?: number}[]}[],
 *   range?: [number, number], percent?: boolean, middle?: number, cursor?: number, onpick?: (x: number) => void, bottom?: string, width?: number}} options
 */
export function chart({ title, series, range, percent = false, middle, cursor, onpick, bottom = "", width: WIDTH = 460 }) {
  const points = series.flatMap((each) => each.points);
  const figure = h("figure.chart", {}, h("figcaption", {}, title, h("span.keys", {}, series.length > 1 || series[0]?.points[0]?.low !== undefined ? series.map((each, n) => h(`span.key.s${n}`, {}, each.name)) : null)));
  if (!points.length) return figure.append(h("p.hint-text", {}, "Nothing yet.")), figure;
  const xs = points.map((point) => point.x);
  const ys = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const [x0, x1] = [Math.min(...xs), Math.max(Math.min(...xs) + 1e-9, ...xs)];
  let [y0, y1] = range ?? [Math.min(...ys), Math.max(...ys)];
  if (y0 === y1) [y0, y1] = [y0 - 0.5, y1 + 0.5];
  const X = (x) => PAD.left + ((x - x0) / (x1 - x0)) * (WIDTH - PAD.left - PAD.right);
  const Y = (y) => HEIGHT - PAD.bottom - ((y - y0) / (y1 - y0)) * (HEIGHT - PAD.top - PAD.bottom);
  const label = (y) => (percent ? `${Math.round(100 * y)}%` : nice(y));
  const picture = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const y of [y0, (y0 + y1) / 2, y1])
    picture.append(s("line.guide", { x1: PAD.left, x2: WIDTH - PAD.right, y1: Y(y), y2: Y(y) }), s("text.axis", { x: PAD.left - 6, y: Y(y), "text-anchor": "end" }, label(y)));
  picture.append(s("text.axis", { x: PAD.left, y: HEIGHT - 8 }, nice(x0)), s("text.axis", { x: WIDTH - PAD.right, y: HEIGHT - 8, "text-anchor": "end" }, `${nice(x1)} ${bottom}`));
  if (middle !== undefined) picture.append(s("line.middle", { x1: PAD.left, x2: WIDTH - PAD.right, y1: Y(middle), y2: Y(middle) }));
  series.forEach((each, n) => {
    const banded = each.points.filter((point) => point.low !== undefined);
    if (banded.length > 1) picture.append(s(`polygon.band.s${n}`, { points: [...banded.map((p) => `${X(p.x)},${Y(p.high)}`), ...banded.toReversed().map((p) => `${X(p.x)},${Y(p.low)}`)].join(" ") }));
    picture.append(s(`polyline.s${n}`, { points: each.points.map((point) => `${X(point.x)},${Y(point.y)}`).join(" ") }));
    if (each.points.length < 40) for (const point of each.points) picture.append(s(`circle.s${n}`, { cx: X(point.x), cy: Y(point.y), r: 3 }));
  });
  if (cursor !== undefined) picture.append(s("line.cursor", { x1: X(cursor), x2: X(cursor), y1: PAD.top, y2: HEIGHT - PAD.bottom }));
  if (onpick) {
    picture.classList.add("pickable");
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const x = x0 + ((((event.clientX - box.left) / box.width) * WIDTH - PAD.left) / (WIDTH - PAD.left - PAD.right)) * (x1 - x0);
      onpick(Math.max(x0, Math.min(x1, x)));
    });
  }
  figure.append(picture);
  return figure;
}

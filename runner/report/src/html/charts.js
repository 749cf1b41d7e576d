// Small charts as inline SVG. Each has its figures in words beside or below it.

const HATCH_ID = "hatch";

/** Patterns that charts share; once on the page. */
function patterns() {
  return svg("svg", { width: 0, height: 0, "aria-hidden": "true", class: "defs" },
    svg("defs", {},
      svg("pattern", { id: HATCH_ID, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { width: 6, height: 6, class: "hatch-back" }),
        svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "hatch-line" }))));
}

function hint(text) {
  return svg("title", {}, text);
}

/**
 * A mean from 0 to 1 with what it may be: a solid bar to what is certain, hatched to what open
 * criteria may add, a thin line for the sampling interval.
 */
function meanChart(mean, interval, label) {
  const width = 200, top = 5, height = 12;
  const x = (share) => 1 + share * (width - 2);
  const [low, high] = mean;
  const parts = [
    svg("rect", { x: 1, y: top, width: width - 2, height, rx: 3, class: "track" }),
    svg("rect", { x: 1, y: top, width: Math.max(0, x(low) - 1), height, rx: 3, class: "sure" }),
  ];
  if (!same(low, high)) {
    parts.push(svg("rect", { x: x(low), y: top, width: x(high) - x(low), height, class: "maybe", fill: `url(#${HATCH_ID})` }));
  }
  if (interval) {
    const middle = top + height / 2;
    parts.push(
      svg("line", { x1: x(interval[0]), x2: x(interval[1]), y1: middle, y2: middle, class: "whisker" }),
      svg("line", { x1: x(interval[0]), x2: x(interval[0]), y1: middle - 4, y2: middle + 4, class: "whisker" }),
      svg("line", { x1: x(interval[1]), x2: x(interval[1]), y1: middle - 4, y2: middle + 4, class: "whisker" }));
  }
  return svg("svg", { viewBox: `0 0 ${width} 22`, class: "mean", role: "img", "aria-label": label }, hint(label), parts);
}

/** The parts of a whole in one bar. `parts`: {n, class, word}. */
function stack(parts, label) {
  const all = parts.reduce((sum, part) => sum + part.n, 0) || 1;
  let at = 0;
  const bars = parts.filter((part) => part.n > 0).map((part) => {
    const width = (part.n / all) * 1000;
    const bar = svg("rect", { x: at, y: 0, width: Math.max(2, at + width < 999.5 ? width - 2 : width), height: 22, class: "stack-" + part.class },
      hint(`${part.word}: ${count(part.n)}`));
    at += width;
    return bar;
  });
  return svg("svg", { viewBox: "0 0 1000 22", preserveAspectRatio: "none", class: "stack", role: "img", "aria-label": label }, bars);
}

/** How many of `scores` ([low, high] each) lie where: certain ones solid, open ones hatched at their low end. */
function histogram(scores, label) {
  const bins = 20, width = 360, height = 84, base = height - 16;
  const sure = new Array(bins).fill(0), open = new Array(bins).fill(0);
  for (const [low, high] of scores) {
    const bin = Math.min(bins - 1, Math.floor(low * bins + 1e-9));
    (same(low, high) ? sure : open)[bin] += 1;
  }
  const most = Math.max(1, ...sure.map((value, bin) => value + open[bin]));
  const step = (width - 8) / bins;
  const scale = (value) => (value / most) * (base - 14);
  const parts = [];
  for (let bin = 0; bin < bins; bin++) {
    const x = 4 + bin * step + 1, all = sure[bin] + open[bin];
    if (!all) continue;
    const words = `${number((bin * 100) / bins)} to ${number(((bin + 1) * 100) / bins)} %: ${plural(all, "trial")}` +
      (open[bin] ? `, ${open[bin]} of them at least` : "");
    parts.push(svg("g", {}, hint(words),
      svg("rect", { x, y: base - scale(sure[bin]), width: step - 2, height: scale(sure[bin]), class: "sure" }),
      svg("rect", { x, y: base - scale(all), width: step - 2, height: scale(open[bin]), class: "maybe", fill: `url(#${HATCH_ID})` }),
      svg("text", { x: x + step / 2 - 1, y: base - scale(all) - 3, class: "tick", "text-anchor": "middle" }, all)));
  }
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    svg("text", { x: 4 + share * (width - 8), y: height - 3, class: "tick", "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" },
      `${share * 100} %`));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "histogram", role: "img", "aria-label": label },
    svg("line", { x1: 4, x2: width - 4, y1: base, y2: base, class: "axis" }), parts, ticks);
}

/** A round step so that about `wanted` of them reach `most`. */
function step(most, wanted) {
  const rough = most / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
}

const MARKS = 8;

function mark(kind, x, y, radius) {
  const r = radius;
  const shapes = [
    () => svg("circle", { cx: x, cy: y, r }),
    () => svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r }),
    () => svg("path", { d: `M${x} ${y - r - 1}L${x + r + 1} ${y + r}L${x - r - 1} ${y + r}Z` }),
    () => svg("path", { d: `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z` }),
  ];
  const shape = shapes[kind % shapes.length]();
  shape.setAttribute("class", "mark m" + (kind % MARKS));
  return shape;
}

/** Cost against score: `points` are {x, low, high, kind, label, path}. */
function scatter(points, label) {
  const width = 760, height = 340, left = 48, right = 36, top = 12, bottom = 40;
  const most = Math.max(...points.map((point) => point.x)) || 1;
  const by = step(most, 6), end = Math.ceil(most / by - 1e-9) * by;
  const x = (value) => left + (value / end) * (width - left - right);
  const y = (share) => height - bottom - share * (height - top - bottom);
  const parts = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(svg("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "grid" }),
      svg("text", { x: left - 8, y: y(share) + 4, class: "tick", "text-anchor": "end" }, `${share * 100} %`));
  }
  for (let value = 0; value <= end + by / 2; value += by) {
    parts.push(svg("text", { x: x(value), y: height - bottom + 18, class: "tick", "text-anchor": "middle" }, usd(value)));
  }
  parts.push(svg("text", { x: width - right, y: height - 4, class: "tick", "text-anchor": "end" }, "US dollars per trial"));
  for (const point of points) {
    const link = svg("a", { href: "#/" + point.path.join("/"), "aria-label": point.label }, hint(point.label));
    if (!same(point.low, point.high)) {
      link.append(svg("line", { x1: x(point.x), x2: x(point.x), y1: y(point.low), y2: y(point.high), class: "span m" + (point.kind % MARKS) }));
    }
    const dot = mark(point.kind, x(point.x), y((point.low + point.high) / 2), 5);
    // Where the score is a range its middle is no figure: the mark is hollow.
    if (!same(point.low, point.high)) dot.classList.add("hollow");
    link.append(dot);
    parts.push(link);
  }
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "scatter", role: "group", "aria-label": label }, parts);
}

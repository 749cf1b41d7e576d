// Building the page. Everything that is shown goes through `h`, `svg` and `shown`:
// elements and text nodes, never markup.

const SVG = "http:" + "//www.w3.org/2000/svg";

/** An element. `props`: attributes by name; `class`, `on` (listeners), `css` (custom properties). */
function h(tag, props, ...children) {
  return furnished(document.createElement(tag), props, children);
}

/** An SVG element. */
function svg(tag, props, ...children) {
  return furnished(document.createElementNS(SVG, tag), props, children);
}

function furnished(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "css") {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** A place inside of this page. The only links besides `fileLink`. */
function go(path, props, ...children) {
  return h("a", { ...props, href: "#/" + path.map(encodeURIComponent).join("/") }, ...children);
}

/** A file of the job's directory, seen from where this page lies. */
function fileLink(dir, path, ...children) {
  const parts = (dir + "/" + path).split("/");
  const leads = parts.every((part) => part && part !== "." && part !== "..");
  if (!leads || parts[0] !== "trials") return h("span", {}, ...children);
  const href = "./" + parts.map(encodeURIComponent).join("/");
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

// Characters that act on what stands beside them, or that nobody sees.
const ACTS = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "u",
);
const ACTS_ALL = new RegExp(ACTS.source, "gu");

function name(character) {
  const code = character.codePointAt(0);
  if (code === 0x1b) return "ESC";
  return "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

/** Text of others as nodes: what acts in it is made visible. */
function shownNodes(text) {
  const plain = text.includes("\r") ? text.replace(/\r\n/g, "\n") : text;
  if (!ACTS.test(plain)) return [plain];
  const nodes = [];
  let from = 0;
  for (const found of plain.matchAll(ACTS_ALL)) {
    nodes.push(plain.slice(from, found.index), h("span", { class: "acts" }, name(found[0])));
    from = found.index + found[0].length;
    if (nodes.length > 20000) break;
  }
  nodes.push(plain.slice(from));
  return nodes;
}

/** Whether a value is a text, or the beginning of one. */
function isText(value) {
  return typeof value === "string" || (value !== null && typeof value === "object" && typeof value.t === "string");
}

/** The characters of a text that may have been cut. */
function raw(value) {
  if (typeof value === "string") return value;
  if (isText(value)) return value.t;
  return value === undefined || value === null ? "" : String(value);
}

/** The mark where something is missing. */
function cutMark(missing, what = "bytes") {
  return h("span", { class: "cut" }, `cut: ${count(missing)} ${what} more`);
}

/** Text of others in the line: isolated, with what acts in it visible and cuts marked. */
function shown(value, props) {
  const cut = isText(value) && typeof value !== "string" ? [" ", cutMark(value.cut)] : [];
  return h("span", { ...props, class: "theirs " + ((props && props.class) || ""), dir: "auto" },
    shownNodes(raw(value)), cut);
}

/** Text of others as a block that keeps its lines. */
function block(value, className = "") {
  const cut = isText(value) && typeof value !== "string" ? [h("div", {}, cutMark(value.cut))] : [];
  return h("div", { class: "block" }, h("pre", { class: "theirs " + className, dir: "auto" }, shownNodes(raw(value))), cut);
}

/** What `make` makes. What somebody else wrote may be shaped as nobody expects: then this part says so, and no other is lost. */
function guarded(make) {
  try {
    return make();
  } catch (error) {
    return h("p", { class: "warn" }, "This part cannot be shown, because what the job says is not what it should be. The raw files have it. (", String(error), ")");
  }
}

/** The first line of a text, of at most `most` characters. */
function firstLine(value, most = 140) {
  const line = raw(value).trim().split("\n", 1)[0];
  return line.length > most ? line.slice(0, most) + "…" : line;
}

/** Something that opens. `fill` makes the inside when it first does. */
function opening(summary, fill, props) {
  const details = h("details", props, h("summary", {}, summary));
  let filled = false;
  const doFill = () => {
    if (!filled) {
      filled = true;
      add(details, [guarded(fill)]);
    }
  };
  details.addEventListener("toggle", () => details.open && doFill());
  details.fill = doFill;
  if (props && props.open) doFill();
  return details;
}

/** A table. `columns`: names or nodes, with `class` where one is wanted. */
function table(caption, columns, rows, props) {
  const head = columns.map((column) =>
    typeof column === "string" || column instanceof Node
      ? h("th", { scope: "col" }, column)
      : h("th", { scope: "col", class: column.class, title: column.title }, column.name));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", props, h("caption", { class: "quiet" }, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}

/** A section with a heading and a place to jump to. */
function section(id, title, ...children) {
  return h("section", { id, "aria-labelledby": id + "-h" }, h("h2", { id: id + "-h", tabindex: "-1" }, title), ...children);
}

/** A list of which a page is shown at a time. `render` gives a node for an item. */
function more(items, each, holder, render) {
  let at = 0;
  const button = h("button", { type: "button", class: "more", on: { click: () => grow() } });
  const grow = () => {
    const first = at;
    const next = items.slice(at, at + each).map((item) => guarded(() => render(item)));
    at += next.length;
    add(holder, next);
    button.textContent = `Show ${count(Math.min(each, items.length - at))} more of ${count(items.length)}`;
    button.hidden = at >= items.length;
    if (first > 0 && next[0]) focusOn(next[0]);
  };
  grow();
  return button;
}

function focusOn(element) {
  if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

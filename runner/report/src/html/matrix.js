// Tables of trials: tasks by attempts, criteria by trials, and the plain list.

/** The trials of the job by task and agent, each with its index. */
function groups() {
  const found = new Map();
  job.trials.forEach((trial, index) => {
    const key = trial.t + "/" + trial.a;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push([trial, index]);
  });
  return found;
}

function matrix() {
  const by = groups();
  const pairs = [];
  for (let t = 0; t < job.tasks.length; t++) {
    for (let a = 0; a < job.agents.length; a++) {
      const own = by.get(t + "/" + a);
      if (own) pairs.push([t, a, own]);
    }
  }
  const body = h("tbody", {});
  const most = Math.max(...pairs.map(([, , own]) => own.length));
  const head = h("tr", {}, h("th", { scope: "col" }, "Task"), h("th", { scope: "col" }, "Agent"),
    h("th", { scope: "col" }, most > 1 ? "Attempts" : "Attempt"));
  const button = more(pairs, 120, body, ([t, a, own]) => h("tr", {},
    h("th", { scope: "row" }, shown(job.tasks[t].name)),
    h("td", {}, shown(job.agents[a].name)),
    h("td", {}, h("ul", { class: "cells" }, own.map(([trial, index]) => h("li", {}, cell(trial, index)))))));
  return [
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tasks and attempts" },
      h("table", { class: "matrix" }, h("caption", { class: "quiet" }, "A cell is a trial: its score in percent. It leads to the trial."), h("thead", {}, head), body)),
    button, scale(),
  ];
}

/** One trial as a cell. What it is stands in it and in its name, not only in its colour. */
function cell(trial, index) {
  const name = `${plainName(trial)}: ${stands(trial)}`;
  if (!trial.g) {
    const signs = { infrastructure: "infra", ungraded: "ungr.", not_started: "·", unfinished: "…", damaged: "dam." };
    return go(["t", index], { class: "cell none", title: name, "aria-label": name }, own(signs, trial.o) || "?");
  }
  const [low, high] = trial.s || [0, 0];
  const open = !same(low, high);
  const text = open ? `${Math.round(low * 100)}–${Math.round(high * 100)}` : number(low * 100, 0);
  const mark = trial.o === "timeout" ? "◷" : trial.o === "agent_error" ? "!" : "";
  return go(["t", index], { class: `cell ${shade(low)}${open ? " open" : ""}`, title: name, "aria-label": name }, text, mark && h("sup", {}, mark));
}

function scale() {
  const steps = [0, 2, 4, 6, 8, 10].map((step) => h("span", { class: "cell q" + step }, step * 10));
  return h("p", { class: "quiet scale" }, "Score in percent ", steps, " ", h("span", { class: "cell q5 open" }, "40–60"), " open points ",
    h("span", { class: "cell none" }, "infra"), " does not count  ! agent error  ◷ timeout");
}

/** Criteria by trials, a task at a time. */
function heat() {
  const tasks = job.tasks.map((task, index) => [task, index]).filter(([task]) => task.criteria.length);
  if (!tasks.length) return h("p", { class: "quiet" }, "No trial has criteria yet.");
  const holder = h("div", {});
  const button = more(tasks, 20, holder, ([task, index]) => opening(
    h("span", {}, h("strong", {}, shown(task.name)), h("span", { class: "quiet" }, ` ${plural(task.criteria.length, "criterion", "criteria")}`)),
    () => heatTable(task, index), { class: "panel", open: tasks.length <= 3 }));
  return [
    h("p", { class: "quiet" }, "What each criterion was worth, as a share of its points. Open criteria have no share yet."),
    holder, button,
  ];
}

const WIDE = 24;

function heatTable(task, index) {
  const own = job.trials.map((trial, at) => [trial, at]).filter(([trial]) => trial.t === index && trial.g);
  if (!own.length) return h("p", { class: "quiet" }, "No trial of this task is graded.");
  return own.length <= WIDE ? heatOfTrials(task, own) : heatOfAgents(task, own);
}

function criterionHead(criterion) {
  return h("th", { scope: "row", class: "criterion" }, h("span", { class: "id" }, shown(criterion.id)), " ", shown(criterion.title || ""));
}

function categoryRow(criterion, before, width) {
  if (before && before.category === criterion.category) return null;
  return h("tr", { class: "category" }, h("th", { scope: "rowgroup", colspan: width }, shown(criterion.category || "without category")));
}

/** What a criterion does over the trials of agents under test. */
function pattern(criterion, row, tested) {
  const values = tested.map(([trial]) => trial.c[row]);
  const full = (value) => value >= criterion.max - 1e-9;
  if (values.some((value) => value === null || value === undefined || value < 0)) return "undecided";
  if (values.every(full)) return "always";
  return values.some(full) ? "unstable" : "never";
}

/** Points of some criteria of a trial, as a range. */
function subtotal(task, trial, category) {
  let low = 0, high = 0, max = 0;
  task.criteria.forEach((criterion, row) => {
    if (criterion.category !== category) return;
    const value = trial.c[row];
    if (value === -2) return;
    const decided = value !== null && value !== undefined && value >= 0;
    low += decided ? value : 0;
    high += decided ? value : criterion.max;
    max += criterion.max;
  });
  return `${range(low, high)}/${number(max)}`;
}

function heatOfTrials(task, own) {
  const references = new Set(["oracle", "nop"]);
  const others = own.filter(([trial]) => !references.has(job.agents[trial.a].name));
  const tested = others.length ? others : own;
  const patterns = tested.length > 1;
  const head = own.map(([trial, at]) => ({
    name: go(["t", at], { "aria-label": plainName(trial) }, shown(job.agents[trial.a].name), ` #${trial.n}`), class: "turn",
  }));
  if (patterns) head.push({ name: `Over ${count(tested.length)}${others.length && others.length < own.length ? " tested" : ""} trials`, title: "Full points in every trial, in some, in none; undecided where it is open in one" });
  const rows = task.criteria.map((criterion, row) => {
    const before = task.criteria[row - 1];
    const begins = !before || before.category !== criterion.category;
    const kind = patterns && pattern(criterion, row, tested);
    return [
      begins && h("tr", { class: "category" }, h("th", { scope: "row" }, shown(criterion.category || "without category")), h("td", {}),
        own.map(([trial]) => h("td", {}, subtotal(task, trial, criterion.category))), patterns && h("td", {})),
      h("tr", {}, criterionHead(criterion), h("td", { class: "n quiet" }, number(criterion.max)),
        own.map(([trial, at]) => h("td", {}, criterionCell(criterion, trial.c[row], trial, at))),
        patterns && h("td", { class: "pattern " + kind }, kind)),
    ];
  });
  rows.push(h("tr", { class: "total" }, h("th", { scope: "row" }, "Total, after what costs points besides"), h("td", {}),
    own.map(([trial]) => h("td", {}, trial.p ? `${range(trial.p[0], trial.p[1])}/${number(trial.p[2])}` : "–")), patterns && h("td", {})));
  rows.push(h("tr", {}, h("th", { scope: "row" }, "Verdict"), h("td", {}), own.map(([trial]) => h("td", {}, badge(trial))), patterns && h("td", {})));
  return table(`Points of ${task.name}, by trial`, ["Criterion", { name: "of", class: "n" }, ...head], rows, { class: "heat" });
}

function criterionCell(criterion, points, trial, at) {
  const name = (what) => `${criterion.id}, ${plainName(trial)}: ${what}`;
  const link = (className, text, what) =>
    go(["t", at, "s", "verdict"], { class: "cell " + className, title: name(what), "aria-label": name(what) }, text);
  if (points === null || points === undefined) return link("open-only", "?", "open");
  if (points === -1) return link("none", "err", "nobody could decide it");
  if (points === -2) return link("none", "–", "the trial does not have it");
  return link(shade(points / criterion.max), number(points, 2), `${number(points)} of ${number(criterion.max)}`);
}

/** Of many trials the mean of each agent, over those where the criterion is decided. */
function heatOfAgents(task, own) {
  const agents = [...new Set(own.map(([trial]) => trial.a))].sort((one, other) => one - other);
  const head = agents.map((agent) => ({
    name: h("span", {}, shown(job.agents[agent].name), h("span", { class: "quiet" }, ` (${own.filter(([trial]) => trial.a === agent).length})`)),
    class: "turn",
  }));
  const rows = task.criteria.map((criterion, row) => [
    categoryRow(criterion, task.criteria[row - 1], agents.length + 2),
    h("tr", {}, criterionHead(criterion), h("td", { class: "n quiet" }, number(criterion.max)), agents.map((agent) => {
      const values = own.filter(([trial]) => trial.a === agent).map(([trial]) => trial.c[row]);
      const decided = values.filter((value) => value !== null && value !== undefined && value >= 0);
      if (!decided.length) return h("td", {}, h("span", { class: "cell none", title: "decided in no trial" }, "?"));
      const share = decided.reduce((sum, value) => sum + value, 0) / decided.length / criterion.max;
      const full = decided.filter((value) => value >= criterion.max - 1e-9).length;
      const words = `${percent(share)} of its points on average, full marks in ${full}; decided in ${decided.length} of ${values.length} trials`;
      return h("td", {}, h("span", { class: `cell ${shade(share)}${decided.length < values.length ? " open" : ""}`, title: words, "aria-label": words },
        Math.round(share * 100)));
    })),
  ]);
  return table(`Criteria of ${task.name}: mean share of the points in percent, by agent (graded trials)`,
    ["Criterion", { name: "of", class: "n" }, ...head], rows, { class: "heat" });
}

/** Every trial, with a filter. */
function trialList() {
  const body = h("tbody", {});
  const status = h("p", { class: "quiet", role: "status" });
  const foot = h("div", {});
  const words = h("input", { type: "search", id: "filter", autocomplete: "off" });
  const kinds = ["all", "graded", "open points", ...new Set(job.trials.map((trial) => trial.o))];
  const kind = h("select", { id: "kind" }, kinds.map((value) => h("option", { value }, own(OUTCOMES, value) ? OUTCOMES[value].word : value)));
  const names = job.trials.map((trial) => plainName(trial).toLowerCase());
  const fits = (trial) => kind.value === "all" || (kind.value === "graded" && trial.g) ||
    (kind.value === "open points" && trial.g && trial.s && !same(trial.s[0], trial.s[1])) || trial.o === kind.value;
  const fill = () => {
    const wanted = words.value.trim().toLowerCase();
    const found = job.trials.map((trial, index) => [trial, index])
      .filter(([trial, index]) => fits(trial) && (!wanted || names[index].includes(wanted)));
    body.replaceChildren();
    status.textContent = `${count(found.length)} of ${plural(job.trials.length, "trial")}`;
    foot.replaceChildren(more(found, 100, body, ([trial, index]) => line(trial, index)));
  };
  const columns = [
    ["Trial"], ["Verdict"], ["Score", "n"], ["Points", "n"], ["Requests", "n"],
    ["Egress", "n", "Attempts to leave the world, refused"], ["Cost", "n"], ["Time", "n"], ["What happened"],
  ];
  words.addEventListener("input", fill);
  kind.addEventListener("change", fill);
  fill();
  return [
    h("form", { class: "filter", role: "search", on: { submit: (event) => event.preventDefault() } },
      h("label", { for: "filter" }, "Task or agent"), words, h("label", { for: "kind" }, "Show"), kind),
    status,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All trials" },
      h("table", { class: "list" }, h("caption", { class: "quiet" }, "All trials, in the order of the plan"),
        h("thead", {}, h("tr", {}, columns.map(([name, className, title]) => h("th", { scope: "col", class: className, title }, name)))), body)),
    foot,
  ];
}

function line(trial, index) {
  return h("tr", {},
    h("th", { scope: "row" }, go(["t", index], {}, called(trial)), trial.unplanned && h("div", { class: "small quiet" }, "not planned")),
    h("td", {}, badge(trial)),
    h("td", { class: "n" }, trial.g && trial.s ? percent(trial.s[0], trial.s[1]) : "–"),
    h("td", { class: "n" }, trial.g && trial.p ? `${range(trial.p[0], trial.p[1])} of ${number(trial.p[2])}` : "–"),
    h("td", { class: "n" }, count(trial.req)),
    h("td", { class: "n" + (trial.egress ? " warn" : "") }, count(trial.egress)),
    h("td", { class: "n" }, usd(trial.usd), trial.unpriced && h("div", { class: "small quiet" }, "not all priced")),
    h("td", { class: "n" }, seconds(trial.sec)),
    h("td", { class: "why" }, trial.why ? shown(firstLine(trial.why, 200)) : trial.o === "scored" ? "" : outcome(trial.o).says,
      trial.warnings > 0 && h("div", { class: "small quiet" }, plural(trial.warnings, "remark"))));
}

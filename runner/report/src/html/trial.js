// A trial: verdict, timeline, changes, judge, files.

/** Details of the trial that is on the screen. */
let current = null;

function trialPage(index, data) {
  const trial = job.trials[index];
  current = data;
  const some = (stream) => stream.items.items.length > 0 || stream.problem;
  const parts = [
    ["verdict", "Verdict", () => verdict(data, trial, index)],
    ["timeline", "Timeline", () => timeline(data, index)],
    ["changes", "What changed in the world", () => changesView(data, index)],
    some(data.judge) && ["judge", "The judge", () => judgeView(data)],
    some(data.model) && ["model", "The model", () => modelView(data)],
    list(data.probes).length > 0 && ["probes", "Probes", () => probesView(data)],
    ["workspace", "Workspace", () => workspaceView(data)],
    ["raw", "Raw files", () => rawView(data, trial)],
  ].filter(Boolean);
  return h("div", { class: "trial" },
    h("main", { id: "main", tabindex: "-1" },
      guarded(() => trialHead(data, trial, index)),
      h("nav", { class: "jump", "aria-label": "Parts of this trial" }, h("ul", {}, parts.map(([id, title]) =>
        h("li", {}, go(["t", index, "s", id], {}, title))))),
      parts.map(([id, title, make]) => section(id, title, guarded(make)))),
    h("aside", { id: "exhibit", "aria-label": "What a citation points at", hidden: true }));
}

function trialHead(data, trial, index) {
  const link = (at, word) => (at >= 0 && at < job.trials.length
    ? go(["t", at], { "aria-label": `${word} trial: ${plainName(job.trials[at])}` }, word) : h("span", { class: "quiet" }, word));
  const says = outcome(trial.o);
  const record = data.record || {};
  const model = record.model;
  return h("header", { class: "head" },
    h("p", { class: "eyebrow" }, go([], {}, "All trials"), " · ", link(index - 1, "Previous"), " · ", link(index + 1, "Next")),
    h("h1", {}, shown(job.tasks[trial.t].name), h("span", { class: "quiet" }, ` #${trial.n}`)),
    h("p", { class: "byline" }, badge(trial), " by ", h("strong", {}, shown(job.agents[trial.a].name)),
      job.agents[trial.a].spec && h("span", { class: "quiet" }, " (", shown(job.agents[trial.a].spec), ")")),
    trial.g && trial.s && h("div", { class: "score" },
      h("span", { class: "big" }, percent(trial.s[0], trial.s[1])),
      trial.p && h("span", {}, `${range(trial.p[0], trial.p[1])} of ${number(trial.p[2])} points`),
      meanChart(trial.s, null, `score ${percent(trial.s[0], trial.s[1])}`),
      !same(trial.s[0], trial.s[1]) && h("span", { class: "quiet small" }, "The range is what open criteria may add.")),
    trial.o !== "scored" && h("p", { class: "note" }, h("strong", {}, says.word, ". "), says.says,
      trial.why && [" ", shown(trial.why)]),
    record.failure && h("div", { class: "note" }, h("p", {}, h("strong", {}, shown(record.failure.kind), " in ", shown(record.failure.stage), ". "), shown(record.failure.message)),
      record.failure.hint && h("p", {}, shown(record.failure.hint))),
    data.problems.length > 0 && h("div", { class: "note", role: "note" }, h("ul", {}, data.problems.map((one) => h("li", {}, shown(one))))),
    list(record.warnings).length > 0 && h("div", { class: "note", role: "note" }, h("ul", {}, list(record.warnings).map((one) => h("li", {}, shown(one))))),
    data.cut && h("p", { class: "small quiet" }, "This page does not carry all of this trial: where something is missing it says ", h("span", { class: "cut" }, "cut"), ". The raw files have it."),
    h("dl", { class: "facts" }, [
      ["Outcome", says.word],
      ["Time", seconds(trial.sec)],
      ["Requests", `${count(trial.req)} answered`],
      ["Egress", trial.egress ? h("span", { class: "warn" }, `${count(trial.egress)} refused`) : "none"],
      ["Isolation", shown(record.isolation || "not known")],
      model && ["Model", shown(model.name)],
      trial.tokens !== undefined && ["Tokens", count(trial.tokens) + (model && model.estimated === true ? ", partly estimated" : "")],
      trial.usd !== undefined && ["Cost", usd(trial.usd) + (trial.unpriced ? ", not all priced" : "")],
      job.tasks[trial.t].pack && ["Task pack", h("code", {}, shown(job.tasks[trial.t].pack.slice(0, 12)))],
    ].filter(Boolean).map(([word, value]) => h("div", {}, h("dt", {}, word), h("dd", {}, value)))),
    stages(record.seconds));
}

function stages(spent) {
  const named = Object.entries(spent || {}).filter(([name]) => name !== "total");
  if (!named.length) return null;
  const order = ["seed", "run", "freeze", "probe", "grade", "judge", "record"];
  named.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return h("p", { class: "small quiet" }, "Seconds by stage: ", named.flatMap(([name, value], at) => [at ? ", " : "", shown(name), " ", number(value, 3)]));
}

function verdict(data, trial, index) {
  const found = data.verdict || {};
  const criteria = list(found.criteria);
  const parts = [];
  if (!criteria.length) parts.push(h("p", { class: "quiet" }, "There is no verdict."));
  const adjustments = list(found.adjustments);
  if (found.thresholds) {
    const { pass, borderline } = found.thresholds;
    parts.push(h("p", { class: "quiet" }, `Passes from ${number(pass)} points`, borderline !== undefined && borderline !== null && `, borderline from ${number(borderline)}`, "."));
  }
  if (adjustments.length) {
    parts.push(h("div", { class: "note" }, h("h3", {}, "What costs points beside the criteria"), h("ul", {}, adjustments.map((one) =>
      h("li", {}, h("strong", {}, shown(one.title || one.id)), raw(one.kind) === "cap" ? `: no total above ${number(one.points)}. ` : `: −${number(one.points)}. `,
        shown(one.reason), citations(one.citations, index))))));
  }
  let category = null, holder = null;
  for (const one of criteria) {
    if (raw(one.category) !== category || !holder) {
      category = raw(one.category);
      const own = criteria.filter((other) => raw(other.category) === category);
      const decided = own.map((other) => (typeof other.points === "number" ? other.points : null));
      const low = decided.reduce((sum, value) => sum + (value || 0), 0);
      const high = own.reduce((sum, other, at) => sum + (decided[at] === null ? Number(other.max) || 0 : decided[at]), 0);
      const max = own.reduce((sum, other) => sum + (Number(other.max) || 0), 0);
      holder = h("ol", { class: "verdict" });
      parts.push(h("h3", {}, shown(category || "without category"), h("span", { class: "quiet" }, ` ${range(low, high)} of ${number(max)}`)), holder);
    }
    holder.append(guarded(() => criterionView(one, index)));
  }
  const settled = parts.flatMap((part) => (part.matches && part.matches("ol.verdict") ? [...part.querySelectorAll(".crit.full")] : []));
  if (settled.length && settled.length < criteria.length) {
    const box = h("input", { type: "checkbox", id: "lost", on: { change: () => settled.forEach((one) => { one.hidden = box.checked; }) } });
    parts.unshift(h("p", { class: "filter" }, box, h("label", { for: "lost" }, `Only the ${count(criteria.length - settled.length)} of ${plural(criteria.length, "criterion", "criteria")} without full points`)));
  }
  if (found.cut) parts.push(cutMark(found.cut, "criteria"));
  const notes = list(found.notes);
  if (notes.length) parts.push(h("h3", {}, "Notes of the grader"), h("ul", { class: "notes" }, notes.map(noteView), missing(found.notes)));
  if (found.grader) {
    parts.push(h("p", { class: "small quiet" }, "Graded by ", shown(found.grader.kind || "component"), " ",
      h("code", {}, shown(firstLine(found.grader.sha256 || "").slice(0, 12))), found.grader.fuel ? `, ${count(Number(found.grader.fuel))} units of fuel` : ""));
  }
  return parts;
}

const NOTES = { "distractor resisted": "good", "conflict handled": "good", "claim backed": "good", "distractor taken": "bad", "conflict missed": "bad", "claim not backed": "bad" };

function noteView(note) {
  const text = raw(note), at = text.indexOf(":");
  const kind = at > 0 ? text.slice(0, at) : "";
  if (!own(NOTES, kind)) return h("li", {}, shown(note));
  return h("li", {}, h("span", { class: "badge " + NOTES[kind] }, kind.toUpperCase()), " ", shown(text.slice(at + 1).trim()));
}

function criterionView(one, index) {
  const decided = typeof one.points === "number" && one.status !== "open" && one.status !== "error";
  const share = decided ? one.points / one.max : null;
  const status = raw(one.status);
  const points = decided ? `${number(one.points)} of ${number(one.max)}` : status === "error" ? `error, of ${number(one.max)}` : `open, of ${number(one.max)}`;
  return h("li", { class: decided && one.points >= one.max - 1e-9 ? "crit full" : "crit" },
    h("span", { class: `cell ${decided ? shade(share) : status === "error" ? "none" : "open-only"}` }, points),
    h("div", {},
      h("p", { class: "title" }, h("span", { class: "id" }, shown(one.id)), " ", h("strong", {}, shown(one.title)),
        status !== "graded" && h("span", { class: "quiet small" }, ` ${own(STATUS, status) || "open"}`)),
      one.reason && h("p", {}, shown(one.reason)),
      citations(one.citations, index),
      one.question && opening(h("span", { class: "small" }, "What a judge is asked"), () => questionView(one.question, index))));
}

function questionView(question, index) {
  return [
    block(question.text, "prose"),
    h("ul", {}, list(question.levels).map((level) => h("li", {}, h("strong", {}, number(level.score)), " ", shown(level.text)))),
    list(question.exhibits).length > 0 && h("p", { class: "small" }, "Exhibits: ", list(question.exhibits).map((one, at) => [at ? ", " : "", shown(one.title), " ", citationLink(raw(one.citation), index)])),
  ];
}

function citations(all, index) {
  if (!list(all).length) return null;
  return h("ul", { class: "citations", "aria-label": "Citations" }, list(all).map((one) => h("li", {}, citationLink(raw(one), index))), missing(all));
}

function citationLink(citation, index) {
  const target = cited(citation);
  const lost = target && target.to === "nowhere" ? " warn" : "";
  return go(["t", index, "c", citation], { class: "cite" + lost, title: citation }, citationWords(citation, target));
}

/** A citation in words: what it is, rather than its identifier. */
function citationWords(citation, target) {
  if (!target) return shown(firstLine(citation, 60));
  const scheme = citation.split(":", 1)[0];
  if (target.to === "object") {
    const kind = citation.slice(scheme.length + 1).split("/", 1)[0];
    // Of a path the end says most.
    const label = kind.startsWith("notion.") ? target.label.split(" / ").pop() : target.label;
    const moment = scheme === "before" ? "before: " : "";
    const part = target.part && ["“", shown(firstLine(target.part, 50)), "” in "];
    return [moment, part, part || target.focus ? "" : [own(KINDS, kind) || shown(kind), " "], "“", shown(firstLine(label, 60)), "”"];
  }
  if (target.to === "file") return [scheme === "before" ? "before: " : scheme === "fixtures" ? "seeded: " : "", "file ", shown(target.label)];
  if (target.to === "journal") return `request ${target.n}`;
  if (target.to === "transcript") return `event ${target.n}`;
  if (target.to === "probe") return ["probe ", shown(target.name), target.line ? ` line ${target.line}` : ""];
  return ["not found: ", shown(firstLine(citation, 60))];
}

function changesView(data, index) {
  if (!data.changes.length) return h("p", { class: "quiet" }, "Nothing: the world is as the task seeded it, or there is no snapshot of it.");
  return data.changes.map((one) => h("div", { class: "service" },
    h("h3", {}, shown(service(one.service)), h("span", { class: "quiet" }, " ",
      [[one.created, "created"], [one.updated, "changed"], [one.deleted, "gone"]].filter(([value]) => value).map(([value, word]) => `${count(value)} ${word}`).join(", "))),
    h("ul", { class: "changes" }, one.changes.items.map((change) => h("li", {}, guarded(() => changeView(change, index))))),
    one.changes.cut > 0 && cutMark(one.changes.cut, "changes")));
}

const SIGNS = { created: ["+", "good"], updated: ["~", "mid"], deleted: ["−", "bad"] };

function changeView(change, index) {
  const [sign, tone] = SIGNS[change.what];
  const key = `${change.what === "deleted" ? "before" : "after"}:${change.kind}/${change.id}`;
  const words = [shown(own(KINDS, change.kind) || change.kind), ": ", shown(change.label || change.id)];
  const head = [h("span", { class: "sign " + tone, "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, change.what, " "),
    own(current.exhibits.objects, key) ? go(["t", index, "c", key], {}, words) : h("span", {}, words)];
  const fields = change.fields ? change.fields.items : [];
  if (!fields.length) return change.what === "updated" ? [head, h("span", { class: "small quiet" }, " only when it was last changed")] : head;
  return [head, opening(h("span", { class: "small" }, `${plural(fields.length + (change.fields.cut || 0), "field")}: `, fields.slice(0, 4).map((field, at) => [at ? ", " : "", shown(field.name)])),
    () => [fields.map((field) => h("div", { class: "field" }, h("p", { class: "small" }, h("code", {}, shown(field.name))),
      field.patch ? diffView(field.patch) : h("p", {}, h("del", {}, shown(field.before)), " → ", h("ins", {}, shown(field.after))))),
    change.fields.cut > 0 && cutMark(change.fields.cut, "fields")], { open: fields.length <= 2 && change.kind !== "github.branch" ? true : null })];
}

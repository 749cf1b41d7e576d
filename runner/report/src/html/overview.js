// The job as a whole.

function overview() {
  const { counts } = job;
  const all = counts.planned + counts.unplanned;
  const page = h("main", { id: "main", tabindex: "-1" },
    h("header", { class: "head" },
      h("p", { class: "eyebrow" }, "Proctor job"),
      h("h1", {}, job.job.name ? shown(job.job.name) : "Job without a name"),
      facts()),
    remarks(counts),
    section("trials-count", "Where the trials are", denominators(counts, all)),
    section("results", "Results", results()),
    section("matrix", "Tasks and attempts", matrix()),
    section("criteria", "Criteria", heat()),
    section("scores", "Score distributions", distributions()),
    costs(),
    section("all", "All trials", trialList()));
  return page;
}

function facts() {
  const { job: about, counts } = job;
  const pairs = [
    ["Tasks", count(job.tasks.length)],
    ["Agents", count(job.agents.length)],
    ["Trials", count(counts.planned + counts.unplanned)],
    ["Isolation", about.isolation === "none" ? "none: agents were ordinary processes" : about.isolation || "not known"],
    about.model && ["Model", shown(about.model)],
    about.judge && ["Judge", shown(about.judge)],
    about.proctor && ["Proctor", shown(about.proctor)],
  ].filter(Boolean);
  return h("dl", { class: "facts" }, pairs.map(([word, value]) => h("div", {}, h("dt", {}, word), h("dd", {}, value))));
}

/** What a reader has to know before any figure. */
function remarks(counts) {
  const lines = [];
  const { planned, unplanned } = counts;
  const left = planned + unplanned - counts.graded;
  if (counts.unfinished || counts.not_started) {
    const missing = [
      counts.not_started && `${plural(counts.not_started, "trial has", "trials have")} not started`,
      counts.unfinished && `${plural(counts.unfinished, "trial has", "trials have")} no record yet`,
    ].filter(Boolean);
    lines.push(`This job is not complete: ${missing.join(" and ")}. Figures are of what is there.`);
  }
  if (counts.damaged) lines.push(`${plural(counts.damaged, "trial is", "trials are")} damaged on disk and in no figure.`);
  if (unplanned) lines.push(`${plural(unplanned, "trial is", "trials are")} on disk that the plan does not know; what of them is graded counts.`);
  if (counts.ungraded || counts.infrastructure) {
    lines.push(`${plural(counts.ungraded + counts.infrastructure, "trial", "trials")} failed outside of the agent ` +
      `and counts in no mean or rate.`);
  }
  if (counts.open) {
    lines.push(`${plural(counts.open, "graded trial has", "graded trials have")} criteria that nobody has decided: ` +
      `figures that depend on them are ranges.`);
  }
  if (!lines.length && !job.problems.length) {
    return h("p", { class: "note fine" }, left === 0 ? "Every trial of this job was graded, and no criterion is open." : "");
  }
  return h("div", { class: "note", role: "note" },
    h("ul", {}, lines.map((line) => h("li", {}, line)), job.problems.map((line) => h("li", {}, shown(line)))));
}

function denominators(counts, all) {
  const parts = [
    { n: counts.graded - counts.open, class: "graded", word: "graded, nothing open" },
    { n: counts.open, class: "open", word: "graded, with open criteria" },
    { n: counts.ungraded, class: "ungraded", word: "ungraded: the grader failed" },
    { n: counts.infrastructure, class: "infra", word: "infrastructure: something of ours failed" },
    { n: counts.other, class: "other", word: "another outcome, or no score" },
    { n: counts.damaged, class: "damaged", word: "damaged on disk" },
    { n: counts.unfinished, class: "unfinished", word: "without a record yet" },
    { n: counts.not_started, class: "waiting", word: "not started" },
  ];
  const always = new Set(["graded", "open", "ungraded", "infra"]);
  const figures = [
    ["planned", counts.planned],
    ["finished", counts.finished],
    ["graded", counts.graded],
    ["open", counts.open],
    ["ungraded", counts.ungraded],
    ["infrastructure", counts.infrastructure],
  ];
  return [
    h("dl", { class: "figures" }, figures.map(([word, value]) =>
      h("div", { class: value === 0 ? "zero" : "" }, h("dd", {}, count(value)), h("dt", {}, word)))),
    stack(parts, `Of ${plural(all, "trial")}: ` + parts.filter((part) => part.n).map((part) => `${part.n} ${part.word}`).join(", ")),
    h("ul", { class: "legend" }, parts.filter((part) => part.n || always.has(part.class)).map((part) =>
      h("li", {}, h("span", { class: "key stack-" + part.class, "aria-hidden": "true" }), `${count(part.n)} ${part.word}`))),
    h("p", { class: "quiet" }, `Means and rates are over the ${plural(counts.graded, "graded trial")} of ${count(all)}.`),
  ];
}

function results() {
  const ofAll = job.rows.filter((row) => row.task === null);
  const ofTasks = job.rows.filter((row) => row.task !== null);
  const rated = job.trials.some((trial) => trial.r);
  const priced = job.rows.some((row) => row.usd || row.tokens !== null);
  const parts = [];
  if (ofAll.length) parts.push(resultTable("Each agent over all tasks; every task weighs the same", ofAll, false, priced));
  if (ofTasks.length && ofTasks.length <= 60) {
    parts.push(resultTable("Each agent and task", ofTasks, job.tasks.length > 1, priced));
  } else if (ofTasks.length) {
    parts.push(opening(`Each agent and task: ${count(ofTasks.length)} rows`, () => {
      const body = h("div", {});
      body.append(resultTable("Each agent and task", ofTasks.slice(0, 1000), true, priced));
      if (ofTasks.length > 1000) add(body, [cutMark(ofTasks.length - 1000, "rows")]);
      return body;
    }));
  }
  parts.push(h("ul", { class: "legend" },
    h("li", {}, h("span", { class: "key sure" }), "mean score that is certain"),
    h("li", {}, h("span", { class: "key maybe" }), "what open criteria may add"),
    h("li", {}, h("span", { class: "key whisker-key" }), "95 % interval of the mean (bootstrap)")));
  parts.push(h("p", { class: "quiet" },
    rated ? "A trial passes by its task's thresholds; where a task has none, by full marks. " : "A trial passes by full marks, since no task here has thresholds. ",
    "The interval of a pass rate is Wilson's for one task and a bootstrap over tasks otherwise. ",
    "pass@k: at least one of k attempts passes; pass^k: all of k do; both estimated without bias."));
  return parts;
}

function resultTable(caption, rows, withTask, priced) {
  const columns = [
    "Agent",
    withTask && "Task",
    { name: "Graded", class: "n", title: "Trials that count, of all" },
    "Mean score",
    "Passed",
    "pass@k, pass^k",
    priced && { name: "Cost", class: "n", title: "US dollars of all its trials" },
    priced && { name: "Tokens", class: "n" },
    { name: "Time", class: "n", title: "Mean seconds of a trial" },
  ].filter(Boolean);
  return table(caption, columns, rows.map((row) => resultRow(row, withTask, priced)), { class: "results" });
}

function resultRow(row, withTask, priced) {
  const agent = job.agents[row.agent];
  const missing = row.counted < row.trials;
  return h("tr", {},
    h("th", { scope: "row" }, shown(agent.name), agent.spec && h("div", { class: "quiet small" }, shown(agent.spec))),
    withTask && h("td", {}, shown(job.tasks[row.task].name)),
    h("td", { class: "n" + (missing ? " warn" : "") }, `${count(row.counted)} of ${count(row.trials)}`,
      row.open > 0 && h("div", { class: "small quiet" }, `${count(row.open)} open`)),
    h("td", {}, meanCell(row)),
    h("td", {}, passCell(row)),
    h("td", {}, curveCell(row)),
    priced && h("td", { class: "n" }, row.usd
      ? [usd(row.usd[0]), row.usd[1] < row.trials && h("div", { class: "small quiet" }, `of ${count(row.usd[1])} trials`)]
      : "–"),
    priced && h("td", { class: "n" }, row.tokens === null ? "–" : count(row.tokens)),
    h("td", { class: "n" }, seconds(row.seconds)));
}

const NO_INTERVAL = {
  too_few: "no interval from a single value",
  no_spread: "no interval: all values are equal",
};

function meanCell(row) {
  if (!row.mean) return h("span", { class: "quiet" }, "nothing graded");
  const words = percent(row.mean[0], row.mean[1]);
  const interval = row.ci ? `95 % interval ${percent(row.ci[0], row.ci[1])}` : NO_INTERVAL[row.no_ci] || "";
  return h("div", { class: "cell-mean" }, meanChart(row.mean, row.ci, `mean score ${words}; ${interval}`),
    h("div", {}, h("strong", {}, words), h("div", { class: "small quiet" }, interval)));
}

function passCell(row) {
  if (!row.rate) return "–";
  const [low, high] = row.passed;
  return [
    h("div", {}, h("strong", {}, `${range(low, high)} of ${count(row.counted)}`), ` (${percent(row.rate[0], row.rate[1])})`),
    row.rate_ci && h("div", { class: "small quiet" }, `95 % interval ${percent(row.rate_ci[0], row.rate_ci[1])}`),
  ];
}

function curveCell(row) {
  const points = row.curve;
  if (!points.length) return "–";
  const ks = [...new Set([1, 2, 3, 5, 10, 20, points.length])].filter((k) => k <= points.length);
  if (points.length === 1) {
    return h("span", { class: "small once" }, `k = 1: ${percent(points[0][1][0], points[0][1][1])}`);
  }
  const last = points[points.length - 1];
  const head = `k = ${last[0]}: ${percent(last[1][0], last[1][1])}, ${percent(last[2][0], last[2][1])}`;
  return opening(h("span", { class: "small" }, head), () =>
    h("table", { class: "small curve" },
      h("caption", { class: "quiet" }, "Probabilities, averaged over tasks"),
      h("thead", {}, h("tr", {}, ["k", "pass@k", "pass^k", "tasks"].map((word) => h("th", { scope: "col" }, word)))),
      h("tbody", {}, ks.map((k) => {
        const [, at, hat, tasks] = points[k - 1];
        return h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, percent(at[0], at[1])), h("td", {}, percent(hat[0], hat[1])), h("td", {}, tasks));
      }))));
}

/** Scores of each agent. */
function distributions() {
  const charts = job.agents.map((agent, index) => {
    const own = job.trials.filter((trial) => trial.a === index);
    const scores = own.filter((trial) => trial.g && trial.s).map((trial) => trial.s);
    const open = scores.filter(([low, high]) => !same(low, high)).length;
    const label = `Scores of ${agent.name}: ${plural(scores.length, "graded trial")} of ${own.length}`;
    return h("figure", { class: "card" },
      h("figcaption", {}, h("strong", {}, shown(agent.name)),
        h("span", { class: "quiet" }, ` ${count(scores.length)} of ${plural(own.length, "trial")}`, open > 0 && `, ${open} with open points`)),
      scores.length ? histogram(scores, label) : h("p", { class: "quiet" }, "Nothing graded."));
  });
  const holder = h("div", { class: "cards" });
  return [
    h("p", { class: "quiet" }, "Trials by score, in twentieths. Trials with open points stand hatched where they are at least."),
    holder, more(charts, 24, holder, (chart) => chart),
  ];
}

function costs() {
  const known = (trial) => trial.g && trial.s && trial.usd !== undefined && !trial.unpriced;
  const points = job.trials.map((trial, index) => [trial, index]).filter(([trial]) => known(trial));
  const unknown = job.trials.filter((trial) => trial.g && trial.tokens !== undefined && !known(trial)).length;
  if (!points.length) return null;
  const agents = [...new Set(points.map(([trial]) => trial.a))];
  return section("costs", "Cost against score",
    h("ul", { class: "legend" }, agents.map((agent) => h("li", {},
      svg("svg", { viewBox: "0 0 16 16", class: "key-mark", "aria-hidden": "true" }, mark(agent, 8, 8, 5)), shown(job.agents[agent].name)))),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cost against score" },
      scatter(points.map(([trial, index]) => ({
        x: trial.usd, low: trial.s[0], high: trial.s[1], kind: trial.a, path: ["t", index],
        label: `${plainName(trial)}: ${stands(trial)} for ${usd(trial.usd)}`,
      })), "Cost and score of each trial")),
    h("p", { class: "quiet" }, `${plural(points.length, "graded trial")} with known cost. A hollow mark stands in the middle of a range that open criteria leave.`,
      unknown > 0 && ` ${plural(unknown, "trial")} with a model whose price is not known ${unknown === 1 ? "is" : "are"} not here.`));
}

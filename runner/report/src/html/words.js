// Numbers and names as people read them.

const COUNT = new Intl.NumberFormat("en-US");

function count(value) {
  return COUNT.format(value);
}

/** A number without needless digits. */
function number(value, digits = 3) {
  const text = Number(value).toFixed(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function same(low, high) {
  return Math.abs(high - low) < 1e-9;
}

/** A range with a dash, or one number where both ends are the same. */
function range(low, high, digits = 3) {
  return same(low, high) ? number(low, digits) : `${number(low, digits)}–${number(high, digits)}`;
}

/** A share as percent, with one decimal where that says more. */
function percent(low, high = low) {
  const one = (value) => number(value * 100, 1);
  return same(low, high) ? `${one(low)} %` : `${one(low)}–${one(high)} %`;
}

function seconds(value) {
  if (value === undefined || value === null) return "–";
  if (value < 10) return `${number(value, 2)} s`;
  if (value < 120) return `${number(value, 1)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 120 ? `${minutes} min ${Math.round(value % 60)} s` : `${number(value / 3600, 1)} h`;
}

function bytes(value) {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${number(value / 1e3, 1)} kB`;
  return `${number(value / 1e6, 1)} MB`;
}

function usd(value) {
  if (value === undefined || value === null) return "–";
  return value !== 0 && value < 0.1 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

/** Time since the agent started: 0.110 s, 12.3 s, 2:05. */
function since(milliseconds) {
  // Stamps are rounded to milliseconds: the prompt may seem to come before the start.
  const value = milliseconds > -5 ? Math.max(0, milliseconds / 1000) : milliseconds / 1000;
  if (Math.abs(value) < 100) return `${value.toFixed(2)} s`;
  const rest = Math.floor(Math.abs(value));
  return `${value < 0 ? "-" : ""}${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
}

function plural(value, one, many = one + "s") {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const OUTCOMES = {
  scored: { word: "scored", says: "The agent came to its end and was graded." },
  agent_error: { word: "agent error", says: "The agent failed; what it left was graded all the same." },
  timeout: { word: "timeout", says: "The agent's time was up; what it left was graded all the same." },
  ungraded: { word: "ungraded", says: "The grader failed. This says nothing about the agent and counts in no mean." },
  infrastructure: {
    word: "infrastructure",
    says: "Sandbox, service, disk or upstream failed. This says nothing about the agent and counts in no mean.",
  },
  not_started: { word: "not started", says: "Planned, and nothing is there yet." },
  unfinished: { word: "unfinished", says: "It runs, or its runner was interrupted: there is no record yet." },
  damaged: { word: "damaged", says: "There is something that cannot be its record." },
};

function outcome(word) {
  return own(OUTCOMES, word) || { word: word || "unknown", says: "This version of the report does not know this outcome; it counts in no mean." };
}

const RESULTS = {
  pass: ["PASS", "good", "At or above the threshold, whatever a judge will say."],
  borderline: ["BORDERLINE", "mid", "Between the thresholds."],
  fail: ["FAIL", "bad", "Below the thresholds, whatever a judge will say."],
  undecided: ["UNDECIDED", "open", "It depends on criteria that nobody has decided."],
};

/** How a trial stands, as a badge: its result, its share, or why it has none. */
function badge(trial) {
  const known = trial.g && trial.r && own(RESULTS, trial.r);
  if (known) return h("span", { class: "badge " + known[1], title: known[2] }, known[0]);
  if (trial.g) {
    const open = trial.s && !same(trial.s[0], trial.s[1]);
    return h("span", { class: "badge " + (open ? "open" : "plain"), title: outcome(trial.o).says }, open ? "OPEN POINTS" : "GRADED");
  }
  return h("span", { class: "badge none", title: outcome(trial.o).says }, outcome(trial.o).word.toUpperCase());
}

const STATUS = {
  graded: "decided by the grader",
  judged: "decided by a judge",
  open: "open: nobody has decided it",
  error: "error: nobody could decide it",
};

const KINDS = {
  "gmail.message": "mail",
  "gmail.draft": "draft",
  "gmail.label": "label",
  "tasks.task": "task",
  "tasks.tasklist": "task list",
  "github.repository": "repository",
  "github.branch": "branch",
  "github.tag": "tag",
  "github.commit": "commit",
  "github.label": "label",
  "github.issue": "issue",
  "github.pull_request": "pull request",
  "notion.page": "page",
  "notion.database": "database",
};

const SERVICES = { gmail: "Gmail", tasks: "Google Tasks", github: "GitHub", notion: "Notion", calendar: "Calendar" };

function service(word) {
  return own(SERVICES, word) || word;
}

// What a citation leads to: mail as mail, page as page, a difference as one, a file with its line.

function pairs(entries) {
  return h("dl", { class: "pairs" }, entries.filter(Boolean).map(([word, value]) =>
    h("div", {}, h("dt", {}, word), h("dd", {}, value))));
}

function names(list) {
  return (Array.isArray(list) ? list : []).map((one) => (one && one.cut && !one.t ? cutMark(one.cut, "items") : shown(one)))
    .flatMap((node, at) => (at ? [", ", node] : [node]));
}

function list(value) {
  return Array.isArray(value) ? value.filter((item) => !(item && typeof item === "object" && item.cut && item.t === undefined)) : [];
}

function missing(value) {
  const last = Array.isArray(value) ? value[value.length - 1] : null;
  return last && typeof last === "object" && last.cut && last.t === undefined ? cutMark(last.cut, "items") : null;
}

/** An object of the world, by its kind. */
function objectView(object, focus) {
  const data = object.data || {};
  const view = own(VIEWS, object.kind);
  try {
    if (view) return view(data, focus);
  } catch (error) {
    return [h("p", { class: "quiet" }, "This object is not as its service makes it; here is what there is."), jsonView(data)];
  }
  return jsonView(data);
}

function jsonView(value) {
  return block(JSON.stringify(value, (_, inner) => (isText(inner) && typeof inner !== "string" ? `${inner.t} [cut: ${inner.cut} bytes more]` : inner), 2));
}

const VIEWS = {
  "gmail.message": mailView,
  "gmail.draft": mailView,
  "tasks.task": taskView,
  "notion.page": pageView,
  "github.pull_request": pullView,
  "github.issue": issueView,
  "github.commit": commitView,
};

function mailView(mail) {
  const time = Number(mail.internal_date_ms);
  return h("article", { class: "mail" },
    h("h4", {}, shown(mail.subject || "(no subject)")),
    pairs([
      ["From", shown(mail.from)],
      ["To", names(mail.to)],
      list(mail.cc).length > 0 && ["Cc", names(mail.cc)],
      list(mail.bcc).length > 0 && ["Bcc", names(mail.bcc)],
      Number.isFinite(time) && time > 0 && ["Date", new Date(time).toISOString().replace("T", " ").slice(0, 16) + " UTC"],
      ["Labels", names(mail.label_ids)],
      ["Made", mail.seeded ? "by the task" : "during the trial"],
    ]),
    block(mail.text, "prose"),
    list(mail.attachments).map((one) => h("p", { class: "small quiet" }, "Attachment: ", shown(one.filename || "without a name"), ` (${bytes(one.bytes || 0)})`)));
}

function taskView(task) {
  return h("article", {},
    h("h4", {}, h("span", { "aria-hidden": "true" }, task.status === "completed" ? "☑ " : "☐ "), shown(task.title)),
    pairs([
      ["Status", task.status === "completed" ? "completed" : "needs action"],
      task.due && ["Due", shown(firstLine(task.due).slice(0, 10))],
      task.deleted && ["Deleted", "yes"],
      ["Made", task.seeded ? "by the task" : "during the trial"],
    ]),
    task.notes && block(task.notes, "prose"));
}

const MARKERS = { bulleted_list_item: "• ", numbered_list_item: "· ", quote: "❝ ", divider: "———" };

function pageView(page, focus) {
  const blocks = list(page.blocks).map((one) => {
    const cited = focus && one.id === focus;
    const depth = Math.min(8, Number(one.depth) || 0);
    const heading = /^heading_[1-4]$/.test(one.type) ? " " + one.type : "";
    const sign = own(MARKERS, one.type) || "";
    const check = one.checked === true ? "☑ " : one.checked === false ? "☐ " : sign;
    const body = Array.isArray(one.cells) && one.cells.length
      ? h("span", { class: "cells-row" }, one.cells.map((text) => h("span", {}, shown(text))))
      : one.type === "code" ? block(one.text) : [check, shown(one.text)];
    return h("div", { class: `pblock d${depth}${heading}${cited ? " cited" : ""}${one.seeded ? "" : " made"}` }, body,
      cited && h("span", { class: "mark-cited" }, "cited"));
  });
  return h("article", { class: "page" },
    h("h4", {}, shown(page.title || "(no title)")),
    h("p", { class: "quiet small" }, list(page.path).flatMap((part, at) => (at ? [" / ", shown(part)] : [shown(part)]))),
    page.in_trash && h("p", { class: "warn" }, "In the trash."),
    properties(page.properties),
    blocks.length > 0 && h("p", { class: "small quiet" }, "A line at the side marks what was made during the trial."),
    blocks, missing(page.blocks),
    list(page.comments).map((one) => comment(one.created_by, one.text, one.id === focus)));
}

function properties(value) {
  const entries = Object.entries(value && typeof value === "object" ? value : {});
  return entries.length > 0 && pairs(entries.map(([key, text]) => [shown(key), shown(text)]));
}

function comment(who, text, cited) {
  return h("div", { class: "comment" + (cited ? " cited" : "") }, h("p", { class: "small quiet" }, shown(who || "somebody")), block(text, "prose"));
}

function pullView(pull, focus) {
  const state = pull.merged ? "merged" : pull.state || "open";
  return h("article", {},
    h("h4", {}, shown(pull.title), h("span", { class: "quiet" }, ` #${Number(pull.number)}`)),
    pairs([
      ["State", shown(state)],
      ["By", shown(pull.user)],
      ["From", shown(pull.head && pull.head.ref)],
      ["Into", shown(pull.base && pull.base.ref)],
      list(pull.requested_reviewers).length > 0 && ["Reviewers", names(pull.requested_reviewers)],
      list(pull.labels).length > 0 && ["Labels", names(pull.labels)],
      ["Made", pull.seeded ? "by the task" : "during the trial"],
    ]),
    block(pull.body, "prose"),
    conversation(pull, focus),
    filesView(pull.files));
}

function conversation(holder, focus) {
  return [...list(holder.comments), ...list(holder.reviews), ...list(holder.review_comments)].map((one) =>
    comment(one.user, one.body || one.state, focus && String(one.id) === focus));
}

function issueView(issue, focus) {
  return h("article", {},
    h("h4", {}, shown(issue.title), h("span", { class: "quiet" }, ` #${Number(issue.number)}`)),
    pairs([
      ["State", shown(issue.state)],
      ["By", shown(issue.user)],
      list(issue.labels).length > 0 && ["Labels", names(issue.labels)],
      list(issue.assignees).length > 0 && ["Assigned", names(issue.assignees)],
      ["Made", issue.seeded ? "by the task" : "during the trial"],
    ]),
    block(issue.body, "prose"),
    conversation(issue, focus));
}

function commitView(commit) {
  return h("article", {},
    h("h4", {}, shown(firstLine(commit.message))),
    pairs([
      ["Commit", h("code", {}, shown(commit.sha))],
      ["By", shown(commit.author && `${raw(commit.author.name)} <${raw(commit.author.email)}>`)],
      ["Made", commit.seeded ? "by the task" : "during the trial"],
    ]),
    block(commit.message, "prose"),
    filesView(commit.files));
}

function filesView(files) {
  return [
    list(files).map((file) => h("div", { class: "diff-file" },
      h("p", { class: "file-name" }, h("code", {}, shown(file.filename)),
        h("span", { class: "small quiet" }, ` ${raw(file.status)}, +${Number(file.additions) || 0} −${Number(file.deletions) || 0}`)),
      file.patch ? diffView(file.patch) : h("p", { class: "quiet small" }, "No difference in text."))),
    missing(files),
  ];
}

/** A unified difference. What is added and removed says so by its sign, too. */
function diffView(patch) {
  const lines = raw(patch).replace(/\n$/, "").split("\n");
  const body = h("pre", { class: "theirs diff", dir: "ltr" });
  for (const line of lines) {
    const kind = line.startsWith("@@") ? "hunk" : line[0] === "+" ? "plus" : line[0] === "-" ? "minus" : "same";
    body.append(h("span", { class: kind }, shownNodes(line), "\n"));
  }
  const cut = isText(patch) && typeof patch !== "string" ? cutMark(patch.cut) : null;
  return h("div", { class: "block" }, body, cut);
}

/** A file, or what is here of it, with the cited line marked. */
function fileView(file, line) {
  const head = h("p", { class: "file-name" }, h("code", {}, shown(file.path)), h("span", { class: "small quiet" }, ` ${bytes(file.bytes)}`));
  if (file.why) return [head, h("p", { class: "quiet" }, "Not shown: ", shown(file.why), ".")];
  const body = h("pre", { class: "theirs lines", dir: "ltr" });
  const lines = raw(file.text).split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  lines.forEach((text, at) => {
    const number = file.first + at;
    body.append(h("span", { class: "line" + (number === line ? " cited" : ""), "data-n": number }, shownNodes(text), "\n"));
  });
  const parts = [head];
  if (file.first > 1) parts.push(h("p", { class: "small quiet" }, `Lines before ${file.first} are not here.`));
  parts.push(h("div", { class: "block" }, body, isText(file.text) && typeof file.text !== "string" ? cutMark(file.text.cut) : null));
  if (file.more > 0) parts.push(cutMark(file.more, "lines"));
  if (line && !body.querySelector(".cited")) parts.push(h("p", { class: "quiet" }, `Line ${line} is not among the lines that are here.`));
  return parts;
}

// Judge, model, workspace and files of a trial; the way between pages.

function judgeView(data) {
  return [streamNote(data.judge, "call"), h("ol", { class: "plain" }, data.judge.items.items.map((call) => {
    if (call.broken !== undefined) return h("li", {}, h("p", { class: "warn" }, `Line ${call.n} is no call:`), block(call.broken));
    const failed = call.failure;
    return h("li", { class: "card" },
      h("p", {}, h("strong", {}, shown(call.criterion)), " asked of ", shown(call.judge), call.vote > 1 || call.attempt > 1 ? `, vote ${Number(call.vote)}, attempt ${Number(call.attempt)}` : "",
        " ", failed ? h("span", { class: "badge bad" }, "NOT TAKEN") : h("span", { class: "badge good" }, "TAKEN")),
      failed && h("p", { class: "warn" }, shown(failed.kind), ": ", shown(failed.problem || failed.reason || failed.message || "")),
      block(call.answer),
      opening(h("span", { class: "small" }, "What it was asked"), () => [call.system && block(call.system), block(call.user)]),
      h("p", { class: "small quiet" }, call.model && [shown(call.model), ", "], seconds(Number(call.seconds))));
  }))];
}

function modelView(data) {
  const rows = data.model.items.items.map((one) => {
    if (one.broken !== undefined) return h("tr", {}, h("th", { scope: "row" }, one.n), h("td", { colspan: 6 }, shown(firstLine(one.broken))));
    const usage = one.usage || {};
    const end = one.end ? raw(one.end.kind) : "";
    return h("tr", {}, h("th", { scope: "row" }, one.seq === undefined ? one.n : Number(one.seq)),
      h("td", {}, shown(one.answered || one.asked || "–")),
      h("td", { class: "n" }, count((Number(usage.input) || 0) + (Number(usage.cache_read) || 0) + (Number(usage.cache_write) || 0))),
      h("td", { class: "n" }, count(Number(usage.output) || 0), one.estimated === true && h("div", { class: "small quiet" }, "estimated")),
      h("td", { class: "n" }, usd(one.usd === undefined ? undefined : Number(one.usd))),
      h("td", { class: "n" }, seconds((Number(one.ms) || 0) / 1000)),
      h("td", { class: end === "ok" ? "" : "warn" }, end === "ok" ? shown(one.stop || "answered") : [shown(end), " ", shown((one.end && (one.end.reason || one.end.what)) || "")]));
  });
  return [streamNote(data.model, "request"), table("Requests to the model",
    [{ name: "#", class: "n" }, "Model", { name: "In", class: "n" }, { name: "Out", class: "n" }, { name: "Cost", class: "n" }, { name: "Time", class: "n" }, "How it ended"], rows)];
}

function probesView(data) {
  return list(data.probes).map((probe) => h("div", { class: "card", id: "probe-" + raw(probe.name) },
    h("h3", {}, shown(probe.name), " ", h("span", { class: "quiet" }, probe.status === "exited" ? `exit code ${Number(probe.exit_code)}` : shown(probe.status))),
    block(probe.run, "command"), probe.stdout && block(probe.stdout), probe.stderr && block(probe.stderr)));
}

function workspaceView(data) {
  const entries = data.workspace.entries || [];
  if (!entries.length) return h("p", { class: "quiet" }, "The workspace is empty, or there is no list of it.");
  const files = entries.filter((entry) => entry.kind !== "directory");
  const body = h("tbody", {});
  const button = more(files, 60, body, (entry) => h("tr", {},
    h("th", { scope: "row" }, h("code", {}, shown(entry.path)), entry.target !== undefined && h("span", { class: "quiet" }, " → ", shown(entry.target))),
    h("td", {}, entry.refused ? h("span", { class: "warn" }, "not kept: ", shown(entry.refused)) : shown(entry.kind)),
    h("td", { class: "n" }, bytes(Number(entry.bytes) || 0)),
    h("td", {}, entry.seeded ? "seeded by the task" : "new")));
  return [
    data.workspace.truncated && h("p", { class: "warn" }, "The list ended early: ", shown(data.workspace.truncated)),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Files of the workspace" },
      h("table", {}, h("caption", { class: "quiet" }, "What the agent left"), h("thead", {}, h("tr", {}, ["Path", "Kind", "Size", "From"].map((word) => h("th", { scope: "col", class: word === "Size" ? "n" : null }, word)))), body)),
    button, data.workspace.cut > 0 && cutMark(data.workspace.cut, "entries")];
}

function rawView(data, trial) {
  const { items, cut } = data.files;
  if (!items.length) return h("p", { class: "quiet" }, "There are none.");
  const holder = h("ul", { class: "raw" });
  return [
    h("p", { class: "quiet" }, "In the job's directory, below ", h("code", {}, shown(trial.dir)),
      ". Linked is what a browser shows as text or picture; of other files it might run what an agent put into them."),
    holder,
    more(items, 80, holder, (file) => h("li", {}, file.link ? fileLink(trial.dir, file.path, shown(file.path)) : h("code", {}, shown(file.path)),
      h("span", { class: "quiet small" }, file.odd ? " no regular file" : ` ${bytes(file.bytes)}`))),
    cut > 0 && cutMark(cut, "files")];
}

/** Shows what a citation points at, beside the page. */
function exhibit(index, citation) {
  const panel = document.getElementById("exhibit");
  const target = cited(citation) || guess(citation);
  const close = h("button", { type: "button", class: "close", on: { click: () => leaveExhibit(index) } }, "Close");
  const inside = [];
  if (target.to === "object") {
    const object = own(current.exhibits.objects, target.key);
    inside.push(object
      ? [h("p", { class: "quiet small" }, object.at === "after" ? "As the agent left it" : "As the task seeded it"), objectView(object, target.focus)]
      : h("p", {}, cutMark(1, "object")));
  } else if (target.to === "file") {
    const file = own(current.exhibits.files, target.key);
    inside.push(file ? fileView(file, target.line) : h("p", {}, cutMark(1, "file")));
  } else if (target.to === "journal") {
    const request = current.journal.items.items.find((one) => one.n === target.n);
    inside.push(request ? [requestInside(request, index), seek("request-" + target.n)] : h("p", {}, `Request ${target.n} is not here.`));
  } else if (target.to === "transcript") {
    const event = current.transcript.items.items.find((one) => one.n === target.n);
    inside.push(event ? [eventView(event), seek("event-" + target.n)] : h("p", {}, `Event ${target.n} is not here.`));
  } else if (target.to === "probe") {
    const probe = list(current.probes).find((one) => raw(one.name) === target.name);
    inside.push(probe ? [block(probe.run, "command"), fileView({ path: "standard output", bytes: probe.stdout_bytes || 0, first: 1, text: probe.stdout, more: 0 }, target.line)]
      : h("p", {}, "This probe is not here."));
  } else {
    inside.push(h("p", { class: "warn" }, shown(target.why || "It points at nothing that is here.")));
  }
  const title = h("h2", { tabindex: "-1" }, citationWords(citation, target));
  panel.replaceChildren(h("div", { class: "exhibit-head" }, title, close), h("p", { class: "small" }, h("code", {}, shown(citation))), h("div", {}, inside));
  panel.hidden = false;
  document.body.classList.add("with-exhibit");
  title.focus({ preventScroll: true });
  panel.scrollTop = 0;
  const marked = panel.querySelector(".cited");
  if (marked) marked.scrollIntoView({ block: "center" });
}

/** Where a citation leads. Its text is others': it is looked up among own keys only. */
function cited(citation) {
  return own(current.exhibits.cited, citation);
}

/** Citations that no criterion has: objects that changes and requests name. */
function guess(citation) {
  const object = own(current.exhibits.objects, citation);
  if (object) return { to: "object", key: citation, label: object.label };
  const [, scheme, n] = /^(journal|transcript):(\d+)$/.exec(citation) || [];
  return scheme ? { to: scheme, n: Number(n) } : { to: "nowhere" };
}

/** The place in the timeline: a request of a tool's call is made when the call is opened. */
function inTimeline(id) {
  const [what, n] = id.split("-");
  if (what === "request" && !document.getElementById(id)) {
    const request = current.journal.items.items.find((one) => one.n === Number(n));
    const parent = request && request.part_of !== undefined && inTimeline("request-" + Number(request.part_of));
    const call = parent && parent.querySelector("details");
    if (call) {
      call.fill?.();
      call.open = true;
    }
  }
  // Of a long timeline only the beginning is made at first.
  const button = document.querySelector("#timeline > .more");
  while (button && !button.hidden && !document.getElementById(id)) button.click();
  return document.getElementById(id);
}

/** A button to the place in the timeline. */
function seek(id) {
  return h("button", { type: "button", class: "more", on: { click: () => {
    const place = inTimeline(id);
    if (!place) return;
    focusOn(place);
    place.scrollIntoView({ block: "center" });
    place.classList.add("found");
  } } }, "Show it in the timeline");
}

function hideExhibit() {
  const panel = document.getElementById("exhibit");
  if (panel) panel.hidden = true;
  document.body.classList.remove("with-exhibit");
}

let opener = null;

function leaveExhibit(index) {
  hideExhibit();
  history.replaceState(null, "", "#/t/" + index);
  if (opener && opener.isConnected) opener.focus();
}

let onScreen = null;

async function show() {
  const path = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map((part) => {
    try { return decodeURIComponent(part); } catch { return ""; }
  });
  const place = document.getElementById("app");
  const index = path[0] === "t" && /^\d+$/.test(path[1] || "") ? Number(path[1]) : null;
  if (index === null || !job.trials[index]) {
    if (onScreen !== "overview") {
      place.replaceChildren(topBar(null), overview());
      onScreen = "overview";
      arrive("Proctor report");
    }
    return;
  }
  if (onScreen !== index) {
    hideExhibit();
    place.replaceChildren(topBar(job.trials[index]), h("main", { id: "main" }, h("p", { class: "quiet", role: "status" }, "Unpacking…")));
    onScreen = index;
    let data;
    try {
      data = await details(index);
    } catch (error) {
      place.replaceChildren(topBar(null), h("main", { id: "main" }, h("p", { class: "warn" }, "The details of this trial cannot be unpacked: ", shown(String(error)))));
      return;
    }
    if (onScreen !== index) return;
    place.replaceChildren(topBar(job.trials[index]), trialPage(index, data));
    arrive(plainName(job.trials[index]));
  }
  if (path[2] === "c" && path[3]) {
    if (document.activeElement && document.activeElement.matches("a")) opener = document.activeElement;
    exhibit(index, path[3]);
  } else {
    hideExhibit();
    const heading = path[2] === "s" && document.getElementById((path[3] || "") + "-h");
    if (heading) {
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "start" });
    }
  }
}

let arrived = false;

/** A new page: its title, its top, and the focus for those who do not see it. */
function arrive(title) {
  document.title = title;
  window.scrollTo(0, 0);
  if (arrived) document.getElementById("main").focus({ preventScroll: true });
  arrived = true;
}

function topBar(trial) {
  return h("header", { class: "bar" }, h("nav", { "aria-label": "Report" },
    go([], { class: "brand" }, "Proctor"),
    trial ? h("span", { class: "crumb" }, called(trial)) : h("ul", {}, [["results", "Results"], ["matrix", "Trials"], ["criteria", "Criteria"], ["scores", "Scores"], ["all", "List"]].map(([id, word]) =>
      h("li", {}, h("a", { href: "#/", on: { click: (event) => {
        event.preventDefault();
        const heading = document.getElementById(id + "-h");
        heading.focus({ preventScroll: true });
        heading.scrollIntoView({ block: "start" });
      } } }, word))))));
}

async function start() {
  job = await unpack("overview");
  document.body.prepend(patterns());
  window.addEventListener("hashchange", show);
  document.addEventListener("keydown", (event) => {
    const panel = document.getElementById("exhibit");
    if (event.key === "Escape" && panel && !panel.hidden) leaveExhibit(onScreen);
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  // A link to where we are is none for the browser, and a way back for a reader.
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a");
    if (link && link.getAttribute("href") === location.hash) show();
  });
  // On paper nothing can be opened.
  window.addEventListener("beforeprint", () => {
    for (const closed of document.querySelectorAll("details:not([open])")) {
      closed.fill?.();
      closed.setAttribute("open", "");
    }
  });
  await show();
  document.documentElement.setAttribute("data-ready", "1");
}

start().catch((error) => {
  document.getElementById("app").replaceChildren(h("main", { id: "main" }, h("h1", {}, "Proctor report"),
    h("p", { class: "warn" }, "This page cannot be shown: ", String(error))));
});

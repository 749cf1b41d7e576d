// What the agent said and did, beside what the world was asked meanwhile.

const ROLES = { system: "System prompt", user: "Prompt", assistant: "Agent", toolResult: "Tool's answer" };

/** Rows of the timeline: an event, and the requests until the next one. */
function rows(data) {
  const start = Date.parse(data.manifest.clock && raw(data.manifest.clock.started_at));
  const events = data.transcript.items.items.map((event) => {
    const at = Date.parse(raw(event.at));
    return { event, at: Number.isFinite(at) && Number.isFinite(start) ? at - start : null, requests: [] };
  });
  const early = { event: null, at: null, requests: [] };
  const timed = events.filter((row) => row.at !== null);
  for (const request of data.journal.items.items) {
    const at = Number(request.t_us) / 1000;
    let low = 0, high = timed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // Events are stamped in whole milliseconds.
      if (timed[middle].at <= at + 1) low = middle + 1; else high = middle;
    }
    (low > 0 && Number.isFinite(at) ? timed[low - 1] : early).requests.push(request);
  }
  return early.requests.length ? [early, ...events] : events;
}

function timeline(data, index) {
  const all = rows(data);
  const { transcript, journal } = data;
  const holder = h("ol", { class: "timeline" });
  const notes = [streamNote(transcript, "event"), streamNote(journal, "request")].filter(Boolean);
  const made = data.manifest.agent && raw(data.manifest.agent.transcript);
  const sources = { runner: "made by the runner itself", agent: "read from the agent's own session: what it claims", output: "only what the agent printed" };
  const who = own(sources, made);
  if (!all.length) return [notes, h("p", { class: "quiet" }, "Neither a transcript nor a journal is there.")];
  return [
    h("p", { class: "quiet" }, `${plural(transcript.items.items.length, "event")} of the transcript`, who && ` (${who})`,
      `; ${plural(journal.items.items.length, "request")} that the world answered or refused.`),
    notes,
    h("div", { class: "timeline-head", "aria-hidden": "true" }, h("span", {}, "Time"), h("span", {}, "Transcript"), h("span", {}, "Journal")),
    holder,
    more(all, 150, holder, (row) => rowView(row, index)),
  ];
}

function streamNote(stream, what) {
  const parts = [];
  if (stream.problem) parts.push([`The file of ${what}s cannot be read: `, shown(stream.problem)]);
  if (stream.items.cut) parts.push(cutMark(stream.items.cut, what + "s"));
  if (stream.unread) parts.push(cutMark(stream.unread, `bytes of ${what}s`));
  return parts.length ? h("p", { class: "warn" }, parts) : null;
}

function rowView(row, index) {
  const { event } = row;
  return h("li", { id: event ? "event-" + event.n : null, class: "row" },
    h("div", { class: "when small quiet" }, row.at === null ? "" : since(row.at)),
    h("div", { class: "said" }, event ? eventView(event) : h("p", { class: "quiet" }, "Before the first event")),
    h("div", { class: "asked" }, requestsView(row.requests, index)));
}

function eventView(event) {
  if (event.broken !== undefined) {
    return [h("p", { class: "warn" }, `Line ${event.n} is no event:`), block(event.broken)];
  }
  const role = raw(event.role);
  const head = [h("span", { class: "n-event" }, event.n), " ", own(ROLES, role) || shown(event.type || role)];
  if (event.toolName) head.push(" of ", h("code", {}, shown(event.toolName)));
  if (event.isError === true) head.push(" ", h("span", { class: "badge bad" }, "ERROR"));
  if (event.details && event.details.exitCode) head.push(" ", h("span", { class: "badge bad" }, `EXIT ${Number(event.details.exitCode)}`));
  const parts = (event.parts || []).map((part) => partView(part, role));
  if (event.other) parts.push(opening("As it came", () => jsonView(event.other)));
  if (event.cut) parts.push(cutMark(event.cut, "parts"));
  return [h("p", { class: "role role-" + (own(ROLES, role) ? role : "other") }, head), parts,
    event.usage && h("p", { class: "small quiet" }, `${count(Number(event.usage.output) || 0)} tokens out`, event.model && [", ", shown(event.model)])];
}

function partView(part, role) {
  if (part.text !== undefined) {
    const text = raw(part.text);
    const long = text.length > 1200 || text.split("\n").length > 18;
    const folds = role === "toolResult" ? text.includes("\n") && (long || text.length > 400) : long && role !== "assistant";
    if (!folds) return block(part.text, "prose");
    return opening(h("span", { class: "small" }, shown(firstLine(part.text, 90) || "…"), h("span", { class: "quiet" }, ` (${plural(text.split("\n").length, "line")})`)),
      () => block(part.text));
  }
  if (part.tool !== undefined) {
    const given = part.arguments && typeof part.arguments === "object" ? part.arguments : {};
    const command = ["command", "cmd", "script"].map((key) => given[key]).find(isText);
    return h("div", { class: "call" }, h("p", { class: "small" }, h("code", {}, shown(part.tool))),
      command !== undefined ? block(command, "command") : Object.keys(given).length > 0 && jsonView(given));
  }
  return opening("Another part", () => jsonView(part.other));
}

function requestsView(requests, index) {
  if (!requests.length) return null;
  // Requests that a call of a tool made stand inside of the call.
  const heads = new Map(requests.map((request) => [request.n, request]));
  const parents = requests.filter((request) => {
    const parent = request.part_of !== undefined && heads.get(Number(request.part_of));
    if (!parent || parent === request) return true;
    (parent.parts ||= []).push(request);
    return false;
  });
  const holder = h("ol", { class: "requests" });
  return [holder, more(parents, 40, holder, (request) => h("li", { id: "request-" + request.n }, requestView(request, index)))];
}

function requestView(request, index) {
  if (request.broken !== undefined) return [h("p", { class: "warn" }, `Line ${request.n} is no entry:`), block(request.broken)];
  const egress = request.kind === "egress";
  const status = Number(request.status) || 0;
  const good = status >= 200 && status < 400;
  const parts = request.parts || [];
  const what = request.via && request.part_of === undefined ? shown(request.via.tool) : request.operation ? shown(request.operation) : [shown(request.method || "connection"), " ", shown(firstLine(request.path || "", 60))];
  const summary = h("span", {},
    h("span", { class: "n-event" }, request.n), " ",
    egress ? h("span", { class: "badge bad" }, "REFUSED EGRESS") : h("span", { class: "svc" }, shown(service(raw(request.service)))), " ",
    h("code", {}, what), " ",
    !egress && h("span", { class: good ? "status" : "status bad" }, status || "–"),
    parts.length > 0 && h("span", { class: "small quiet" }, ` ${plural(parts.length, "request")}`),
    [request, ...parts].some((one) => list(one.changed).length > 0) && h("span", { class: "changed" }, " changes"));
  return opening(summary, () => [requestInside(request, index), requestsView(parts, index)]);
}

function requestInside(request, index) {
  const touches = (word, all) => list(all).length > 0 && [word, [h("ul", { class: "touches" }, list(all).map((touch) =>
    h("li", {}, touchLink(touch, index), touch.view && h("span", { class: "quiet" }, ` ${raw(touch.view)}`),
      touch.change && h("span", { class: "quiet" }, ` ${raw(touch.change)}`),
      list(touch.fields).length > 0 && h("span", { class: "quiet" }, " (", names(touch.fields), ")")))), missing(all)]];
  return [
    pairs([
      ["Request", h("code", {}, shown(request.method || ""), " ", shown(`${raw(request.host)}${request.port && request.port !== 443 ? ":" + Number(request.port) : ""}${raw(request.path || "")}${request.query ? "?" + raw(request.query) : ""}`))],
      request.actor && ["As", shown(request.actor)],
      request.via && ["Tool", [shown(request.via.tool), " over ", shown(request.via.channel)]],
      request.operation && ["Method", h("code", {}, shown(request.operation))],
      request.part_of && ["Part of", go(["t", index, "c", "journal:" + Number(request.part_of)], {}, `request ${Number(request.part_of)}`)],
      request.note && ["Note", shown(request.note)],
      ["Size", `${bytes(request.request || 0)} in, ${bytes(request.response || 0)} out`],
      Number.isFinite(Number(request.t_us)) && ["At", since(Number(request.t_us) / 1000)],
      touches("Changed", request.changed),
      touches("Read", request.read),
    ]),
    request.body && [h("p", { class: "small quiet" }, "What was sent"), block(request.body)],
  ];
}

/** An object that a request touched: a link where the page carries it. */
function touchLink(touch, index) {
  const kind = raw(touch.type), id = raw(touch.id);
  const word = own(KINDS, kind) || kind;
  for (const moment of ["after", "before"]) {
    const found = own(current.exhibits.objects, `${moment}:${kind}/${id}`);
    if (found) return go(["t", index, "c", `${moment}:${kind}/${id}`], {}, shown(word), ": ", shown(found.label || id));
  }
  return h("span", {}, shown(word), " ", h("code", {}, shown(firstLine(id, 40))));
}

// What the job says: in inert elements, gzip in base64, unpacked when it is asked for.

async function unpack(id) {
  const element = document.getElementById(id);
  if (!element) return null;
  const packed = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function whole() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}

let job;
const known = new Map();

/** A trial's details. Trials stand behind the script: the browser may not have come to them yet. */
async function details(index) {
  if (known.has(index)) return known.get(index);
  if (!document.getElementById("t" + index)) await whole();
  const found = await unpack("t" + index);
  for (const name of ["manifest", "record", "workspace", "verdict"]) found[name] ||= {};
  known.set(index, found);
  // Details of a few trials are enough to keep.
  if (known.size > 8) known.delete(known.keys().next().value);
  return found;
}

/** A value by a key that somebody else wrote. */
function own(values, key) {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** What a trial is called. */
function called(trial) {
  return [shown(job.tasks[trial.t].name), " / ", shown(job.agents[trial.a].name), ` #${trial.n}`];
}

function plainName(trial) {
  return `${job.tasks[trial.t].name} / ${job.agents[trial.a].name} #${trial.n}`;
}

/** What a trial came to, in words: for names of links and cells. */
function stands(trial) {
  if (!trial.g) return outcome(trial.o).word;
  const share = trial.s ? percent(trial.s[0], trial.s[1]) : "no score";
  const result = trial.r && own(RESULTS, trial.r) ? ", " + RESULTS[trial.r][0].toLowerCase() : "";
  const how = trial.o === "scored" ? "" : `, ${outcome(trial.o).word}`;
  return share + result + how;
}

/** The class of a share from 0 to 1. */
function shade(share) {
  return "q" + Math.max(0, Math.min(10, Math.round(share * 10)));
}

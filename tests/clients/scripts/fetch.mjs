// Node's own fetch against the Gmail API: no library, no proxy variables.
// Prints one JSON object.
const api = "https://gmail.googleapis.com/gmail/v1/users/me";
const token = process.env.GOOGLE_WORKSPACE_CLI_TOKEN;
for (const name of Object.keys(process.env)) {
  if (/_proxy$/i.test(name)) throw new Error(`${name} is set`);
}

async function call(path, init = {}) {
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  const response = await fetch(`${api}${path}`, { ...init, headers });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.json() };
}

const listed = await call("/messages?q=is%3Aunread&maxResults=1");
const id = listed.body.messages[0].id;
const many = await Promise.all(
  Array.from({ length: 25 }, () => call(`/messages/${id}?format=metadata&metadataHeaders=Subject`)),
);
const raw = Buffer.from(
  "From: sam.ode@example.com\r\nTo: ada@example.com\r\nSubject: From Node\r\n\r\nHi.\r\n",
).toString("base64url");
const sent = await call("/messages/send", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ raw }),
});
const broken = await call("/messages/send", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{not json",
});
const elsewhere = await fetch("https://api.openai.com/v1/models");
console.log(
  JSON.stringify({
    id,
    subjects: [...new Set(many.map((one) => one.body.payload.headers[0].value))],
    type: listed.type,
    sent: sent.body.id,
    broken: [broken.status, broken.body.error.status],
    elsewhere: [elsewhere.status, (await elsewhere.json()).error.message],
  }),
);

// Starts @notionhq/notion-mcp-server and calls its tools over stdio. Prints one
// JSON object.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const modules = "/opt/proctor/tools/npm";
const require = createRequire(`${modules}/package.json`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

// One server takes its versions of the API from its own tables, which have none
// for comments; the other is told one.
async function connect(env) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${modules}/node_modules/@notionhq/notion-mcp-server/bin/cli.mjs`],
      env: { ...process.env, BASE_URL: "https://api.notion.com", ...env },
    }),
  );
  return client;
}

const client = await connect({});
const told = await connect({
  OPENAPI_MCP_HEADERS: JSON.stringify({
    Authorization: `Bearer ${process.env.NOTION_TOKEN}`,
    "Notion-Version": "2025-09-03",
  }),
});

async function call(name, args, server = client) {
  const answer = await server.callTool({ name, arguments: args });
  return JSON.parse(answer.content[0].text);
}

const { tools } = await client.listTools();
const named = (part) => tools.find((tool) => tool.name.includes(part)).name;
const me = await call(named("get-self"), {});
assert.equal(me.type, "bot");
const found = await call(named("post-search"), { query: "Q3 audit" });
const audit = found.results[0].id;
const children = await call(named("get-block-children"), { block_id: audit });
const todo = children.results.find((block) => block.type === "to_do");
const markdown = await call(named("retrieve-page-markdown"), { page_id: audit });
const edited = await call(named("update-page-markdown"), {
  page_id: audit,
  type: "update_content",
  update_content: { content_updates: [{ old_str: "- [ ] SEC-004", new_str: "- [x] SEC-004" }] },
});
assert(edited.markdown?.includes("- [x] SEC-004"), JSON.stringify(edited));
const tables = await call(named("post-search"), { filter: { property: "object", value: "data_source" } });
const rows = await call(named("query-data-source"), {
  data_source_id: tables.results[0].id,
  filter: { property: "Status", status: { equals: "Backlog" } },
});
const page = await call(named("patch-page"), {
  page_id: rows.results[0].id,
  properties: { PR: { url: "https://github.com/acme/hydra/pull/9" } },
});
const remark = { parent: { page_id: audit }, rich_text: [{ text: { content: "Through MCP." } }] };
const unversioned = await call(named("create-a-comment"), remark);
assert.equal(unversioned.code, "missing_version");
const comment = await call(named("create-a-comment"), remark, told);
assert.equal(comment.object, "comment", JSON.stringify(comment));
const error = await call(named("retrieve-a-page"), { page_id: "00000000-0000-4000-8000-000000000000" });
await client.close();
await told.close();
console.log(
  JSON.stringify({
    tools: tools.length,
    todo: todo.id,
    before: markdown.markdown.split("\n")[0],
    row: page.id,
    pr: page.properties.PR.url,
    comment: comment.object,
    error: error.code,
  }),
);

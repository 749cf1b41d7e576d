// Uses @notionhq/client as programs do: reads a page, ticks a to-do, changes a
// status, moves a row, fills a blank page, and meets its errors. Whatever is not
// as it would be at Notion ends it with an AssertionError. It prints one JSON
// object with the identifiers that the caller looks for in the world afterwards.
//
//     node notion.mjs 2025-09-03|2026-03-11
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire("/opt/proctor/tools/npm/package.json");
const { Client, APIErrorCode, isNotionClientError, iteratePaginatedAPI, isFullPage, isFullBlock } =
  require("@notionhq/client");

const notionVersion = process.argv[2];
const notion = new Client({ auth: process.env.NOTION_TOKEN, notionVersion });
const text = (content) => [{ type: "text", text: { content } }];
const plain = (rich) => rich.map((run) => run.plain_text).join("");

async function refused(call, code, words) {
  try {
    await call;
  } catch (error) {
    assert(isNotionClientError(error), String(error));
    assert.equal(error.code, code);
    assert(error.message.includes(words), error.message);
    return;
  }
  assert.fail(`not refused: ${words}`);
}

async function find(query) {
  const found = await notion.search({ query, filter: { property: "object", value: "page" } });
  assert.equal(found.results.length, 1, query);
  assert(isFullPage(found.results[0]));
  return found.results[0].id;
}

async function blocks(id) {
  const all = [];
  for await (const block of iteratePaginatedAPI(notion.blocks.children.list, { block_id: id, page_size: 2 })) {
    assert(isFullBlock(block));
    all.push(block);
  }
  return all;
}

// Who is here.
const me = await notion.users.me({});
assert.equal(me.bot.workspace_name, "Acme Internal Knowledge Base");
const people = (await notion.users.list({})).results.filter((user) => user.type === "person");
assert.deepEqual(people.map((user) => user.name), ["Agent", "Alex Mercer", "Marcus Okonkwo"]);

// The audit page: tick a to-do, change a cell, move a row.
const audit = await find("audit");
const top = await blocks(audit);
assert.deepEqual(
  top.map((block) => block.type),
  ["heading_1", "to_do", "to_do", "to_do", "callout", "table", "toggle"],
);
const todo = top[1];
assert.equal(plain(todo.to_do.rich_text), "SEC-004: hardcoded API key in settings.py");
const ticked = await notion.blocks.update({ block_id: todo.id, to_do: { checked: true } });
assert.equal(ticked.to_do.checked, true);
assert.deepEqual(ticked.to_do.rich_text, todo.to_do.rich_text);
const rows = await blocks(top[5].id);
await notion.blocks.update({
  block_id: rows[1].id,
  table_row: { cells: [rows[1].table_row.cells[0], text("Remediated"), rows[1].table_row.cells[2]] },
});
await notion.blocks.delete({ block_id: rows[2].id });
const position =
  notionVersion === "2026-03-11"
    ? { position: { type: "after_block", after_block: { id: rows[0].id } } }
    : { after: rows[0].id };
const moved = await notion.blocks.children.append({
  block_id: top[5].id,
  children: [{ table_row: { cells: [text("SEC-017"), text("Deferred"), text("Sprint 5")] } }],
  ...position,
});

// The sprint: a status by name, with the link to a pull request.
const tables = await notion.search({ filter: { property: "object", value: "data_source" } });
const source = tables.results[0].id;
const todos = await notion.dataSources.query({
  data_source_id: source,
  filter: { property: "Status", status: { equals: "To Do" } },
  sorts: [{ property: "Points", direction: "descending" }],
});
const titles = todos.results.map((row) => plain(row.properties.Task.title));
assert.deepEqual(titles, ["#142 OOM fix", "#143 Security remediation"]);
const pr = "https://github.com/acme/hydra/pull/7";
const done = await notion.pages.update({
  page_id: todos.results[0].id,
  properties: { Status: { status: { name: "Done" } }, PR: { url: pr } },
});
assert.equal(done.properties.Status.status.name, "Done");
assert.equal(done.parent.data_source_id, source);
assert.equal("archived" in done, notionVersion === "2025-09-03");

// A blank page gets content, as blocks and as Markdown.
const blank = await find("Hydra Inference API");
assert.deepEqual(await blocks(blank), []);
await notion.blocks.children.append({
  block_id: blank,
  children: [
    { heading_2: { rich_text: text("POST /v1/infer") } },
    { bulleted_list_item: { rich_text: text("model"), children: [{ paragraph: { rich_text: text("a name") } }] } },
    { code: { rich_text: text('{"ok": true}'), language: "json" } },
    {
      table: {
        table_width: 2,
        has_column_header: true,
        children: [
          { table_row: { cells: [text("Field"), text("Type")] } },
          { table_row: { cells: [text("id"), text("string")] } },
        ],
      },
    },
  ],
});
const markdown = await notion.pages.retrieveMarkdown({ page_id: blank });
assert(markdown.markdown.startsWith("## POST /v1/infer\n- model\n\ta name\n```json\n"), markdown.markdown);
const edited = await notion.pages.updateMarkdown({
  page_id: blank,
  type: "update_content",
  update_content: { content_updates: [{ old_str: "a name", new_str: "the **name** of a model" }] },
});
assert(edited.markdown.includes("\tthe **name** of a model"), edited.markdown);

// A new row, and a comment on it.
const row = await notion.pages.create({
  parent: { type: "data_source_id", data_source_id: source },
  properties: { Task: { title: text("#150 Follow-up") }, Due: { date: { start: "2025-07-20" } } },
});
const comment = await notion.comments.create({ parent: { page_id: row.id }, rich_text: text("Made by a client.") });
const comments = await notion.comments.list({ block_id: row.id });
assert.equal(comments.results[0].id, comment.id);

// The trash and back.
await notion.pages.update({ page_id: row.id, in_trash: true });
await refused(
  notion.pages.update({ page_id: row.id, properties: { Task: { title: text("x") } } }),
  APIErrorCode.ValidationError,
  "archived",
);
const back = await notion.pages.update({ page_id: row.id, in_trash: false });
assert.equal(back.in_trash, false);

// What is refused.
const nobody = "00000000-0000-4000-8000-000000000000";
await refused(notion.pages.retrieve({ page_id: nobody }), APIErrorCode.ObjectNotFound, "Could not find page with ID");
await refused(
  notion.blocks.children.append({ block_id: blank, children: Array(101).fill({ divider: {} }) }),
  APIErrorCode.ValidationError,
  "body.children.length should be ≤ `100`, instead was `101`",
);
await refused(
  notion.pages.update({ page_id: row.id, properties: { Status: { select: { name: "Done" } } } }),
  APIErrorCode.ValidationError,
  "Status is expected to be status.",
);
const stranger = new Client({ auth: "" });
await refused(stranger.users.me({}), APIErrorCode.Unauthorized, "API token is invalid.");

console.log(JSON.stringify({ audit, todo: todo.id, moved: moved.results[0].id, done: done.id, blank, row: row.id }));

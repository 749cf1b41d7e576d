// MCP's own client in JavaScript, over HTTP and over the program in the room.
// Prints one JSON object with what it saw.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire('/opt/proctor/tools/npm/');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

async function play(transport) {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    await client.ping();
    const { tools } = await client.listTools();
    const found = await client.callTool({ name: 'GMAIL_FETCH_EMAILS', arguments: { max_results: 1 } });
    assert.equal(found.isError, false);
    assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);
    const wrong = await client.callTool({ name: 'GMAIL_FETCH_EMAILS', arguments: { max_results: 'ten' } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /`max_results`/);
    await client.close();
    return { tools: tools.length, subject: found.structuredContent.data.messages[0].subject };
}

const url = new URL(process.env.PROCTOR_MCP_URL);
const http = await play(new StreamableHTTPClientTransport(url));
const stdio = await play(new StdioClientTransport({ command: '/opt/proctor/bin/proctor-mcp' }));
console.log(JSON.stringify({ http, stdio }));
process.exit(0);

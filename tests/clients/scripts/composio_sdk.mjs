// Composio's own SDK in JavaScript. Prints one JSON object with what it saw.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire('/opt/proctor/tools/npm/');
const { Composio } = require('@composio/core');

const composio = new Composio({
    apiKey: process.env.COMPOSIO_API_KEY,
    // Telemetry and a look for newer versions lead out of the world.
    allowTracking: false,
    disableVersionCheck: true,
});
const session = await composio.create('user_123');
const tools = await session.tools();
const names = tools.map((tool) => tool.function.name);
assert.ok(names.includes('GMAIL_FETCH_EMAILS'), names.join());

const mails = await session.execute('GMAIL_FETCH_EMAILS', { max_results: 1 });
assert.equal(mails.error, null);
const failed = await session.execute('GMAIL_SEND_EMAIL', { body: 'To nobody.' });
assert.match(failed.error, /no recipient/);

console.log(
    JSON.stringify({
        tools: names.length,
        subject: mails.data.messages[0].subject,
        mcp: session.mcp.url,
        key: session.mcp.headers['x-api-key'],
    }),
);
process.exit(0);

"""Composio's own SDK, as an agent's program uses it.

Prints one JSON object with what it saw; stops at the first thing that is not as
it should be.
"""

import asyncio
import json

from composio import Composio
from composio_client import NotFoundError
from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

# Telemetry leads out of the world.
composio = Composio(allow_tracking=False)
session = composio.create(user_id="user_123")
tools = session.tools()
names = [tool["function"]["name"] for tool in tools]
assert "COMPOSIO_SEARCH_TOOLS" in names and "GMAIL_FETCH_EMAILS" in names, names

mails = session.execute("GMAIL_FETCH_EMAILS", arguments={"max_results": 2})
assert mails.result_type == "completed" and mails.error is None, mails
assert len(mails.data["messages"]) == 2, mails.data

failed = session.execute("GMAIL_SEND_EMAIL", arguments={"body": "To nobody."})
assert failed.result_type == "failed" and "no recipient" in failed.error, failed

try:
    session.execute("GMAIL_SEND_MAIL", arguments={})
    raise AssertionError("there is no such tool")
except NotFoundError as error:
    assert "Did you mean GMAIL_SEND_EMAIL?" in str(error), error

found = session.search(query="send an email")
assert "GMAIL_SEND_EMAIL" in found.results[0].primary_tool_slugs, found
assert found.toolkit_connection_statuses[0].has_active_connection, found

meta = session.execute_meta(
    "COMPOSIO_MULTI_EXECUTE_TOOL",
    arguments={"tools": [{"tool_slug": "GMAIL_GET_PROFILE", "arguments": {}}]},
)
profile = meta.data["results"][0]["response"]["data"]

again = composio.use(session.session_id)
assert again.session_id == session.session_id
connected = {toolkit.slug: toolkit.connection.is_active for toolkit in session.toolkits().items}

# Without a session, as older programs do it.
schema = composio.tools.get_raw_composio_tool_by_slug("GMAIL_SEND_EMAIL")
assert "recipient_email" in schema.input_parameters["properties"], schema
sent = composio.tools.execute(
    "GMAIL_SEND_EMAIL",
    user_id="user_123",
    arguments={"recipient_email": "ada@example.com", "subject": "From the SDK", "body": "Hi."},
    dangerously_skip_version_check=True,
)
assert sent["successful"], sent


async def over_mcp():
    """The session's tools over MCP, at the address and with the key it gives."""
    client = create_mcp_http_client(headers=session.mcp.headers)
    async with streamable_http_client(session.mcp.url, http_client=client) as streams:
        async with ClientSession(streams[0], streams[1]) as server:
            await server.initialize()
            listed = await server.list_tools()
            result = await server.call_tool("GMAIL_GET_PROFILE", {})
            return len(listed.tools), result.structured_content


count, over = asyncio.run(over_mcp())
assert over["successful"], over

print(
    json.dumps(
        {
            "tools": len(names),
            "mcp_tools": count,
            "mcp_url": session.mcp.url,
            "profile": profile["emailAddress"],
            "mcp_profile": over["data"]["emailAddress"],
            "connected": connected,
            "sent": sent["data"]["id"],
        }
    )
)

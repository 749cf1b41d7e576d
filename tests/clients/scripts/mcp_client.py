"""MCP's own client in Python: over HTTP, and over the program in the room.

Prints one JSON object with what it saw; stops at the first thing that is not as
it should be.
"""

import asyncio
import json
import os

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def play(session):
    """What a model does with the tools, and what it is told."""
    hello = await session.initialize()
    await session.send_ping()
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    send = tools["GMAIL_SEND_EMAIL"]
    assert "Sends a new mail" in send.description, send
    assert send.input_schema["properties"]["cc"]["description"], send
    assert tools["GMAIL_FETCH_EMAILS"].annotations.read_only_hint is True
    assert send.annotations.read_only_hint is False

    found = await session.call_tool("GMAIL_FETCH_EMAILS", {"query": "from:ada", "max_results": 5})
    assert not found.is_error, found
    mails = found.structured_content["data"]["messages"]
    assert json.loads(found.content[0].text) == found.structured_content
    answered = await session.call_tool(
        "GMAIL_REPLY_TO_THREAD",
        {
            "thread_id": mails[0]["threadId"],
            "recipient_email": "ada@example.com",
            "message_body": "Over MCP: größer.",
        },
    )
    assert not answered.is_error, answered

    wrong = await session.call_tool("GMAIL_SEND_MAIL", {})
    assert wrong.is_error and "Did you mean GMAIL_SEND_EMAIL?" in wrong.content[0].text, wrong
    missing = await session.call_tool("GMAIL_REPLY_TO_THREAD", {"thread_id": "x"})
    assert missing.is_error and "`message_body`" in missing.content[0].text, missing
    try:
        await session.list_prompts()
        raise AssertionError("there are no prompts")
    except MCPError as error:
        code = error.error.code
    return {
        "server": hello.server_info.name,
        "version": hello.protocol_version,
        "tools": len(tools),
        "mails": [mail["messageId"] for mail in mails],
        "sent": answered.structured_content["data"]["id"],
        "no_prompts": code,
    }


async def over_http():
    url = os.environ["PROCTOR_MCP_URL"]
    async with streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            return await play(session)


async def over_stdio():
    # The client passes on next to nothing of its environment, and the program
    # needs none of it.
    program = StdioServerParameters(command="/opt/proctor/bin/proctor-mcp")
    async with stdio_client(program) as streams:
        async with ClientSession(*streams) as session:
            return await play(session)


async def main():
    print(json.dumps({"http": await over_http(), "stdio": await over_stdio()}))


asyncio.run(main())

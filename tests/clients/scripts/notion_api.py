"""Uses notion-client as programs do. Whatever is not as it would be at Notion
ends it with an AssertionError. It prints one JSON object with the identifiers
that the caller looks for in the world afterwards.
"""

import asyncio
import json
import os

from notion_client import APIErrorCode, APIResponseError, AsyncClient, Client
from notion_client.helpers import collect_paginated_api, is_full_page

TOKEN = os.environ["NOTION_TOKEN"]


def text(content):
    return [{"type": "text", "text": {"content": content}}]


def refused(call, code, words):
    """`call` must fail, and the client must understand how."""
    try:
        call()
    except APIResponseError as error:
        assert error.code == code, error
        assert words in str(error), error
        return
    raise AssertionError("not refused")


def old_version():
    """Before tables had a name of their own, a database was its table."""
    notion = Client(auth=TOKEN, notion_version="2022-06-28")
    [database] = notion.search(filter={"property": "object", "value": "database"})["results"]
    assert database["properties"]["Status"]["type"] == "status"
    rows = notion.request(
        path=f"databases/{database['id']}/query",
        method="POST",
        body={"filter": {"property": "Owner", "people": {"is_not_empty": True}}, "page_size": 2},
    )
    assert rows["has_more"] and len(rows["results"]) == 2
    page = rows["results"][0]
    assert page["parent"] == {"type": "database_id", "database_id": database["id"]}
    assert page["archived"] is False
    return page["id"]


def new_version():
    notion = Client(auth=TOKEN)
    [audit] = notion.search(query="Q3 audit")["results"]
    assert is_full_page(audit)
    blocks = collect_paginated_api(notion.blocks.children.list, block_id=audit["id"], page_size=3)
    kinds = [block["type"] for block in blocks]
    assert kinds == ["heading_1", "to_do", "to_do", "to_do", "callout", "table", "toggle"], kinds
    notion.blocks.update(block_id=blocks[2]["id"], to_do={"checked": True})
    page = notion.pages.create(
        parent={"page_id": audit["id"]},
        properties={"title": {"title": text("Notes")}},
        children=[{"paragraph": {"rich_text": text("from Python")}}],
    )
    refused(
        lambda: notion.pages.retrieve(page_id="x"),
        APIErrorCode.ValidationError,
        "path.page_id should be a valid uuid",
    )
    refused(
        lambda: notion.blocks.children.append(
            block_id=page["id"], children=[{"paragraph": {"rich_text": text("x" * 2001)}}]
        ),
        APIErrorCode.ValidationError,
        "should be \u2264 `2000`, instead was `2001`",
    )
    return blocks[2]["id"], page["id"]


async def at_once():
    """Many requests over one connection."""
    async with AsyncClient(auth=TOKEN) as notion:
        users = await asyncio.gather(*(notion.users.me() for _ in range(20)))
    assert {user["name"] for user in users} == {"Acme Agent"}


row = old_version()
todo, page = new_version()
asyncio.run(at_once())
print(json.dumps({"row": row, "todo": todo, "page": page}))

"""Pages and tables, over Notion's interface or tools."""

from __future__ import annotations

import os
import re

from channels import TOOLS, rest

NOTION = "https://api.notion.com/v1"


class RestPages:
    def __init__(self):
        self._headers = {
            "Authorization": f"Bearer {os.environ['NOTION_TOKEN']}",
            "Notion-Version": "2025-09-03",
        }

    def ask(self, method, path, body=None, query=None):
        return rest(method, f"{NOTION}/{path}", body, self._headers, query)

    def find(self, title):
        """The page of this title: its identifier and address."""
        body = {"query": title, "filter": {"property": "object", "value": "page"}}
        return _titled(self.ask("POST", "search", body)["results"], title)

    def markdown(self, page):
        return self.ask("GET", f"pages/{page}/markdown")["markdown"]

    def blocks(self, page):
        return self.ask("GET", f"blocks/{page}/children", query={"page_size": 100})["results"]

    def set_text(self, block, text, **more):
        """Another text for a block, which stays where it is."""
        kind = block["type"]
        self.ask("PATCH", f"blocks/{block['id']}", {kind: {"rich_text": rich(text), **more}})

    def insert(self, page, text, after=None):
        """New blocks of Markdown behind a block, or at the end."""
        body = {"children": blocks_of(text)}
        if after:
            body["after"] = after["id"]
        self.ask("PATCH", f"blocks/{page}/children", body)

    def fill(self, page, text):
        """All of an empty page."""
        body = {"type": "replace_content", "replace_content": {"new_str": text}}
        self.ask("PATCH", f"pages/{page}/markdown", body)

    def delete(self, block):
        self.ask("DELETE", f"blocks/{block['id']}")

    def rows(self, title):
        body = {"query": title, "filter": {"property": "object", "value": "data_source"}}
        table = self.ask("POST", "search", body)["results"][0]["id"]
        return self.ask("POST", f"data_sources/{table}/query", {})["results"]

    def set_row(self, row, status, link):
        properties = {"Status": {"status": {"name": status}}, "PR": {"url": link}}
        self.ask("PATCH", f"pages/{row['id']}", {"properties": properties})

    def create(self, parent, title, text):
        """A new page below another."""
        body = {
            "parent": {"page_id": parent},
            "properties": {"title": {"title": rich(title)}},
            "children": blocks_of(text),
        }
        return self.ask("POST", "pages", body)["id"]

    def trash(self, page):
        self.ask("PATCH", f"pages/{page}", {"in_trash": True})


class ToolPages:
    def __init__(self, tools):
        self._tools = tools

    def _call(self, slug, **arguments):
        return self._tools.call(f"NOTION_{slug}", arguments)

    def find(self, title):
        found = self._call("SEARCH_NOTION_PAGE", query=title, filter_value="page")
        return _titled(found["results"], title)

    def markdown(self, page):
        return self._call("GET_PAGE_MARKDOWN", page_id=page)["markdown"]

    def blocks(self, page):
        return self._call("FETCH_BLOCK_CONTENTS", block_id=page)["results"]

    def set_text(self, block, text, **more):
        more["rich_text"] = rich(text)
        self._call(
            "UPDATE_BLOCK",
            block_id=block["id"],
            block_type=block["type"],
            content=text,
            additional_properties=more,
        )

    def insert(self, page, text, after=None):
        more = {"after": after["id"]} if after else {}
        blocks = blocks_of(text)
        self._call("ADD_MULTIPLE_PAGE_CONTENT", parent_block_id=page, content_blocks=blocks, **more)

    def fill(self, page, text):
        self._call("REPLACE_PAGE_CONTENT", page_id=page, new_children=blocks_of(text))

    def delete(self, block):
        self._call("DELETE_BLOCK", block_id=block["id"])

    def rows(self, title):
        found = self._call("SEARCH_NOTION_PAGE", query=title, filter_value="database")
        database = found["results"][0]["id"]
        return self._call("QUERY_DATABASE_WITH_FILTER", database_id=database)["results"]

    def set_row(self, row, status, link):
        properties = {"Status": status, "PR": link}
        self._call("UPDATE_ROW_DATABASE", row_id=row["id"], properties=properties)


def _titled(pages, title):
    for page in pages:
        if title_of(page) == title:
            return page
    raise SystemExit(f"there is no page {title!r}")


def title_of(page):
    """Of a page or a row."""
    for value in page["properties"].values():
        if value["type"] == "title":
            return plain(value["title"])
    return ""


def plain(rich_text):
    return "".join(it["plain_text"] for it in rich_text)


def text_of(block):
    return plain(block[block["type"]].get("rich_text", []))


SPANS = re.compile(r"\*\*(?P<bold>.+?)\*\*|`(?P<code>.+?)`|(?P<link>https?://[^\s),]*[^\s),.:;])")


def rich(text):
    """Bold, code and addresses of a line as Notion's rich text."""
    runs = []
    end = 0
    for found in SPANS.finditer(text):
        runs.append(_run(text[end : found.start()]))
        kind = found.lastgroup
        run = _run(found[kind])
        if kind == "link":
            run["text"]["link"] = {"url": found[kind]}
        else:
            run["annotations"] = {kind: True}
        runs.append(run)
        end = found.end()
    runs.append(_run(text[end:]))
    return [it for it in runs if it["text"]["content"]]


def _run(text):
    return {"type": "text", "text": {"content": text}}


KINDS = {"# ": "heading_1", "## ": "heading_2", "### ": "heading_3", "- ": "bulleted_list_item"}


def blocks_of(text):
    """The Markdown that the scripts write (one line is one block, and tables) as blocks."""
    blocks = []
    for line in text.splitlines():
        if line.startswith("| ---"):
            continue
        if line.startswith("|"):
            cells = [rich(it.strip()) for it in line.strip("|").split("|")]
            if not blocks or blocks[-1]["type"] != "table":
                table = {"table_width": len(cells), "has_column_header": True, "children": []}
                blocks.append({"type": "table", "table": table})
            row = {"type": "table_row", "table_row": {"cells": cells}}
            blocks[-1]["table"]["children"].append(row)
            continue
        mark = next((it for it in KINDS if line.startswith(it)), "")
        kind = KINDS.get(mark, "paragraph")
        if rest_of_line := line[len(mark) :].strip():
            blocks.append({"type": kind, kind: {"rich_text": rich(rest_of_line)}})
    return blocks


def pages_via(channel):
    return RestPages() if channel == "rest" else ToolPages(TOOLS[channel]())

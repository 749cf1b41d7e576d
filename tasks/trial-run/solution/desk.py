#!/usr/bin/env python3
"""Mails and pages: `desk.py inbox`, `page TITLE`, `row START STATUS LINK NOTES`, and
`reply`, which answers the latest mail with what is on standard input."""

from __future__ import annotations

import base64
import json
import os
import sys
import urllib.request
from email.message import EmailMessage

GMAIL = "https://gmail.googleapis.com/gmail/v1/users/me"
NOTION = "https://api.notion.com/v1"


def ask(method, url, body=None):
    token = os.environ["NOTION_TOKEN" if url.startswith(NOTION) else "GOOGLE_WORKSPACE_CLI_TOKEN"]
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Notion-Version": "2025-09-03",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def latest():
    [first, *_] = ask("GET", f"{GMAIL}/messages?q=in:inbox")["messages"]
    return ask("GET", f"{GMAIL}/messages/{first['id']}")


def fields(mail):
    return {it["name"].lower(): it["value"] for it in mail["payload"]["headers"]}


def inbox():
    mail = latest()
    print(fields(mail)["from"], fields(mail)["subject"], sep="\n")
    data = mail["payload"]["body"]["data"]
    print(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode())


def reply():
    mail = latest()
    answered = fields(mail)
    message = EmailMessage()
    message["To"] = answered["from"]
    message["Subject"] = f"Re: {answered['subject']}"
    message["In-Reply-To"] = message["References"] = answered["message-id"]
    message.set_content(sys.stdin.read())
    raw = base64.urlsafe_b64encode(bytes(message)).decode()
    ask("POST", f"{GMAIL}/messages/send", {"raw": raw, "threadId": mail["threadId"]})


def found(title, kind):
    search = {"query": title, "filter": {"property": "object", "value": kind}}
    return ask("POST", f"{NOTION}/search", search)["results"][0]["id"]


def page(title):
    print(ask("GET", f"{NOTION}/pages/{found(title, 'page')}/markdown")["markdown"])


def row(start, status, link, notes):
    board = found("Sprint 4 Task Board", "data_source")
    for it in ask("POST", f"{NOTION}/data_sources/{board}/query", {})["results"]:
        if it["properties"]["Task"]["title"][0]["plain_text"].startswith(start):
            values = {
                "Status": {"status": {"name": status}},
                "PR": {"url": link},
                "Notes": {"rich_text": [{"text": {"content": notes}}]},
            }
            ask("PATCH", f"{NOTION}/pages/{it['id']}", {"properties": values})


if __name__ == "__main__":
    {"inbox": inbox, "reply": reply, "page": page, "row": row}[sys.argv[1]](*sys.argv[2:])

"""Mails, over Gmail's interface or tools."""

from __future__ import annotations

import base64
import os
from email.message import EmailMessage

from channels import TOOLS, rest

GMAIL = "https://gmail.googleapis.com/gmail/v1/users/me"


class RestMail:
    def __init__(self):
        token = os.environ["GOOGLE_WORKSPACE_CLI_TOKEN"]
        self._headers = {"Authorization": f"Bearer {token}"}

    def _ask(self, method, path, body=None, query=None):
        return rest(method, f"{GMAIL}/{path}", body, self._headers, query)

    def inbox(self):
        """Mails of the inbox, the oldest first."""
        listed = self._ask("GET", "messages", query={"q": "in:inbox", "maxResults": 50})
        mails = [self._ask("GET", f"messages/{it['id']}") for it in listed["messages"]]
        return [_shown(it) for it in reversed(mails)]

    def reply(self, mail, text, to):
        """Answers a mail in its conversation."""
        message = EmailMessage()
        message["To"] = ", ".join(to)
        message["Subject"] = subject(mail)
        message["In-Reply-To"] = mail["message_id"]
        message["References"] = f"{mail['references']} {mail['message_id']}".strip()
        message.set_content(text)
        raw = base64.urlsafe_b64encode(bytes(message)).decode()
        self._ask("POST", "messages/send", {"raw": raw, "threadId": mail["thread"]})


def _shown(message):
    fields = {it["name"].lower(): it["value"] for it in message["payload"]["headers"]}
    return {
        "id": message["id"],
        "thread": message["threadId"],
        "from": fields["from"],
        "subject": fields["subject"],
        "message_id": fields["message-id"],
        "references": fields.get("references", ""),
        "text": _text(message["payload"]),
    }


def _text(part):
    if part["mimeType"] == "text/plain":
        data = part["body"]["data"]
        return base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode()
    return "".join(_text(it) for it in part.get("parts", []))


def address(mail):
    """Whom an answer goes to."""
    return mail["from"].split("<")[-1].rstrip(">")


def subject(mail):
    title = mail["subject"]
    return title if title.lower().startswith("re:") else f"Re: {title}"


class ToolMail:
    def __init__(self, tools):
        self._tools = tools

    def inbox(self):
        arguments = {"label_ids": ["INBOX"], "max_results": 50}
        mails = self._tools.call("GMAIL_FETCH_EMAILS", arguments)["messages"]
        shown = [
            {
                "id": it["messageId"],
                "thread": it["threadId"],
                "from": it["sender"],
                "subject": it["subject"],
                "text": it["messageText"],
            }
            for it in mails
        ]
        return list(reversed(shown))

    def reply(self, mail, text, to):
        arguments = {
            "thread_id": mail["thread"],
            "recipient_email": to[0],
            "extra_recipients": to[1:],
            "message_body": text,
        }
        self._tools.call("GMAIL_REPLY_TO_THREAD", arguments)


def mail_via(channel):
    return RestMail() if channel == "rest" else ToolMail(TOOLS[channel]())

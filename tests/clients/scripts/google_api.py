"""Uses google-api-python-client as programs do, in every way that matters to a
fake: bundled or dynamic discovery, pages, batches, uploads, long URLs, errors.

    google_api.py bundled|dynamic

Whatever is not as it would be at Google ends it with an AssertionError. It
prints one JSON object with the identifiers that the caller looks for in the
world afterwards.
"""

import base64
import io
import json
import sys
from email.message import EmailMessage

import httplib2
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

OFFER, ANSWER, PLAN = "19cad0000000a001", "19cad0000000a002", "19cad0000000a003"
SALE, SENT = "19cad0000000a004", "19cad0000000a005"
NONE = "19cad0000000afff"
DATA = bytes(range(256)) * 4


def credentials():
    """Without an access token: the client has to ask for one first."""
    return Credentials(
        token=None,
        refresh_token="1//refresh",
        token_uri="https://oauth2.googleapis.com/token",
        client_id="client.apps.googleusercontent.com",
        client_secret="secret",
    )


def refused(call, status, reason, words):
    """`call` must fail, and the client must understand how."""
    try:
        call.execute()
    except HttpError as error:
        assert error.status_code == status, error
        assert words in error.reason, error.reason
        assert error.error_details[0]["reason"] == reason, error.error_details
        return
    raise AssertionError(f"not refused: {call.uri}")


def mail(subject, text, attachment=None):
    message = EmailMessage()
    message["From"] = "Sam Ode <sam.ode@example.com>"
    message["To"] = "Ada Byron <ada@example.com>"
    message["Subject"] = subject
    message.set_content(text)
    if attachment:
        message.add_attachment(
            attachment, maintype="application", subtype="octet-stream", filename="däta.bin"
        )
    return message.as_bytes()


def raw(*arguments):
    return {"raw": base64.urlsafe_b64encode(mail(*arguments)).decode()}


def reading(gmail):
    messages = gmail.users().messages()
    ids, pages = [], 0
    request = messages.list(userId="me", maxResults=2)
    while request is not None:
        page = request.execute()
        pages += 1
        assert page["resultSizeEstimate"] == 6
        ids += [message["id"] for message in page["messages"]]
        request = messages.list_next(request, page)
    assert (pages, ids[:4]) == (3, [ANSWER, OFFER, PLAN, SALE]), ids
    found = messages.list(userId="me", q="label:clients-acme is:unread").execute()
    assert [message["id"] for message in found["messages"]] == [OFFER]
    assert messages.list(userId="me", q="nothinglikethis").execute() == {"resultSizeEstimate": 0}

    full = messages.get(userId="me", id=OFFER).execute()
    parts = {part["mimeType"]: part for part in full["payload"]["parts"]}
    text = base64.urlsafe_b64decode(parts["text/plain"]["body"]["data"]).decode()
    assert "12.500\u00a0€" in text, text
    minimal = messages.get(userId="me", id=OFFER, format="minimal").execute()
    assert "payload" not in minimal and minimal["snippet"].startswith("Hi Sam")
    metadata = messages.get(
        userId="me", id=OFFER, format="metadata", metadataHeaders=["Subject", "Cc"]
    ).execute()
    assert {field["name"] for field in metadata["payload"]["headers"]} == {"Cc", "Subject"}
    source = messages.get(userId="me", id=OFFER, format="raw").execute()["raw"]
    assert b"Message-ID: <offer-1@mail.example.com>" in base64.urlsafe_b64decode(source)
    masked = messages.get(userId="me", id=OFFER, fields="id,labelIds").execute()
    assert set(masked) == {"id", "labelIds"}, masked

    plan = messages.get(userId="me", id=PLAN).execute()
    pdf = next(part for part in plan["payload"]["parts"] if part["filename"] == "plan.pdf")
    attachment = messages.attachments().get(
        userId="me", messageId=PLAN, id=pdf["body"]["attachmentId"]
    ).execute()
    plan = base64.urlsafe_b64decode(attachment["data"])
    assert len(plan) == attachment["size"] == 776 and plan.endswith(b"plan")

    thread = gmail.users().threads().get(userId="me", id=OFFER).execute()
    assert [message["id"] for message in thread["messages"]] == [OFFER, ANSWER]
    # Longer than 2048 characters: the client sends it as a POST.
    many = " OR ".join(f"subject:nothing{number}" for number in range(200))
    found = messages.list(userId="me", q=f"{{{many}}} OR subject:plan").execute()
    assert [message["id"] for message in found["messages"]] == [PLAN]


def batching(gmail):
    seen = {}

    def remember(name, response, error):
        seen[name] = error or response

    batch = gmail.new_batch_http_request(callback=remember)
    for name in (OFFER, ANSWER, PLAN, NONE):
        batch.add(gmail.users().messages().get(userId="me", id=name, format="minimal"), request_id=name)
    batch.add(
        gmail.users().messages().modify(
            userId="me", id=SALE, body={"addLabelIds": ["STARRED"]}
        ),
        request_id="change",
    )
    batch.execute()
    assert [seen[name]["id"] for name in (OFFER, ANSWER, PLAN)] == [OFFER, ANSWER, PLAN]
    assert "STARRED" in seen["change"]["labelIds"]
    assert seen[NONE].status_code == 404, seen[NONE]


def sending(gmail):
    messages = gmail.users().messages()
    sent = {"raw": messages.send(userId="me", body=raw("Raw", "Grüße", DATA)).execute()}
    for name, resumable in (("multipart", False), ("resumable", True)):
        media = MediaIoBaseUpload(
            io.BytesIO(mail(name.title(), "Hi", DATA)),
            mimetype="message/rfc822",
            chunksize=256 * 1024,
            resumable=resumable,
        )
        sent[name] = messages.send(userId="me", body={}, media_body=media).execute()
    big = MediaIoBaseUpload(
        io.BytesIO(mail("Chunks", "Hi", DATA * 600)),
        mimetype="message/rfc822",
        chunksize=256 * 1024,
        resumable=True,
    )
    request, response, steps = messages.send(userId="me", body={}, media_body=big), None, 0
    while response is None:
        progress, response = request.next_chunk()
        steps += 1
        assert response or 0 < progress.progress() < 1
    assert steps >= 3, steps
    sent["chunks"] = response
    for one in sent.values():
        assert one["labelIds"] == ["SENT"], one
    return {name: one["id"] for name, one in sent.items()}


def changing(gmail):
    start = gmail.users().getProfile(userId="me").execute()["historyId"]
    drafts = gmail.users().drafts()
    draft = drafts.create(userId="me", body={"message": raw("Draft", "one")}).execute()
    draft = drafts.update(
        userId="me", id=draft["id"], body={"message": raw("Draft", "two")}
    ).execute()
    assert drafts.get(userId="me", id=draft["id"]).execute()["message"]["snippet"] == "two"
    sent = drafts.send(userId="me", body={"id": draft["id"]}).execute()
    other = drafts.create(userId="me", body={"message": raw("Other", "no")}).execute()
    assert drafts.delete(userId="me", id=other["id"]).execute() == ""

    labels = gmail.users().labels()
    label = labels.create(userId="me", body={"name": "Later"}).execute()
    label = labels.patch(userId="me", id=label["id"], body={"name": "Much later"}).execute()
    assert label["name"] == "Much later"
    messages = gmail.users().messages()
    messages.batchModify(
        userId="me",
        body={"ids": [OFFER, PLAN], "addLabelIds": [label["id"]], "removeLabelIds": ["UNREAD"]},
    ).execute()
    assert labels.get(userId="me", id=label["id"]).execute()["messagesTotal"] == 2
    messages.trash(userId="me", id=SENT).execute()
    history = gmail.users().history().list(userId="me", startHistoryId=start).execute()
    kinds = {kind for record in history["history"] for kind in record} - {"id", "messages"}
    assert kinds == {"messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"}, kinds
    names = [label["name"] for label in labels.list(userId="me").execute()["labels"]]
    assert "Much later" in names and "INBOX" in names
    return {"draft": sent["id"], "label": label["id"]}


def tasking(tasks):
    lists = tasks.tasklists()
    made = lists.insert(body={"title": "From Python"}).execute()
    made = lists.patch(tasklist=made["id"], body={"title": "Python"}).execute()
    assert [one["title"] for one in lists.list().execute()["items"]] == ["Work", "Home", "Python"]
    where, items = made["id"], tasks.tasks()
    one = items.insert(
        tasklist=where, body={"title": "One", "due": "2026-04-01T12:00:00Z", "notes": "ü"}
    ).execute()
    assert one["due"] == "2026-04-01T00:00:00.000Z"
    two = items.insert(tasklist=where, previous=one["id"], body={"title": "Two"}).execute()
    sub = items.insert(tasklist=where, parent=two["id"], body={"title": "Sub"}).execute()
    moved = items.move(tasklist=where, task=two["id"]).execute()
    assert moved["position"] < items.get(tasklist=where, task=one["id"]).execute()["position"]
    done = items.patch(tasklist=where, task=one["id"], body={"status": "completed"}).execute()
    assert done["completed"].startswith("2026-03-02T")
    changed = items.update(
        tasklist=where, task=two["id"], body={"id": two["id"], "title": "Zwei"}
    ).execute()
    assert changed["title"] == "Zwei" and changed["status"] == "needsAction"
    page = items.list(tasklist=where, maxResults=2).execute()
    rest = items.list_next(items.list(tasklist=where, maxResults=2), page).execute()
    assert len(page["items"]) + len(rest["items"]) == 3
    items.clear(tasklist=where).execute()
    items.delete(tasklist=where, task=sub["id"]).execute()
    left = items.list(tasklist=where).execute()["items"]
    assert [task["title"] for task in left] == ["Zwei"]
    lists.delete(tasklist="list-home").execute()
    return {"list": where, "task": one["id"]}


def failing(gmail, tasks, discovery):
    messages = gmail.users().messages()
    refused(messages.get(userId="me", id=NONE), 404, "notFound", "Requested entity was not found")
    refused(messages.get(userId="me", id="no-id"), 400, "invalidArgument", "Invalid id value")
    refused(messages.send(userId="me", body={}), 400, "invalidArgument", "raw")
    refused(
        tasks.tasks().get(tasklist="@default", task="none"), 404, "notFound", "Task not found"
    )
    nobody = build("gmail", "v1", http=httplib2.Http(), **discovery)
    refused(
        nobody.users().getProfile(userId="me"),
        401,
        "CREDENTIALS_MISSING",
        "missing required authentication credential",
    )


def main():
    discovery = {"static_discovery": sys.argv[1] == "bundled", "cache_discovery": False}
    gmail = build("gmail", "v1", credentials=credentials(), **discovery)
    tasks = build("tasks", "v1", credentials=credentials(), **discovery)
    reading(gmail)
    batching(gmail)
    result = {"sent": sending(gmail)} | changing(gmail) | tasking(tasks)
    failing(gmail, tasks, discovery)
    print(json.dumps(result))


main()

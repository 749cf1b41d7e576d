//! The API's methods.
//!
//! Identifiers, paths, parameters and scopes are those of Google's discovery
//! document `gmail:v1`; the descriptions are ours.

use super::schemas::SCHEMAS;
use super::{drafts, history, labels, messages, sending, settings, threads};
use crate::google::method::{Api, Kind, Method, Param, Style, Upload, Verb};

const FULL: &str = "https://mail.google.com/";
const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
const READ: &str = "https://www.googleapis.com/auth/gmail.readonly";
const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
const COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
const SEND: &str = "https://www.googleapis.com/auth/gmail.send";
const INSERT: &str = "https://www.googleapis.com/auth/gmail.insert";
const LABELS: &str = "https://www.googleapis.com/auth/gmail.labels";
const BASIC: &str = "https://www.googleapis.com/auth/gmail.settings.basic";
const SHARING: &str = "https://www.googleapis.com/auth/gmail.settings.sharing";

/// Most bytes of a mail that is sent or drafted.
const SENT_BYTES: u64 = 36_700_160;
/// Most bytes of a mail that is put into the mailbox.
const STORED_BYTES: u64 = 157_286_400;

const USER: Param = Param::path("userId", "Address of the account, or `me`.").default("me");
const MESSAGE: Param = Param::path("id", "Identifier of the message.");
const THREAD: Param = Param::path("id", "Identifier of the thread.");
const DRAFT: Param = Param::path("id", "Identifier of the draft.");
const LABEL: Param = Param::path("id", "Identifier of the label.");
const OWNER: Param = Param::path(
    "messageId",
    "Identifier of the message with the attachment.",
);
const ATTACHMENT: Param = Param::path("id", "Identifier of the attachment, from the message.");
const ADDRESS: Param = Param::path("sendAsEmail", "Address of the identity.");

const MAX_RESULTS: Param = Param::query(
    "maxResults",
    Kind::Uint32,
    "Most entries on a page: 100, and at most 500.",
)
.default("100");
const PAGE_TOKEN: Param = Param::query(
    "pageToken",
    Kind::Text,
    "Token of the page to return, from the page before.",
);
const QUERY: Param = Param::query(
    "q",
    Kind::Text,
    "Query as in Gmail's search box: `from:ada@example.com is:unread newer_than:7d`.",
);
const SPAM_TRASH: Param = Param::query(
    "includeSpamTrash",
    Kind::Bool,
    "Whether to look into spam and trash too.",
)
.default("false");
const LABEL_IDS: Param = Param::query(
    "labelIds",
    Kind::Text,
    "Identifiers of labels that all must be there.",
)
.repeated();
const FORMAT: Param = Param::query("format", Kind::Text, "How much of the message to return.")
    .default("full")
    .choices(&[
        ("minimal", "Identifiers, labels and the snippet."),
        ("full", "Everything, taken apart into MIME parts."),
        ("raw", "Everything, as the base64url of its source."),
        ("metadata", "Identifiers, labels and header fields."),
    ]);
const THREAD_FORMAT: Param =
    Param::query("format", Kind::Text, "How much of each message to return.")
        .default("full")
        .choices(&[
            ("full", "Everything, taken apart into MIME parts."),
            ("metadata", "Identifiers, labels and header fields."),
            ("minimal", "Identifiers, labels and the snippet."),
        ]);
const HEADERS: Param = Param::query(
    "metadataHeaders",
    Kind::Text,
    "Header fields to return with `format=metadata`; absent: all.",
)
.repeated();
const RECEIVED: Param = Param::query(
    "internalDateSource",
    Kind::Text,
    "Where the internal date comes from.",
)
.default("receivedTime")
.choices(DATES);
const HEADER_DATE: Param = Param::query(
    "internalDateSource",
    Kind::Text,
    "Where the internal date comes from.",
)
.default("dateHeader")
.choices(DATES);
const DATES: &[(&str, &str)] = &[
    ("receivedTime", "The moment at which the mail came in."),
    (
        "dateHeader",
        "The Date of the mail, where it has a valid one.",
    ),
];
const DELETED: Param = Param::query(
    "deleted",
    Kind::Bool,
    "Whether the mail counts as deleted for good from the start.",
)
.default("false");
const NEVER_SPAM: Param = Param::query(
    "neverMarkSpam",
    Kind::Bool,
    "Whether the mail is never taken for spam. Nothing is, here.",
)
.default("false");
const CALENDAR: Param = Param::query(
    "processForCalendar",
    Kind::Bool,
    "Whether invitations go into the calendar. Accepted and not looked at.",
)
.default("false");
const LABEL_ID: Param = Param::query(
    "labelId",
    Kind::Text,
    "Identifier of the label that the messages must have.",
);
const START: Param = Param::query(
    "startHistoryId",
    Kind::Uint64,
    "The history after this id: that of a message, a thread, the profile or an earlier list.",
)
.required();
const TYPES: Param = Param::query("historyTypes", Kind::Text, "Kinds of events; absent: all.")
    .repeated()
    .choices(&[
        ("messageAdded", "A message came into the mailbox."),
        ("messageDeleted", "A message was deleted for good."),
        ("labelAdded", "A message got labels."),
        ("labelRemoved", "A message lost labels."),
    ]);

const fn upload(path: &'static str, max_bytes: u64) -> Option<Upload> {
    Some(Upload {
        path,
        accept: &["message/*"],
        max_bytes,
    })
}

/// Gmail.
pub static API: Api = Api {
    name: "gmail",
    version: "v1",
    title: "Gmail API",
    description: "Reads, searches, sends and orders the mail of an account.",
    root_url: "https://gmail.googleapis.com/",
    service_path: "",
    batch_path: "batch",
    style: Style::Strict,
    scopes: &[
        (FULL, "Read, write, send and delete all mail for good."),
        (
            MODIFY,
            "Read, write and send mail, but not delete it for good.",
        ),
        (READ, "See mail and settings."),
        (METADATA, "See labels and header fields, but no content."),
        (COMPOSE, "Write drafts and send mail."),
        (SEND, "Send mail."),
        (INSERT, "Put mail into the mailbox."),
        (LABELS, "See and change labels."),
        (BASIC, "See and change settings and filters."),
        (SHARING, "Change who can send mail as the account."),
    ],
    methods: METHODS,
    schemas: SCHEMAS,
};

const METHODS: &[Method] = &[
    Method {
        id: "gmail.users.getProfile",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/profile",
        description: "Returns the address of the account and how much mail it has.",
        params: &[USER],
        request: None,
        response: Some("Profile"),
        upload: None,
        scopes: &[FULL, COMPOSE, METADATA, MODIFY, READ],
        handler: settings::profile,
    },
    Method {
        id: "gmail.users.messages.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/messages",
        description: "Lists messages, newest first: those that match a query and have all given labels.",
        params: &[USER, SPAM_TRASH, LABEL_IDS, MAX_RESULTS, PAGE_TOKEN, QUERY],
        request: None,
        response: Some("ListMessagesResponse"),
        upload: None,
        scopes: &[FULL, METADATA, MODIFY, READ],
        handler: messages::list,
    },
    Method {
        id: "gmail.users.messages.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/messages/{id}",
        description: "Returns a message, in as much detail as `format` says.",
        params: &[USER, MESSAGE, FORMAT, HEADERS],
        request: None,
        response: Some("Message"),
        upload: None,
        scopes: &[FULL, METADATA, MODIFY, READ],
        handler: messages::get,
    },
    Method {
        id: "gmail.users.messages.send",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/send",
        description: "Sends a mail to the recipients in its To, Cc and Bcc.",
        params: &[USER],
        request: Some("Message"),
        response: Some("Message"),
        upload: upload("upload/gmail/v1/users/{userId}/messages/send", SENT_BYTES),
        scopes: &[FULL, COMPOSE, MODIFY, SEND],
        handler: sending::send,
    },
    Method {
        id: "gmail.users.messages.insert",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages",
        description: "Puts a mail into the mailbox as it is, like IMAP APPEND. Nothing is sent.",
        params: &[USER, DELETED, RECEIVED],
        request: Some("Message"),
        response: Some("Message"),
        upload: upload("upload/gmail/v1/users/{userId}/messages", STORED_BYTES),
        scopes: &[FULL, INSERT, MODIFY],
        handler: sending::insert,
    },
    Method {
        id: "gmail.users.messages.import",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/import",
        description: "Puts a mail into the mailbox as if it had come in by SMTP. Nothing is sent.",
        params: &[USER, DELETED, HEADER_DATE, NEVER_SPAM, CALENDAR],
        request: Some("Message"),
        response: Some("Message"),
        upload: upload(
            "upload/gmail/v1/users/{userId}/messages/import",
            STORED_BYTES,
        ),
        scopes: &[FULL, INSERT, MODIFY],
        handler: sending::import,
    },
    Method {
        id: "gmail.users.messages.modify",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/{id}/modify",
        description: "Adds labels to a message and removes others.",
        params: &[USER, MESSAGE],
        request: Some("ModifyMessageRequest"),
        response: Some("Message"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: messages::modify,
    },
    Method {
        id: "gmail.users.messages.batchModify",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/batchModify",
        description: "Adds labels to many messages and removes others. Messages that do not exist are passed over.",
        params: &[USER],
        request: Some("BatchModifyMessagesRequest"),
        response: None,
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: messages::batch_modify,
    },
    Method {
        id: "gmail.users.messages.batchDelete",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/batchDelete",
        description: "Deletes many messages for good. Messages that do not exist are passed over.",
        params: &[USER],
        request: Some("BatchDeleteMessagesRequest"),
        response: None,
        upload: None,
        scopes: &[FULL],
        handler: messages::batch_delete,
    },
    Method {
        id: "gmail.users.messages.trash",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/{id}/trash",
        description: "Moves a message to the trash.",
        params: &[USER, MESSAGE],
        request: None,
        response: Some("Message"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: messages::trash,
    },
    Method {
        id: "gmail.users.messages.untrash",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/messages/{id}/untrash",
        description: "Takes a message out of the trash. It does not come back to the inbox by itself.",
        params: &[USER, MESSAGE],
        request: None,
        response: Some("Message"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: messages::untrash,
    },
    Method {
        id: "gmail.users.messages.delete",
        verb: Verb::Delete,
        path: "gmail/v1/users/{userId}/messages/{id}",
        description: "Deletes a message for good. `trash` can be undone, this cannot.",
        params: &[USER, MESSAGE],
        request: None,
        response: None,
        upload: None,
        scopes: &[FULL],
        handler: messages::delete,
    },
    Method {
        id: "gmail.users.messages.attachments.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/messages/{messageId}/attachments/{id}",
        description: "Returns the content of an attachment of a message.",
        params: &[USER, OWNER, ATTACHMENT],
        request: None,
        response: Some("MessagePartBody"),
        upload: None,
        scopes: &[FULL, MODIFY, READ],
        handler: messages::attachment,
    },
    Method {
        id: "gmail.users.threads.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/threads",
        description: "Lists threads, newest match first: those with a message that matches a query and has all given labels.",
        params: &[USER, SPAM_TRASH, LABEL_IDS, MAX_RESULTS, PAGE_TOKEN, QUERY],
        request: None,
        response: Some("ListThreadsResponse"),
        upload: None,
        scopes: &[FULL, METADATA, MODIFY, READ],
        handler: threads::list,
    },
    Method {
        id: "gmail.users.threads.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/threads/{id}",
        description: "Returns a thread with its messages, oldest first.",
        params: &[USER, THREAD, THREAD_FORMAT, HEADERS],
        request: None,
        response: Some("Thread"),
        upload: None,
        scopes: &[FULL, METADATA, MODIFY, READ],
        handler: threads::get,
    },
    Method {
        id: "gmail.users.threads.modify",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/threads/{id}/modify",
        description: "Adds labels to every message of a thread and removes others.",
        params: &[USER, THREAD],
        request: Some("ModifyThreadRequest"),
        response: Some("Thread"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: threads::modify,
    },
    Method {
        id: "gmail.users.threads.trash",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/threads/{id}/trash",
        description: "Moves a thread with its messages to the trash.",
        params: &[USER, THREAD],
        request: None,
        response: Some("Thread"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: threads::trash,
    },
    Method {
        id: "gmail.users.threads.untrash",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/threads/{id}/untrash",
        description: "Takes a thread with its messages out of the trash.",
        params: &[USER, THREAD],
        request: None,
        response: Some("Thread"),
        upload: None,
        scopes: &[FULL, MODIFY],
        handler: threads::untrash,
    },
    Method {
        id: "gmail.users.threads.delete",
        verb: Verb::Delete,
        path: "gmail/v1/users/{userId}/threads/{id}",
        description: "Deletes a thread with its messages for good. `trash` can be undone, this cannot.",
        params: &[USER, THREAD],
        request: None,
        response: None,
        upload: None,
        scopes: &[FULL],
        handler: threads::delete,
    },
    Method {
        id: "gmail.users.drafts.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/drafts",
        description: "Lists drafts, newest first.",
        params: &[USER, SPAM_TRASH, MAX_RESULTS, PAGE_TOKEN, QUERY],
        request: None,
        response: Some("ListDraftsResponse"),
        upload: None,
        scopes: &[FULL, COMPOSE, MODIFY, READ],
        handler: drafts::list,
    },
    Method {
        id: "gmail.users.drafts.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/drafts/{id}",
        description: "Returns a draft with its message.",
        params: &[USER, DRAFT, FORMAT],
        request: None,
        response: Some("Draft"),
        upload: None,
        scopes: &[FULL, COMPOSE, MODIFY, READ],
        handler: drafts::get,
    },
    Method {
        id: "gmail.users.drafts.create",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/drafts",
        description: "Saves a draft.",
        params: &[USER],
        request: Some("Draft"),
        response: Some("Draft"),
        upload: upload("upload/gmail/v1/users/{userId}/drafts", SENT_BYTES),
        scopes: &[FULL, COMPOSE, MODIFY],
        handler: drafts::create,
    },
    Method {
        id: "gmail.users.drafts.update",
        verb: Verb::Put,
        path: "gmail/v1/users/{userId}/drafts/{id}",
        description: "Replaces the message of a draft. The draft keeps its id, the message gets a new one.",
        params: &[USER, DRAFT],
        request: Some("Draft"),
        response: Some("Draft"),
        upload: upload("upload/gmail/v1/users/{userId}/drafts/{id}", SENT_BYTES),
        scopes: &[FULL, COMPOSE, MODIFY],
        handler: drafts::update,
    },
    Method {
        id: "gmail.users.drafts.delete",
        verb: Verb::Delete,
        path: "gmail/v1/users/{userId}/drafts/{id}",
        description: "Deletes a draft for good.",
        params: &[USER, DRAFT],
        request: None,
        response: None,
        upload: None,
        scopes: &[FULL, COMPOSE, MODIFY],
        handler: drafts::delete,
    },
    Method {
        id: "gmail.users.drafts.send",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/drafts/send",
        description: "Sends a draft to the recipients in its To, Cc and Bcc. The draft is gone then.",
        params: &[USER],
        request: Some("Draft"),
        response: Some("Message"),
        upload: upload("upload/gmail/v1/users/{userId}/drafts/send", SENT_BYTES),
        scopes: &[FULL, COMPOSE, MODIFY],
        handler: drafts::send,
    },
    Method {
        id: "gmail.users.labels.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/labels",
        description: "Lists the labels of the account: Gmail's own, then the user's.",
        params: &[USER],
        request: None,
        response: Some("ListLabelsResponse"),
        upload: None,
        scopes: &[FULL, LABELS, METADATA, MODIFY, READ],
        handler: labels::list,
    },
    Method {
        id: "gmail.users.labels.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/labels/{id}",
        description: "Returns a label, and how many messages and threads carry it.",
        params: &[USER, LABEL],
        request: None,
        response: Some("Label"),
        upload: None,
        scopes: &[FULL, LABELS, METADATA, MODIFY, READ],
        handler: labels::get,
    },
    Method {
        id: "gmail.users.labels.create",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/labels",
        description: "Creates a label.",
        params: &[USER],
        request: Some("Label"),
        response: Some("Label"),
        upload: None,
        scopes: &[FULL, LABELS, MODIFY],
        handler: labels::create,
    },
    Method {
        id: "gmail.users.labels.update",
        verb: Verb::Put,
        path: "gmail/v1/users/{userId}/labels/{id}",
        description: "Replaces a label that the user made.",
        params: &[USER, LABEL],
        request: Some("Label"),
        response: Some("Label"),
        upload: None,
        scopes: &[FULL, LABELS, MODIFY],
        handler: labels::update,
    },
    Method {
        id: "gmail.users.labels.patch",
        verb: Verb::Patch,
        path: "gmail/v1/users/{userId}/labels/{id}",
        description: "Changes what the body names of a label that the user made.",
        params: &[USER, LABEL],
        request: Some("Label"),
        response: Some("Label"),
        upload: None,
        scopes: &[FULL, LABELS, MODIFY],
        handler: labels::patch,
    },
    Method {
        id: "gmail.users.labels.delete",
        verb: Verb::Delete,
        path: "gmail/v1/users/{userId}/labels/{id}",
        description: "Deletes a label that the user made, and takes it off every message.",
        params: &[USER, LABEL],
        request: None,
        response: None,
        upload: None,
        scopes: &[FULL, LABELS, MODIFY],
        handler: labels::delete,
    },
    Method {
        id: "gmail.users.history.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/history",
        description: "Lists what happened in the mailbox since a moment, oldest first. A start that is too old is a 404: then everything has to be read again.",
        params: &[USER, TYPES, LABEL_ID, MAX_RESULTS, PAGE_TOKEN, START],
        request: None,
        response: Some("ListHistoryResponse"),
        upload: None,
        scopes: &[FULL, METADATA, MODIFY, READ],
        handler: history::list,
    },
    Method {
        id: "gmail.users.settings.sendAs.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/settings/sendAs",
        description: "Lists the identities that mail can be sent as, the primary one first.",
        params: &[USER],
        request: None,
        response: Some("ListSendAsResponse"),
        upload: None,
        scopes: &[FULL, MODIFY, READ, BASIC],
        handler: settings::list_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.get",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}",
        description: "Returns an identity.",
        params: &[USER, ADDRESS],
        request: None,
        response: Some("SendAs"),
        upload: None,
        scopes: &[FULL, MODIFY, READ, BASIC],
        handler: settings::get_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.create",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/settings/sendAs",
        description: "Adds an identity. Outside the account's own domain it cannot be used before it is verified.",
        params: &[USER],
        request: Some("SendAs"),
        response: Some("SendAs"),
        upload: None,
        scopes: &[SHARING],
        handler: settings::create_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.update",
        verb: Verb::Put,
        path: "gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}",
        description: "Replaces an identity.",
        params: &[USER, ADDRESS],
        request: Some("SendAs"),
        response: Some("SendAs"),
        upload: None,
        scopes: &[BASIC, SHARING],
        handler: settings::update_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.patch",
        verb: Verb::Patch,
        path: "gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}",
        description: "Changes what the body names of an identity.",
        params: &[USER, ADDRESS],
        request: Some("SendAs"),
        response: Some("SendAs"),
        upload: None,
        scopes: &[BASIC, SHARING],
        handler: settings::patch_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.delete",
        verb: Verb::Delete,
        path: "gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}",
        description: "Removes an identity. The primary one cannot be removed.",
        params: &[USER, ADDRESS],
        request: None,
        response: None,
        upload: None,
        scopes: &[SHARING],
        handler: settings::delete_send_as,
    },
    Method {
        id: "gmail.users.settings.sendAs.verify",
        verb: Verb::Post,
        path: "gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/verify",
        description: "Sends a verification mail to an identity that is not verified yet.",
        params: &[USER, ADDRESS],
        request: None,
        response: None,
        upload: None,
        scopes: &[SHARING],
        handler: settings::verify_send_as,
    },
    Method {
        id: "gmail.users.settings.filters.list",
        verb: Verb::Get,
        path: "gmail/v1/users/{userId}/settings/filters",
        description: "Lists the filters of the account.",
        params: &[USER],
        request: None,
        response: Some("ListFiltersResponse"),
        upload: None,
        scopes: &[FULL, MODIFY, READ, BASIC],
        handler: settings::list_filters,
    },
];

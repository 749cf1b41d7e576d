//! Parameters of the methods.

use crate::google::method::{Kind, Param};

pub(super) const USER: Param =
    Param::path("userId", "Address of the account, or `me`.").default("me");
pub(super) const MESSAGE: Param = Param::path("id", "Identifier of the message.");
pub(super) const THREAD: Param = Param::path("id", "Identifier of the thread.");
pub(super) const DRAFT: Param = Param::path("id", "Identifier of the draft.");
pub(super) const LABEL: Param = Param::path("id", "Identifier of the label.");
pub(super) const OWNER: Param = Param::path(
    "messageId",
    "Identifier of the message with the attachment.",
);
pub(super) const ATTACHMENT: Param =
    Param::path("id", "Identifier of the attachment, from the message.");
pub(super) const ADDRESS: Param = Param::path("sendAsEmail", "Address of the identity.");

pub(super) const MAX_RESULTS: Param = Param::query(
    "maxResults",
    Kind::Uint32,
    "Most entries on a page: 100, and at most 500.",
)
.default("100");
pub(super) const PAGE_TOKEN: Param = Param::query(
    "pageToken",
    Kind::Text,
    "Token of the page to return, from the page before.",
);
pub(super) const QUERY: Param = Param::query(
    "q",
    Kind::Text,
    "Query as in Gmail's search box: `from:ada@example.com is:unread newer_than:7d`.",
);
pub(super) const SPAM_TRASH: Param = Param::query(
    "includeSpamTrash",
    Kind::Bool,
    "Whether to look into spam and trash too.",
)
.default("false");
pub(super) const LABEL_IDS: Param = Param::query(
    "labelIds",
    Kind::Text,
    "Identifiers of labels that all must be there.",
)
.repeated();
pub(super) const FORMAT: Param =
    Param::query("format", Kind::Text, "How much of the message to return.")
        .default("full")
        .choices(&[
            ("minimal", "Identifiers, labels and the snippet."),
            ("full", "Everything, taken apart into MIME parts."),
            ("raw", "Everything, as the base64url of its source."),
            ("metadata", "Identifiers, labels and header fields."),
        ]);
pub(super) const THREAD_FORMAT: Param =
    Param::query("format", Kind::Text, "How much of each message to return.")
        .default("full")
        .choices(&[
            ("full", "Everything, taken apart into MIME parts."),
            ("metadata", "Identifiers, labels and header fields."),
            ("minimal", "Identifiers, labels and the snippet."),
        ]);
pub(super) const HEADERS: Param = Param::query(
    "metadataHeaders",
    Kind::Text,
    "Header fields to return with `format=metadata`; absent: all.",
)
.repeated();
pub(super) const RECEIVED: Param = Param::query(
    "internalDateSource",
    Kind::Text,
    "Where the internal date comes from.",
)
.default("receivedTime")
.choices(DATES);
pub(super) const HEADER_DATE: Param = Param::query(
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
pub(super) const DELETED: Param = Param::query(
    "deleted",
    Kind::Bool,
    "Whether the mail counts as deleted for good from the start.",
)
.default("false");
pub(super) const NEVER_SPAM: Param = Param::query(
    "neverMarkSpam",
    Kind::Bool,
    "Whether the mail is never taken for spam. Nothing is, here.",
)
.default("false");
pub(super) const CALENDAR: Param = Param::query(
    "processForCalendar",
    Kind::Bool,
    "Whether invitations go into the calendar. Accepted and not looked at.",
)
.default("false");
pub(super) const LABEL_ID: Param = Param::query(
    "labelId",
    Kind::Text,
    "Identifier of the label that the messages must have.",
);
pub(super) const START: Param = Param::query(
    "startHistoryId",
    Kind::Uint64,
    "The history after this id: that of a message, a thread, the profile or an earlier list.",
)
.required();
pub(super) const TYPES: Param =
    Param::query("historyTypes", Kind::Text, "Kinds of events; absent: all.")
        .repeated()
        .choices(&[
            ("messageAdded", "A message came into the mailbox."),
            ("messageDeleted", "A message was deleted for good."),
            ("labelAdded", "A message got labels."),
            ("labelRemoved", "A message lost labels."),
        ]);

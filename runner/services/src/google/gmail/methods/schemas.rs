//! Shapes of the API's bodies and answers.
//!
//! Names and types are those of Google's discovery document `gmail:v1`; the
//! descriptions are ours.

use crate::google::schema::{Field, Schema, Shape};

const TEXT: Shape = Shape::Text;
const TEXTS: Shape = Shape::List(&Shape::Text);
const MESSAGES: Shape = Shape::List(&Shape::Ref("Message"));
const CLASSIFICATIONS: Shape = Shape::List(&Shape::Ref("ClassificationLabelValue"));

const NEXT_PAGE: Field = Field::new(
    "nextPageToken",
    TEXT,
    "Token of the next page, if there is one.",
);
const TOTAL: Field = Field::new(
    "resultSizeEstimate",
    Shape::Uint32,
    "Number of entries on all pages together.",
);
const ADD: Field = Field::new(
    "addLabelIds",
    TEXTS,
    "Identifiers of labels to add, at most 100.",
);
const REMOVE: Field = Field::new(
    "removeLabelIds",
    TEXTS,
    "Identifiers of labels to remove, at most 100.",
);
const CLASSIFY: Field = Field::new(
    "addClassificationLabels",
    CLASSIFICATIONS,
    "Classification labels to add. Accepted and not looked at.",
);
const DECLASSIFY: Field = Field::new(
    "removeClassificationLabelIds",
    TEXTS,
    "Classification labels to remove. Accepted and not looked at.",
);

pub(super) const SCHEMAS: &[Schema] = &[
    Schema {
        id: "Message",
        description: "A mail in the mailbox.",
        fields: &[
            Field::new("id", TEXT, "Identifier; it never changes."),
            Field::new(
                "threadId",
                TEXT,
                "Identifier of the thread. A mail that is to join one also needs References or \
                 In-Reply-To to a message of it, and its Subject.",
            ),
            Field::new("labelIds", TEXTS, "Identifiers of its labels."),
            Field::new("snippet", TEXT, "Beginning of the text, HTML-escaped."),
            Field::new(
                "historyId",
                Shape::Uint64,
                "Newest history record about it.",
            ),
            Field::new(
                "internalDate",
                Shape::Int64,
                "When it came in, milliseconds since 1970. Lists go by it.",
            ),
            Field::new("payload", Shape::Ref("MessagePart"), "Its MIME parts."),
            Field::new(
                "sizeEstimate",
                Shape::Int32,
                "Length of its source in bytes.",
            ),
            Field::new(
                "raw",
                Shape::Bytes,
                "The whole mail in RFC 5322 format as base64url: what is to be sent, drafted or \
                 inserted, and the answer to `format=raw`.",
            ),
            Field::new(
                "classificationLabelValues",
                CLASSIFICATIONS,
                "Classification labels.",
            ),
        ],
    },
    Schema {
        id: "MessagePart",
        description: "A MIME part of a mail.",
        fields: &[
            Field::new(
                "partId",
                TEXT,
                "Position in the tree of parts: `0`, `0.1`; empty: the root.",
            ),
            Field::new("mimeType", TEXT, "Media type."),
            Field::new("filename", TEXT, "File name; empty where it is no file."),
            Field::new(
                "headers",
                Shape::List(&Shape::Ref("MessagePartHeader")),
                "Header fields.",
            ),
            Field::new("body", Shape::Ref("MessagePartBody"), "Content."),
            Field::new(
                "parts",
                Shape::List(&Shape::Ref("MessagePart")),
                "Parts in this part.",
            ),
        ],
    },
    Schema {
        id: "MessagePartHeader",
        description: "A header field.",
        fields: &[
            Field::new("name", TEXT, "Name before the colon: `Subject`."),
            Field::new("value", TEXT, "Value after the colon, decoded."),
        ],
    },
    Schema {
        id: "MessagePartBody",
        description: "Content of a MIME part.",
        fields: &[
            Field::new(
                "attachmentId",
                TEXT,
                "Identifier with which messages.attachments.get returns the content, where it is \
                 not in `data`.",
            ),
            Field::new(
                "size",
                Shape::Int32,
                "Length of the decoded content in bytes.",
            ),
            Field::new("data", Shape::Bytes, "Content as base64url; text is UTF-8."),
        ],
    },
    Schema {
        id: "ListMessagesResponse",
        description: "A page of messages.",
        fields: &[
            Field::new("messages", MESSAGES, "Messages: `id` and `threadId` only."),
            NEXT_PAGE,
            TOTAL,
        ],
    },
    Schema {
        id: "ModifyMessageRequest",
        description: "Labels to add to a message and to remove from it.",
        fields: &[ADD, REMOVE, CLASSIFY, DECLASSIFY],
    },
    Schema {
        id: "BatchModifyMessagesRequest",
        description: "Labels to add to many messages and to remove from them.",
        fields: &[
            Field::new("ids", TEXTS, "Identifiers of the messages, at most 1000."),
            ADD,
            REMOVE,
            CLASSIFY,
            DECLASSIFY,
        ],
    },
    Schema {
        id: "BatchDeleteMessagesRequest",
        description: "Messages to delete for good.",
        fields: &[Field::new(
            "ids",
            TEXTS,
            "Identifiers of the messages, at most 1000.",
        )],
    },
    Schema {
        id: "ClassificationLabelValue",
        description: "A classification label of Google Workspace. Not the labels of Gmail.",
        fields: &[
            Field::new("labelId", TEXT, "Identifier of the classification label."),
            Field::new(
                "fields",
                Shape::List(&Shape::Ref("ClassificationLabelFieldValue")),
                "Values of its fields.",
            ),
        ],
    },
    Schema {
        id: "ClassificationLabelFieldValue",
        description: "Value of a field of a classification label.",
        fields: &[
            Field::new("fieldId", TEXT, "Identifier of the field."),
            Field::new("selection", TEXT, "Identifier of the choice."),
        ],
    },
    Schema {
        id: "Thread",
        description: "Mails that answer one another.",
        fields: &[
            Field::new("id", TEXT, "Identifier."),
            Field::new("snippet", TEXT, "Beginning of the newest message's text."),
            Field::new(
                "historyId",
                Shape::Uint64,
                "Newest history record about its messages.",
            ),
            Field::new("messages", MESSAGES, "Its messages, oldest first."),
        ],
    },
    Schema {
        id: "ListThreadsResponse",
        description: "A page of threads.",
        fields: &[
            Field::new(
                "threads",
                Shape::List(&Shape::Ref("Thread")),
                "Threads without messages.",
            ),
            NEXT_PAGE,
            TOTAL,
        ],
    },
    Schema {
        id: "ModifyThreadRequest",
        description: "Labels to add to the messages of a thread and to remove from them.",
        fields: &[ADD, REMOVE],
    },
    Schema {
        id: "Draft",
        description: "A mail that is not sent yet.",
        fields: &[
            Field::new(
                "id",
                TEXT,
                "Identifier; it stays when the message is replaced.",
            ),
            Field::new("message", Shape::Ref("Message"), "The mail."),
        ],
    },
    Schema {
        id: "ListDraftsResponse",
        description: "A page of drafts.",
        fields: &[
            Field::new(
                "drafts",
                Shape::List(&Shape::Ref("Draft")),
                "Drafts; of their messages `id` and `threadId` only.",
            ),
            NEXT_PAGE,
            TOTAL,
        ],
    },
    Schema {
        id: "Label",
        description: "A label, which takes the place of folders.",
        fields: &[
            Field::new("id", TEXT, "Identifier: `INBOX`, `Label_1`."),
            Field::new("name", TEXT, "Name as shown; `/` nests."),
            Field::new(
                "messageListVisibility",
                TEXT,
                "Whether messages show the label in lists.",
            )
            .choices(&[("show", "They do."), ("hide", "They do not.")]),
            Field::new(
                "labelListVisibility",
                TEXT,
                "Where the list of labels shows it.",
            )
            .choices(&[
                ("labelShow", "Always."),
                ("labelShowIfUnread", "While there is unread mail under it."),
                ("labelHide", "Never."),
            ]),
            Field::new("type", TEXT, "Whose it is.").choices(&[
                ("system", "Gmail's own: it cannot be changed."),
                ("user", "Made by the user."),
            ]),
            Field::new("messagesTotal", Shape::Int32, "Messages that carry it."),
            Field::new(
                "messagesUnread",
                Shape::Int32,
                "Unread messages that carry it.",
            ),
            Field::new("threadsTotal", Shape::Int32, "Threads that carry it."),
            Field::new(
                "threadsUnread",
                Shape::Int32,
                "Unread threads that carry it.",
            ),
            Field::new(
                "color",
                Shape::Ref("LabelColor"),
                "Colour of a user's label.",
            ),
        ],
    },
    Schema {
        id: "LabelColor",
        description: "Colour of a label, from Gmail's palette.",
        fields: &[
            Field::new("textColor", TEXT, "Colour of the text, `#rrggbb`."),
            Field::new(
                "backgroundColor",
                TEXT,
                "Colour behind the text, `#rrggbb`.",
            ),
        ],
    },
    Schema {
        id: "ListLabelsResponse",
        description: "The labels of the account.",
        fields: &[Field::new(
            "labels",
            Shape::List(&Shape::Ref("Label")),
            "Labels, without the numbers of their messages.",
        )],
    },
    Schema {
        id: "ListHistoryResponse",
        description: "What happened in the mailbox.",
        fields: &[
            Field::new(
                "history",
                Shape::List(&Shape::Ref("History")),
                "Records, oldest first.",
            ),
            NEXT_PAGE,
            Field::new(
                "historyId",
                Shape::Uint64,
                "Newest history id of the mailbox.",
            ),
        ],
    },
    Schema {
        id: "History",
        description: "One change of the mailbox.",
        fields: &[
            Field::new(
                "id",
                Shape::Uint64,
                "Identifier; later changes have greater ones.",
            ),
            Field::new("messages", MESSAGES, "Messages that changed."),
            Field::new(
                "messagesAdded",
                Shape::List(&Shape::Ref("HistoryMessageAdded")),
                "Messages that came in.",
            ),
            Field::new(
                "messagesDeleted",
                Shape::List(&Shape::Ref("HistoryMessageDeleted")),
                "Messages that were deleted for good.",
            ),
            Field::new(
                "labelsAdded",
                Shape::List(&Shape::Ref("HistoryLabelAdded")),
                "Labels that messages got.",
            ),
            Field::new(
                "labelsRemoved",
                Shape::List(&Shape::Ref("HistoryLabelRemoved")),
                "Labels that messages lost.",
            ),
        ],
    },
    Schema {
        id: "HistoryMessageAdded",
        description: "A message came in.",
        fields: &[Field::new("message", Shape::Ref("Message"), "The message.")],
    },
    Schema {
        id: "HistoryMessageDeleted",
        description: "A message was deleted for good.",
        fields: &[Field::new("message", Shape::Ref("Message"), "The message.")],
    },
    Schema {
        id: "HistoryLabelAdded",
        description: "A message got labels.",
        fields: &[
            Field::new("message", Shape::Ref("Message"), "The message."),
            Field::new("labelIds", TEXTS, "Identifiers of the labels that it got."),
        ],
    },
    Schema {
        id: "HistoryLabelRemoved",
        description: "A message lost labels.",
        fields: &[
            Field::new("message", Shape::Ref("Message"), "The message."),
            Field::new("labelIds", TEXTS, "Identifiers of the labels that it lost."),
        ],
    },
    Schema {
        id: "Profile",
        description: "The account.",
        fields: &[
            Field::new("emailAddress", TEXT, "Its address."),
            Field::new("messagesTotal", Shape::Int32, "Messages in the mailbox."),
            Field::new("threadsTotal", Shape::Int32, "Threads in the mailbox."),
            Field::new(
                "historyId",
                Shape::Uint64,
                "Newest history id of the mailbox.",
            ),
        ],
    },
    Schema {
        id: "SendAs",
        description: "An identity that mail can be sent as.",
        fields: &[
            Field::new("sendAsEmail", TEXT, "Address in From."),
            Field::new("displayName", TEXT, "Name in From."),
            Field::new("replyToAddress", TEXT, "Address in Reply-To; empty: none."),
            Field::new(
                "signature",
                TEXT,
                "HTML under new mails in Gmail's own interface.",
            ),
            Field::new(
                "isPrimary",
                Shape::Bool,
                "Whether it is the account's own address.",
            ),
            Field::new(
                "isDefault",
                Shape::Bool,
                "Whether it is used where a mail has no From.",
            ),
            Field::new(
                "treatAsAlias",
                Shape::Bool,
                "Whether mail to it is mail to the account.",
            ),
            Field::new(
                "smtpMsa",
                Shape::Ref("SmtpMsa"),
                "Relay for mail sent with it.",
            ),
            Field::new(
                "verificationStatus",
                TEXT,
                "Whether it has proved to be the account's.",
            )
            .choices(&[
                ("verificationStatusUnspecified", "Unknown."),
                ("accepted", "It has: it can be used."),
                ("pending", "Not yet: it cannot be used."),
            ]),
        ],
    },
    Schema {
        id: "SmtpMsa",
        description: "A relay for outgoing mail.",
        fields: &[
            Field::new("host", TEXT, "Host name."),
            Field::new("port", Shape::Int32, "Port."),
            Field::new("username", TEXT, "User name."),
            Field::new("password", TEXT, "Password; never returned."),
            Field::new("securityMode", TEXT, "How the connection is protected.").choices(&[
                ("securityModeUnspecified", "Unknown."),
                ("none", "Not at all."),
                ("ssl", "By TLS from the start."),
                ("starttls", "By STARTTLS."),
            ]),
        ],
    },
    Schema {
        id: "ListSendAsResponse",
        description: "The identities of the account.",
        fields: &[Field::new(
            "sendAs",
            Shape::List(&Shape::Ref("SendAs")),
            "Identities.",
        )],
    },
    Schema {
        id: "Filter",
        description: "A filter: what happens to which mails that come in.",
        fields: &[
            Field::new("id", TEXT, "Identifier."),
            Field::new(
                "criteria",
                Shape::Ref("FilterCriteria"),
                "Which mails it is for.",
            ),
            Field::new(
                "action",
                Shape::Ref("FilterAction"),
                "What happens to them.",
            ),
        ],
    },
    Schema {
        id: "FilterCriteria",
        description: "Which mails a filter is for.",
        fields: &[
            Field::new("from", TEXT, "Name or address of the sender."),
            Field::new("to", TEXT, "Name or address of a recipient."),
            Field::new("subject", TEXT, "Words of the subject."),
            Field::new("query", TEXT, "Query that must match."),
            Field::new("negatedQuery", TEXT, "Query that must not match."),
            Field::new(
                "hasAttachment",
                Shape::Bool,
                "Whether there must be an attachment.",
            ),
            Field::new("excludeChats", Shape::Bool, "Whether chats are left out."),
            Field::new("size", Shape::Int32, "Size of the mail in bytes."),
            Field::new("sizeComparison", TEXT, "How the size compares.").choices(&[
                ("unspecified", "Unknown."),
                ("smaller", "The mail is smaller."),
                ("larger", "The mail is larger."),
            ]),
        ],
    },
    Schema {
        id: "FilterAction",
        description: "What happens to the mails of a filter.",
        fields: &[
            Field::new("addLabelIds", TEXTS, "Identifiers of labels that they get."),
            Field::new(
                "removeLabelIds",
                TEXTS,
                "Identifiers of labels that they lose.",
            ),
            Field::new("forward", TEXT, "Address that they are passed on to."),
        ],
    },
    Schema {
        id: "ListFiltersResponse",
        description: "The filters of the account.",
        fields: &[Field::new(
            "filter",
            Shape::List(&Shape::Ref("Filter")),
            "Filters.",
        )],
    },
];

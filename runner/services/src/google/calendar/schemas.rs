//! The API's schemas, after Google's discovery document `calendar:v3`; the
//! descriptions are ours.

use crate::google::schema::{Field, Schema, Shape};

const KIND: Field = Field::new("kind", Shape::Text, "Kind of the resource.");
const ETAG: Field = Field::new("etag", Shape::Text, "Tag of this version.");
const ID: Field = Field::new("id", Shape::Text, "Identifier.");
const SUMMARY: Field = Field::new("summary", Shape::Text, "Title.");
const ZONE: Field = Field::new("timeZone", Shape::Text, "IANA time zone.");
const NEXT_PAGE: Field = Field::new(
    "nextPageToken",
    Shape::Text,
    "Token of the next page; absent on the last one.",
);
const REMINDERS: Field = Field::new(
    "defaultReminders",
    Shape::List(&Shape::Ref("EventReminder")),
    "Default reminders.",
);
const CONFERENCES: Field = Field::new(
    "conferenceProperties",
    Shape::Object(&[Field::new(
        "allowedConferenceSolutionTypes",
        Shape::List(&Shape::Text),
        "Kinds of conferences.",
    )]),
    "Conferences of the calendar.",
);
const PERSON: Shape = Shape::Object(&[
    Field::new("displayName", Shape::Text, "Name."),
    Field::new("email", Shape::Text, "Address."),
    Field::new("id", Shape::Text, "Profile."),
    Field::new("self", Shape::Bool, "Whether it is this calendar's owner."),
]);

pub(super) const SCHEMAS: &[Schema] = &[
    Schema {
        id: "Calendar",
        description: "A calendar.",
        fields: &[
            CONFERENCES,
            Field::new("description", Shape::Text, "What it is for."),
            ETAG,
            ID,
            KIND,
            Field::new("location", Shape::Text, "Where it is."),
            SUMMARY,
            ZONE,
        ],
    },
    Schema {
        id: "CalendarList",
        description: "A page of calendars.",
        fields: &[
            ETAG,
            Field::new(
                "items",
                Shape::List(&Shape::Ref("CalendarListEntry")),
                "The calendars.",
            ),
            KIND,
            NEXT_PAGE,
        ],
    },
    Schema {
        id: "CalendarListEntry",
        description: "A calendar in an account's list.",
        fields: &[
            Field::new("accessRole", Shape::Text, "What the account may do."),
            Field::new("backgroundColor", Shape::Text, "Colour."),
            Field::new("colorId", Shape::Text, "Number of the colour."),
            CONFERENCES,
            REMINDERS,
            Field::new("description", Shape::Text, "What it is for."),
            ETAG,
            Field::new("foregroundColor", Shape::Text, "Colour of texts."),
            ID,
            KIND,
            Field::new("primary", Shape::Bool, "Whether it is the account's own."),
            Field::new("selected", Shape::Bool, "Whether it is shown."),
            SUMMARY,
            ZONE,
        ],
    },
    Schema {
        id: "ConferenceData",
        description: "A conference.",
        fields: &[
            Field::new("conferenceId", Shape::Text, "Code of the conference."),
            Field::new("conferenceSolution", Shape::Any, "Kind of the conference."),
            Field::new(
                "createRequest",
                Shape::Object(&[
                    Field::new(
                        "conferenceSolutionKey",
                        Shape::Any,
                        "Kind of conference to make.",
                    ),
                    Field::new("requestId", Shape::Text, "Name of the request."),
                    Field::new("status", Shape::Any, "State of the request."),
                ]),
                "Asks for a new conference.",
            ),
            Field::new(
                "entryPoints",
                Shape::List(&Shape::Any),
                "Ways to take part.",
            ),
        ],
    },
    Schema {
        id: "Event",
        description: "An event. Recurring events are refused.",
        fields: &[
            Field::new(
                "attendees",
                Shape::List(&Shape::Ref("EventAttendee")),
                "Who is invited.",
            ),
            Field::new("colorId", Shape::Text, "Number of the colour."),
            Field::new(
                "conferenceData",
                Shape::Ref("ConferenceData"),
                "Conference.",
            ),
            Field::new("created", Shape::DateTime, "When it was entered."),
            Field::new("creator", PERSON, "Who entered it."),
            Field::new("description", Shape::Text, "Details."),
            Field::new("end", Shape::Ref("EventDateTime"), "End, exclusive."),
            ETAG,
            Field::new("eventType", Shape::Text, "Kind of event."),
            Field::new("hangoutLink", Shape::Text, "Link to the conference."),
            Field::new("htmlLink", Shape::Text, "Link to the event for people."),
            Field::new("iCalUID", Shape::Text, "UID of RFC 5545."),
            ID,
            KIND,
            Field::new("location", Shape::Text, "Where it takes place."),
            Field::new("organizer", PERSON, "Who organises it."),
            Field::new(
                "recurrence",
                Shape::List(&Shape::Text),
                "Refused: events are single here.",
            ),
            Field::new(
                "reminders",
                Shape::Any,
                "Reminders. Accepted and not looked at.",
            ),
            Field::new(
                "sequence",
                Shape::Int32,
                "Number of the version of RFC 5545.",
            ),
            Field::new("start", Shape::Ref("EventDateTime"), "Start."),
            Field::new("status", Shape::Text, "confirmed, tentative or cancelled."),
            SUMMARY,
            Field::new(
                "transparency",
                Shape::Text,
                "opaque, or transparent: does not make busy.",
            ),
            Field::new("updated", Shape::DateTime, "Last change."),
            Field::new(
                "visibility",
                Shape::Text,
                "default, public, private or confidential.",
            ),
        ],
    },
    Schema {
        id: "EventAttendee",
        description: "Somebody who is invited.",
        fields: &[
            Field::new("displayName", Shape::Text, "Name."),
            Field::new("email", Shape::Text, "Address."),
            Field::new(
                "optional",
                Shape::Bool,
                "Whether their presence is optional.",
            ),
            Field::new("organizer", Shape::Bool, "Whether they organise it."),
            Field::new(
                "responseStatus",
                Shape::Text,
                "needsAction, declined, tentative or accepted.",
            ),
            Field::new("self", Shape::Bool, "Whether it is this calendar's owner."),
        ],
    },
    Schema {
        id: "EventDateTime",
        description: "When an event begins or ends: a day or a moment.",
        fields: &[
            Field::new("date", Shape::Date, "The day, of an event of whole days."),
            Field::new("dateTime", Shape::DateTime, "The moment, RFC 3339."),
            Field::new(
                "timeZone",
                Shape::Text,
                "Its zone; needed where dateTime has no offset.",
            ),
        ],
    },
    Schema {
        id: "EventReminder",
        description: "A reminder.",
        fields: &[
            Field::new("method", Shape::Text, "email or popup."),
            Field::new("minutes", Shape::Int32, "Minutes before the start."),
        ],
    },
    Schema {
        id: "Events",
        description: "A page of events.",
        fields: &[
            Field::new("accessRole", Shape::Text, "What the account may do."),
            REMINDERS,
            Field::new("description", Shape::Text, "Description of the calendar."),
            ETAG,
            Field::new("items", Shape::List(&Shape::Ref("Event")), "The events."),
            KIND,
            NEXT_PAGE,
            SUMMARY,
            ZONE,
            Field::new("updated", Shape::DateTime, "Last change of the calendar."),
        ],
    },
    Schema {
        id: "FreeBusyRequest",
        description: "A question about free time.",
        fields: &[
            Field::new(
                "items",
                Shape::List(&Shape::Object(&[Field::new(
                    "id",
                    Shape::Text,
                    "The calendar.",
                )])),
                "Calendars to look at.",
            ),
            Field::new("timeMax", Shape::DateTime, "End of the time to look at."),
            Field::new("timeMin", Shape::DateTime, "Start of the time to look at."),
            ZONE,
        ],
    },
    Schema {
        id: "FreeBusyResponse",
        description: "When calendars are busy.",
        fields: &[
            Field::new(
                "calendars",
                Shape::Map(&Shape::Any),
                "Busy times by calendar.",
            ),
            KIND,
            Field::new("timeMax", Shape::DateTime, "End of the time looked at."),
            Field::new("timeMin", Shape::DateTime, "Start of the time looked at."),
        ],
    },
    Schema {
        id: "Setting",
        description: "A setting.",
        fields: &[
            ETAG,
            ID,
            KIND,
            Field::new("value", Shape::Text, "Its value."),
        ],
    },
    Schema {
        id: "Settings",
        description: "The settings.",
        fields: &[
            ETAG,
            Field::new(
                "items",
                Shape::List(&Shape::Ref("Setting")),
                "The settings.",
            ),
            KIND,
            NEXT_PAGE,
        ],
    },
];

//! The API's methods and schemas, after Google's discovery document
//! `calendar:v3`; the descriptions are ours.

use super::{events, lookups};
use crate::google::method::{Api, Kind, Method, Param, Style, Verb};
use crate::google::schema::{Field, Schema, Shape};

const WRITE: &str = "https://www.googleapis.com/auth/calendar";
const READ: &str = "https://www.googleapis.com/auth/calendar.readonly";
const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const EVENTS_READ: &str = "https://www.googleapis.com/auth/calendar.events.readonly";
const SETTINGS: &str = "https://www.googleapis.com/auth/calendar.settings.readonly";

const CALENDAR: Param = Param::path("calendarId", "Identifier of the calendar, or primary.");
const PAGE_TOKEN: Param = Param::query(
    "pageToken",
    Kind::Text,
    "Token of the page to return, from the page before.",
);
const TIME_ZONE: Param = Param::query(
    "timeZone",
    Kind::Text,
    "Zone of the moments in the answer. Default: the calendar's.",
);

/// Google Calendar.
pub static API: Api = Api {
    name: "calendar",
    version: "v3",
    title: "Google Calendar API",
    description: "Looks up calendars and enters events.",
    root_url: "https://www.googleapis.com/",
    service_path: "calendar/v3/",
    batch_path: "batch/calendar/v3",
    style: Style::Lenient,
    scopes: &[
        (WRITE, "See and change calendars."),
        (READ, "See calendars."),
        (EVENTS, "See and change events."),
        (EVENTS_READ, "See events."),
        (SETTINGS, "See settings."),
    ],
    methods: METHODS,
    schemas: SCHEMAS,
};

const METHODS: &[Method] = &[
    Method {
        id: "calendar.calendarList.list",
        verb: Verb::Get,
        path: "users/me/calendarList",
        description: "Returns the calendars of the account, the primary one first.",
        params: &[
            Param::query(
                "maxResults",
                Kind::Int32,
                "Most calendars on a page: 100 by default, up to 250.",
            )
            .range(1, 250),
            PAGE_TOKEN,
        ],
        request: None,
        response: Some("CalendarList"),
        upload: None,
        scopes: &[WRITE, READ],
        handler: lookups::calendar_list,
    },
    Method {
        id: "calendar.calendarList.get",
        verb: Verb::Get,
        path: "users/me/calendarList/{calendarId}",
        description: "Returns a calendar of the account's list.",
        params: &[CALENDAR],
        request: None,
        response: Some("CalendarListEntry"),
        upload: None,
        scopes: &[WRITE, READ],
        handler: lookups::calendar_list_entry,
    },
    Method {
        id: "calendar.calendars.get",
        verb: Verb::Get,
        path: "calendars/{calendarId}",
        description: "Returns what a calendar is.",
        params: &[CALENDAR],
        request: None,
        response: Some("Calendar"),
        upload: None,
        scopes: &[WRITE, READ],
        handler: lookups::calendar,
    },
    Method {
        id: "calendar.events.list",
        verb: Verb::Get,
        path: "calendars/{calendarId}/events",
        description: "Returns events of a calendar.",
        params: &[
            CALENDAR,
            Param::query("iCalUID", Kind::Text, "Only the event with this UID."),
            Param::query(
                "maxResults",
                Kind::Int32,
                "Most events on a page, up to 2500.",
            )
            .default("250")
            .range(1, 2500),
            Param::query("orderBy", Kind::Text, "Order of the events.").choices(&[
                ("startTime", "By start. Needs singleEvents."),
                ("updated", "By last change."),
            ]),
            PAGE_TOKEN,
            Param::query(
                "q",
                Kind::Text,
                "Words that the event's texts or attendees must have.",
            ),
            Param::query(
                "showDeleted",
                Kind::Bool,
                "Whether cancelled events are returned.",
            ),
            Param::query(
                "singleEvents",
                Kind::Bool,
                "Whether recurring events come one by one.",
            ),
            Param::query(
                "timeMax",
                Kind::DateTime,
                "Moment before which an event must begin.",
            ),
            Param::query(
                "timeMin",
                Kind::DateTime,
                "Moment after which an event must end.",
            ),
            TIME_ZONE,
            Param::query(
                "updatedMin",
                Kind::DateTime,
                "Earliest moment of the last change.",
            ),
        ],
        request: None,
        response: Some("Events"),
        upload: None,
        scopes: &[WRITE, READ, EVENTS, EVENTS_READ],
        handler: events::list,
    },
    Method {
        id: "calendar.events.get",
        verb: Verb::Get,
        path: "calendars/{calendarId}/events/{eventId}",
        description: "Returns an event.",
        params: &[
            CALENDAR,
            Param::path("eventId", "Identifier of the event."),
            TIME_ZONE,
        ],
        request: None,
        response: Some("Event"),
        upload: None,
        scopes: &[WRITE, READ, EVENTS, EVENTS_READ],
        handler: events::get,
    },
    Method {
        id: "calendar.events.insert",
        verb: Verb::Post,
        path: "calendars/{calendarId}/events",
        description: "Enters an event.",
        params: &[
            CALENDAR,
            Param::query(
                "conferenceDataVersion",
                Kind::Int32,
                "1 where conferenceData is to be read.",
            )
            .range(0, 1),
            Param::query("maxAttendees", Kind::Int32, "Accepted and not looked at."),
            Param::query(
                "sendNotifications",
                Kind::Bool,
                "Accepted and not looked at.",
            ),
            Param::query("sendUpdates", Kind::Text, "Accepted; no mail is sent.").choices(&[
                ("all", "To all guests."),
                ("externalOnly", "To guests without Google Calendar."),
                ("none", "To nobody."),
            ]),
            Param::query(
                "supportsAttachments",
                Kind::Bool,
                "Accepted and not looked at.",
            ),
        ],
        request: Some("Event"),
        response: Some("Event"),
        upload: None,
        scopes: &[WRITE, EVENTS],
        handler: events::insert,
    },
    Method {
        id: "calendar.freebusy.query",
        verb: Verb::Post,
        path: "freeBusy",
        description: "Returns when calendars are busy.",
        params: &[],
        request: Some("FreeBusyRequest"),
        response: Some("FreeBusyResponse"),
        upload: None,
        scopes: &[WRITE, READ],
        handler: lookups::free_busy,
    },
    Method {
        id: "calendar.settings.get",
        verb: Verb::Get,
        path: "users/me/settings/{setting}",
        description: "Returns a setting: timezone, locale, weekStart or format24HourTime.",
        params: &[Param::path("setting", "Name of the setting.")],
        request: None,
        response: Some("Setting"),
        upload: None,
        scopes: &[WRITE, READ, SETTINGS],
        handler: lookups::setting,
    },
    Method {
        id: "calendar.settings.list",
        verb: Verb::Get,
        path: "users/me/settings",
        description: "Returns the settings.",
        params: &[],
        request: None,
        response: Some("Settings"),
        upload: None,
        scopes: &[WRITE, READ, SETTINGS],
        handler: lookups::settings,
    },
];

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

const SCHEMAS: &[Schema] = &[
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

//! The API's methods, after Google's discovery document
//! `calendar:v3`; the descriptions are ours.

use super::schemas::SCHEMAS;
use super::{events, lookups};
use crate::google::method::{Api, Kind, Method, Param, Style, Verb};

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

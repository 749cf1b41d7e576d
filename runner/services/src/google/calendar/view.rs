//! Events and calendars as answers show them.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::tz::TimeZone;
use proctor_types::journal::{Touch, View};
use serde_json::{Map, Value, json};

use super::store::{Attendee, Calendar, CalendarStore, Event, When};
use crate::evidence_text::clean_value;
use crate::google::time::millis;

/// An event of a calendar. `zone` is the one that moments are shown in.
pub(super) fn event(calendar: &Calendar, event: &Event, zone: &str) -> Value {
    let mut out = json!({
        "kind": "calendar#event",
        "etag": etag(event),
        "id": event.id,
        "status": event.status,
        "htmlLink": html_link(calendar, event),
        "created": millis(event.created),
        "updated": millis(event.updated),
    });
    let mut put = |name: &str, value: Value| out[name] = value;
    let texts = [
        ("summary", Some(event.summary.as_str())),
        ("description", Some(event.description.as_str())),
        ("location", Some(event.location.as_str())),
        ("colorId", event.color_id.as_deref()),
        ("transparency", event.transparency.as_deref()),
        ("visibility", event.visibility.as_deref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            put(name, text.into());
        }
    }
    put("creator", person(calendar, event));
    put("organizer", person(calendar, event));
    put("start", when(&event.start, zone));
    put("end", when(&event.end, zone));
    put("iCalUID", format!("{}@google.com", event.id).into());
    put("sequence", 0.into());
    if !event.attendees.is_empty() {
        let attendees = event
            .attendees
            .iter()
            .map(|it| attendee(calendar, event, it))
            .collect();
        put("attendees", Value::Array(attendees));
    }
    if let Some(code) = &event.meet {
        put(
            "hangoutLink",
            format!("https://meet.google.com/{code}").into(),
        );
        put("conferenceData", conference(code));
    }
    put("reminders", json!({"useDefault": true}));
    put("eventType", "default".into());
    out
}

pub(super) fn etag(event: &Event) -> String {
    format!("\"{}\"", event.updated.as_millisecond().saturating_mul(2))
}

fn html_link(calendar: &Calendar, event: &Event) -> String {
    let name = URL_SAFE_NO_PAD.encode(format!("{} {}", event.id, calendar.id));
    format!("https://www.google.com/calendar/event?eid={name}")
}

fn person(calendar: &Calendar, event: &Event) -> Value {
    let (email, name) = &event.organizer;
    let mut out = json!({"email": email});
    if let Some(name) = name {
        out["displayName"] = name.as_str().into();
    }
    if *email == calendar.id {
        out["self"] = true.into();
    }
    out
}

fn attendee(calendar: &Calendar, event: &Event, attendee: &Attendee) -> Value {
    let mut out = serde_json::to_value(attendee).unwrap_or_default();
    if attendee.email == event.organizer.0 {
        out["organizer"] = true.into();
    }
    if attendee.email == calendar.id {
        out["self"] = true.into();
    }
    out
}

fn conference(code: &str) -> Value {
    json!({
        "entryPoints": [{
            "entryPointType": "video",
            "uri": format!("https://meet.google.com/{code}"),
            "label": format!("meet.google.com/{code}"),
        }],
        "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
        "conferenceId": code,
    })
}

fn when(when: &When, zone: &str) -> Value {
    match when {
        When::Day(day) => json!({"date": day.to_string()}),
        When::Moment(moment, own) => {
            let shown = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
            let zoned = moment.to_zoned_datetime(shown);
            let text = if zoned.offset().is_zero() {
                zoned.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
            } else {
                zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
            };
            json!({"dateTime": text, "timeZone": own.as_deref().unwrap_or(zone)})
        }
    }
}

/// The journal's note that an answer carried an event.
pub(super) fn event_read(calendar: &Calendar, event: &Event) -> Touch {
    Touch::read("calendar.event", &event.id, View::Full).within(&calendar.id)
}

/// How much a masked answer shows of the event that its request named.
pub(super) fn shown(value: &Value) -> Option<View> {
    let map = value.as_object().filter(|map| !map.is_empty())?;
    let has = |name: &str| map.contains_key(name);
    let partly = ["summary", "start", "end", "attendees", "location", "status"];
    Some(if has("description") || has("summary") && has("start") {
        View::Full
    } else if partly.into_iter().any(has) {
        View::Summary
    } else {
        View::Reference
    })
}

/// The same for an event of a list. Unlike there, nothing but the answer says
/// which one it is: its identifier (links have it, too) or its own words.
pub(super) fn shown_item(value: &Value) -> Option<View> {
    const NAMING: [&str; 7] = [
        "id",
        "iCalUID",
        "htmlLink",
        "summary",
        "description",
        "location",
        "attendees",
    ];
    let named = NAMING.iter().any(|name| value.get(name).is_some());
    shown(value).filter(|_| named)
}

impl CalendarStore {
    /// Adds the calendars to the evidence: `{"calendars": [{"id", "summary",
    /// "events": [...]}]}`, events as the API shows them, each with `seeded`.
    pub fn snapshot(&self, other: &mut BTreeMap<String, Value>) {
        let calendars: Vec<Value> = self.calendars.iter().map(snapshot).collect();
        other.insert("calendar".to_owned(), json!({ "calendars": calendars }));
    }
}

/// An event as a snapshot has it.
pub(super) fn evidence(calendar: &Calendar, it: &Event) -> Value {
    let mut out = event(calendar, it, &calendar.time_zone);
    out["seeded"] = it.seeded.into();
    clean_value(&mut out);
    out
}

fn snapshot(calendar: &Calendar) -> Value {
    let events = calendar.events.iter().map(|it| evidence(calendar, it));
    let mut out = Map::new();
    out.insert("id".to_owned(), calendar.id.as_str().into());
    out.insert("summary".to_owned(), calendar.summary.as_str().into());
    out.insert("time_zone".to_owned(), calendar.time_zone.as_str().into());
    out.insert("events".to_owned(), events.collect());
    Value::Object(out)
}

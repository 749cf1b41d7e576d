//! `calendar.events.*`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proctor_types::journal::{Change, Touch};
use serde_json::{Map, Value, json};

use super::store::{Attendee, Calendar, Event, When, full, refused};
use super::view::{self, event_read, shown, shown_item};
use crate::evidence_text::json_len;
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::time::{millis, rfc3339};

/// Events on a page by default, and at most.
const PAGE: usize = 250;
const MAX_PAGE: usize = 2500;
/// Most events of a calendar.
const MAX_EVENTS: usize = 10_000;
/// Most people invited to one event.
const MAX_ATTENDEES: usize = 200;
/// Longest text of an event in characters.
const MAX_TEXT: usize = 8192;

/// The zone that moments are shown in: the request's or the calendar's.
fn shown_zone<'a>(call: &'a Call, calendar: &'a Calendar) -> Result<&'a str, ApiError> {
    match call.query("timeZone") {
        None => Ok(&calendar.time_zone),
        Some(name) if TimeZone::get(name).is_ok() => Ok(name),
        Some(name) => {
            let name: String = name.chars().take(80).collect();
            Err(refused("invalid", &format!("Unknown time zone: {name}")))
        }
    }
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let calendar = ctx.google.calendar.calendar(call.path("calendarId"))?;
    let by_start = call.query("orderBy") == Some("startTime");
    if by_start && !call.flag("singleEvents") {
        let text = "The requested ordering is not available for the particular query.";
        return Err(refused("badRequest", text));
    }
    let zone = shown_zone(call, calendar)?;
    let size = call.int("maxResults", PAGE, MAX_PAGE)?;
    let first = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => offset_of(token).ok_or_else(|| {
            refused("invalid", "Invalid page token value.").at("parameter", "pageToken")
        })?,
    };
    let mut found = matching(calendar, call)?;
    let local = calendar.zone();
    if by_start {
        found.sort_by_key(|event| event.start.moment(&local));
    } else if call.query("orderBy") == Some("updated") {
        found.sort_by_key(|event| event.updated);
    }
    let more = found.len() > first.saturating_add(size);
    let page: Vec<&Event> = found.into_iter().skip(first).take(size).collect();
    let mut out = json!({
        "kind": "calendar#events",
        "etag": format!("\"p{}\"", calendar.updated.as_millisecond()),
        "summary": calendar.summary,
        "description": "",
        "updated": millis(calendar.updated),
        "timeZone": zone,
        "accessRole": "owner",
        "defaultReminders": [{"method": "popup", "minutes": 10}],
        "items": page.iter().map(|event| view::event(calendar, event, zone)).collect::<Vec<_>>(),
    });
    if more {
        out["nextPageToken"] = URL_SAFE_NO_PAD.encode((first + size).to_string()).into();
    }
    let mut reply = Reply::json(out);
    for (n, event) in page.iter().enumerate() {
        reply = reply.read_at(
            event_read(calendar, event),
            At::Item("items", n),
            shown_item,
        );
    }
    Ok(reply)
}

fn offset_of(token: &str) -> Option<usize> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?)
        .ok()?
        .parse()
        .ok()
}

/// Events that a listing's bounds and query take.
fn matching<'a>(calendar: &'a Calendar, call: &Call) -> Result<Vec<&'a Event>, ApiError> {
    let bound = |name: &'static str| match call.query(name) {
        None => Ok(None),
        Some(text) => rfc3339(text)
            .map(Some)
            .ok_or_else(|| refused("badRequest", "Bad Request")),
    };
    let (min, max) = (bound("timeMin")?, bound("timeMax")?);
    if let (Some(min), Some(max)) = (min, max)
        && min >= max
    {
        return Err(refused(
            "timeRangeEmpty",
            "The specified time range is empty.",
        ));
    }
    let updated_min = bound("updatedMin")?;
    let words: Vec<String> = call
        .query("q")
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let local = calendar.zone();
    let takes = |event: &Event| {
        min.is_none_or(|min| event.end.moment(&local) > min)
            && max.is_none_or(|max| event.start.moment(&local) < max)
            && updated_min.is_none_or(|min| event.updated >= min)
            && (event.status != "cancelled" || call.flag("showDeleted"))
            && call
                .query("iCalUID")
                .is_none_or(|uid| uid == format!("{}@google.com", event.id))
            && contains(event, &words)
    };
    Ok(calendar
        .events
        .iter()
        .map(Arc::as_ref)
        .filter(|event| takes(event))
        .collect())
}

/// Whether every word is in one of the event's texts.
fn contains(event: &Event, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut texts = vec![
        event.summary.to_lowercase(),
        event.description.to_lowercase(),
    ];
    texts.push(event.location.to_lowercase());
    for attendee in &event.attendees {
        texts.push(attendee.email.to_lowercase());
        texts.extend(
            attendee
                .display_name
                .as_ref()
                .map(|name| name.to_lowercase()),
        );
    }
    words
        .iter()
        .all(|word| texts.iter().any(|text| text.contains(word)))
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let calendar = ctx.google.calendar.calendar(call.path("calendarId"))?;
    let event = calendar.event(call.path("eventId"))?;
    let zone = shown_zone(call, calendar)?;
    let reply = Reply::json(view::event(calendar, event, zone)).etag(view::etag(event));
    Ok(reply.read_at(event_read(calendar, event), At::Root, shown))
}

pub(super) fn insert(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let now = ctx.clock.now();
    let calendar = ctx.google.calendar.calendar(call.path("calendarId"))?;
    if calendar.events.len() >= MAX_EVENTS {
        return Err(full());
    }
    let body = call.body();
    if body.get("recurrence").is_some_and(|rules| !rules.is_null()) {
        let text = "Recurring events are not supported by this calendar.";
        return Err(refused("invalid", text));
    }
    let mut event = read(body, calendar, now)?;
    event.organizer = (ctx.account.email.clone(), Some(ctx.account.name.clone()));
    event.id = match call.text("id").filter(|id| !id.is_empty()) {
        Some(id) => own_id(calendar, id)?,
        None => base32_id(&ctx.ids.hex("calendar.event", 52)),
    };
    let asked = body
        .get("conferenceData")
        .and_then(|data| data.get("createRequest"));
    if asked.is_some() && call.number("conferenceDataVersion") == Some(1) {
        let letters: String = ctx
            .ids
            .hex("calendar.meet", 10)
            .bytes()
            .map(|c| char::from(b'a' + c % 26))
            .collect();
        let part = |from: usize, to: usize| letters.get(from..to).unwrap_or_default();
        event.meet = Some(format!("{}-{}-{}", part(0, 3), part(3, 7), part(7, 10)));
    }
    let id = event.id.clone();
    // And a comma.
    let bytes = json_len(&view::evidence(calendar, &event)).saturating_add(1);
    ctx.google.calendar.take_room(bytes)?;
    let calendar = ctx.google.calendar.calendar_mut(call.path("calendarId"))?;
    calendar.events.push(Arc::new(event));
    calendar.updated = now;
    let event = calendar.event(&id)?;
    let created = Touch::changed("calendar.event", &id, Change::Created).within(&calendar.id);
    let reply = Reply::json(view::event(calendar, event, &calendar.time_zone));
    let reply = reply.etag(view::etag(event)).changed(created);
    Ok(reply.read_at(event_read(calendar, event), At::Root, shown))
}

/// An identifier that the client chose: base32hex, not taken yet.
fn own_id(calendar: &Calendar, id: &str) -> Result<String, ApiError> {
    let fits = (5..=1024).contains(&id.len())
        && id
            .bytes()
            .all(|c| c.is_ascii_digit() || (b'a'..=b'v').contains(&c));
    if !fits {
        return Err(refused("invalid", "Invalid resource id value."));
    }
    if calendar.event(id).is_ok() {
        let text = "The requested identifier already exists.";
        return Err(ApiError::new(409, "ALREADY_EXISTS", "duplicate", text).without_status());
    }
    Ok(id.to_owned())
}

/// 26 characters of base32hex from twice as many hex digits.
fn base32_id(hex: &str) -> String {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let fives = digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |sum, digit| sum * 16 + digit) % 32);
    fives
        .filter_map(|five| char::from_digit(five, 32))
        .collect()
}

fn text(body: &Map<String, Value>, name: &str) -> Result<String, ApiError> {
    let text = body.get(name).and_then(Value::as_str).unwrap_or_default();
    if text.chars().nth(MAX_TEXT).is_some() {
        return Err(refused("invalid", &format!("Invalid value for: {name}")));
    }
    Ok(text.to_owned())
}

/// The event that a body describes.
fn read(body: &Map<String, Value>, calendar: &Calendar, now: Timestamp) -> Result<Event, ApiError> {
    let start = when(body, "start")?;
    let end = when(body, "end")?;
    let local = calendar.zone();
    let whole_days = |when: &When| matches!(when, When::Day(_));
    if whole_days(&start) != whole_days(&end) {
        return Err(refused(
            "invalid",
            "Start and end times must either both be date or both be dateTime.",
        ));
    }
    if end.moment(&local) < start.moment(&local) {
        return Err(refused(
            "timeRangeEmpty",
            "The specified time range is empty.",
        ));
    }
    let some = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let status = some("status").unwrap_or_else(|| "confirmed".to_owned());
    if !["confirmed", "tentative", "cancelled"].contains(&status.as_str()) {
        return Err(refused("invalid", "Invalid status value."));
    }
    Ok(Event {
        id: String::new(),
        summary: text(body, "summary")?,
        description: text(body, "description")?,
        location: text(body, "location")?,
        start,
        end,
        status,
        visibility: some("visibility"),
        transparency: some("transparency"),
        color_id: some("colorId"),
        organizer: (String::new(), None),
        attendees: attendees(body)?,
        meet: None,
        created: now,
        updated: now,
        seeded: false,
    })
}

fn attendees(body: &Map<String, Value>) -> Result<Vec<Attendee>, ApiError> {
    let given = body
        .get("attendees")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    if given.len() > MAX_ATTENDEES {
        return Err(refused("invalid", "Too many attendees."));
    }
    given
        .iter()
        .map(|attendee| {
            let get = |name: &str| attendee.get(name).and_then(Value::as_str);
            let email = get("email").unwrap_or_default().trim();
            let fits = email.split_once('@').is_some_and(|(local, domain)| {
                !local.is_empty() && domain.contains('.') && !email.contains(char::is_whitespace)
            });
            if !fits {
                return Err(refused("invalid", "Invalid attendee email."));
            }
            Ok(Attendee {
                email: email.to_ascii_lowercase(),
                display_name: get("displayName").map(str::to_owned),
                optional: attendee
                    .get("optional")
                    .and_then(Value::as_bool)
                    .unwrap_or(false),
                response_status: get("responseStatus").unwrap_or("needsAction").to_owned(),
            })
        })
        .collect()
}

fn when(body: &Map<String, Value>, name: &str) -> Result<When, ApiError> {
    let missing = |what: &str| refused("required", &format!("Missing {name} {what}."));
    let given = body
        .get(name)
        .and_then(Value::as_object)
        .ok_or_else(|| missing("time"))?;
    let get = |name: &str| given.get(name).and_then(Value::as_str);
    let zone = match get("timeZone") {
        None => None,
        Some(zone) => Some((
            zone,
            TimeZone::get(zone).map_err(|_| {
                refused(
                    "invalid",
                    &format!("Invalid time zone definition for {name} time."),
                )
            })?,
        )),
    };
    let own = zone.as_ref().map(|(name, _)| (*name).to_owned());
    let bad = || refused("invalid", &format!("Invalid value for: {name}"));
    match (get("dateTime"), get("date")) {
        (Some(text), _) => match (rfc3339(text), zone) {
            (Some(moment), _) => Ok(When::Moment(moment, own)),
            (None, Some((_, zone))) => {
                let local: DateTime = text.parse().map_err(|_| bad())?;
                let moment = local
                    .to_zoned_datetime(zone)
                    .map_err(|_| bad())?
                    .timestamp();
                Ok(When::Moment(moment, own))
            }
            (None, None) if text.parse::<DateTime>().is_ok() => {
                let text = format!("Missing time zone definition for {name} time.");
                Err(refused("required", &text))
            }
            (None, None) => Err(bad()),
        },
        (None, Some(day)) => day.parse().map(When::Day).map_err(|_| bad()),
        (None, None) => Err(missing("time")),
    }
}

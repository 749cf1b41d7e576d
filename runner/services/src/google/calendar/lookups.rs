//! Calendars, settings and free time.

use jiff::tz::TimeZone;
use proctor_types::journal::{Touch, View};
use serde_json::{Map, Value, json};

use super::store::{Calendar, not_found, refused};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::time::{millis, rfc3339};

fn calendar_read(calendar: &Calendar) -> Touch {
    Touch::read("calendar.calendar", &calendar.id, View::Summary)
}

/// How much a masked answer shows of the calendar that its request named.
fn shown(value: &Value) -> Option<View> {
    let map = value.as_object().filter(|map| !map.is_empty())?;
    let content = ["summary", "timeZone", "primary", "accessRole"];
    Some(if content.iter().any(|name| map.contains_key(*name)) {
        View::Summary
    } else {
        View::Reference
    })
}

/// The same for a calendar of a list, which must say itself which one it is.
fn shown_item(value: &Value) -> Option<View> {
    let named = ["id", "summary"]
        .iter()
        .any(|name| value.get(name).is_some());
    shown(value).filter(|_| named)
}

/// A calendar in the account's list.
fn entry(calendar: &Calendar, primary: bool) -> Value {
    let mut out = json!({
        "kind": "calendar#calendarListEntry",
        "etag": format!("\"{}\"", calendar.updated.as_millisecond()),
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.time_zone,
        "colorId": "14",
        "backgroundColor": "#9fe1e7",
        "foregroundColor": "#000000",
        "selected": true,
        "accessRole": "owner",
        "defaultReminders": [{"method": "popup", "minutes": 10}],
        "conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
    });
    if primary {
        out["primary"] = true.into();
    }
    out
}

pub(super) fn calendar_list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let size = call.int("maxResults", 100, 250)?;
    let first = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => token
            .parse()
            .map_err(|_| refused("invalid", "Invalid page token value."))?,
    };
    let all = &ctx.google.calendar.calendars;
    let page: Vec<(usize, &Calendar)> = all.iter().enumerate().skip(first).take(size).collect();
    let items: Vec<Value> = page
        .iter()
        .map(|(n, calendar)| entry(calendar, *n == 0))
        .collect();
    let mut out = json!({
        "kind": "calendar#calendarList",
        "etag": format!("\"p{}\"", ctx.clock.start().as_millisecond()),
        "items": items,
    });
    if all.len() > first.saturating_add(size) {
        out["nextPageToken"] = (first + size).to_string().into();
    }
    let reads = page.iter().enumerate();
    Ok(reads.fold(Reply::json(out), |reply, (n, (_, calendar))| {
        reply.read_at(calendar_read(calendar), At::Item("items", n), shown_item)
    }))
}

pub(super) fn calendar_list_entry(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let store = &ctx.google.calendar;
    let calendar = store.calendar(call.path("calendarId"))?;
    let primary = store
        .calendars
        .first()
        .is_some_and(|first| first.id == calendar.id);
    Ok(Reply::json(entry(calendar, primary)).read_at(calendar_read(calendar), At::Root, shown))
}

pub(super) fn calendar(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let calendar = ctx.google.calendar.calendar(call.path("calendarId"))?;
    let out = json!({
        "kind": "calendar#calendar",
        "etag": format!("\"{}\"", calendar.updated.as_millisecond()),
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.time_zone,
        "conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
    });
    Ok(Reply::json(out).read_at(calendar_read(calendar), At::Root, shown))
}

/// The account's settings, by name.
fn values(ctx: &Ctx<'_>) -> [(&'static str, String); 4] {
    [
        ("format24HourTime", "false".to_owned()),
        ("locale", "en".to_owned()),
        ("timezone", ctx.account.time_zone.clone()),
        ("weekStart", "0".to_owned()),
    ]
}

fn one(name: &str, value: &str) -> Value {
    json!({"kind": "calendar#setting", "etag": "\"0\"", "id": name, "value": value})
}

pub(super) fn setting(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let name = call.path("setting");
    let values = values(ctx);
    let (name, value) = values
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(not_found)?;
    Ok(Reply::json(one(name, value)))
}

#[allow(clippy::unnecessary_wraps, reason = "a handler like the others")]
pub(super) fn settings(ctx: &mut Ctx<'_>, _: &Call) -> Result<Reply, ApiError> {
    let items: Vec<Value> = values(ctx)
        .iter()
        .map(|(name, value)| one(name, value))
        .collect();
    Ok(Reply::json(
        json!({"kind": "calendar#settings", "etag": "\"0\"", "items": items}),
    ))
}

/// Most calendars that one question about free time may name.
const MAX_ITEMS: usize = 50;

pub(super) fn free_busy(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let bound = |name: &str| {
        let text = call
            .text(name)
            .ok_or_else(|| refused("required", &format!("Missing {name}.")))?;
        rfc3339(text).ok_or_else(|| refused("badRequest", "Bad Request"))
    };
    let (min, max) = (bound("timeMin")?, bound("timeMax")?);
    if min >= max {
        return Err(refused(
            "timeRangeEmpty",
            "The specified time range is empty.",
        ));
    }
    let items = call.body().get("items").and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    if items.len() > MAX_ITEMS {
        return Err(refused(
            "tooManyCalendarsRequested",
            "Too many calendars requested.",
        ));
    }
    let mut calendars = Map::new();
    for id in items
        .iter()
        .filter_map(|item| item.get("id").and_then(Value::as_str))
    {
        let answer = match ctx.google.calendar.calendar(id) {
            Ok(calendar) => json!({"busy": busy(calendar, min, max)}),
            Err(_) => json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
        };
        calendars.insert(id.to_owned(), answer);
    }
    Ok(Reply::json(json!({
        "kind": "calendar#freeBusy",
        "timeMin": millis(min),
        "timeMax": millis(max),
        "calendars": calendars,
    })))
}

/// Busy times between two moments, joined where they touch.
fn busy(calendar: &Calendar, min: jiff::Timestamp, max: jiff::Timestamp) -> Vec<Value> {
    let zone: TimeZone = calendar.zone();
    let mut spans: Vec<_> = calendar
        .events
        .iter()
        .filter(|event| {
            event.status != "cancelled" && event.transparency.as_deref() != Some("transparent")
        })
        .map(|event| {
            (
                event.start.moment(&zone).max(min),
                event.end.moment(&zone).min(max),
            )
        })
        .filter(|(start, end)| start < end)
        .collect();
    spans.sort_unstable();
    let mut joined: Vec<(jiff::Timestamp, jiff::Timestamp)> = Vec::new();
    for (start, end) in spans {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    let show = |moment: jiff::Timestamp| moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    joined
        .into_iter()
        .map(|(start, end)| json!({"start": show(start), "end": show(end)}))
        .collect()
}

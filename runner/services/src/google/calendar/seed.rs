//! `google/calendar.json` of a seed.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Deserialize;

use super::store::{Attendee, Calendar, CalendarStore, Event, When};
use crate::google::time::rfc3339;
use crate::world::{SeedContext, SeedError, SeedFile};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedCalendars {
    /// Events of the primary calendar.
    #[serde(default)]
    events: Vec<SeedEvent>,
    /// Other calendars.
    #[serde(default)]
    calendars: Vec<SeedCalendar>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedCalendar {
    id: String,
    summary: String,
    time_zone: Option<String>,
    #[serde(default)]
    events: Vec<SeedEvent>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedEvent {
    id: Option<String>,
    summary: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    location: String,
    start: String,
    end: String,
    organizer: Option<String>,
    #[serde(default)]
    attendees: Vec<Attendee>,
}

impl CalendarStore {
    /// The calendars as the seed's `calendar.json` has them; one empty primary
    /// calendar where there is no such file.
    ///
    /// # Errors
    /// Names the file, the line or the event, and what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let file = match context.dir {
            Some(dir) => dir.optional_file("calendar.json")?,
            None => None,
        };
        let read = file
            .as_ref()
            .map(SeedFile::json::<SeedCalendars>)
            .transpose()?;
        let SeedCalendars { events, calendars } = read.unwrap_or_default();
        let primary = SeedCalendar {
            id: context.account.email.clone(),
            summary: context.account.email.clone(),
            time_zone: None,
            events,
        };
        let path = file.map(|file| file.path).unwrap_or_default();
        let mut known = HashSet::new();
        let calendars = std::iter::once(primary).chain(calendars).map(|seed| {
            if !known.insert(seed.id.to_ascii_lowercase()) || seed.id == "primary" {
                let text = format!("the calendar `{}` is there twice", seed.id);
                return Err(SeedError::file(&path, text));
            }
            calendar(context, &path, seed)
        });
        Ok(Self {
            calendars: calendars.collect::<Result<_, _>>()?,
            added: 0,
        })
    }
}

fn calendar(
    context: &mut SeedContext<'_>,
    path: &str,
    seed: SeedCalendar,
) -> Result<Calendar, SeedError> {
    let time_zone = seed
        .time_zone
        .unwrap_or_else(|| context.account.time_zone.clone());
    if TimeZone::get(&time_zone).is_err() {
        let text = format!("calendar `{}`: `{time_zone}` is no IANA time zone", seed.id);
        return Err(SeedError::file(path, text));
    }
    let mut calendar = Calendar {
        id: seed.id,
        summary: seed.summary,
        time_zone,
        updated: context.clock.start(),
        events: Vec::new(),
    };
    for (n, event) in seed.events.into_iter().enumerate() {
        let place = format!("calendar `{}`, events[{n}]", calendar.id);
        let event = self::event(context, path, &place, event)?;
        if calendar.event(&event.id).is_ok() {
            let text = format!("{place}: the id `{}` is there twice", event.id);
            return Err(SeedError::file(path, text));
        }
        calendar.events.push(Arc::new(event));
    }
    Ok(calendar)
}

fn event(
    context: &mut SeedContext<'_>,
    path: &str,
    place: &str,
    seed: SeedEvent,
) -> Result<Event, SeedError> {
    let when = |name: &str, text: &str| {
        let day = (text.len() == 10)
            .then(|| text.parse().ok().map(When::Day))
            .flatten();
        day.or_else(|| rfc3339(text).map(|moment| When::Moment(moment, None))).ok_or_else(|| {
            let problem = format!(
                "{place}.{name}: expected a moment like `2026-03-02T09:00:00Z` or a day, found `{text}`"
            );
            SeedError::file(path, problem)
        })
    };
    let (start, end) = (when("start", &seed.start)?, when("end", &seed.end)?);
    if matches!(start, When::Day(_)) != matches!(end, When::Day(_))
        || end.moment(&TimeZone::UTC) < start.moment(&TimeZone::UTC)
    {
        let text =
            format!("{place}: expected start and end of one kind, the end not before the start");
        return Err(SeedError::file(path, text));
    }
    let organizer = seed
        .organizer
        .unwrap_or_else(|| context.account.email.clone());
    let name = context
        .people
        .iter()
        .find(|person| person.email == organizer);
    let now = context.clock.start();
    Ok(Event {
        id: seed
            .id
            .unwrap_or_else(|| context.ids.hex("calendar.event", 26)),
        summary: seed.summary,
        description: seed.description,
        location: seed.location,
        start,
        end,
        status: "confirmed".to_owned(),
        visibility: None,
        transparency: None,
        color_id: None,
        organizer: (organizer, name.map(|person| person.name.clone())),
        attendees: seed.attendees,
        meet: None,
        created: now,
        updated: now,
        seeded: true,
    })
}

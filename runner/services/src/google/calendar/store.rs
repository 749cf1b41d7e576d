//! The state: calendars and their events.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::google::error::ApiError;

/// Calendars of an account, the primary one first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarStore {
    pub(super) calendars: Vec<Calendar>,
    /// Bytes that requests have added to a snapshot. Nothing takes them away:
    /// events are only added.
    pub(super) added: u64,
}

/// Most bytes that requests can add to a snapshot. What is in a world must still
/// be readable by its grader: an agent must not be able to make itself
/// ungradable.
const EVIDENCE_CAP: u64 = 4 << 20;

/// A calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calendar {
    pub(super) id: String,
    pub(super) summary: String,
    pub(super) time_zone: String,
    pub(super) updated: Timestamp,
    /// In order of creation.
    pub(super) events: Vec<Arc<Event>>,
}

/// A single event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) summary: String,
    pub(super) description: String,
    pub(super) location: String,
    pub(super) start: When,
    pub(super) end: When,
    pub(super) status: String,
    pub(super) visibility: Option<String>,
    pub(super) transparency: Option<String>,
    pub(super) color_id: Option<String>,
    /// Address and, where known, name.
    pub(super) organizer: (String, Option<String>),
    pub(super) attendees: Vec<Attendee>,
    /// Code of a Meet conference: `abc-defg-hij`.
    pub(super) meet: Option<String>,
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
    pub(super) seeded: bool,
}

/// Somebody who is invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Attendee {
    pub(super) email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) display_name: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) optional: bool,
    #[serde(default = "needs_action")]
    pub(super) response_status: String,
}

fn needs_action() -> String {
    "needsAction".to_owned()
}

/// When an event begins or ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum When {
    /// A whole day.
    Day(Date),
    /// A moment, with the zone it was given in.
    Moment(Timestamp, Option<String>),
}

impl When {
    /// The moment it is, in the calendar's zone for whole days.
    pub(super) fn moment(&self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Moment(moment, _) => *moment,
            Self::Day(day) => day
                .to_zoned_datetime(zone.clone())
                .map_or(Timestamp::MAX, |start| start.timestamp()),
        }
    }
}

impl Calendar {
    pub(super) fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    pub(super) fn event(&self, id: &str) -> Result<&Arc<Event>, ApiError> {
        self.events
            .iter()
            .find(|event| event.id == id)
            .ok_or_else(not_found)
    }
}

impl CalendarStore {
    /// Counts what an event adds to a snapshot. 403 where there is no room.
    pub(super) fn take_room(&mut self, bytes: u64) -> Result<(), ApiError> {
        let added = self.added.saturating_add(bytes);
        if added > EVIDENCE_CAP {
            return Err(full());
        }
        self.added = added;
        Ok(())
    }

    /// The calendar that `id` or `primary` names.
    pub(super) fn calendar(&self, id: &str) -> Result<&Calendar, ApiError> {
        self.index(id)
            .and_then(|at| self.calendars.get(at))
            .ok_or_else(not_found)
    }

    /// The calendar that `id` or `primary` names, to be changed.
    pub(super) fn calendar_mut(&mut self, id: &str) -> Result<&mut Calendar, ApiError> {
        let at = self.index(id);
        at.and_then(|at| self.calendars.get_mut(at))
            .ok_or_else(not_found)
    }

    fn index(&self, id: &str) -> Option<usize> {
        if id == "primary" {
            return (!self.calendars.is_empty()).then_some(0);
        }
        self.calendars
            .iter()
            .position(|calendar| calendar.id.eq_ignore_ascii_case(id))
    }
}

pub(super) fn not_found() -> ApiError {
    ApiError::not_found("Not Found").without_status()
}

pub(super) fn full() -> ApiError {
    ApiError::forbidden("quotaExceeded", "Calendar usage limits exceeded.").without_status()
}

/// 400 in the older APIs' form.
pub(super) fn refused(reason: &'static str, message: &str) -> ApiError {
    ApiError::bad_request(reason, message).without_status()
}

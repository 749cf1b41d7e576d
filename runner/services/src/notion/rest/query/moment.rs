//! Dates as filters and sorts compare them: a day, or a moment of one.

use std::cmp::Ordering;

use jiff::civil;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::notion::id::Id;
use crate::notion::property::{Cell, Config, Property};
use crate::notion::store::Notion;

/// A day, or a moment of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) day: civil::Date,
    at: Option<Timestamp>,
}

impl Moment {
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Ok(at) = text.parse::<Timestamp>() {
            return Some(Self::at(at));
        }
        let local = text.parse::<civil::DateTime>().ok()?;
        let at = text
            .contains(['T', ' '])
            .then(|| local.to_zoned_datetime(TimeZone::UTC));
        let at = at.and_then(Result::ok).map(|zoned| zoned.timestamp());
        Some(Self {
            day: local.date(),
            at,
        })
    }

    /// The date that a row has in a cell.
    pub(super) fn of(notion: &Notion, row: Id, cell: Cell<'_>) -> Option<Self> {
        let node = notion.node(row)?;
        match cell.config {
            Config::CreatedTime => Some(Self::at(node.created.at)),
            Config::LastEditedTime => Some(Self::at(node.edited.at)),
            _ => match node.page()?.properties.get(cell.id)? {
                Property::Date(date) => Self::parse(&date.start),
                _ => None,
            },
        }
    }

    fn at(at: Timestamp) -> Self {
        let day = at.to_zoned_datetime(TimeZone::UTC).date();
        Self { day, at: Some(at) }
    }

    /// By moment where both say one, else by day.
    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self.at, other.at) {
            (Some(one), Some(two)) => one.cmp(&two),
            _ => self.day.cmp(&other.day),
        }
    }
}

/// The days that a word like `past_week` means.
pub(super) fn span(operator: &str, today: civil::Date) -> Option<(civil::Date, civil::Date)> {
    let go = |span: jiff::Span| today.checked_add(span).ok();
    Some(match operator {
        "past_week" => (go(-7.days())?, today),
        "past_month" => (go(-1.month())?, today),
        "past_year" => (go(-1.year())?, today),
        "next_week" => (today, go(7.days())?),
        "next_month" => (today, go(1.month())?),
        "next_year" => (today, go(1.year())?),
        "this_week" => {
            let since = i64::from(today.weekday().to_sunday_zero_offset());
            (go(-since.days())?, go((6 - since).days())?)
        }
        _ => return None,
    })
}

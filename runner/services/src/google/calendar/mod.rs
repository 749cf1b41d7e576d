//! Calendar v3, as far as schedules are looked up and meetings entered:
//! calendars, settings, and single events. Recurring events are refused.

mod events;
mod lookups;
mod schemas;
mod seed;
mod store;
mod table;
mod view;

pub use store::CalendarStore;
pub use table::API;

#[cfg(test)]
mod tests;

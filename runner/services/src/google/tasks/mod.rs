//! Google Tasks v1.
//!
//! A list holds its tasks in one order; among the tasks with the same parent
//! that order is their position. Where Google's documentation says nothing
//! (position strings, entity tags, the order of a listing) the behaviour
//! follows recorded answers of the live API.

mod edit;
mod items;
mod lists;
mod movement;
mod order;
mod seed;
mod store;
mod table;
mod view;

pub use store::TaskStore;
pub use table::API;

#[cfg(test)]
mod tests;

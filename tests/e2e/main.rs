//! Whole runs of the real `proctor`, by topic.

mod clients;
mod faults;
mod honesty;
mod packs;
mod trial;

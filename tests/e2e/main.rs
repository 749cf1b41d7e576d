//! Whole runs of the real `proctor`, by topic.

mod honesty;
mod trial;

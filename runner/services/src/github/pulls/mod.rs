//! Pull requests: what they are made of in git, and what can be done with them.

pub(crate) mod compare;
pub(crate) mod merge;
pub(crate) mod open;
pub(crate) mod review;

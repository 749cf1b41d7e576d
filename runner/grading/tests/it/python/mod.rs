//! Graders in Python: what works, and what comes of what does not.

mod corpus;
mod hostile;
mod kit;
mod room;
mod values;

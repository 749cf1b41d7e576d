//! Tasks that are graded by their own Python, as users run them.

mod direct;
mod either;

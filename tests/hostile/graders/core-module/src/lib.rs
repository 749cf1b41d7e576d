//! A module that is no component: it exports a function `grade` and knows no
//! contract.

/// Answers with something.
#[allow(unsafe_code, reason = "an export by name is unsafe to declare")]
#[unsafe(no_mangle)]
pub extern "C" fn grade() -> i32 {
    0
}

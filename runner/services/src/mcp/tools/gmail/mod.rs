//! Gmail's tools.

mod labels;
mod read;
mod send;
mod view;

use http::Method;

use crate::mcp::caller::{Ask, segment};
use crate::mcp::tool::{Tool, Toolkit};

const fn tool<A: crate::mcp::tool::Arguments>() -> Tool {
    Tool::of::<A>(Toolkit::Gmail)
}

pub(super) static TOOLS: [Tool; 12] = [
    tool::<read::FetchEmails>(),
    tool::<read::FetchMessageByMessageId>(),
    tool::<read::FetchMessageByThreadId>(),
    tool::<read::ListThreads>(),
    tool::<send::SendEmail>(),
    tool::<send::ReplyToThread>(),
    tool::<send::ForwardMessage>(),
    tool::<send::CreateEmailDraft>(),
    tool::<send::SendDraft>(),
    tool::<labels::ListLabels>(),
    tool::<labels::AddLabelToEmail>(),
    tool::<labels::GetProfile>(),
];

/// What a model does when it has no identifier of a mail.
const FIND_MAIL: &str = "Find the right id with GMAIL_FETCH_EMAILS.";
/// The same for threads.
const FIND_THREAD: &str =
    "Find the right id with GMAIL_LIST_THREADS, or take `threadId` from GMAIL_FETCH_EMAILS.";

/// A request to the account's mailbox.
fn ask(method: Method, path: &str) -> Ask {
    Ask::new(Toolkit::Gmail, method, format!("/gmail/v1/users/me/{path}"))
}

fn get(path: &str) -> Ask {
    ask(Method::GET, path)
}

/// The request for one mail.
fn message(id: &str, format: &'static str) -> Ask {
    get(&format!("messages/{}", segment(id))).query("format", Some(format))
}

/// The request for one thread.
fn thread(id: &str, format: &'static str) -> Ask {
    get(&format!("threads/{}", segment(id))).query("format", Some(format))
}

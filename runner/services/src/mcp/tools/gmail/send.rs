//! Writing and sending mail.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use http::Method;
use mail_builder::headers::Header as _;
use mail_builder::headers::address::Address;
use mail_builder::headers::text::Text;
use mail_builder::mime::MimePart;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FIND_MAIL, FIND_THREAD, ask, message, thread, view};
use crate::mcp::arguments::shown;
use crate::mcp::caller::{Ask, Caller};
use crate::mcp::tool::{Arguments, Problem};

/// One address or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a mail address, or a list of mail addresses"
)]
enum Addresses {
    /// One, or several with commas between them.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Addresses {
    fn all(self) -> Vec<String> {
        let texts = match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        };
        let parts = texts.iter().flat_map(|text| text.split(','));
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    }
}

/// A mail that is to be sent.
#[derive(Debug, Default)]
struct Letter {
    to: Vec<String>,
    cc: Vec<String>,
    bcc: Vec<String>,
    subject: String,
    body: String,
    is_html: bool,
    /// Identifiers of the mails that it answers, oldest first.
    references: Vec<String>,
}

/// The arguments that say who gets a mail, which all tools have that write one.
struct Recipients {
    /// `recipient_email`.
    first: Option<String>,
    /// `extra_recipients`.
    more: Option<Addresses>,
    cc: Option<Addresses>,
    bcc: Option<Addresses>,
}

/// The addresses in an argument.
fn addresses(argument: &str, given: Option<Addresses>) -> Result<Vec<String>, Problem> {
    let all = given.map(Addresses::all).unwrap_or_default();
    match all.iter().find(|address| !is_address(bare(address))) {
        Some(wrong) => Err(Problem::new(format!(
            "`{}` in `{argument}` is no mail address like `ada@example.com`.",
            shown(wrong)
        ))),
        None => Ok(all),
    }
}

impl Letter {
    /// A letter without anything but recipients.
    fn to(recipients: Recipients) -> Result<Self, Problem> {
        let first = recipients.first.map(Addresses::One);
        let mut to = addresses("recipient_email", first)?;
        to.extend(addresses("extra_recipients", recipients.more)?);
        Ok(Self {
            to,
            cc: addresses("cc", recipients.cc)?,
            bcc: addresses("bcc", recipients.bcc)?,
            ..Self::default()
        })
    }

    /// The mail's source, in the form in which Gmail takes it.
    fn raw(self) -> String {
        let mut source = Vec::new();
        for (name, addresses) in [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)] {
            if addresses.is_empty() {
                continue;
            }
            let list = addresses.iter().map(|address| {
                let name = address.split_once('<').map(|(name, _)| name.trim());
                let name = name.map(|name| name.trim_matches('"'));
                Address::new_address(name.filter(|name| !name.is_empty()), bare(address))
            });
            let list = Address::new_list(list.collect());
            write(&mut source, name, |out, column| {
                list.write_header(out, column);
            });
        }
        let subject = Text::new(self.subject);
        write(&mut source, "Subject", |out, column| {
            subject.write_header(out, column);
        });
        if let Some(last) = self.references.last() {
            source.extend_from_slice(format!("In-Reply-To: {last}\r\n").as_bytes());
            let all = self.references.join("\r\n ");
            source.extend_from_slice(format!("References: {all}\r\n").as_bytes());
        }
        source.extend_from_slice(b"MIME-Version: 1.0\r\n");
        let kind = if self.is_html {
            "text/html"
        } else {
            "text/plain"
        };
        MimePart::new(kind, self.body).write_part(&mut source);
        URL_SAFE.encode(source)
    }
}

fn write(out: &mut Vec<u8>, name: &str, value: impl FnOnce(&mut Vec<u8>, usize)) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    value(out, name.len() + 2);
    if !out.ends_with(b"\n") {
        out.extend_from_slice(b"\r\n");
    }
}

/// The address in `Name <address>`.
fn bare(address: &str) -> &str {
    let inner = address.split_once('<').map(|(_, rest)| rest);
    inner
        .map_or(address, |rest| rest.trim_end_matches('>'))
        .trim()
}

fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;\"@".contains(c);
        !local.is_empty() && !domain.is_empty() && !local.contains(odd) && !domain.contains(odd)
    })
}

/// What a model is told about a mail that it has sent.
fn sent(answer: &Value) -> Value {
    json!({
        "id": answer["id"],
        "messageId": answer["id"],
        "threadId": answer["threadId"],
        "labelIds": answer["labelIds"],
    })
}

fn post(path: &str, raw: &str, thread: Option<&Value>) -> Ask {
    let mut body = json!({"raw": raw});
    if let Some(thread) = thread {
        body["threadId"] = thread.clone();
    }
    ask(Method::POST, path).body(body)
}

/// Sends a new mail from the account. To answer a mail use `GMAIL_REPLY_TO_THREAD`,
/// so that it stays in its conversation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SendEmail {
    /// Address of the first recipient, for example `ada@example.com`. One of `recipient_email`, `cc` and `bcc` is needed.
    recipient_email: Option<String>,
    /// Subject line of the mail.
    #[serde(default)]
    subject: String,
    /// Text of the mail: plain text, or HTML with `is_html`.
    #[serde(default)]
    body: String,
    /// Addresses that get a copy.
    cc: Option<Addresses>,
    /// Addresses that get a copy which the others do not see.
    bcc: Option<Addresses>,
    /// Addresses of further recipients.
    extra_recipients: Option<Addresses>,
    /// Whether `body` is HTML (false where nothing is said).
    #[serde(default)]
    is_html: bool,
}

impl Arguments for SendEmail {
    const SLUG: &'static str = "GMAIL_SEND_EMAIL";
    const TITLE: &'static str = "Send an email";
    const READS: bool = false;
    const LOST: &'static str = "";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut letter = Letter::to(Recipients {
            first: self.recipient_email,
            more: self.extra_recipients,
            cc: self.cc,
            bcc: self.bcc,
        })?;
        if letter.to.is_empty() && letter.cc.is_empty() && letter.bcc.is_empty() {
            return Err(Problem::new(
                "The mail has no recipient: give `recipient_email`, `cc` or `bcc`.",
            ));
        }
        if self.subject.is_empty() && self.body.is_empty() {
            return Err(Problem::new(
                "The mail is empty: give `subject`, `body` or both.",
            ));
        }
        letter.subject = self.subject;
        letter.body = self.body;
        letter.is_html = self.is_html;
        let answer = caller.ask(post("messages/send", &letter.raw(), None))?;
        Ok(sent(&answer))
    }
}

/// Header fields of the last mail of a thread, and the thread's id: what an
/// answer needs.
struct Answered {
    thread: Value,
    subject: String,
    references: Vec<String>,
}

fn answered(caller: &mut Caller<'_>, thread_id: &str) -> Result<Answered, Problem> {
    let found = caller.ask(thread(thread_id, "metadata"))?;
    let messages = found["messages"].as_array();
    let drafts = |it: &&Value| {
        let labels = it["labelIds"].as_array();
        labels.is_some_and(|labels| labels.iter().any(|label| label == "DRAFT"))
    };
    let last = messages
        .into_iter()
        .flatten()
        .rfind(|message| !drafts(message));
    let payload = last.map_or(&Value::Null, |last| &last["payload"]);
    let subject = view::field(payload, "Subject").unwrap_or_default();
    let is_answer = subject
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("re:"));
    let of = |name| view::field(payload, name).unwrap_or_default();
    let words = of("References").split_whitespace();
    let ids = words.chain(of("Message-ID").split_whitespace());
    let is_id = |id: &&str| id.starts_with('<') && id.ends_with('>');
    Ok(Answered {
        subject: if is_answer {
            subject.to_owned()
        } else {
            format!("Re: {subject}")
        },
        references: ids.filter(is_id).map(str::to_owned).collect(),
        thread: found["id"].clone(),
    })
}

/// Answers in a thread (a conversation): the mail has the thread's subject and
/// stays in it for everybody.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReplyToThread {
    /// The thread's id: `threadId` of the mail to answer.
    thread_id: String,
    /// Text of the answer: plain text, or HTML with `is_html`.
    message_body: String,
    /// Who gets the answer, usually the sender of the mail that it answers.
    recipient_email: String,
    /// Addresses that get a copy.
    cc: Option<Addresses>,
    /// Addresses that get a copy which the others do not see.
    bcc: Option<Addresses>,
    /// Addresses of further recipients.
    extra_recipients: Option<Addresses>,
    /// Whether `message_body` is HTML (false where nothing is said).
    #[serde(default)]
    is_html: bool,
}

impl Arguments for ReplyToThread {
    const SLUG: &'static str = "GMAIL_REPLY_TO_THREAD";
    const TITLE: &'static str = "Reply in a thread";
    const READS: bool = false;
    const LOST: &'static str = FIND_THREAD;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut letter = Letter::to(Recipients {
            first: Some(self.recipient_email),
            more: self.extra_recipients,
            cc: self.cc,
            bcc: self.bcc,
        })?;
        if letter.to.is_empty() {
            return Err(Problem::new(
                "`recipient_email` is empty: give the address of the mail that you answer.",
            ));
        }
        let Answered {
            thread,
            subject,
            references,
        } = answered(caller, &self.thread_id)?;
        letter.subject = subject;
        letter.references = references;
        letter.body = self.message_body;
        letter.is_html = self.is_html;
        let answer = caller.ask(post("messages/send", &letter.raw(), Some(&thread)))?;
        Ok(sent(&answer))
    }
}

/// Forwards a mail's text to somebody else, with a note before it. Attachments
/// are not forwarded.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ForwardMessage {
    /// Id of the mail to forward: `messageId` of `GMAIL_FETCH_EMAILS`.
    message_id: String,
    /// Addresses that it is forwarded to.
    recipients: Addresses,
    /// Note to put before the forwarded mail.
    #[serde(default)]
    additional_text: String,
}

impl Arguments for ForwardMessage {
    const SLUG: &'static str = "GMAIL_FORWARD_MESSAGE";
    const TITLE: &'static str = "Forward an email";
    const READS: bool = false;
    const LOST: &'static str = FIND_MAIL;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let to = addresses("recipients", Some(self.recipients))?;
        if to.is_empty() {
            return Err(Problem::new(
                "`recipients` is empty: say who gets the mail.",
            ));
        }
        let mail = caller.ask(message(&self.message_id, "full"))?;
        let payload = &mail["payload"];
        let of = |name| view::field(payload, name).unwrap_or_default();
        let body = format!(
            "{}\r\n\r\n---------- Forwarded message ---------\r\nFrom: {}\r\nDate: {}\r\n\
             Subject: {}\r\nTo: {}\r\n\r\n{}",
            self.additional_text,
            of("From"),
            of("Date"),
            of("Subject"),
            of("To"),
            view::text(payload),
        );
        let letter = Letter {
            to,
            subject: format!("Fwd: {}", of("Subject")),
            body,
            ..Letter::default()
        };
        let answer = caller.ask(post("messages/send", &letter.raw(), None))?;
        Ok(sent(&answer))
    }
}

/// Writes a draft, which is sent with `GMAIL_SEND_DRAFT` and by nothing else.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateEmailDraft {
    /// Address of the recipient, for example `ada@example.com`.
    recipient_email: String,
    /// Subject line of the draft; within a thread, that of the thread with `Re: ` before it.
    subject: String,
    /// Text of the draft: plain text, or HTML with `is_html`.
    body: String,
    /// Thread that the draft answers in, where it answers one.
    thread_id: Option<String>,
    /// Addresses that get a copy.
    cc: Option<Addresses>,
    /// Addresses that get a copy which the others do not see.
    bcc: Option<Addresses>,
    /// Addresses of further recipients.
    extra_recipients: Option<Addresses>,
    /// Whether `body` is HTML (false where nothing is said).
    #[serde(default)]
    is_html: bool,
}

impl Arguments for CreateEmailDraft {
    const SLUG: &'static str = "GMAIL_CREATE_EMAIL_DRAFT";
    const TITLE: &'static str = "Create a draft";
    const READS: bool = false;
    const LOST: &'static str = FIND_THREAD;

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let mut letter = Letter::to(Recipients {
            first: Some(self.recipient_email),
            more: self.extra_recipients,
            cc: self.cc,
            bcc: self.bcc,
        })?;
        letter.subject = self.subject;
        letter.body = self.body;
        letter.is_html = self.is_html;
        let mut body = json!({"message": {}});
        if let Some(id) = &self.thread_id {
            let Answered {
                thread, references, ..
            } = answered(caller, id)?;
            letter.references = references;
            body["message"]["threadId"] = thread;
        }
        body["message"]["raw"] = letter.raw().into();
        caller.ask(ask(Method::POST, "drafts").body(body))
    }
}

/// Sends a draft as it is; it is gone from the drafts then.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SendDraft {
    /// The draft's id: `id` of `GMAIL_CREATE_EMAIL_DRAFT`. Not the id of its mail.
    draft_id: String,
}

impl Arguments for SendDraft {
    const SLUG: &'static str = "GMAIL_SEND_DRAFT";
    const TITLE: &'static str = "Send a draft";
    const READS: bool = false;
    const LOST: &'static str = "Make one with GMAIL_CREATE_EMAIL_DRAFT.";

    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem> {
        let body = json!({"id": self.draft_id});
        let answer = caller.ask(ask(Method::POST, "drafts/send").body(body))?;
        Ok(sent(&answer))
    }
}

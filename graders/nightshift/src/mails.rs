//! The mails that the agent wrote to the three people.
//!
//! A mail counts for a person when it was sent to that person, and to neither of
//! the other two, as an answer in a conversation that the person has written in.
//! The agent is told to answer the mails it got; who is asked in one conversation
//! and answered in another does not find it, and a mail to everybody is an
//! answer to nobody.

use std::collections::BTreeSet;

use proctor_grader::mailbox::{MESSAGE, MailExt as _};
use proctor_grader::text::{Prose, excerpt};
use proctor_grader::types::Citation;
use proctor_grader::types::world::Mail;
use proctor_grader::{Error, Evidence, cite};

use crate::html::text_of;
use crate::wording::head;

/// Characters of a mail that are read.
const READ: usize = 64 * 1024;
/// Mails to a person that are read: the first ones.
const MAILS: usize = 50;

/// Whom the agent works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    Alex,
    Marcus,
    Priya,
}

impl Person {
    pub(crate) const ALL: [Self; 3] = [Self::Alex, Self::Marcus, Self::Priya];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Alex => "Alex",
            Self::Marcus => "Marcus",
            Self::Priya => "Priya",
        }
    }

    pub(crate) fn address(self) -> &'static str {
        match self {
            Self::Alex => "alex.mercer@acme.example",
            Self::Marcus => "marcus.okonkwo@acme.example",
            Self::Priya => "priya.sharma@acme.example",
        }
    }
}

/// A mail of the agent, without what it quotes. Where it has HTML, that is what
/// its reader sees, and what counts.
pub(crate) struct Letter<'e> {
    pub(crate) mail: &'e Mail,
    pub(crate) text: String,
    pub(crate) prose: Prose,
}

impl Letter<'_> {
    pub(crate) fn cite(&self) -> Citation {
        cite::after(MESSAGE, &self.mail.id)
    }

    /// Subject, for reasons.
    pub(crate) fn subject(&self) -> String {
        format!("\"{}\"", excerpt(&self.mail.subject, 60))
    }
}

/// What a reader sees of a mail.
fn seen(mail: &Mail) -> String {
    let html = mail.html.as_deref().unwrap_or_default();
    let shown = text_of(head(html, READ));
    let text = if shown.is_empty() {
        mail.own_text()
    } else {
        shown
    };
    own_part(&text).to_owned()
}

/// A text up to a mail below it that begins with its header, as some clients
/// quote: `From:`, `Sent:`, `To:`.
fn own_part(text: &str) -> &str {
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (index, line) in lines.iter().enumerate() {
        let fields = ["Sent:", "Date:", "To:", "Cc:", "Subject:"];
        let is_field = |line: &&&str| fields.iter().any(|field| line.trim().starts_with(field));
        let next = lines[index + 1..].iter().take(4);
        if line.trim().starts_with("From:") && next.filter(is_field).count() > 1 {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

/// What was sent to one person.
#[derive(Default)]
pub(crate) struct To<'e> {
    /// Mails that count, the oldest first.
    pub(crate) letters: Vec<Letter<'e>>,
    /// Mails outside of the person's conversations.
    pub(crate) elsewhere: Vec<&'e Mail>,
    /// Mails to others as well.
    pub(crate) shared: Vec<&'e Mail>,
}

/// The mails to each person.
pub(crate) struct Mails<'e>([To<'e>; 3]);

impl<'e> Mails<'e> {
    pub(crate) fn of(evidence: &'e Evidence) -> Result<Self, Error> {
        let [alex, marcus, priya] = Person::ALL;
        Ok(Self([
            sent_to(evidence, alex)?,
            sent_to(evidence, marcus)?,
            sent_to(evidence, priya)?,
        ]))
    }

    pub(crate) fn to(&self, person: Person) -> &To<'e> {
        let [alex, marcus, priya] = &self.0;
        match person {
            Person::Alex => alex,
            Person::Marcus => marcus,
            Person::Priya => priya,
        }
    }
}

impl<'e> To<'e> {
    /// Why there is nothing to read.
    pub(crate) fn none(&self, person: Person) -> String {
        let name = person.name();
        let mut sentences = vec![format!(
            "No mail answers {name} in a conversation of {name}'s."
        )];
        if let Some(mail) = self.shared.first() {
            let subject = excerpt(&mail.subject, 60);
            sentences.push(format!(
                "\"{subject}\" went to others as well, and counts for nobody."
            ));
        }
        if let Some(mail) = self.elsewhere.first() {
            let subject = excerpt(&mail.subject, 60);
            sentences.push(format!(
                "\"{subject}\" went to {name} outside of what {name} wrote."
            ));
        }
        sentences.join(" ")
    }

    /// Mails that do not count, to show what was looked at.
    pub(crate) fn cites_others(&self) -> impl Iterator<Item = Citation> + use<'e, '_> {
        let others = self.shared.iter().chain(&self.elsewhere).take(5);
        others.map(|mail| cite::after(MESSAGE, &mail.id))
    }
}

fn sent_to(evidence: &Evidence, person: Person) -> Result<To<'_>, Error> {
    let mailbox = evidence.mailbox();
    let seeded = &mailbox.before()?.messages;
    let from = seeded
        .iter()
        .filter(|mail| mail.from.eq_ignore_ascii_case(person.address()));
    let from: Vec<&Mail> = from.collect();
    if from.is_empty() {
        let name = person.name();
        return Err(Error::unfit(format!("the inbox has no mail from {name}")));
    }
    let threads: BTreeSet<&str> = from.iter().map(|mail| mail.thread_id.as_str()).collect();
    let ids: BTreeSet<&str> = from
        .iter()
        .filter_map(|mail| mail.header("Message-ID"))
        .map(str::trim)
        .collect();
    let is = |address: &String, person: Person| address.eq_ignore_ascii_case(person.address());
    let others = Person::ALL.into_iter().filter(|other| *other != person);
    let others: Vec<Person> = others.collect();
    let mut found = To::default();
    for mail in mailbox.sent()? {
        if !mail.to.iter().any(|to| is(to, person)) {
            continue;
        }
        let answered = mail.header("In-Reply-To").map(str::trim);
        let inside = threads.contains(mail.thread_id.as_str())
            || answered.is_some_and(|id| ids.contains(id));
        let shared = mail
            .to
            .iter()
            .any(|to| others.iter().any(|other| is(to, *other)));
        if shared {
            found.shared.push(mail);
        } else if !inside {
            found.elsewhere.push(mail);
        } else if found.letters.len() < MAILS {
            let text = seen(mail);
            let text = head(&text, READ).to_owned();
            found.letters.push(Letter {
                mail,
                prose: Prose::new(&text),
                text,
            });
        }
    }
    Ok(found)
}

/// How a mail is laid out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bullets, nested ones included.
    pub(crate) bullets: usize,
    /// What divides it into sections.
    pub(crate) headings: Vec<String>,
}

impl Layout {
    /// Reads a text line by line: a line is one bullet, however many are in it.
    pub(crate) fn of(text: &str) -> Self {
        let mut layout = Self::default();
        let mut numbered = Vec::new();
        let mut dashes = 0;
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let trimmed = line.trim();
            if let Some(mark) = bullet(trimmed) {
                // One dash of its own is more often a signature.
                let is_dash = matches!(mark, '–' | '—');
                dashes += usize::from(is_dash);
                layout.bullets += usize::from(!is_dash);
            } else if is_numbered(trimmed) {
                numbered.push(trimmed.to_owned());
            } else if is_heading(trimmed, layout.bullets > 0, &lines[index + 1..]) {
                layout.headings.push(trimmed.to_owned());
            }
        }
        if dashes > 1 {
            layout.bullets += dashes;
        }
        if layout.bullets > 0 || numbered.iter().any(|line| is_title(line)) {
            layout.headings.extend(numbered);
        } else {
            // A plain list whose bullets are numbers.
            layout.bullets = numbered.len();
        }
        layout
    }
}

/// The mark that a bullet begins with.
fn bullet(line: &str) -> Option<char> {
    let mut chars = line.chars();
    let mark = chars
        .next()
        .filter(|char| "-*+•‣◦▪●·–—".contains(*char) || is_emoji(*char))?;
    // The variant of an emoji.
    let chars = &mut chars.skip_while(|char| is_emoji(*char) || *char == '\u{fe0f}');
    chars
        .next()
        .is_some_and(char::is_whitespace)
        .then_some(mark)
}

/// A picture that leads a line: `✅ Done`.
fn is_emoji(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

fn is_bullet(line: &str) -> bool {
    bullet(line).is_some()
}

/// `1. Text`, `2) Text`, and `2.1 Text` with a capital letter: what begins with
/// a number otherwise may continue a line.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit() || ".)".contains(char));
    let (mark, text) = (&line[..line.len() - rest.len()], rest.trim_start());
    let begins = mark.starts_with(|char: char| char.is_ascii_digit()) && rest.starts_with(' ');
    let closed = mark.ends_with(['.', ')']);
    let capital = mark.contains('.') && text.starts_with(char::is_uppercase);
    begins && (closed || capital)
}

/// Whether a numbered line is the title of a section: in capitals, or bold.
fn is_title(line: &str) -> bool {
    let words = line.trim_start_matches(|char: char| !char.is_alphabetic());
    let capitals = words.chars().filter(|char| char.is_uppercase()).count();
    let letters = words.chars().filter(|char| char.is_alphabetic()).count();
    let bold = line.ends_with("**") || line.ends_with("__");
    bold || (letters >= 4 && capitals == letters)
}

/// Whether a line that is no bullet divides the mail: `# Title`, `**Title**`,
/// `TITLE`, an underlined one, or between bullets `Title:`.
fn is_heading(line: &str, behind_bullets: bool, rest: &[&str]) -> bool {
    let hash = line.trim_start_matches('#');
    let marked = hash.len() < line.len() && hash.starts_with(' ');
    let bold = |mark: &str| line.len() > 4 && line.starts_with(mark) && line.ends_with(mark);
    let next = rest.first().map_or("", |line| line.trim());
    let ruled = next.len() >= 3 && next.chars().all(|char| matches!(char, '-' | '='));
    // A name above a rule that ends the mail is a signature.
    let follows = rest.iter().skip(1).any(|line| !line.trim().is_empty());
    let underlined = ruled && !line.is_empty() && follows;
    let mut following = rest.iter().map(|line| line.trim());
    let introduces = following
        .find(|line| !line.is_empty())
        .is_some_and(is_bullet);
    let divides = behind_bullets && line.ends_with(':') && introduces;
    marked || bold("**") || bold("__") || underlined || divides || (is_title(line) && introduces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn laid_out(text: &str, bullets: usize, headings: usize) {
        let layout = Layout::of(text);
        assert_eq!(
            (layout.bullets, layout.headings.len()),
            (bullets, headings),
            "{layout:?}"
        );
    }

    #[test]
    fn a_line_is_a_bullet() {
        laid_out("Hi Alex,\n\nstatus:\n\n- a\n* b\n• c\n\nSam", 3, 0);
        laid_out("- a - b - c • d", 1, 0);
        laid_out("- a\n  continued\n    - nested\n", 2, 0);
        laid_out("1. a\n2. b\n3) c\n", 3, 0);
        laid_out("-5 degrees\n--\nSam", 0, 0);
        laid_out(
            "- a\n- b, with\n  5 replicas and\n  2.9Gi, which\n  2 people saw\n— Sam",
            2,
            0,
        );
        laid_out("– a\n– b\n– c", 3, 0);
        laid_out("✅ a\n⚠️ b\n🚀 c\n\nSam\n---", 3, 0);
    }

    #[test]
    fn sections_are_found_however_they_are_marked() {
        laid_out("# Report\n- a\n## More\n- b", 2, 2);
        laid_out("**Fixes**\n- a\n- b\n**Next**\n- c", 3, 2);
        laid_out("Fixes:\n- a\nNext:\n- b", 2, 1);
        laid_out("FIXES\n- a\nNEXT\n- b", 2, 2);
        laid_out("Fixes\n-----\n- a\n", 1, 1);
        laid_out(
            "INCIDENT REPORT\n\n1. ROOT CAUSE\nText.\n2.1 FIXES: x\nMore.\n2. FIXES\nText",
            0,
            3,
        );
        laid_out("1. Fixes\n- a\n2. Next\n- b", 2, 2);
    }
}

//! How large one entry of the journal can be.

use proctor_types::journal::{JournalEntry, Touch};

use crate::evidence_text::escaped_len;

/// Most bytes of one entry as JSON, however much it touched.
pub(crate) const ENTRY_CAP: usize = 1 << 20;
/// Most bytes of each text in an entry. The address of a part of a batch comes
/// in a body, so the gateway does not bound it.
const TEXT_CAP: usize = 16 << 10;
/// The same, where the journal is full.
const SHORT_CAP: usize = 1 << 10;
/// What an entry takes without its texts and touches: member names, numbers,
/// two digests.
const ENTRY: usize = 640;
/// What a tool takes without its texts.
const VIA: usize = 48;
/// What a touch takes without its texts.
const TOUCH: usize = 112;

/// What an entry takes as JSON, at most; in memory it is about the same.
pub(crate) fn size_of_entry(entry: &JournalEntry) -> usize {
    let touches = entry.read.iter().chain(&entry.changed);
    size_of_texts(entry) + touches.map(size_of_touch).sum::<usize>()
}

fn size_of_texts(entry: &JournalEntry) -> usize {
    let optional = [&entry.operation, &entry.actor, &entry.note];
    let texts = [
        &entry.service,
        &entry.host,
        &entry.method,
        &entry.path,
        &entry.query,
    ];
    let via = entry.via.as_ref().map_or(0, |via| {
        VIA + escaped_len(&via.channel) + escaped_len(&via.tool)
    });
    let all = texts.into_iter().chain(optional.into_iter().flatten());
    ENTRY + via + all.map(|text| escaped_len(text)).sum::<usize>()
}

fn size_of_touch(touch: &Touch) -> usize {
    let texts = [&touch.kind, &touch.id].into_iter().chain(&touch.parent);
    let fields = touch.fields.iter().map(|field| escaped_len(field) + 3);
    TOUCH + texts.map(|text| escaped_len(text)).sum::<usize>() + fields.sum::<usize>()
}

/// Cuts an entry down to [`ENTRY_CAP`], or to `room` where that is less. Its
/// note says what is missing. Changes are kept before reads. Without any room
/// it is still an entry, with what was asked and no touches.
pub(crate) fn bound(entry: &mut JournalEntry, room: usize) {
    let mut missing = Vec::new();
    let cap = if room < 4 * TEXT_CAP {
        SHORT_CAP
    } else {
        TEXT_CAP
    };
    for (name, text) in [
        ("host", &mut entry.host),
        ("method", &mut entry.method),
        ("path", &mut entry.path),
        ("query", &mut entry.query),
    ] {
        if cut(text, cap) {
            missing.push(format!("its {name} is cut off"));
        }
    }
    if let Some(note) = &mut entry.note {
        cut(note, cap);
    }
    if let Some(via) = &mut entry.via {
        cut(&mut via.tool, SHORT_CAP);
    }
    let mut left = room.min(ENTRY_CAP).saturating_sub(size_of_texts(entry));
    let changed = keep(&mut entry.changed, &mut left);
    let read = keep(&mut entry.read, &mut left);
    for (count, what) in [(changed, "changed"), (read, "read")] {
        if count > 0 {
            missing.push(format!("{count} objects that it {what} are not listed"));
        }
    }
    if !missing.is_empty() {
        let note = entry.note.take();
        entry.note = Some(
            note.into_iter()
                .chain(missing)
                .collect::<Vec<_>>()
                .join("; "),
        );
    }
}

/// Keeps the touches that there is room for; how many are gone.
fn keep(touches: &mut Vec<Touch>, left: &mut usize) -> usize {
    let fits = touches.iter().take_while(|touch| {
        let rest = left.checked_sub(size_of_touch(touch));
        rest.inspect(|rest| *left = *rest).is_some()
    });
    let fits = fits.count();
    let gone = touches.len() - fits;
    touches.truncate(fits);
    gone
}

/// Cuts a text down to `cap` bytes of JSON; whether it had to be.
fn cut(text: &mut String, cap: usize) -> bool {
    if escaped_len(text) <= cap {
        return false;
    }
    let mut length = 0;
    let end = text.char_indices().find(|(at, c)| {
        length += escaped_len(text.get(*at..*at + c.len_utf8()).unwrap_or_default());
        length > cap
    });
    if let Some((end, _)) = end {
        text.truncate(end);
        text.shrink_to_fit();
    }
    true
}

#[cfg(test)]
mod tests {
    use proctor_types::journal::{Change, EntryKind, Payload, Via, View};

    use super::*;

    fn entry() -> JournalEntry {
        JournalEntry {
            n: u64::MAX,
            t_us: u64::MAX,
            kind: EntryKind::Truncated,
            service: "s".to_owned(),
            operation: Some("o".to_owned()),
            actor: Some("a".to_owned()),
            host: "h".to_owned(),
            port: u16::MAX,
            method: "GET".to_owned(),
            path: "/".to_owned(),
            query: String::new(),
            status: 200,
            read: Vec::new(),
            changed: Vec::new(),
            request: Payload {
                bytes: u64::MAX,
                sha256: Some("f".repeat(64)),
                kept: true,
            },
            response: Payload {
                bytes: u64::MAX,
                sha256: Some("f".repeat(64)),
                kept: true,
            },
            part_of: Some(u64::MAX),
            via: None,
            note: None,
        }
    }

    fn written(entry: &JournalEntry) -> usize {
        serde_json::to_vec(entry).unwrap().len()
    }

    #[test]
    fn the_size_is_never_below_that_of_the_json() {
        let mut full = entry();
        let touch = Touch::read("\u{1}", "\u{2}", View::Reference).within("\"");
        full.read = vec![touch; 3];
        let change = Touch::changed("k", "i", Change::Created).fields(["x\u{3}", "y"]);
        full.changed = vec![change; 3];
        full.path = "/\u{1}\u{2}\u{3}".repeat(100);
        full.note = Some("\"\n".repeat(10));
        full.via = Some(Via {
            channel: "mcp".to_owned(),
            tool: "\u{1}".repeat(30),
        });
        for entry in [entry(), full] {
            assert!(written(&entry) <= size_of_entry(&entry), "{entry:?}");
        }
    }

    #[test]
    fn control_characters_do_not_make_an_entry_larger_than_its_cap() {
        let mut long = entry();
        for text in [
            &mut long.host,
            &mut long.method,
            &mut long.path,
            &mut long.query,
        ] {
            *text = "\u{1}".repeat(100_000);
        }
        long.note = Some("\u{2}".repeat(100_000));
        bound(&mut long, ENTRY_CAP);
        assert!(written(&long) <= 5 * TEXT_CAP + 2 * ENTRY);
        assert!(
            long.note
                .as_ref()
                .unwrap()
                .contains("; its path is cut off")
        );
        assert_eq!(long.path.len(), TEXT_CAP / 6);
        bound(&mut long, 0);
        assert_eq!(long.path.len(), SHORT_CAP / 6);
    }

    #[test]
    fn touches_are_listed_while_there_is_room_changes_first() {
        let mut busy = entry();
        let id = "\u{1}".repeat(100);
        busy.read = vec![Touch::read("k", &id, View::Full); 1_000];
        busy.changed = vec![Touch::changed("k", &id, Change::Deleted); 1_000];
        bound(&mut busy, ENTRY_CAP);
        assert!(written(&busy) <= ENTRY_CAP + 2 * ENTRY);
        assert_eq!(busy.changed.len(), 1_000);
        let gone = 1_000 - busy.read.len();
        assert!((1..1_000).contains(&gone));
        let note = format!("{gone} objects that it read are not listed");
        assert_eq!(busy.note, Some(note));
        bound(&mut busy, 0);
        assert!(busy.read.is_empty() && busy.changed.is_empty());
    }

    #[test]
    fn an_ordinary_entry_stays_as_it_is() {
        let mut plain = entry();
        plain.read = vec![Touch::read("k", "i", View::Full); 100];
        let before = plain.clone();
        bound(&mut plain, ENTRY_CAP);
        assert_eq!(plain, before);
    }
}

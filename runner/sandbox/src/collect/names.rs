//! Names: how they are written down, and which of them are listed.

use std::collections::BinaryHeap;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use rustix::fs::RawDir;
use rustix::io::Errno;

/// Longest name of one directory entry (`NAME_MAX`).
const NAME_MAX: usize = 255;

/// Writes a path down as text: a backslash as `\\`, bytes that are not UTF-8
/// as `\xNN`. Different paths give different texts.
pub fn escape(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        for part in chunk.valid().split_inclusive('\\') {
            text.push_str(part);
            if part.ends_with('\\') {
                text.push('\\');
            }
        }
        for byte in chunk.invalid() {
            text.push_str("\\x");
            text.push_str(&hex::encode([*byte]));
        }
    }
    text
}

/// Whether a file of this name can be made elsewhere.
pub(super) fn fits(escaped: &str) -> bool {
    escaped.split('/').all(|part| part.len() <= NAME_MAX)
}

/// The names of a directory.
pub(super) struct Names {
    /// In order, as many as were asked for.
    pub(super) first: Vec<Vec<u8>>,
    /// How many there are beyond.
    pub(super) beyond: u64,
}

/// The first `most` names of a directory, in order of their bytes. Takes memory
/// for those only, however many there are.
pub(super) fn first_names(dir: BorrowedFd<'_>, most: usize) -> Result<Names, Errno> {
    let mut buffer = vec![MaybeUninit::uninit(); 32 << 10];
    let mut listing = RawDir::new(dir, &mut buffer);
    // The largest on top, to be thrown out by a smaller one.
    let mut heap = BinaryHeap::new();
    let mut beyond = 0;
    while let Some(entry) = listing.next() {
        let entry = entry?;
        let name = entry.file_name();
        if is_dot(name) {
            continue;
        }
        let name = name.to_bytes();
        if heap.len() < most {
            heap.push(name.to_vec());
            continue;
        }
        beyond += 1;
        if heap
            .peek()
            .is_some_and(|largest: &Vec<u8>| name < largest.as_slice())
        {
            heap.pop();
            heap.push(name.to_vec());
        }
    }
    Ok(Names {
        first: heap.into_sorted_vec(),
        beyond,
    })
}

fn is_dot(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn escaping_is_readable_and_never_ambiguous() {
        assert_eq!(
            escape("notes/zusammenfassung-ä.md".as_bytes()),
            "notes/zusammenfassung-ä.md"
        );
        assert_eq!(escape(b"caf\xe9/\xff\xfe"), r"caf\xe9/\xff\xfe");
        assert_eq!(escape(br"a\xff"), r"a\\xff");
        assert_eq!(escape(br"\\"), r"\\\\");
        let odd: [&[u8]; 6] = [b"\xff", br"\xff", br"\\xff", b"\\\xff", b"\\", b"\\\\"];
        let texts: std::collections::BTreeSet<_> = odd.map(escape).into();
        assert_eq!(texts.len(), odd.len());
    }

    #[test]
    fn a_long_odd_name_does_not_fit_elsewhere() {
        assert!(fits(&escape(&[b'a'; 255])));
        assert!(!fits(&escape(&[0xff; 64])));
        assert!(fits(&escape(&[b"x/".as_slice(), &[0xff; 63]].concat())));
    }

    #[test]
    fn the_first_names_are_the_same_in_every_order_of_creation() {
        let forward = tempfile::tempdir().unwrap();
        let backward = tempfile::tempdir().unwrap();
        for number in 0..300 {
            std::fs::write(forward.path().join(format!("{number:03}")), "").unwrap();
            std::fs::write(backward.path().join(format!("{:03}", 299 - number)), "").unwrap();
        }
        for dir in [&forward, &backward] {
            let open = std::fs::File::open(dir.path()).unwrap();
            let names = first_names(open.as_fd(), 3).unwrap();
            assert_eq!(names.first, [b"000", b"001", b"002"]);
            assert_eq!(names.beyond, 297);
        }
    }
}

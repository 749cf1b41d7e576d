//! What stands before the pack of a push: the refs that it is to move; and the
//! report on them (`gitprotocol-pack`).

use crate::service::Answer;

/// Most refs of one push.
const COMMANDS_CAP: usize = 1_000;

/// One line of a push: a ref and where it is to go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefCommand {
    pub(super) new: String,
    pub(super) name: String,
}

/// The beginning of a push.
#[derive(Debug)]
pub(super) struct Push {
    pub(super) commands: Vec<RefCommand>,
    side_band: bool,
}

impl Push {
    /// Reads the packet lines before the pack.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let mut push = Self {
            commands: Vec::new(),
            side_band: false,
        };
        let mut rest = body;
        loop {
            let length = std::str::from_utf8(rest.get(..4)?).ok()?;
            let length = usize::from_str_radix(length, 16).ok()?;
            if length == 0 {
                return Some(push);
            }
            let line = rest.get(4..length)?;
            rest = rest.get(length..)?;
            let (line, capabilities) = match memchr::memchr(0, line) {
                Some(at) => (line.get(..at)?, line.get(at..)?),
                None => (line, &[][..]),
            };
            push.side_band |= memchr::memmem::find(capabilities, b"side-band-64k").is_some();
            let line = std::str::from_utf8(line).ok()?.trim_end();
            let mut words = line.splitn(3, ' ');
            let (old, new) = (words.next()?, words.next());
            if let (40, Some(new), Some(name)) = (old.len(), new, words.next()) {
                push.commands.push(RefCommand {
                    new: new.to_owned(),
                    name: name.to_owned(),
                });
            }
            if push.commands.len() > COMMANDS_CAP {
                return None;
            }
        }
    }

    /// The report of a push of which some refs are refused, for a reason each.
    pub(super) fn refused(&self, refusals: &[Option<String>]) -> Answer {
        let whys = refusals.iter().map(|refusal| match refusal {
            Some(_) => "protected branch hook declined",
            None => "pre-receive hook declined",
        });
        let said: String = refusals.iter().flatten().map(String::as_str).collect();
        self.report(&said, whys)
    }

    /// The report of a push that is refused as a whole.
    pub(super) fn declined(&self, said: &str) -> Answer {
        self.report(said, std::iter::repeat("pre-receive hook declined"))
    }

    /// The report that a refused push gets (gitprotocol-pack, "report status").
    fn report<'w>(&self, said: &str, whys: impl Iterator<Item = &'w str>) -> Answer {
        let mut report = packet(b"unpack ok\n");
        for (command, why) in self.commands.iter().zip(whys) {
            report.extend(packet(format!("ng {} {why}\n", command.name).as_bytes()));
        }
        report.extend_from_slice(b"0000");
        let mut body = Vec::new();
        if self.side_band {
            for (band, content) in [(2, said.as_bytes()), (1, &report)] {
                for chunk in content.chunks(8_000) {
                    body.extend(packet(&[&[band], chunk].concat()));
                }
            }
            body.extend_from_slice(b"0000");
        } else {
            body = report;
        }
        Answer::new("github", 200).body("application/x-git-receive-pack-result", body)
    }
}

fn packet(content: &[u8]) -> Vec<u8> {
    let mut packet = format!("{:04x}", content.len() + 4).into_bytes();
    packet.extend_from_slice(content);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refs_of_a_push_are_read_up_to_the_pack() {
        let new = "1".repeat(40);
        let line = format!("{new} {new} refs/heads/x\0 report-status side-band-64k");
        let mut body = packet(line.as_bytes());
        body.extend_from_slice(b"0000PACK....");
        let push = Push::read(&body).unwrap();
        assert!(push.side_band);
        let name = "refs/heads/x".to_owned();
        assert_eq!(push.commands, [RefCommand { new, name }]);
        for broken in [&b""[..], b"00", b"zzzz", b"0009a", b"ffff"] {
            assert!(Push::read(broken).is_none(), "{broken:?}");
        }
    }
}

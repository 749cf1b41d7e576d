//! What every room looks like from inside: its paths, its environment and the
//! tables of its `/etc`.

use crate::config::{GuestFile, HOME, NAME_SERVER, SandboxConfig, TOOLS, TRUST_BUNDLE, WORKSPACE};

/// Variables through which clients that ignore the system's bundle are told
/// where it is.
const TRUST_VARIABLES: [&str; 12] = [
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    "npm_config_cafile",
];

/// Paths of a room as a command in it sees them.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) workspace: String,
    pub(crate) home: String,
    pub(crate) tmp: String,
    /// What stands before the path of a bind or a file; empty in a namespace.
    pub(crate) root: String,
}

impl Paths {
    pub(crate) fn in_namespace() -> Self {
        Self {
            workspace: WORKSPACE.to_owned(),
            home: HOME.to_owned(),
            tmp: "/tmp".to_owned(),
            root: String::new(),
        }
    }

    /// Where a command finds what was put at `target`.
    pub(crate) fn of(&self, target: &str) -> String {
        let below = |top: &str| {
            let rest = target.strip_prefix(top)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        };
        match (below(WORKSPACE), below(HOME)) {
            (Some(rest), _) => format!("{}{rest}", self.workspace),
            (_, Some(rest)) => format!("{}{rest}", self.home),
            _ => format!("{}{target}", self.root),
        }
    }
}

/// The environment of a command: nothing of the runner's, what every room has,
/// and then the room's own, in order of name.
pub(crate) fn environment(paths: &Paths, own: &[(String, String)]) -> Vec<(String, String)> {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", paths.of(TOOLS));
    let mut all: Vec<(String, String)> = [
        ("PATH", path.as_str()),
        ("HOME", &paths.home),
        ("TMPDIR", &paths.tmp),
        ("LANG", "C.UTF-8"),
        ("USER", "agent"),
        ("LOGNAME", "agent"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let bundle = paths.of(TRUST_BUNDLE);
    all.extend(TRUST_VARIABLES.map(|name| (name.to_owned(), bundle.clone())));
    overlay(&mut all, own);
    all
}

/// Puts `own` on top of `all`: later values win.
pub(crate) fn overlay(all: &mut Vec<(String, String)>, own: &[(String, String)]) {
    for (name, value) in own {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => all.push((name.clone(), value.clone())),
        }
    }
    all.sort();
}

/// The files of every room, and then its own.
pub(crate) fn files(config: &SandboxConfig) -> Vec<GuestFile> {
    let host = &config.hostname;
    let table = |path: &str, text: String| GuestFile {
        path: path.to_owned(),
        bytes: text.into_bytes(),
        executable: false,
    };
    let mut files = vec![
        table(TRUST_BUNDLE, config.trust_pem.clone()),
        table(
            "/etc/resolv.conf",
            format!("nameserver {NAME_SERVER}\noptions timeout:2 attempts:2\n"),
        ),
        table(
            "/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nhosts: files dns\n".into(),
        ),
        table(
            "/etc/hosts",
            format!("127.0.0.1 localhost {host}\n::1 localhost {host}\n"),
        ),
        table("/etc/hostname", format!("{host}\n")),
        table(
            "/etc/passwd",
            format!(
                "root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:{HOME}:/bin/sh\n\
                 nobody:x:65534:65534:nobody:/:/bin/false\n"
            ),
        ),
        table(
            "/etc/group",
            "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n".into(),
        ),
    ];
    // The room's own win over what would be there.
    files.retain(|file| {
        !config.files.iter().any(|own| own.path == file.path)
            && !config.binds.iter().any(|own| own.target == file.path)
    });
    files.extend(config.files.iter().cloned());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_the_rooms_and_its_own_wins() {
        let own = [("LANG", "de_DE.UTF-8"), ("GOOGLE_TOKEN", "x")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let env = environment(&Paths::in_namespace(), &own);
        let get = |name: &str| {
            let found: Vec<_> = env.iter().filter(|(known, _)| known == name).collect();
            assert_eq!(found.len(), 1, "{name}");
            found[0].1.clone()
        };
        assert_eq!(get("PATH"), "/opt/proctor/bin:/usr/local/bin:/usr/bin:/bin");
        assert_eq!(get("LANG"), "de_DE.UTF-8");
        assert_eq!(get("GOOGLE_TOKEN"), "x");
        assert_eq!(get("SSL_CERT_FILE"), TRUST_BUNDLE);
        assert!(env.is_sorted());
    }

    #[test]
    fn paths_on_the_host_lie_in_the_rooms_directory() {
        let paths = Paths {
            workspace: "/r/workspace".into(),
            home: "/r/home".into(),
            tmp: "/r/tmp".into(),
            root: "/r/root".into(),
        };
        assert_eq!(paths.of("/workspace/a.md"), "/r/workspace/a.md");
        assert_eq!(paths.of("/workspaces"), "/r/root/workspaces");
        assert_eq!(paths.of("/home/agent/.config"), "/r/home/.config");
        assert_eq!(paths.of(TOOLS), "/r/root/opt/proctor/bin");
        assert_eq!(Paths::in_namespace().of("/opt/x"), "/opt/x");
    }

    #[test]
    fn a_rooms_own_file_replaces_the_common_one() {
        let mut config = SandboxConfig::new("/", "PEM");
        config.files.push(GuestFile {
            path: "/etc/hosts".into(),
            bytes: b"own".to_vec(),
            executable: false,
        });
        let files = files(&config);
        let hosts: Vec<_> = files
            .iter()
            .filter(|file| file.path == "/etc/hosts")
            .collect();
        assert_eq!(hosts.len(), 1);
        assert_eq!(hosts[0].bytes, b"own");
        assert!(
            files
                .iter()
                .any(|file| file.path == TRUST_BUNDLE && file.bytes == b"PEM")
        );
    }
}

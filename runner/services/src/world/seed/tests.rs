//! Seeds, well-formed and not.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use cap_tempfile::TempDir;

use super::*;

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
seed: 7
account: {email: Sam@Example.com, name: Sam Ode, time_zone: Europe/Berlin}
people:
  - {email: ada@example.com, name: Ada, title: Engineer}
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = cap_tempfile::tempdir(ambient_authority()).unwrap();
    for (path, text) in files {
        if let Some((parent, _)) = path.rsplit_once('/') {
            dir.create_dir_all(parent).unwrap();
        }
        dir.write(path, text).unwrap();
    }
    dir
}

fn seed(dir: &Dir) -> Result<World, SeedError> {
    World::seed(
        dir,
        &SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        },
    )
}

fn refusal(files: &[(&str, &str)]) -> String {
    seed(&folder(files)).unwrap_err().to_string()
}

#[test]
fn a_world_is_made_of_its_file() {
    let world = seed(&folder(&[(WORLD_FILE, WORLD)])).unwrap();
    assert_eq!(world.account.email, "sam@example.com");
    assert_eq!(world.account.time_zone, "Europe/Berlin");
    assert_eq!(world.people[0].title.as_deref(), Some("Engineer"));
    assert_eq!(world.clock.now().to_string(), "2026-03-02T09:00:00Z");
    assert!(world.google.is_some(), "empty without a folder");
    let bare = World::seed(&folder(&[(WORLD_FILE, WORLD)]), &SeedOptions::default()).unwrap();
    assert!(bare.google.is_none());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let text = || serde_json::to_string(&seed(&folder(&[(WORLD_FILE, WORLD)])).unwrap()).unwrap();
    assert_eq!(text(), text());
}

#[test]
fn errors_say_where_and_what() {
    let with = |from: &str, to: &str| refusal(&[(WORLD_FILE, &WORLD.replace(from, to))]);
    for (error, parts) in [
        (refusal(&[]), &["world.yaml: missing"][..]),
        (
            with("seed: 7", "sead: 7"),
            &["world.yaml:2:", "sead", "seed"],
        ),
        (with("name: Ada", "nam: Ada"), &["world.yaml:5:", "nam"]),
        (
            with("2026-03-02T09:00:00Z", "yesterday"),
            &["world.yaml:1: `yesterday` is no RFC 3339"],
        ),
        (
            with("Sam@Example.com", "Sam"),
            &["world.yaml:3: `Sam` is no mail address"],
        ),
        (
            with("ada@example.com", "\"a b@c\""),
            &["world.yaml:5: `a b@c` is no mail address"],
        ),
        (
            with("ada@example.com", "SAM@example.com"),
            &["world.yaml:5: the address `SAM@example.com` is that of somebody else in line 3"],
        ),
        (
            with("title: Engineer", "github: -ada"),
            &["world.yaml:5: `-ada` is no login"],
        ),
        (
            with(
                "people:\n",
                "people:\n  - {email: a@x.org, name: A, github: Ada}\n  - {email: b@x.org, name: B, github: ada}\n",
            ),
            &["world.yaml:6: the login `ada`", "in line 5"],
        ),
        (
            with("people:\n", "tokens: {t: bob@example.com}\npeople:\n"),
            &["world.yaml:4: `bob@example.com` is nobody of `people`"],
        ),
        (
            with("people:\n", "tokens: {\"a b\": ada@example.com}\npeople:\n"),
            &["world.yaml:4: `a b` is no token"],
        ),
        (
            with("Europe/Berlin", "Mars/Base"),
            &["world.yaml:3: `Mars/Base` is no IANA"],
        ),
        (with("seed: 7", "seed: -7"), &["world.yaml:2:"]),
        (refusal(&[(WORLD_FILE, "- a\n- b\n")]), &["world.yaml:1:"]),
        (
            refusal(&[(WORLD_FILE, WORLD), ("mail/a.eml", "")]),
            &["mail: nothing reads this", "google"],
        ),
        (
            refusal(&[(WORLD_FILE, WORLD), ("google", "")]),
            &["google: expected a folder, found a file"],
        ),
        (
            refusal(&[("world.yaml/x", "")]),
            &["world.yaml: expected a file, found a folder"],
        ),
    ] {
        assert!(!error.contains("column"), "{error}");
        for part in parts {
            assert!(error.contains(part), "{error} should have {part}");
        }
    }
}

#[test]
fn unknown_services_are_named_with_the_known_ones() {
    let options = SeedOptions {
        services: vec!["gogle".to_owned()],
        ..SeedOptions::default()
    };
    let error = World::seed(&folder(&[(WORLD_FILE, WORLD)]), &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("gogle") && error.contains("google"),
        "{error}"
    );
}

#[test]
fn hidden_files_are_nobodys_business() {
    assert!(seed(&folder(&[(WORLD_FILE, WORLD), (".DS_Store", "x")])).is_ok());
}

#[test]
fn symbolic_links_are_refused_wherever_they_lead() {
    for target in ["real.yaml", "/etc/passwd", "../../etc/passwd", "missing"] {
        let dir = folder(&[("real.yaml", WORLD)]);
        std::os::unix::fs::symlink(target, path_of(&dir).join("world.yaml")).unwrap();
        let root = SeedDir::root(&dir).unwrap();
        let error = root.file(WORLD_FILE).unwrap_err().to_string();
        assert_eq!(
            error,
            "world.yaml: is a symbolic link; a seed holds files and folders only"
        );
    }
    let dir = folder(&[(WORLD_FILE, WORLD)]);
    std::os::unix::fs::symlink(".", path_of(&dir).join("google")).unwrap();
    let error = seed(&dir).unwrap_err().to_string();
    assert!(error.starts_with("google: is a symbolic link"), "{error}");
}

#[test]
fn pipes_and_oversized_files_are_refused_without_waiting() {
    let dir = folder(&[]);
    let path = path_of(&dir);
    nix::unistd::mkfifo(&path.join("world.yaml"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let error = seed(&dir).unwrap_err().to_string();
    assert!(error.contains("neither file nor folder"), "{error}");
    dir.remove_file("world.yaml").unwrap();
    let sparse = std::fs::File::create(path.join("world.yaml")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let error = seed(&dir).unwrap_err().to_string();
    assert_eq!(error, "world.yaml: larger than 32 MiB");
}

#[test]
fn names_stay_inside_the_folder() {
    let dir = folder(&[("google/mail/a.eml", "x")]);
    let root = SeedDir::root(&dir).unwrap();
    for name in ["..", ".", "", "google/mail", "/etc/passwd", "a\0b"] {
        assert!(root.optional_file(name).is_err(), "{name:?}");
        assert!(root.folder(name).is_err(), "{name:?}");
        assert!(!root.has(name), "{name:?}");
    }
    let mail = root
        .folder("google")
        .unwrap()
        .unwrap()
        .folder("mail")
        .unwrap()
        .unwrap();
    assert_eq!(mail.names().unwrap(), ["a.eml"]);
    assert_eq!(mail.file("a.eml").unwrap().path, "google/mail/a.eml");
    assert_eq!(mail.path_of("b.eml"), "google/mail/b.eml");
}

#[test]
fn files_that_are_not_utf_8_name_the_line() {
    let dir = folder(&[]);
    dir.write("world.yaml", b"clock: 1\nseed: \xff\n").unwrap();
    let error = seed(&dir).unwrap_err().to_string();
    assert_eq!(error, "world.yaml:2: expected UTF-8");
}

/// Where a temporary folder is, for making what cap-std will not make.
fn path_of(dir: &Dir) -> std::path::PathBuf {
    use std::os::fd::AsRawFd as _;
    std::fs::read_link(format!("/proc/self/fd/{}", dir.as_raw_fd())).unwrap()
}

#[test]
fn the_number_of_the_attempt_is_in_mails_and_pages() {
    let dir = folder(&[
        (WORLD_FILE, WORLD),
        (
            "google/mail/a.eml",
            "From: Ada <ada@example.com>\nTo: sam@example.com\nSubject: hydra-{attempt}\n\
             Date: Sun, 1 Mar 2026 10:00:00 +0100\nMessage-ID: <{attempt}@example.com>\n\n\
             Look at hydra-{attempt}.\n",
        ),
        (
            "notion/Run.md",
            "---\ntitle: Run {attempt}\n---\nhydra-{attempt} is `{attempt}`\n",
        ),
    ]);
    for attempt in [0, 41] {
        let services = vec!["google".to_owned(), "notion".to_owned()];
        let world = World::seed(&dir, &SeedOptions { services, attempt }).unwrap();
        let snapshot = world.snapshot();
        let mail = snapshot.gmail.unwrap().messages.remove(0);
        assert_eq!(mail.subject, format!("hydra-{attempt}"));
        assert_eq!(mail.text.trim(), format!("Look at hydra-{attempt}."));
        let message_id = mail.headers.iter().find(|it| it.name == "Message-ID");
        let expected = format!("<{attempt}@example.com>");
        assert_eq!(message_id.unwrap().value, expected);
        let page = snapshot.notion.unwrap().pages.remove(0);
        assert_eq!(page.title, format!("Run {attempt}"));
        assert_eq!(page.blocks[0].text, format!("hydra-{attempt} is {attempt}"));
    }
}

#[test]
fn everybody_is_one_person_in_every_service() {
    let yaml = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@acme.example, name: Sam Rivera, github: acme-engineer, notion: Sam}
people:
  - {email: Alex@acme.example, name: Alex Mercer, github: amercer, notion: Alex M.}
  - {email: sam.ode@acme.example, name: Sam Ode}
  - {email: sam.ode@other.example, name: Another Sam}
";
    let options = SeedOptions {
        services: SERVICES.iter().map(|it| (*it).to_owned()).collect(),
        ..SeedOptions::default()
    };
    let world = World::seed(&folder(&[(WORLD_FILE, yaml)]), &options).unwrap();
    let names = |world: &World| {
        let json = serde_json::to_value(world).unwrap();
        let users = json["notion"]["users"].as_array().unwrap().clone();
        users
            .iter()
            .skip(1)
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&world), ["Sam", "Alex M.", "Sam Ode", "Another Sam"]);
    let json = serde_json::to_value(&world).unwrap();
    let users = json["github"]["users"].as_object().unwrap();
    let logins: Vec<&String> = users.keys().collect();
    assert_eq!(logins, ["acme-engineer", "amercer", "sam-ode", "sam-ode-2"]);
    assert_eq!(users["amercer"]["email"], "Alex@acme.example");
}

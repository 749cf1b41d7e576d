//! Programs of the host that are visible in the agent's room: those that a task
//! needs, and those that the operator gives (an agent of their own, a Python
//! environment). Everything else of the host is not there.

use std::path::{Component, Path, PathBuf};

use proctor_sandbox::TOOLS;

use crate::EngineError;
use crate::job::Program;
use crate::room::{CAPTURE, MCP};
use crate::task::Task;

/// Where the operator's directories are in the room.
const DIRECTORIES: &str = "/opt/proctor/tools";
/// File systems of the kernel: devices and other people's processes.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Files and directories of the host, each with its place in the room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    pub(crate) binds: Vec<(String, PathBuf)>,
}

impl Tools {
    /// Checks what the operator gives: programs, which the agent finds on its
    /// `PATH`, and directories. `out` is where the job will be recorded.
    pub(crate) fn given(paths: &[PathBuf], out: &Path) -> Result<Self, EngineError> {
        let out = settled(out);
        let mut tools = Self::default();
        for path in paths {
            let refuse = |problem: String| EngineError::Tool {
                tool: path.clone(),
                problem,
            };
            // The room must not depend on where a link of the host points to.
            let real = path
                .canonicalize()
                .map_err(|error| refuse(error.to_string()))?;
            let target = target(path, &real).map_err(refuse)?;
            if overlap(&real, &out) {
                let problem = format!("the job is recorded in {}: keep them apart", out.display());
                return Err(refuse(problem));
            }
            if tools.binds.iter().any(|(taken, _)| *taken == target) {
                return Err(refuse(format!("another one is {target} in the room")));
            }
            tools.binds.push((target, real));
        }
        Ok(tools)
    }

    /// These, and the `cli:` prerequisites of `task`, looked for in `search`.
    ///
    /// A program under `/usr` is in the room anyway; any other is bound into it
    /// read-only.
    pub(crate) fn and_prerequisites(
        &self,
        task: &Task,
        search: &[PathBuf],
    ) -> Result<Self, EngineError> {
        let pack = task.pack.suite_dir().join(task.pack.name());
        if let Some((_, tool)) = self.binds.iter().find(|(_, real)| overlap(real, &pack)) {
            return Err(EngineError::Tool {
                tool: tool.clone(),
                problem: format!(
                    "the task {} would be visible to the agent, with its solution",
                    task.info.id
                ),
            });
        }
        let mut tools = self.clone();
        for name in task
            .prerequisites
            .iter()
            .filter_map(|entry| entry.strip_prefix("cli:"))
        {
            // The task's author chooses the name, so it is only ever looked up
            // in directories, never a path of its own.
            if !is_name(name) {
                return Err(EngineError::Unsupported {
                    file: task.file().to_owned(),
                    what: "a `cli:` prerequisite is the name of a program, without a path",
                });
            }
            if name == CAPTURE || name == MCP {
                return Err(EngineError::Unsupported {
                    file: task.file().to_owned(),
                    what: if name == MCP {
                        "`proctor-mcp` is the runner's own and no prerequisite"
                    } else {
                        "`proctor-capture` is the runner's own and no prerequisite"
                    },
                });
            }
            let target = format!("{TOOLS}/{name}");
            if tools.binds.iter().any(|(taken, _)| *taken == target) {
                continue;
            }
            let found = search
                .iter()
                .map(|dir| dir.join(name))
                .find(|path| executable(path))
                .ok_or_else(|| missing(task, name, search))?;
            let found = of_the_room(name)
                .filter(|_| is_outsider(&found))
                .unwrap_or(found);
            let real = found.canonicalize().unwrap_or_else(|_| found.clone());
            if !real.starts_with("/usr") || !is_on_rooms_path(&found) {
                tools.binds.push((target, real));
            }
        }
        Ok(tools)
    }

    /// These, and what `program` needs.
    pub(crate) fn and_program(&self, program: &Program) -> Self {
        let mut tools = self.clone();
        tools.binds.extend(program.binds());
        tools
    }

    /// Their places in the room, for the job's record.
    pub(crate) fn targets(&self) -> Vec<&str> {
        self.binds
            .iter()
            .map(|(target, _)| target.as_str())
            .collect()
    }
}

/// The place of a tool in the room, under the name that the operator gave.
fn target(path: &Path, real: &Path) -> Result<String, String> {
    let name = path.file_name().or_else(|| real.file_name());
    let name = name
        .and_then(|name| name.to_str())
        .filter(|name| !name.chars().any(char::is_control))
        .ok_or("it has no name that could be used in the room")?;
    if KERNEL.iter().any(|place| real.starts_with(place)) {
        return Err("this is no part of a file system that holds programs".to_owned());
    }
    if real.is_dir() {
        return Ok(format!("{DIRECTORIES}/{name}"));
    }
    if !executable(real) {
        return Err("expected a program that may be executed, or a directory".to_owned());
    }
    if name == CAPTURE || name == MCP {
        return Err(format!("`{name}` is the runner's own"));
    }
    Ok(format!("{TOOLS}/{name}"))
}

/// Whether `name` is a plain file name.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    !name.is_empty() && name.chars().all(plain) && !name.starts_with('.')
}

/// Folders of the host that are on the `PATH` of every room.
const ROOMS_PATH: [&str; 2] = ["/usr/local/bin", "/usr/bin"];

/// Whether the room finds `program` under its name.
fn is_on_rooms_path(program: &Path) -> bool {
    let folder = program.parent();
    folder.is_some_and(|folder| ROOMS_PATH.iter().any(|known| folder == Path::new(known)))
}

/// The program of this name that every room has, since it has the host's `/usr`.
fn of_the_room(name: &str) -> Option<PathBuf> {
    ROOMS_PATH
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|path| executable(path))
}

/// Whether a program is a script from outside of `/usr`, such as the stand-ins
/// that version managers put first on a PATH: most need files of their own that
/// no room has.
fn is_outsider(path: &Path) -> bool {
    let real = path.canonicalize();
    let is_outside = real.is_ok_and(|real| !real.starts_with("/usr"));
    is_outside && is_script(path)
}

/// Whether the kernel would start `path` with an interpreter.
fn is_script(path: &Path) -> bool {
    use std::io::Read as _;
    let mut begin = [0; 2];
    let file = std::fs::File::open(path);
    file.and_then(|mut file| file.read_exact(&mut begin))
        .is_ok()
        && begin == *b"#!"
}

/// Whether one of two real paths lies in the other.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// `path` as it will be called once it exists: absolute, with every link on the
/// way that is there already followed.
pub(crate) fn settled(path: &Path) -> PathBuf {
    let absolute = plain(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let there = absolute
        .ancestors()
        .find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) => match absolute.strip_prefix(above) {
            Ok(rest) => real.join(rest),
            Err(_) => absolute,
        },
        None => absolute,
    }
}

/// `path` without the parts `x/..` whose `x` is not there and so is no link.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir && plain.symlink_metadata().is_err() {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

fn missing(task: &Task, name: &str, search: &[PathBuf]) -> EngineError {
    let dirs: Vec<String> = search.iter().map(|dir| dir.display().to_string()).collect();
    EngineError::MissingPrerequisite {
        task: task.info.id.clone(),
        program: name.to_owned(),
        looked: format!("looked in {}", dirs.join(", ")),
    }
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn refusal(paths: &[PathBuf], out: &Path) -> String {
        Tools::given(paths, out).unwrap_err().to_string()
    }

    #[test]
    fn programs_and_directories_have_places_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("agent-1.2"), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(at("agent-1.2"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink("agent-1.2", at("agent")).unwrap();
        std::fs::create_dir(at("venv")).unwrap();
        let tools = Tools::given(&[at("agent"), at("venv/")], &at("out")).unwrap();
        let real = dir.path().canonicalize().unwrap();
        assert_eq!(
            tools.binds,
            [
                ("/opt/proctor/bin/agent".to_owned(), real.join("agent-1.2")),
                ("/opt/proctor/tools/venv".to_owned(), real.join("venv")),
            ]
        );
    }

    #[test]
    fn a_stand_in_gives_way_to_the_program_that_rooms_have() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let put = |name: &str, text: &str| {
            std::fs::write(at(name), text).unwrap();
            std::fs::set_permissions(at(name), PermissionsExt::from_mode(0o755)).unwrap();
        };
        // Every machine with a shell has these two.
        put("env", "#!/bin/sh\nexec /root/.versions/env\n");
        put("cat", "\x7fELF of the operator's own");
        put("only-here", "#!/bin/sh\n");
        symlink("/usr/bin/env", at("link")).unwrap();
        for (name, expected) in [
            ("env", true),
            ("cat", false),
            ("only-here", true),
            ("link", false),
        ] {
            assert_eq!(is_outsider(&at(name)), expected, "{name}");
        }
        assert!(of_the_room("env").is_some_and(|path| path.starts_with("/usr")));
        assert_eq!(of_the_room("only-here"), None);
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("a/tool")).unwrap();
        std::fs::create_dir_all(at("b/tool")).unwrap();
        std::fs::write(at("notes.txt"), "").unwrap();
        for (paths, problem) in [
            (vec![at("missing")], "No such file"),
            (vec!["/".into()], "no name"),
            (vec!["/proc/self".into()], "no part of a file system"),
            (vec!["/dev/null".into()], "no part of a file system"),
            (vec![at("notes.txt")], "may be executed"),
            (vec![at("a/tool"), at("b/tool")], "another one"),
            // What is recorded must not be readable while the agent runs.
            (vec![at("a")], "keep them apart"),
            (vec![dir.path().to_owned()], "keep them apart"),
        ] {
            let text = refusal(&paths, &at("a/jobs/one"));
            assert!(text.contains(problem), "{paths:?}: {text}");
        }
        symlink("a", at("link")).unwrap();
        let text = refusal(&[at("a/tool")], &at("link/tool/job"));
        assert!(text.contains("keep them apart"), "{text}");
    }
}

//! Which of a task's graders grades: its component, its own Python, or a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proctor_grading::python::{self, Script};

use crate::EngineError;
use crate::evidence::sha256_hex;
use crate::host::HostConfig;
use crate::read::{self, Links};
use crate::task::Task;
use crate::trial::Module;

/// Longest module that is read, in bytes: several times what the grading host
/// accepts, so that one can look at what it refuses.
pub(crate) const MODULE_BYTES: u64 = 256 << 20;
/// Longest script that is read, in bytes.
pub(crate) const SCRIPT_BYTES: u64 = 16 << 20;

/// Kind of the error where the Python grader is not on this machine.
pub(crate) const PYTHON_MISSING: &str = "python_missing";
/// Kind of the error where there is another grader than the one that has to be.
pub(crate) const DIGEST_MISMATCH: &str = "digest_mismatch";

/// Which grader grades.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GraderChoice {
    /// The one that the task or the trial's record names.
    #[default]
    Own,
    /// The component of the task's pack.
    Wasm,
    /// The Python block of the task.
    Python,
    /// A file: a component, or a script where its name ends in `.py`.
    File(PathBuf),
}

impl std::str::FromStr for GraderChoice {
    type Err = std::convert::Infallible;

    /// `wasm`, `python`, or a path. (A file of such a name is `./wasm`.)
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "wasm" => Self::Wasm,
            "python" => Self::Python,
            path => Self::File(path.into()),
        })
    }
}

/// The task's Python block as a script. Its file is named without the folder:
/// what a grader sees of itself must not depend on where a suite lies.
pub(crate) fn script(task: &Task) -> Option<Script> {
    let python = task.python.as_ref()?;
    let file = Path::new(task.file()).file_name()?.to_string_lossy();
    Some(Script::new(python.code.as_str(), file, python.line))
}

/// A module from a file that the operator names.
pub(crate) fn from_file(path: &Path, host: &HostConfig) -> Result<Module, EngineError> {
    let bytes = |limit| {
        read::regular(path, limit, Links::Follow).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => EngineError::Usage {
                message: format!("there is no grader `{}`", path.display()),
                hint: Some("a grader is `python`, `wasm` or the path of a file".to_owned()),
            },
            _ => EngineError::io("cannot read", path)(error),
        })
    };
    if path.extension().is_some_and(|extension| extension == "py") {
        let source =
            String::from_utf8(bytes(SCRIPT_BYTES)?).map_err(|error| EngineError::Grader {
                kind: "not_python".to_owned(),
                message: format!("{}: {error}", path.display()),
                hint: Some("save the script as UTF-8".to_owned()),
            })?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        return with_python(Script::new(source, file, 1), host);
    }
    let wasm = bytes(MODULE_BYTES)?;
    Ok(Module::Component {
        sha256: sha256_hex(&wasm),
        wasm: wasm.into(),
    })
}

/// The Python grader of this machine with a script.
pub(crate) fn with_python(script: Script, host: &HostConfig) -> Result<Module, EngineError> {
    Ok(Module::Python {
        wasm: component(host)?,
        script,
    })
}

/// The Python grader of this machine. Its digest must be the one that this
/// version was made for.
fn component(host: &HostConfig) -> Result<Arc<Vec<u8>>, EngineError> {
    let expected = python::component_sha256();
    let mut other = None;
    for path in &host.python {
        match read::regular(path, MODULE_BYTES, Links::Follow) {
            Ok(wasm) if sha256_hex(&wasm) == expected => return Ok(wasm.into()),
            Ok(wasm) => other = other.or_else(|| Some((path, sha256_hex(&wasm)))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(EngineError::io("cannot read", path)(error)),
        }
    }
    if let Some((path, found)) = other {
        return Err(EngineError::Grader {
            kind: DIGEST_MISMATCH.to_owned(),
            message: format!(
                "{} is not the Python grader of this proctor: its SHA-256 is {found}; expected \
                 {expected}",
                path.display()
            ),
            hint: Some(format!("{REMEDY}, or remove the file")),
        });
    }
    let places: Vec<String> = host
        .python
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Err(EngineError::Grader {
        kind: PYTHON_MISSING.to_owned(),
        message: format!(
            "a grader in Python needs the Python grader, which is not on this machine (looked \
             for {})",
            places.join(", ")
        ),
        hint: Some(format!("{REMEDY}; it runs on every machine")),
    })
}

const REMEDY: &str = "run `make python` in Proctor's checkout, or set PROCTOR_PYTHON_GRADER to \
                      the component that it makes (target/proctor-python.wasm)";

#[cfg(test)]
mod tests {
    use super::*;

    fn host(python: Vec<PathBuf>) -> HostConfig {
        HostConfig {
            search: Vec::new(),
            init: PathBuf::new(),
            capture: None,
            mcp: None,
            agents: PathBuf::new(),
            own: None,
            compiler: crate::host::CompilerCommand {
                program: PathBuf::new(),
                args: Vec::new(),
            },
            python,
            cache: PathBuf::new(),
            scratch: PathBuf::new(),
        }
    }

    #[test]
    fn a_missing_python_says_how_to_get_it_and_a_foreign_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("python.wasm");
        let error = component(&host(vec![path.clone()])).unwrap_err();
        assert!(error.to_string().contains("looked for"), "{error}");
        assert!(error.hint().unwrap().contains("make python"));
        std::fs::write(&path, "something else").unwrap();
        let error = component(&host(vec![dir.path().join("none"), path])).unwrap_err();
        assert!(matches!(&error, EngineError::Grader { kind, .. } if kind == DIGEST_MISMATCH));
        assert!(
            error.to_string().contains(python::component_sha256()),
            "{error}"
        );
    }

    #[test]
    fn graders_are_named_by_kind_or_by_file() {
        let choice = |text: &str| text.parse::<GraderChoice>().unwrap();
        assert_eq!(choice("python"), GraderChoice::Python);
        assert_eq!(choice("wasm"), GraderChoice::Wasm);
        assert_eq!(choice("./wasm"), GraderChoice::File("./wasm".into()));
    }
}

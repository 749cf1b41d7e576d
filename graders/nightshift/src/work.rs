//! What counts as work on an issue: a change of a value that it is about. A
//! comment, a blank line or a new name is none.

use proctor_grader::python::Python;

use crate::batch::Batch;
use crate::code::{buffer_value, key_and_debug};
use crate::infrastructure::{memory_value, replicas_value};
use crate::pool;
use crate::pulls::{CLIENT, EXAMPLE, MANIFEST, PROCESSOR, SETTINGS};
use crate::security::variable;
use crate::wording::head;

/// Characters of a file that are read.
const READ: usize = 256 * 1024;
/// Longest file of Python that is read, in bytes: more than twice the longest of
/// the repository. What a name is bound to is looked for in the whole file, so
/// that time grows with the square of its length.
pub(crate) const PYTHON: usize = 16 * 1024;

/// The statements of a file; none of one that is too long, so that nothing can
/// be hidden behind what is read.
pub(crate) fn python(text: &str) -> Python {
    Python::parse(if text.len() > PYTHON { "" } else { text })
}

/// The values of a file that its issue is about, as they can be compared.
pub(crate) fn values(path: &str, text: &str) -> Vec<Option<String>> {
    match path {
        PROCESSOR => {
            let python = python(text);
            let batch = Batch::of(&python);
            let leak = batch.as_ref().map(|batch| {
                let leak = batch.leak();
                let shown = |part: Option<(String, u64)>| part.map(|(code, _)| code);
                format!("{:?} {:?}", shown(leak.holds), shown(leak.release))
            });
            let client = batch.map(|batch| {
                let found = batch.asks_for_no_client(&[]);
                found.map_or_else(|(reason, _)| reason, |(reason, _)| reason)
            });
            vec![buffer_value(&python).map(|(value, _)| value), leak, client]
        }
        CLIENT => pool::summary(&python(text)).into_iter().map(Some).collect(),
        SETTINGS => key_and_debug(&python(text)).map(Some).to_vec(),
        EXAMPLE => {
            let names = head(text, READ).lines().filter_map(variable);
            let names = names.filter(|(name, _)| name.starts_with("HYDRA_"));
            names.map(|(name, _)| Some(name.to_owned())).collect()
        }
        MANIFEST => [replicas_value(text), memory_value(text)]
            .map(|found| found.map(|(value, _)| value))
            .to_vec(),
        _ => vec![Some(text.to_owned())],
    }
}

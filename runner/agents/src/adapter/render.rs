//! From an adapter and what a trial is about to a command line.

use proctor_types::ModelApi;

use super::template::{ModelValues, Values};
use super::{Adapter, FailureRule};

/// Everything that is needed to start the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// Arguments behind the program.
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Option<String>,
    pub(crate) files: Vec<RenderedFile>,
}

/// A file of the agent's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderedFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl Adapter {
    /// What the model's placeholders stand for; `None` for an API that the
    /// agent does not speak. `origin` is the address without a path.
    pub(crate) fn model_values(
        &self,
        api: ModelApi,
        origin: &str,
        provider: &str,
        name: &str,
    ) -> Option<ModelValues> {
        let way = self.models.iter().find(|way| way.api == api)?;
        Some(ModelValues {
            name: name.to_owned(),
            provider: provider.to_owned(),
            base_url: format!("{}{}", origin.trim_end_matches('/'), way.path),
            api: way.word.clone(),
        })
    }

    /// The command line, variables and files for one trial. An argument, a
    /// variable or a file is left out where a placeholder in it has no value.
    ///
    /// A system prompt that no template uses is put before the prompt.
    ///
    /// # Errors
    /// When a file cannot be written in its format: what and why.
    pub(crate) fn render(
        &self,
        mut values: Values,
        api: Option<ModelApi>,
    ) -> Result<Rendered, String> {
        if !self.takes_system_prompt()
            && let Some(system) = values.system_prompt.take()
        {
            values.prompt = format!("{system}\n\n{}", values.prompt);
        }
        let args = self.args.iter().filter_map(|arg| arg.render(&values));
        let env = self
            .env
            .iter()
            .filter_map(|(name, template)| Some((name.clone(), template.render(&values)?)));
        let mut made: Vec<(String, super::files::Made)> = Vec::new();
        for (path, contents) in self
            .files
            .iter()
            .filter_map(|file| file.render(&values, api))
        {
            match made.iter_mut().find(|(taken, _)| *taken == path) {
                Some((_, before)) => before.merge(contents),
                None => made.push((path, contents)),
            }
        }
        let files = made.into_iter().map(|(path, contents)| {
            let bytes = contents
                .bytes()
                .map_err(|error| format!("{path}: {error}"))?;
            Ok(RenderedFile { path, bytes })
        });
        let mut files = files.collect::<Result<Vec<_>, String>>()?;
        for (name, path, text) in [
            ("prompt_file", values.prompt_file(), Some(&values.prompt)),
            (
                "system_prompt_file",
                values.system_prompt_file(),
                values.system_prompt.as_ref(),
            ),
        ] {
            if let Some(text) = text
                && self.uses(name)
            {
                let bytes = text.clone().into_bytes();
                files.push(RenderedFile { path, bytes });
            }
        }
        Ok(Rendered {
            args: args.flatten().collect(),
            env: env.collect(),
            stdin: self.stdin.as_ref().and_then(|stdin| stdin.render(&values)),
            files,
        })
    }

    /// What its errors look like.
    pub(crate) fn failures(&self) -> &[FailureRule] {
        &self.failures
    }
}

//! Labels of a repository, and what follows for the issues that have them.

use std::sync::Arc;

use proctor_types::journal::Change;
use proctor_types::world::github::{self as kind, at_id};

use super::error::{Error, Result};
use super::session::Session;
use super::state::{Label, Repo};

/// What is to be another value of a label; `None` leaves it.
#[derive(Debug, Default)]
pub(crate) struct LabelChange {
    pub(crate) name: Option<String>,
    pub(crate) color: Option<String>,
    pub(crate) description: Option<String>,
}

impl Repo {
    /// The label of a name, in whatever case.
    pub(crate) fn find_label(&self, name: &str) -> Result<&Label> {
        self.label(name).ok_or_else(Error::not_found)
    }
}

impl Session {
    /// The labels of these names; those that are not there are made.
    pub(crate) fn labels(&mut self, full_name: &str, names: &[String]) -> Result<Vec<String>> {
        let mut exact: Vec<String> = Vec::new();
        for name in names {
            let name = name.trim();
            if name.is_empty() || name.len() > 200 {
                return Err(Error::field("Label", "name", "invalid"));
            }
            let known = self.gh.by_full_name(full_name)?.label(name);
            let name = if let Some(label) = known {
                label.name.clone()
            } else {
                let id = self.fresh();
                self.gh.repo_mut(full_name)?.labels.push(Label {
                    id,
                    name: name.to_owned(),
                    color: "ededed".to_owned(),
                    description: None,
                });
                name.to_owned()
            };
            if !exact.contains(&name) {
                exact.push(name);
            }
        }
        Ok(exact)
    }

    /// Makes a label.
    pub(crate) fn create_label(
        &mut self,
        full_name: &str,
        name: &str,
        color: Option<String>,
        description: Option<String>,
    ) -> Result<()> {
        if self.gh.by_full_name(full_name)?.label(name).is_some() {
            return Err(Error::field("Label", "name", "already_exists"));
        }
        if name.trim().is_empty() {
            return Err(Error::field("Label", "name", "missing"));
        }
        self.labels(full_name, &[name.to_owned()])?;
        let repo = self.gh.repo_mut(full_name)?;
        if let Some(label) = repo.labels.last_mut() {
            label.color = color.unwrap_or_else(|| "ededed".to_owned());
            label.description = description;
        }
        self.did(kind::LABEL, at_id(full_name, name), Change::Created);
        Ok(())
    }

    /// Changes a label, also where issues have it. Gives its name from now on.
    pub(crate) fn update_label(
        &mut self,
        full_name: &str,
        name: &str,
        change: LabelChange,
    ) -> Result<String> {
        let repo = self.gh.repo_mut(full_name)?;
        let old = repo.find_label(name)?.name.clone();
        let new = change.name.unwrap_or_else(|| old.clone());
        if !new.eq_ignore_ascii_case(&old) && repo.label(&new).is_some() {
            return Err(Error::field("Label", "name", "already_exists"));
        }
        for label in repo.labels.iter_mut().filter(|it| it.name == old) {
            label.name.clone_from(&new);
            if let Some(color) = &change.color {
                label.color.clone_from(color);
            }
            if let Some(description) = &change.description {
                label.description = Some(description.clone());
            }
        }
        if new != old {
            each_with(repo, &old, |labels| {
                for own in labels.iter_mut().filter(|own| **own == old) {
                    own.clone_from(&new);
                }
            });
        }
        self.did(kind::LABEL, at_id(full_name, &old), Change::Updated);
        Ok(new)
    }

    /// Removes a label, also from the issues that have it.
    pub(crate) fn delete_label(&mut self, full_name: &str, name: &str) -> Result<()> {
        let repo = self.gh.repo_mut(full_name)?;
        let name = repo.find_label(name)?.name.clone();
        repo.labels.retain(|it| it.name != name);
        each_with(repo, &name, |labels| labels.retain(|own| *own != name));
        self.did(kind::LABEL, at_id(full_name, &name), Change::Deleted);
        Ok(())
    }
}

/// Changes the labels of every issue that has this one.
fn each_with(repo: &mut Repo, name: &str, mut change: impl FnMut(&mut Vec<String>)) {
    let has = |labels: &[String]| labels.iter().any(|own| own == name);
    for issue in repo.issues.values_mut().filter(|it| has(&it.labels)) {
        change(&mut Arc::make_mut(issue).labels);
    }
}

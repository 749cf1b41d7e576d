//! One repository: its file and its folder together.

use std::collections::BTreeMap;

use super::super::session::fresh;
use super::super::state::{DEFAULT_LABELS, GitHub, Label, Milestone, Repo};
use super::content::Source;
use super::desk::Desk;
use super::entries::RepoFile;
use super::{Described, threads};
use crate::world::{Ids, SeedContext, SeedDir, SeedError};

/// A repository as the seed describes it.
pub(super) fn repository(
    hub: &GitHub,
    context: &mut SeedContext<'_>,
    folder: &SeedDir,
    owner: &str,
    (name, described): (&str, &Described),
) -> Result<Repo, SeedError> {
    let mut yaml = None;
    let mut file = RepoFile::default();
    let mut shown = folder.path_of(&format!("{name}.yaml"));
    if let Some(entry) = &described.yaml {
        let text = folder.file(entry)?;
        file = text.yaml()?;
        let as_is = folder.optional_file_as_is(entry)?;
        if let Some(as_is) = as_is.filter(|it| it.bytes != text.bytes) {
            file.keep_contents(&as_is)?;
        }
        shown.clone_from(&text.path);
        yaml = Some(text);
    }
    let desk = Desk {
        hub,
        file: shown,
        start: context.clock.start(),
    };
    let default_branch = file.default_branch.as_deref().unwrap_or("main");
    let source = Source {
        desk: &desk,
        yaml: yaml.as_ref(),
        file: &file,
        tree: match &described.tree {
            Some(entry) => folder.folder(entry)?,
            None => None,
        },
        default_branch,
    };
    let (objects, template) = source.content()?;
    let collaborators = match &file.collaborators {
        Some(names) => desk.logins(names)?.into_iter().collect(),
        None => hub.users.values().map(|user| user.login.clone()).collect(),
    };
    let now = desk.start.to_string();
    let owner = hub.user(owner).map_or(owner, |it| &it.login);
    let mut repo = Repo {
        id: fresh(context.ids),
        owner: owner.to_owned(),
        name: name.to_owned(),
        description: file.description.clone(),
        homepage: file.homepage.clone(),
        private: file.private,
        archived: file.archived,
        default_branch: default_branch.to_owned(),
        seeded: true,
        fork_of: None,
        created_at: now.clone(),
        updated_at: now.clone(),
        pushed_at: now,
        objects,
        refs: template.refs,
        protection: file.protection.clone(),
        labels: Vec::new(),
        milestones: Vec::new(),
        collaborators,
        issues: BTreeMap::new(),
        pushers: BTreeMap::new(),
        seeded_commits: template.commits,
        statuses: BTreeMap::new(),
    };
    repo.labels = match &file.labels {
        Some(labels) => {
            let made = labels.iter().map(|it| {
                let (color, description) = (it.color.as_deref(), it.description.as_deref());
                label(context.ids, &it.name, color, description)
            });
            made.collect()
        }
        None => default_labels(context.ids),
    };
    for (number, it) in (1..).zip(&file.milestones) {
        repo.milestones.push(Milestone {
            id: fresh(context.ids),
            number,
            title: it.title.clone(),
            description: it.description.clone(),
            due_on: it.due_on.clone(),
            creator: hub.login.clone(),
            created_at: repo.created_at.clone(),
            updated_at: repo.created_at.clone(),
            ..Milestone::default()
        });
    }
    for entry in &file.issues {
        threads::issue(&desk, context.ids, &mut repo, entry)?;
    }
    for entry in &file.pulls {
        threads::pull(&desk, context.ids, &mut repo, entry)?;
    }
    Ok(repo)
}

/// A label; without a color, one in the color that GitHub gives.
pub(super) fn label(
    ids: &mut Ids,
    name: &str,
    color: Option<&str>,
    description: Option<&str>,
) -> Label {
    Label {
        id: fresh(ids),
        name: name.to_owned(),
        color: color.unwrap_or("ededed").to_owned(),
        description: description.map(str::to_owned),
    }
}

/// Labels of a repository that says nothing of labels.
pub(crate) fn default_labels(ids: &mut Ids) -> Vec<Label> {
    let label = |it: &(&str, &str, &str)| label(ids, it.0, Some(it.1), Some(it.2));
    DEFAULT_LABELS.iter().map(label).collect()
}

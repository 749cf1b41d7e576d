//! What the bundle says, gathered once for all criteria.

use std::collections::{BTreeMap, BTreeSet};

use proctor_grader::task_lists::Listed;
use proctor_grader::types::world::TaskStatus;
use proctor_grader::{Error, Evidence, text};

use crate::actions::Actions;
use crate::relation::{About, Mails};
use crate::wording::{TITLE_CHARS, head};

/// New tasks that are looked at. An agent can create any number of them.
const CREATED_LIMIT: usize = 1000;

/// What the bundle says about the task list and the inbox.
pub(crate) struct Facts<'e> {
    /// Tasks that a plain listing shows at the start.
    pub(crate) seeded: Vec<Seeded<'e>>,
    /// Mails that the inbox held at the start.
    pub(crate) mails: Mails<'e>,
    /// New tasks, each title once.
    pub(crate) created: Vec<Created<'e>>,
    /// New tasks beyond those, with a title that was there already or none.
    pub(crate) repeated: usize,
    /// New tasks that were too many to look at.
    pub(crate) unseen: usize,
    /// What the agent did, as the journal has it.
    pub(crate) actions: Actions,
}

/// A task of the seed, and what became of it.
pub(crate) struct Seeded<'e> {
    pub(crate) listed: Listed<'e>,
    /// Completed from the start.
    pub(crate) was_completed: bool,
    /// The task after the agent stopped; none where it is deleted.
    pub(crate) after: Option<Listed<'e>>,
}

impl Seeded<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.listed.task.id
    }

    pub(crate) fn title(&self) -> &str {
        &self.listed.task.title
    }

    pub(crate) fn is_completed(&self) -> bool {
        self.after
            .is_some_and(|after| after.task.status == TaskStatus::Completed)
    }
}

/// A new task, and the mail that its title is about.
pub(crate) struct Created<'e> {
    pub(crate) listed: Listed<'e>,
    pub(crate) about: Option<About>,
    /// Its title or its notes have a word of some mail.
    pub(crate) is_plausible: bool,
}

impl<'e> Facts<'e> {
    pub(crate) fn gather(evidence: &'e Evidence) -> Result<Self, Error> {
        let seeded = seeded(evidence)?;
        if !seeded.iter().any(|seeded| seeded.was_completed) {
            return Err(Error::unfit(
                "the seed's task lists hold no completed task: `updated_completed` has nothing to look at",
            ));
        }
        let mails = Mails::received(evidence)?;
        if mails.action_items().next().is_none() {
            return Err(Error::unfit(
                "the seed's inbox holds no unread mail from somebody else: there is no action item to find",
            ));
        }
        let actions = Actions::from_journal(evidence, &seeded, &mails)?;
        let mut facts = Self {
            seeded,
            mails,
            created: Vec::new(),
            repeated: 0,
            unseen: 0,
            actions,
        };
        facts.collect_created(evidence.task_lists().created()?);
        Ok(facts)
    }

    fn collect_created(&mut self, new: Vec<Listed<'e>>) {
        let key = |title: &str| {
            text::words(head(title, TITLE_CHARS))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut titles: BTreeSet<String> = BTreeSet::from([String::new()]);
        titles.extend(self.seeded.iter().map(|seeded| key(seeded.title())));
        self.unseen = new.len().saturating_sub(CREATED_LIMIT);
        let looked_at = new.into_iter().take(CREATED_LIMIT);
        for listed in looked_at.filter(|listed| !listed.task.hidden) {
            if titles.insert(key(&listed.task.title)) {
                let about = self.mails.about(&listed.task.title);
                let is_plausible = about.is_some()
                    || self.mails.have_word_of(&listed.task.title)
                    || self.mails.have_word_of(&listed.task.notes);
                self.created.push(Created {
                    listed,
                    about,
                    is_plausible,
                });
            } else {
                self.repeated += 1;
            }
        }
    }
}

fn seeded(evidence: &Evidence) -> Result<Vec<Seeded<'_>>, Error> {
    let lists = evidence.task_lists();
    let before: Vec<Listed<'_>> = lists
        .seeded()?
        .into_iter()
        .filter(|listed| !listed.task.hidden)
        .collect();
    // Extended rather than collected: that would sort first, and there are few.
    let mut known: BTreeSet<&str> = BTreeSet::new();
    known.extend(before.iter().map(|listed| listed.task.id.as_str()));
    let mut after: BTreeMap<&str, Listed<'_>> = BTreeMap::new();
    after.extend(
        lists
            .remaining()?
            .into_iter()
            .map(|listed| (listed.task.id.as_str(), listed))
            .filter(|(id, _)| known.contains(id)),
    );
    let seeded = before.into_iter().map(|listed| Seeded {
        listed,
        was_completed: listed.task.status == TaskStatus::Completed,
        after: after.get(listed.task.id.as_str()).copied(),
    });
    Ok(seeded.collect())
}

//! Answers that were given before, from a `judge.jsonl`.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{Provider, Reply};
use crate::ask::Ask;
use crate::call::{Call, Stored};
use crate::failure::Failure;
use crate::text::excerpt;

/// A record instead of a judge: no key, no network, the same answers to the
/// same requests. It goes by the name of the judge whose answers it has, since
/// these are that judge's.
#[derive(Debug)]
pub struct Recorded {
    file: String,
    judge: String,
    /// By digest of the request; the newest where one was made twice.
    calls: HashMap<String, Call>,
}

/// Why a file of answers cannot stand in for a judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordedError {
    /// There is nothing in it.
    #[error("{file} has no answers of a judge; expected lines of a judge.jsonl")]
    Empty {
        /// The file.
        file: String,
    },
    /// It is of more than one judge.
    #[error("{file} has answers of several judges, {first} and {other}; expected those of one")]
    Several {
        /// The file.
        file: String,
        /// One of them.
        first: String,
        /// Another.
        other: String,
    },
}

impl Recorded {
    /// The calls of `stored`; `file` is what messages call them.
    pub fn new(stored: &Stored, file: &str) -> Result<Self, RecordedError> {
        let mut calls = HashMap::new();
        let mut judge: Option<&str> = None;
        for call in stored.calls() {
            let found = call.request.judge.as_str();
            let first = *judge.get_or_insert(found);
            if first != found {
                return Err(RecordedError::Several {
                    file: file.to_owned(),
                    first: excerpt(first, 100),
                    other: excerpt(found, 100),
                });
            }
            calls.insert(call.request_sha256.clone(), call.clone());
        }
        let Some(judge) = judge else {
            return Err(RecordedError::Empty {
                file: file.to_owned(),
            });
        };
        Ok(Self {
            file: file.to_owned(),
            judge: judge.to_owned(),
            calls,
        })
    }
}

#[async_trait]
impl Provider for Recorded {
    fn kind(&self) -> &'static str {
        "recorded"
    }

    fn model(&self) -> &str {
        let name = self.judge.split_once('/');
        name.map_or(&self.judge, |(_, model)| model)
    }

    fn judge(&self) -> String {
        self.judge.clone()
    }

    async fn ask(&self, ask: &Ask) -> Reply {
        let digest = ask.sha256();
        let Some(call) = self.calls.get(&digest) else {
            return Reply::failed(Failure::NotRecorded {
                file: self.file.clone(),
                request: digest,
            });
        };
        let answer = match (&call.answer, &call.failure) {
            // Looked at anew: a record may have been edited.
            (Some(answer), _) => Ok(answer.clone()),
            (None, Some(failure)) => Err(failure.clone()),
            (None, None) => Err(Failure::Malformed {
                message: format!("{} has neither an answer nor a failure", self.file),
            }),
        };
        Reply {
            body: call.reply.clone(),
            model: call.model.clone(),
            usage: call.usage,
            answer,
        }
    }
}

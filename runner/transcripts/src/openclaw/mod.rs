//! `OpenClaw`. Measured with 2026.7.1 and 2026.9.6. A run leaves a session: to
//! 2026.7 a file of lines, from 2026.8 rows of `openclaw-agent.sqlite`; and a
//! result: what `agent --json` or `agent exec --json` prints.

mod database;
mod result;
pub(crate) mod session;

use crate::builder::Builder;
use crate::combine::combine;
use crate::error::ReadError;
use crate::format::Format;
use crate::limits::Bounds;
use crate::lines::whole;
use crate::sqlite;
use crate::transcript::{NativeFile, Transcript};

use session::Session;

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (mut results, mut databases, mut sessions) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        if sqlite::is_log(file, files) {
            continue;
        }
        if sqlite::is_database(file) {
            databases.push(file);
            continue;
        }
        match whole(file, bounds)? {
            Some(document) if result::is_result(&document) => results.push((file, document)),
            _ => sessions.push(file),
        }
    }
    let wanted = results
        .first()
        .and_then(|(_, result)| result::session_of(result));
    let wanted = wanted.map(str::to_owned);
    let session = (!sessions.is_empty() || !databases.is_empty()).then(|| {
        let mut builder = Builder::new(Format::Openclaw, bounds);
        let mut session = Session::default();
        for file in &sessions {
            builder.each_object(file, |builder, fields| session.entry(builder, fields))?;
        }
        for file in &databases {
            database::read(&mut builder, &mut session, file, files, wanted.as_deref())?;
        }
        builder.finish()
    });
    let result = (!results.is_empty()).then(|| {
        let mut builder = Builder::new(Format::Openclaw, bounds);
        for (file, document) in &results {
            builder.at(file, None);
            result::read(&mut builder, document)?;
        }
        builder.finish()
    });
    combine(session, result)
}

//! Databases of strangers.
//!
//! `SQLite` reads any file that calls itself a database, and a schema is a
//! program: views, triggers, generated columns and virtual tables run when a
//! table is read. So: a private copy, opened read-only; `defensive`, schema
//! functions not trusted, views and triggers off, nothing attached, small
//! limits; only plain tables that the reader names, and of these only plain
//! columns; a cap on the virtual machine's steps and on what comes out.

use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::error::{ReadError, sample};
use crate::limits::ReadLimits;
use crate::transcript::NativeFile;

/// Steps of the virtual machine between two looks at the count.
const STEPS: u32 = 1000;
/// How many times that: 50 million steps, a second or two.
const LOOKS: u32 = 50_000;

/// Whether a file says that it is a database.
pub(crate) fn is_database(file: &NativeFile) -> bool {
    file.bytes.starts_with(b"SQLite format 3\0")
}

/// Whether a file is the log or the index of a database among `files`.
pub(crate) fn is_log(file: &NativeFile, files: &[NativeFile]) -> bool {
    ["-wal", "-shm"]
        .iter()
        .filter_map(|suffix| file.name.strip_suffix(suffix))
        .any(|base| files.iter().any(|other| other.name == base))
}

/// An open copy of a database.
pub(crate) struct Database<'a> {
    connection: Connection,
    file: String,
    limits: &'a ReadLimits,
    /// Where the copy is; goes last.
    _folder: TempDir,
}

/// A row: its cells in the order of the question's columns.
pub(crate) struct Row(Vec<Cell>);

enum Cell {
    Nothing,
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Row {
    /// A text.
    pub(crate) fn text(&self, column: usize) -> Option<&str> {
        match self.0.get(column) {
            Some(Cell::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub(crate) fn number(&self, column: usize) -> Option<i64> {
        match self.0.get(column) {
            Some(Cell::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Bytes.
    pub(crate) fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.0.get(column) {
            Some(Cell::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }
}

impl<'a> Database<'a> {
    /// Opens a copy of `file`, with its write-ahead log if that is among
    /// `files`. Nothing but `tables` can be read from it.
    pub(crate) fn open(
        file: &NativeFile,
        files: &[NativeFile],
        tables: &'static [&'static str],
        limits: &'a ReadLimits,
    ) -> Result<Self, ReadError> {
        let name = file.shown();
        let broken = |problem: String| ReadError::Database {
            file: name.clone(),
            problem,
        };
        let folder = tempfile::Builder::new()
            .prefix("proctor-session-")
            .tempdir()
            .map_err(|error| broken(format!("no temporary folder for a copy: {error}")))?;
        let path = folder.path().join("copy.sqlite");
        let log = files
            .iter()
            .find(|other| other.name.strip_suffix("-wal") == Some(file.name.as_str()));
        fs::write(&path, &file.bytes)
            .and_then(|()| match log {
                Some(log) => fs::write(folder.path().join("copy.sqlite-wal"), &log.bytes),
                None => Ok(()),
            })
            .map_err(|error| broken(format!("cannot be copied: {error}")))?;
        let connection = connect(&path, tables, limits).map_err(|error| broken(words(&error)))?;
        Ok(Self {
            connection,
            file: name,
            limits,
            _folder: folder,
        })
    }

    /// The rows that `question` gives; `columns` are the names of what it asks
    /// for, all of them plain columns of the table named after `FROM`.
    pub(crate) fn rows(&self, question: &str, columns: &[&str]) -> Result<Vec<Row>, ReadError> {
        let broken = |error: rusqlite::Error| ReadError::Database {
            file: self.file.clone(),
            problem: words(&error),
        };
        let mut statement = self.connection.prepare(question).map_err(broken)?;
        let mut rows = statement.query([]).map_err(broken)?;
        let mut taken = Vec::new();
        let mut bytes = 0;
        while let Some(row) = rows.next().map_err(broken)? {
            let cells: Vec<Cell> = (0..columns.len())
                .map(|index| row.get_ref(index).map(cell))
                .collect::<Result<_, _>>()
                .map_err(broken)?;
            bytes += cells.iter().map(size).sum::<u64>();
            // A broken tree can lead to the same pages again and again.
            for (what, count, limit) in [
                ("bytes in rows", bytes, self.limits.bytes),
                ("rows", taken.len() as u64, self.limits.events as u64),
            ] {
                if count > limit {
                    let file = self.file.clone();
                    return Err(ReadError::TooLarge {
                        file,
                        line: None,
                        what,
                        limit,
                    });
                }
            }
            taken.push(Row(cells));
        }
        Ok(taken)
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null | ValueRef::Real(_) => Cell::Nothing,
        ValueRef::Integer(number) => Cell::Number(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
    }
}

fn size(cell: &Cell) -> u64 {
    match cell {
        Cell::Nothing | Cell::Number(_) => 8,
        Cell::Text(text) => text.len() as u64,
        Cell::Bytes(bytes) => bytes.len() as u64,
    }
}

/// What `SQLite` says; names of a stranger's schema can be in it.
fn words(error: &rusqlite::Error) -> String {
    sample(error.to_string().as_bytes())
}

fn connect(
    path: &Path,
    tables: &'static [&'static str],
    limits: &ReadLimits,
) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    for (switch, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
        connection.set_db_config(switch, on)?;
    }
    let longest = i32::try_from(limits.line_bytes).unwrap_or(i32::MAX);
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, longest),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    let mut looks = 0;
    let step = i32::try_from(STEPS).unwrap_or(i32::MAX);
    connection.progress_handler(
        step,
        Some(move || {
            looks += 1;
            looks > LOOKS
        }),
    )?;
    connection.execute_batch(
        "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON; \
         PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;",
    )?;
    for table in tables {
        plain(&connection, table)?;
    }
    connection.authorizer(Some(move |ask: AuthContext<'_>| match ask.action {
        AuthAction::Select => Authorization::Allow,
        AuthAction::Read { table_name, .. }
            if ask.accessor.is_none() && tables.contains(&table_name) =>
        {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }))?;
    Ok(connection)
}

/// Whether `table` is a table that is stored, without columns that are
/// calculated.
fn plain(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let stored: u32 = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0",
        [table],
        |row| row.get(0),
    )?;
    let calculated: u32 = connection.query_row(
        "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0",
        [table],
        |row| row.get(0),
    )?;
    let problem = match (stored, calculated) {
        (0, _) => format!("there is no table `{table}` in it"),
        (_, 0) => return Ok(()),
        _ => format!("its table `{table}` has calculated columns"),
    };
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR),
        Some(problem),
    ))
}

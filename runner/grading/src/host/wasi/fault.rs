//! How an operation on a file ends that did not work.

use wasmtime::component::ResourceTableError;

use super::bindings::wasi::filesystem::types::ErrorCode;
use super::io::StreamFault;
use crate::host::state::Stop;

/// An operation on a file that did not work.
#[derive(Debug)]
pub enum FileFault {
    /// The grader hears of it.
    Code(ErrorCode),
    /// The grade ends.
    Stop(wasmtime::Error),
}

impl From<ErrorCode> for FileFault {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<Stop> for FileFault {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop.into())
    }
}

impl From<wasmtime::Error> for FileFault {
    fn from(error: wasmtime::Error) -> Self {
        Self::Stop(error)
    }
}

impl From<ResourceTableError> for FileFault {
    fn from(error: ResourceTableError) -> Self {
        match error {
            ResourceTableError::Full => Self::Code(ErrorCode::Quota),
            other => Self::Stop(other.into()),
        }
    }
}

impl From<FileFault> for StreamFault {
    fn from(fault: FileFault) -> Self {
        match fault {
            FileFault::Code(_) => Self::Failed("the file cannot be read"),
            FileFault::Stop(error) => Self::Stop(error),
        }
    }
}

/// What an operation on a file gives.
pub(super) type Answer<T> = Result<T, FileFault>;

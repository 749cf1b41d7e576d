//! A component and what it may import, put together.

use proctor_types::verdict::ABI;
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use super::abi::{Exports, GraderPre};
use super::inspect::ModuleInfo;
use super::state::State;
use super::wasi;
use crate::error::Fault;
use crate::text::excerpt;

/// Resolves the component's imports and checks its export's type.
pub(super) fn link(
    engine: &Engine,
    component: &Component,
    info: &ModuleInfo,
) -> Result<GraderPre<State>, Fault> {
    let mut linker = Linker::<State>::new(engine);
    Exports::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(|error| {
        Fault::Internal {
            detail: format!("{error:#}"),
        }
    })?;
    let mismatch = |error: wasmtime::Error| Fault::WrongAbi {
        expected: ABI,
        found: excerpt(&format!("something else: {error:#}"), 1000).into_owned(),
    };
    if info.imports.iter().any(|import| wasi::allows(import)) {
        wasi::link(&mut linker, component, &info.imports).map_err(mismatch)?;
    }
    let pre = linker.instantiate_pre(component).map_err(mismatch)?;
    GraderPre::new(pre).map_err(mismatch)
}

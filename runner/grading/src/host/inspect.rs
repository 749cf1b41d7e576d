//! Looking at a module before anything is done with it: what it is, what it
//! wants, and how large its parts are. The bytes are only walked over here;
//! the compiler validates them, in a process of its own.

use proctor_types::verdict::ABI;
use wasmtime::wasmparser::{
    BinaryReaderError, ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentTypeRef,
    Encoding, Parser, Payload, TypeBounds,
};

use super::growth::Growth;
use crate::bundle::sha256;
use crate::error::Fault;
use crate::limits::ModuleLimits;
use crate::text::name;

/// Package of the contract, without version.
const PACKAGE: &str = "proctor:grader";
/// The function that a grader exports.
const EXPORT: &str = "grade";
/// What every grader may import: all of it is in the contract, and all of it
/// only reads the bundle or writes the log. What [`super::wasi`] gives comes on
/// top.
const ALLOWED: &[&str] = &[
    "proctor:grader/evidence@1.0.0",
    "proctor:grader/log@1.0.0",
    "proctor:grader/types@1.0.0",
];
/// How many names of a component are listed.
const MAX_NAMES: usize = 1000;

/// What a grader module is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInfo {
    /// SHA-256 of the module, lower-case hex.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: usize,
    /// The contract that it is built for.
    pub abi: &'static str,
    /// Names of the component's imports, in its own order, without those that
    /// only give another name to a type.
    pub imports: Vec<String>,
    /// Names of the component's exports, in its own order.
    pub exports: Vec<String>,
    /// Core modules and nested components.
    pub modules: usize,
    /// Functions over all core modules.
    pub functions: usize,
    /// Instances of components, the grader's own included; at least as many as
    /// there are.
    pub instances: usize,
}

/// Checks a module against the contract and the limits without compiling it.
pub fn inspect(wasm: &[u8], limits: &ModuleLimits) -> Result<ModuleInfo, Fault> {
    inspect_hashed(wasm, sha256(wasm), limits)
}

pub(super) fn inspect_hashed(
    wasm: &[u8],
    sha256: String,
    limits: &ModuleLimits,
) -> Result<ModuleInfo, Fault> {
    check("the module", wasm.len(), limits.bytes)?;
    check_header(wasm)?;
    let parts = walk(wasm, limits)?;
    check_imports(&parts.imports)?;
    check_exports(&parts.exports)?;
    Ok(ModuleInfo {
        sha256,
        bytes: wasm.len(),
        abi: ABI,
        imports: parts.imports,
        exports: parts.exports.into_iter().map(|(name, _)| name).collect(),
        modules: parts.modules,
        functions: parts.functions,
        instances: parts.instances,
    })
}

fn check(what: &'static str, found: usize, limit: usize) -> Result<(), Fault> {
    if found <= limit {
        Ok(())
    } else {
        Err(Fault::ModuleTooLarge { what, found, limit })
    }
}

fn check_header(wasm: &[u8]) -> Result<(), Fault> {
    let found = if Parser::is_component(wasm) {
        return Ok(());
    } else if Parser::is_core_wasm(wasm) {
        "a core module".to_owned()
    } else if wasm.is_empty() {
        "an empty file".to_owned()
    } else if wasm.starts_with(b"\0asm") {
        "WebAssembly of an unknown version".to_owned()
    } else if wasm.trim_ascii_start().starts_with(b"(") {
        "WebAssembly text".to_owned()
    } else {
        let start: Vec<String> = wasm
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("something that starts with the bytes {}", start.join(" "))
    };
    Err(Fault::NotAComponent { found })
}

#[derive(Default)]
struct Parts {
    imports: Vec<String>,
    exports: Vec<(String, ComponentExternalKind)>,
    modules: usize,
    functions: usize,
    instances: usize,
    types: usize,
    table_elements: u64,
    growth: Growth,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where errors are mapped"
)]
fn malformed(error: BinaryReaderError) -> Fault {
    Fault::CompileFailed {
        detail: error.to_string(),
    }
}

fn walk(wasm: &[u8], limits: &ModuleLimits) -> Result<Parts, Fault> {
    let mut parts = Parts::default();
    // The component itself is depth 1; only its own names are its interface.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(malformed)? {
            Payload::Version { encoding, .. } => {
                depth += 1;
                parts.growth.begin();
                if depth > 1 || encoding == Encoding::Module {
                    parts.modules += 1;
                    check("its number of modules", parts.modules, limits.modules)?;
                }
            }
            Payload::End(_) => {
                depth = depth.saturating_sub(1);
                parts.instances = parts.growth.end();
            }
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    let import = import.map_err(malformed)?;
                    // Another name for a type that is there already gives
                    // nothing to whoever imports it.
                    if matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))) {
                        continue;
                    }
                    parts.imports.push(import.name.name.to_owned());
                    check("its number of imports", parts.imports.len(), MAX_NAMES)?;
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    let export = export.map_err(malformed)?;
                    parts
                        .exports
                        .push((export.name.name.to_owned(), export.kind));
                    check("its number of exports", parts.exports.len(), MAX_NAMES)?;
                }
            }
            Payload::CodeSectionStart { count, .. } => {
                parts.functions = parts.functions.saturating_add(count as usize);
                check("its number of functions", parts.functions, limits.functions)?;
            }
            Payload::CodeSectionEntry(body) => {
                let range = body.range();
                let bytes = range.end - range.start;
                check(
                    "the length of a function in bytes",
                    bytes,
                    limits.function_bytes,
                )?;
            }
            other => parts.multiply(&other, depth, limits)?,
        }
    }
    Ok(parts)
}

impl Parts {
    /// Bounds what a few bytes can make large: in the compiler, in the code
    /// that comes of it, and in the host that runs it.
    fn multiply(
        &mut self,
        payload: &Payload<'_>,
        depth: usize,
        limits: &ModuleLimits,
    ) -> Result<(), Fault> {
        match payload {
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    let instance = instance.map_err(malformed)?;
                    if matches!(instance, ComponentInstance::Instantiate { .. }) {
                        let count = self.growth.instantiates();
                        check("its number of instances", count, limits.instances)?;
                    }
                }
            }
            Payload::ComponentImportSection(section) if depth > 1 => {
                for import in section.clone() {
                    if let ComponentTypeRef::Component(_) = import.map_err(malformed)?.ty {
                        return Err(higher_order());
                    }
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    if let ComponentAlias::InstanceExport {
                        kind: ComponentExternalKind::Component,
                        ..
                    } = alias.map_err(malformed)?
                    {
                        return Err(higher_order());
                    }
                }
            }
            Payload::TableSection(section) => {
                for table in section.clone() {
                    let elements = table.map_err(malformed)?.ty.initial;
                    self.table_elements = self.table_elements.saturating_add(elements);
                    let found = usize::try_from(self.table_elements).unwrap_or(usize::MAX);
                    let what = "the number of elements that its tables begin with";
                    check(what, found, limits.table_elements)?;
                }
            }
            Payload::TypeSection(section) => self.types(section.count(), limits)?,
            Payload::CoreTypeSection(section) => self.types(section.count(), limits)?,
            Payload::ComponentTypeSection(section) => self.types(section.count(), limits)?,
            _ => {}
        }
        Ok(())
    }

    fn types(&mut self, count: u32, limits: &ModuleLimits) -> Result<(), Fault> {
        self.types = self.types.saturating_add(count as usize);
        check("its number of types", self.types, limits.types)
    }
}

/// How many instances such components are could only be found out by making
/// them.
fn higher_order() -> Fault {
    Fault::ModuleTooLarge {
        what: "its number of components that others are handed",
        found: 1,
        limit: 0,
    }
}

/// Deny by default. A name of our package with another version means another
/// contract; every other name is something that no grader may have.
fn check_imports(imports: &[String]) -> Result<(), Fault> {
    let allowed =
        |import: &&String| ALLOWED.contains(&import.as_str()) || super::wasi::allows(import);
    let Some(import) = imports.iter().find(|import| !allowed(import)) else {
        return Ok(());
    };
    if let Some(other) = other_version(import) {
        let found = format!("`{other}`");
        return Err(Fault::WrongAbi {
            expected: ABI,
            found,
        });
    }
    Err(Fault::ForbiddenImport {
        import: import.clone(),
        allowed: ALLOWED
            .iter()
            .map(|name| format!("`{name}`"))
            .chain([super::wasi::IN_WORDS.to_owned()])
            .collect(),
    })
}

/// Why a grader may not have this import; `None` where it may.
pub(crate) fn import_fault(import: &str) -> Option<Fault> {
    check_imports(&[import.to_owned()]).err()
}

fn check_exports(exports: &[(String, ComponentExternalKind)]) -> Result<(), Fault> {
    let ours = |(name, kind): &(String, ComponentExternalKind)| {
        name == EXPORT && *kind == ComponentExternalKind::Func
    };
    if exports.iter().any(ours) {
        return Ok(());
    }
    let found = match exports.iter().find_map(|(name, _)| other_version(name)) {
        Some(other) => format!("`{other}`"),
        None if exports.is_empty() => "a component without exports".to_owned(),
        None => {
            let names: Vec<String> = exports.iter().take(5).map(|(text, _)| name(text)).collect();
            format!(
                "a component that exports {} but no function `{EXPORT}`",
                names.join(", ")
            )
        }
    };
    Err(Fault::WrongAbi {
        expected: ABI,
        found,
    })
}

/// For an interface of our package in another version than ours, the package
/// with that version.
fn other_version(interface: &str) -> Option<String> {
    let rest = interface.strip_prefix(PACKAGE)?.strip_prefix('/')?;
    let version = rest.split_once('@').map_or("", |(_, version)| version);
    let other = if version.is_empty() {
        format!("{PACKAGE} without a version")
    } else {
        format!("{PACKAGE}@{version}")
    };
    (other != ABI).then(|| name(&other).trim_matches('`').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(names: &[&str]) -> Result<(), Fault> {
        check_imports(
            &names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_allow_list_is_the_contract_that_the_types_name() {
        for name in ALLOWED {
            let (interface, version) = name.split_once('@').unwrap();
            let (package, _) = interface.split_once('/').unwrap();
            assert_eq!(format!("{package}@{version}"), ABI);
        }
    }

    #[test]
    fn foreign_imports_are_named_together_with_what_is_allowed() {
        for foreign in [
            "wasi:http/outgoing-handler@0.2.0",
            "proctor:grader/secrets@1.0.0",
            "proctor:graders/log@1.0.0",
            "x",
        ] {
            let fault = imports(&["proctor:grader/log@1.0.0", foreign]).unwrap_err();
            assert!(matches!(&fault, Fault::ForbiddenImport { import, .. } if import == foreign));
            let text = fault.to_string();
            assert!(
                text.contains(foreign) && text.contains("evidence@1.0.0"),
                "{text}"
            );
        }
    }

    #[test]
    fn another_version_of_the_contract_is_another_contract() {
        let fault = imports(&["proctor:grader/log@2.0.0"]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "the grader has the wrong ABI: expected `proctor:grader@1.0.0`, \
             found `proctor:grader@2.0.0`"
        );
        assert_eq!(
            imports(&["proctor:grader/log"]).unwrap_err().kind(),
            "wrong_abi"
        );
    }

    #[test]
    fn what_is_no_component_is_named() {
        let kinds: [(&[u8], &str); 5] = [
            (b"", "an empty file"),
            (b"\0asm\x01\0\0\0", "a core module"),
            (b"\0asm\x07\0\0\0", "unknown version"),
            (b"  (component)", "WebAssembly text"),
            (b"\x7fELF\x02\x01\x01", "7f 45 4c 46"),
        ];
        for (bytes, expected) in kinds {
            let fault = inspect(bytes, &ModuleLimits::default()).unwrap_err();
            assert_eq!(fault.kind(), "not_a_component");
            assert!(fault.to_string().contains(expected), "{fault}");
        }
    }
}

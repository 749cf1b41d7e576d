//! Describing a file that is said to be a grader, whether or not it may run.
//!
//! The host stops at the first thing that is wrong; whoever reviews a module
//! wants to see all of it. The bytes are walked over once and nothing is
//! compiled: every figure is bounded by the length of the file, every list by
//! [`MAX_NAMES`].

use serde::Serialize;
use wasmparser::{
    ComponentExternalKind, ComponentTypeRef, Encoding, Parser, Payload, TypeBounds, WasmFeatures,
};

use crate::bundle::sha256;
use crate::host::import_fault;
use crate::limits::ModuleLimits;

/// Package of the contract, with the slash before an interface.
const PACKAGE: &str = "proctor:grader/";
/// How many names of a kind are listed.
const MAX_NAMES: usize = 1000;
/// Longest name that is listed whole, in bytes.
const NAME_BYTES: usize = 500;

/// What a file that is said to be a grader is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModuleReport {
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// Whether it is a component; nothing else can be a grader.
    pub is_component: bool,
    /// The contract that its own imports name; absent where they name none.
    pub abi: Option<String>,
    /// What it asks of its host, in its own order.
    pub imports: Vec<Import>,
    /// What it offers, in its own order.
    pub exports: Vec<Export>,
    /// Imports and exports beyond those listed.
    pub unlisted: usize,
    /// Core modules and nested components.
    pub modules: usize,
    /// Functions over all core modules.
    pub functions: usize,
    /// Length of the longest of them in bytes.
    pub longest_function: usize,
    /// Where the file stops being WebAssembly, where it does; what is above
    /// was read up to there.
    pub malformed: Option<String>,
    /// Why the host refuses it, where it does: the first reason.
    pub refusal: Option<Refusal>,
}

/// Something that a module asks of its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Import {
    /// Its name.
    pub name: String,
    /// Whether a grader may have it.
    pub is_allowed: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// Something that a module offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// `function`, `instance`, `type`, ...
    pub kind: &'static str,
}

/// Why the host refuses a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Kind, for scripts ([`Fault::kind`](crate::Fault::kind)).
    pub kind: &'static str,
    /// In words.
    pub message: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

/// Describes `wasm`, however broken or hostile it is.
pub fn describe(wasm: &[u8], limits: &ModuleLimits) -> ModuleReport {
    let mut report = ModuleReport {
        sha256: sha256(wasm),
        bytes: wasm.len(),
        is_component: Parser::is_component(wasm),
        abi: None,
        imports: Vec::new(),
        exports: Vec::new(),
        unlisted: 0,
        modules: 0,
        functions: 0,
        longest_function: 0,
        malformed: None,
        refusal: None,
    };
    report.malformed = report.walk(wasm).err().map(|error| error.to_string());
    let names: Vec<&str> = report.imports.iter().map(|one| one.name.as_str()).collect();
    report.abi = contract(&names);
    report.refusal = crate::host::inspect(wasm, limits)
        .err()
        .map(|fault| Refusal {
            kind: fault.kind(),
            message: fault.to_string(),
            hint: fault.hint(),
        });
    report
}

/// The contract that a module is built for, as its own imports name it. `None`
/// for what is no component, or names none.
pub fn abi(wasm: &[u8]) -> Option<String> {
    let interface = super::interface(wasm).ok()?;
    interface
        .is_component
        .then(|| contract(&interface.imports))?
}

/// `proctor:grader@1.0.0` for imports such as `proctor:grader/types@1.0.0`.
/// Where they name several versions, all of them.
pub(super) fn contract(imports: &[impl AsRef<str>]) -> Option<String> {
    let mut versions: Vec<&str> = imports
        .iter()
        .filter_map(|import| import.as_ref().strip_prefix(PACKAGE))
        .map(|rest| rest.split_once('@').map_or("", |(_, version)| version))
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let package = PACKAGE.trim_end_matches('/');
    let named: Vec<String> = versions
        .iter()
        .map(|version| match *version {
            "" => package.to_owned(),
            version => format!("{package}@{version}"),
        })
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

impl ModuleReport {
    fn walk(&mut self, wasm: &[u8]) -> wasmparser::Result<()> {
        if !Parser::is_component(wasm) && !Parser::is_core_wasm(wasm) {
            return Ok(());
        }
        let mut parser = Parser::new(0);
        parser.set_features(WasmFeatures::all());
        // The component itself is depth 1; only its own names are its interface.
        let mut depth = 0_usize;
        for payload in parser.parse_all(wasm) {
            match payload? {
                Payload::Version { encoding, .. } => {
                    depth += 1;
                    if depth > 1 || encoding == Encoding::Module {
                        self.modules += 1;
                    }
                }
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section {
                        let import = import?;
                        // Another name for a type that is there already gives
                        // nothing to whoever imports it.
                        if !matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))) {
                            self.import(import.name.name);
                        }
                    }
                }
                Payload::ImportSection(section) if depth == 1 => {
                    for import in section.into_imports() {
                        let import = import?;
                        self.import(&format!("{}::{}", import.module, import.name));
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        let export = export?;
                        self.export(export.name.name, kind(export.kind));
                    }
                }
                Payload::ExportSection(section) if depth == 1 => {
                    for export in section {
                        self.export(export?.name, "core export");
                    }
                }
                Payload::CodeSectionStart { count, .. } => {
                    self.functions = self.functions.saturating_add(count as usize);
                }
                Payload::CodeSectionEntry(body) => {
                    let range = body.range();
                    let bytes = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
                    self.longest_function = self.longest_function.max(bytes);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn import(&mut self, name: &str) {
        if self.imports.len() >= MAX_NAMES {
            self.unlisted += 1;
            return;
        }
        let fault = if self.is_component {
            import_fault(name)
        } else {
            None
        };
        self.imports.push(Import {
            name: shortened(name),
            is_allowed: self.is_component && fault.is_none(),
            reason: match fault {
                Some(fault) => Some(fault.to_string()),
                None if self.is_component => None,
                None => Some("only a component can be a grader".to_owned()),
            },
        });
    }

    fn export(&mut self, name: &str, kind: &'static str) {
        if self.exports.len() >= MAX_NAMES {
            self.unlisted += 1;
            return;
        }
        self.exports.push(Export {
            name: shortened(name),
            kind,
        });
    }
}

fn shortened(name: &str) -> String {
    if name.len() <= NAME_BYTES {
        return name.to_owned();
    }
    let mut end = NAME_BYTES;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}... ({} bytes)", &name[..end], name.len())
}

fn kind(kind: ComponentExternalKind) -> &'static str {
    match kind {
        ComponentExternalKind::Module => "core module",
        ComponentExternalKind::Func => "function",
        ComponentExternalKind::Value => "value",
        ComponentExternalKind::Type => "type",
        ComponentExternalKind::Instance => "instance",
        ComponentExternalKind::Component => "component",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> ModuleReport {
        describe(&wat::parse_str(text).unwrap(), &ModuleLimits::default())
    }

    #[test]
    fn the_contract_is_the_one_that_the_imports_name() {
        for (imports, expected) in [
            (
                &["proctor:grader/types@1.0.0"][..],
                Some("proctor:grader@1.0.0"),
            ),
            (
                &["wasi:io/streams@0.2.0", "proctor:grader/log@2.1.0"],
                Some("proctor:grader@2.1.0"),
            ),
            (&["proctor:grader/log"], Some("proctor:grader")),
            (
                &["proctor:grader/log@2.0.0", "proctor:grader/types@1.0.0"],
                Some("proctor:grader@1.0.0, proctor:grader@2.0.0"),
            ),
            (&["proctor:graders/log@1.0.0", "x"], None),
            (&[], None),
        ] {
            assert_eq!(contract(imports).as_deref(), expected, "{imports:?}");
        }
        assert_eq!(abi(b"no wasm"), None);
        assert_eq!(abi(&wat::parse_str("(module)").unwrap()), None);
    }

    #[test]
    fn everything_that_is_wrong_is_listed_and_not_only_the_first() {
        let report = described(
            r#"(component
                (import "wasi:http/types@0.2.0" (instance))
                (import "proctor:grader/log@9.0.0" (instance))
                (import "proctor:grader/log@1.0.0" (instance))
                (core module (func) (func (param i32) (drop (local.get 0))))
                (component (import "inner" (func)))
                (import "wish" (func)))"#,
        );
        let allowed: Vec<(&str, bool)> = report
            .imports
            .iter()
            .map(|import| (import.name.as_str(), import.is_allowed))
            .collect();
        assert_eq!(
            allowed,
            [
                ("wasi:http/types@0.2.0", false),
                ("proctor:grader/log@9.0.0", false),
                ("proctor:grader/log@1.0.0", true),
                ("wish", false),
            ]
        );
        let reason = |at: usize| report.imports[at].reason.clone().unwrap_or_default();
        assert!(
            reason(0).contains("proctor:grader/evidence"),
            "{}",
            reason(0)
        );
        assert!(reason(1).contains("proctor:grader@9.0.0"), "{}", reason(1));
        assert_eq!((report.modules, report.functions), (2, 2));
        assert!(report.longest_function > 0);
        assert_eq!(report.refusal.unwrap().kind, "forbidden_import");
    }

    #[test]
    fn what_is_no_component_is_described_too() {
        let core = described(r#"(module (import "env" "system" (func)) (func (export "grade")))"#);
        assert!(!core.is_component);
        assert_eq!(core.imports[0].name, "env::system");
        assert!(!core.imports[0].is_allowed);
        assert_eq!(core.exports[0].name, "grade");
        assert_eq!(core.refusal.unwrap().kind, "not_a_component");
        for bytes in [&b""[..], b"#!/bin/sh\n", b"(component)", b"\0asm\x07\0\0\0"] {
            let report = describe(bytes, &ModuleLimits::default());
            assert_eq!(report.refusal.unwrap().kind, "not_a_component");
            assert!(report.imports.is_empty() && report.malformed.is_none());
        }
    }

    #[test]
    fn broken_and_hostile_files_never_panic_and_their_lists_end() {
        let whole = wat::parse_str(
            r#"(component (import "a" (func)) (core module (func (export "x")))
                (component (core module)) (export "b" (func 0)))"#,
        )
        .unwrap();
        for end in 0..whole.len() {
            let report = describe(&whole[..end], &ModuleLimits::default());
            assert!(report.refusal.is_some());
        }
        for at in 8..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            let _ = describe(&broken, &ModuleLimits::default());
        }
        let many: String = (0..1500).fold(String::new(), |text, n| {
            format!("{text}(import \"i{n}\" (func))")
        });
        let long = "n".repeat(2000);
        let report = described(&format!("(component (import \"{long}\" (func)) {many})"));
        assert_eq!((report.imports.len(), report.unlisted), (1000, 501));
        assert!(report.imports[0].name.ends_with("(2000 bytes)"));
    }
}

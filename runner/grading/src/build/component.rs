//! From a module to a component, and what a component asks of its host.

use proctor_types::verdict::ABI;
use wasm_encoder::{ComponentSectionId, Encode, RawSection, Section};
use wasmparser::{ComponentExternalKind, ComponentTypeRef, Encoding, KnownCustom, Parser, Payload};
use wit_component::ComponentEncoder;

use super::BuildError;

/// A component and the version of what made it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The component, without custom sections.
    pub component: Vec<u8>,
    /// Version of `wit-component`.
    pub wit_component: String,
}

/// Wraps a module whose bindings were made from a WIT contract as a component,
/// and removes the sections that only say which tools were used.
///
/// # Errors
/// When the bytes are no module, or its imports do not fit its contract.
pub fn encode(module: &[u8]) -> Result<Encoded, BuildError> {
    let problem = |problem: String| BuildError::Encode { problem };
    let component = ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(ComponentEncoder::encode)
        .map_err(|error| problem(format!("{error:#}")))?;
    let wit_component = processed_by(&component, "wit-component").unwrap_or_default();
    let component = strip(&component).map_err(|error| problem(error.to_string()))?;
    Ok(Encoded {
        component,
        wit_component,
    })
}

/// What a component imports and exports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// Whether it is a component at all, and not a module.
    pub is_component: bool,
    /// Names of the imports, in order.
    pub imports: Vec<String>,
    /// Names of the exported functions, in order.
    pub functions: Vec<String>,
}

/// What a component imports and exports, by its own account.
///
/// # Errors
/// When the bytes are no WebAssembly.
pub fn interface(component: &[u8]) -> Result<Interface, BuildError> {
    read_interface(component).map_err(|error| BuildError::NoGrader {
        problem: error.to_string(),
    })
}

fn read_interface(component: &[u8]) -> wasmparser::Result<Interface> {
    let mut interface = Interface::default();
    // Nesting depth: the sections of inner modules and components are theirs.
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::Version { encoding, .. } => {
                if depth == 0 {
                    interface.is_component = encoding == Encoding::Component;
                }
                depth += 1;
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 1 => {
                for import in imports {
                    let import = import?;
                    // A type is a name for a shape, nothing that can be called.
                    if !matches!(import.ty, ComponentTypeRef::Type(_)) {
                        interface.imports.push(import.name.name.to_owned());
                    }
                }
            }
            Payload::ComponentExportSection(exports) if depth == 1 => {
                for export in exports {
                    let export = export?;
                    if export.kind == ComponentExternalKind::Func {
                        interface.functions.push(export.name.name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    Ok(interface)
}

impl Interface {
    /// The contract that the component implements, if it is that of a grader
    /// and the component asks for nothing beyond it.
    pub(super) fn expect_grader(&self) -> Result<String, BuildError> {
        let no_grader = |problem: &str| BuildError::NoGrader {
            problem: problem.to_owned(),
        };
        if !self.is_component {
            return Err(no_grader("it is a module"));
        }
        if !self.functions.iter().any(|function| function == "grade") {
            return Err(no_grader(
                "it exports no function `grade`: end the crate with proctor_grader::export!(grade)",
            ));
        }
        let (name, version) = ABI.split_once('@').unwrap_or((ABI, ""));
        let allowed = ["evidence", "log", "types"].map(|part| format!("{name}/{part}@{version}"));
        let foreign: Vec<String> = self
            .imports
            .iter()
            .filter(|import| !allowed.contains(import))
            .cloned()
            .collect();
        let is_ours = |import: &String| import.starts_with(&format!("{name}/"));
        if let Some(import) = foreign.iter().find(|import| is_ours(import)) {
            return Err(BuildError::NoGrader {
                problem: format!("it is made for {import}, this runner for {ABI}"),
            });
        }
        if !foreign.is_empty() {
            return Err(BuildError::ForeignImports { imports: foreign });
        }
        if !self.imports.contains(&allowed[2]) {
            return Err(no_grader(
                "its `grade` does not return the contract's verdict",
            ));
        }
        // Its imports are all of the contract's own version by now.
        Ok(super::describe::contract(&self.imports).unwrap_or_else(|| ABI.to_owned()))
    }
}

/// The component without custom sections at any depth: names, and the lists of
/// tools. A module must not change because a tool was renumbered.
fn strip(component: &[u8]) -> wasmparser::Result<Vec<u8>> {
    let mut outer: Vec<Vec<u8>> = Vec::new();
    let mut output = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload?;
        match &payload {
            Payload::Version { encoding, .. } => output.extend_from_slice(match encoding {
                Encoding::Component => &wasm_encoder::Component::HEADER,
                Encoding::Module => &wasm_encoder::Module::HEADER,
            }),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                outer.push(std::mem::take(&mut output));
                continue;
            }
            Payload::CustomSection(_) => continue,
            Payload::End(_) => {
                let Some(mut parent) = outer.pop() else { break };
                let id = if output.starts_with(&wasm_encoder::Component::HEADER) {
                    ComponentSectionId::Component
                } else {
                    ComponentSectionId::CoreModule
                };
                parent.push(id as u8);
                output.encode(&mut parent);
                output = parent;
            }
            _ => {}
        }
        if let Some((id, range)) = payload.as_section() {
            let offset = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            let data = component
                .get(offset(range.start)..offset(range.end))
                .unwrap_or_default();
            RawSection { id, data }.append_to(&mut output);
        }
    }
    Ok(output)
}

/// Version of the tool in the component's own list of what processed it. Its
/// modules have lists of theirs.
fn processed_by(component: &[u8], tool: &str) -> Option<String> {
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        match payload.ok()? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if depth == 1 => {
                let KnownCustom::Producers(fields) = section.as_known() else {
                    continue;
                };
                let processed = fields
                    .into_iter()
                    .flatten()
                    .filter(|f| f.name == "processed-by");
                let mut tools = processed.flat_map(|field| field.values.into_iter().flatten());
                if let Some(found) = tools.find(|value| value.name == tool) {
                    return Some(found.version.to_owned());
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRADER: &str = r#"(component
        (import "proctor:grader/types@1.0.0" (instance $types
            (type $verdict' (record (field "notes" (list string))))
            (export "verdict" (type $verdict (eq $verdict')))))
        (alias export $types "verdict" (type $verdict))
        (import "verdict" (type (eq $verdict)))
        (@custom "producers" "outer")
        (core module $m
            (@custom "name" "inner")
            (memory (export "memory") 1)
            (func (export "grade")))
        (component (@custom "note" "nested"))
        (core instance $i (instantiate $m))
        (func (export "grade") (canon lift (core func $i "grade"))))"#;

    fn component(text: &str) -> Vec<u8> {
        wat::parse_str(text).unwrap()
    }

    fn custom_sections(component: &[u8]) -> Vec<String> {
        let payloads = Parser::new(0).parse_all(component);
        payloads
            .filter_map(|payload| match payload.unwrap() {
                Payload::CustomSection(section) => Some(section.name().to_owned()),
                _ => None,
            })
            .collect()
    }

    fn refused(text: &str) -> String {
        interface(&component(text))
            .unwrap()
            .expect_grader()
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn stripping_takes_custom_sections_at_every_depth_and_nothing_else() {
        let whole = component(GRADER);
        for name in ["producers", "name", "note"] {
            assert!(
                custom_sections(&whole)
                    .iter()
                    .any(|section| section == name),
                "{name}"
            );
        }
        let stripped = strip(&whole).unwrap();
        assert_eq!(custom_sections(&stripped), Vec::<String>::new());
        wasmparser::Validator::new()
            .validate_all(&stripped)
            .unwrap();
        assert_eq!(interface(&stripped).unwrap(), interface(&whole).unwrap());
        assert_eq!(strip(&stripped).unwrap(), stripped);
    }

    #[test]
    fn a_grader_is_known_by_what_it_imports_and_exports() {
        let interface = interface(&component(GRADER)).unwrap();
        assert_eq!(interface.imports, ["proctor:grader/types@1.0.0"]);
        assert_eq!(interface.functions, ["grade"]);
        assert_eq!(interface.expect_grader().unwrap(), ABI);
    }

    #[test]
    fn what_is_no_grader_is_refused_with_the_reason() {
        assert!(refused("(module)").contains("it is a module"));
        assert!(refused("(component)").contains("proctor_grader::export!(grade)"));
        let other = GRADER.replace("types@1.0.0", "types@2.0.0");
        assert!(refused(&other).contains("made for proctor:grader/types@2.0.0"));
        let no_verdict = GRADER.replace("proctor:grader/types@1.0.0", "proctor:grader/log@1.0.0");
        assert!(refused(&no_verdict).contains("does not return the contract's verdict"));
        let clock = GRADER.replace(
            "(@custom \"producers\" \"outer\")",
            "(import \"wasi:clocks/wall-clock@0.2.0\" (instance))",
        );
        assert!(refused(&clock).contains("imports wasi:clocks/wall-clock@0.2.0: a grader may"));
        assert!(interface(b"no wasm").is_err());
    }

    #[test]
    fn a_module_without_a_contract_does_not_become_a_grader() {
        let module = component("(module (func (export \"grade\")))");
        let problem = match encode(&module) {
            Ok(encoded) => interface(&encoded.component)
                .unwrap()
                .expect_grader()
                .unwrap_err(),
            Err(error) => error,
        };
        assert!(matches!(
            problem,
            BuildError::NoGrader { .. } | BuildError::Encode { .. }
        ));
        assert!(matches!(encode(b"no wasm"), Err(BuildError::Encode { .. })));
    }
}

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
        .and_then(|encoder| encoder.encode())
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
        Ok(ABI.to_owned())
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

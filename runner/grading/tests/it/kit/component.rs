//! Grader components, written by hand so that they can do anything.

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{PackageId, Resolve};

use super::memory::{Memory, RawCriterion, RawVerdict};

/// Where the tests' data lies in the guests' memory.
pub(crate) const DATA: usize = 1024;

/// The contract.
pub(crate) const WIT: &str = include_str!("../../../../../grader-sdk/wit/grader.wit");

/// A core module of a grader in parts. The imports are those of the contract
/// that it uses; `body` is the body of `grade`, which leaves an address.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub(crate) imports: String,
    pub(crate) memory: String,
    pub(crate) data: String,
    pub(crate) items: String,
    pub(crate) body: String,
}

impl Core {
    /// A module that returns an honest little verdict.
    pub(crate) fn new() -> Self {
        let verdict = RawVerdict {
            criteria: vec![RawCriterion::default()],
            ..RawVerdict::default()
        };
        Self::returning(&verdict)
    }

    /// A module that returns `verdict`.
    pub(crate) fn returning(verdict: &RawVerdict) -> Self {
        let mut memory = Memory::new(DATA);
        let result = memory.verdict(verdict);
        let pages = (DATA + memory.bytes.len()) / 65536 + 2;
        Self {
            imports: String::new(),
            memory: format!("(memory (export \"memory\") {pages})"),
            data: memory.escaped(),
            items: String::new(),
            body: format!("(i32.const {result})"),
        }
    }

    /// The same module, doing something before it returns.
    pub(crate) fn first(mut self, code: &str) -> Self {
        self.body = format!("{code} {}", self.body);
        self
    }

    /// The same module with another body.
    pub(crate) fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    /// The same module with another memory.
    pub(crate) fn memory(mut self, memory: &str) -> Self {
        memory.clone_into(&mut self.memory);
        self
    }

    /// The same module with more functions, tables, globals.
    pub(crate) fn items(mut self, items: &str) -> Self {
        self.items.push_str(items);
        self
    }

    /// The same module with `$log`: level, pointer, length.
    pub(crate) fn with_log(mut self) -> Self {
        self.imports.push_str(
            r#"(import "proctor:grader/log@1.0.0" "log" (func $log (param i32 i32 i32)))"#,
        );
        self
    }

    /// The same module with `$read`: pointer, length, pointer of the result.
    pub(crate) fn with_read(mut self) -> Self {
        self.imports.push_str(
            r#"(import "proctor:grader/evidence@1.0.0" "read" (func $read (param i32 i32 i32)))"#,
        );
        self
    }

    /// The same module with `$read_range`, `$list`, `$stat` and `$journal`.
    pub(crate) fn with_evidence(mut self) -> Self {
        for (name, parameters) in [
            ("read-range", "i32 i32 i64 i32 i32"),
            ("list", "i32 i32 i32"),
            ("stat", "i32 i32 i32"),
            ("journal", "i32"),
        ] {
            let import = "proctor:grader/evidence@1.0.0";
            let function = name.replace('-', "_");
            let line =
                format!(r#"(import "{import}" "{name}" (func ${function} (param {parameters})))"#);
            self.imports.push_str(&line);
        }
        self
    }

    /// The module as WebAssembly text. Data that the body wants to use can be
    /// put at 0..1024 by `items`; memory from the second page on is handed out
    /// by `$alloc` and never taken back.
    pub(crate) fn text(&self) -> String {
        let Self {
            imports,
            memory,
            data,
            items,
            body,
        } = self;
        format!(
            r#"(module
              {imports}
              {memory}
              (global $next (mut i32) (i32.const 0))
              (func $alloc (param $align i32) (param $size i32) (result i32)
                (local $at i32)
                (if (i32.eqz (global.get $next))
                  (then (global.set $next (i32.shl (memory.size) (i32.const 16)))))
                (local.set $at (i32.and
                  (i32.add (global.get $next) (i32.sub (local.get $align) (i32.const 1)))
                  (i32.sub (i32.const 0) (local.get $align))))
                (global.set $next (i32.add (local.get $at) (local.get $size)))
                (block $enough (loop $grow
                  (br_if $enough (i32.le_u (global.get $next)
                    (i32.shl (memory.size) (i32.const 16))))
                  (if (i32.eq (i32.const -1) (memory.grow (i32.const 16)))
                    (then unreachable))
                  (br $grow)))
                (local.get $at))
              (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                (call $alloc (local.get 2) (local.get 3)))
              {items}
              (func $grade (export "grade") (result i32) {body})
              (data (i32.const {DATA}) "{data}"))"#
        )
    }

    /// The module as a component.
    pub(crate) fn build(&self) -> Vec<u8> {
        encode(&self.text(), WIT)
    }
}

/// Makes a component of a core module for the world `grader` of `wit`.
pub(crate) fn encode(core: &str, wit: &str) -> Vec<u8> {
    encode_as(core, wit, StringEncoding::UTF8)
}

/// The same, with text in another encoding.
pub(crate) fn encode_as(core: &str, wit: &str, encoding: StringEncoding) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("grader.wit", wit).unwrap();
    encode_world(core, &resolve, package, encoding)
}

/// The same for the world `grader` of a package.
pub(crate) fn encode_world(
    core: &str,
    resolve: &Resolve,
    package: PackageId,
    encoding: StringEncoding,
) -> Vec<u8> {
    let world = resolve.select_world(&[package], Some("grader")).unwrap();
    let mut module = wat::parse_str(core).unwrap();
    embed_component_metadata(&mut module, resolve, world, encoding, false).unwrap();
    let mut encoder = ComponentEncoder::default();
    encoder.validate(true).module(&module).unwrap();
    encoder.encode().unwrap()
}

/// The bytes of some WebAssembly text, valid or not.
pub(crate) fn assemble(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

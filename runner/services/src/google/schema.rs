//! Shapes of bodies and answers.

/// A named shape: what a discovery document lists under `schemas`.
#[derive(Debug)]
pub struct Schema {
    /// Name: `Message`.
    pub id: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Its members.
    pub fields: &'static [Field],
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Name as JSON has it.
    pub name: &'static str,
    /// Type.
    pub shape: Shape,
    /// What it is.
    pub description: &'static str,
    /// Whether only the service sets it.
    pub read_only: bool,
    /// The only values, each with what it means; empty: any.
    pub choices: &'static [(&'static str, &'static str)],
}

/// Type of a member.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Text.
    Text,
    /// Base64url.
    Bytes,
    /// `true` or `false`.
    Bool,
    /// Signed 32-bit number.
    Int32,
    /// Unsigned 32-bit number.
    Uint32,
    /// Signed 64-bit number, written as a string.
    Int64,
    /// Unsigned 64-bit number, written as a string.
    Uint64,
    /// A calendar day.
    Date,
    /// RFC 3339 moment.
    DateTime,
    /// Anything.
    Any,
    /// Another schema.
    Ref(&'static str),
    /// A list.
    List(&'static Shape),
    /// An object with arbitrary names.
    Map(&'static Shape),
    /// An object without a name of its own.
    Object(&'static [Field]),
}

impl Field {
    /// A member that clients may set.
    pub const fn new(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            name,
            shape,
            description,
            read_only: false,
            choices: &[],
        }
    }

    /// A member that only the service sets.
    pub const fn output(name: &'static str, shape: Shape, description: &'static str) -> Self {
        let mut field = Self::new(name, shape, description);
        field.read_only = true;
        field
    }

    /// The same, allowed only these values.
    #[must_use]
    pub const fn choices(mut self, choices: &'static [(&'static str, &'static str)]) -> Self {
        self.choices = choices;
        self
    }
}

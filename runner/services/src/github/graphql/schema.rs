//! From the schema's text to one that can be executed.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_graphql::Value;
use async_graphql::dynamic::{
    Enum, Field, FieldFuture, FieldValue, InputObject, InputValue, Interface, InterfaceField,
    Object, ResolverContext, Scalar, Schema, TypeRef, Union,
};
use async_graphql_parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};

use super::node::{Node, Out};
use super::{Shared, mutate, resolve};
use crate::github::room::Matter;

const TEXT: &str = include_str!("schema.graphql");
/// Deepest selection, most fields of one query: gh stays far below both.
const DEPTH_CAP: usize = 25;
const FIELDS_CAP: usize = 3_000;

/// The schema; what is wrong with it otherwise.
pub(super) fn schema() -> Result<&'static Schema, &'static str> {
    static SCHEMA: LazyLock<Result<Schema, String>> = LazyLock::new(build);
    SCHEMA.as_ref().map_err(String::as_str)
}

fn build() -> Result<Schema, String> {
    let document = async_graphql_parser::parse_schema(TEXT).map_err(|error| error.to_string())?;
    let mut schema = Schema::build("Query", Some("Mutation"), None)
        .limit_depth(DEPTH_CAP)
        .limit_complexity(FIELDS_CAP)
        .limit_directives(20);
    for definition in document.definitions {
        if let TypeSystemDefinition::Type(definition) = definition {
            schema = match registered(definition.node) {
                Registered::Object(it) => schema.register(it),
                Registered::Interface(it) => schema.register(it),
                Registered::Union(it) => schema.register(it),
                Registered::Enum(it) => schema.register(it),
                Registered::Input(it) => schema.register(it),
                Registered::Scalar(it) => schema.register(it),
            };
        }
    }
    schema.finish().map_err(|error| error.to_string())
}

enum Registered {
    Object(Object),
    Interface(Interface),
    Union(Union),
    Enum(Enum),
    Input(InputObject),
    Scalar(Scalar),
}

fn registered(definition: TypeDefinition) -> Registered {
    let name = definition.name.node.to_string();
    match definition.kind {
        TypeKind::Scalar => Registered::Scalar(Scalar::new(name)),
        TypeKind::Object(it) => {
            let fields = it.fields.into_iter();
            let object = fields.fold(Object::new(&name), |object, it| {
                object.field(field(&name, it.node))
            });
            let implements = it.implements.into_iter();
            Registered::Object(
                implements.fold(object, |object, it| object.implement(it.node.to_string())),
            )
        }
        TypeKind::Interface(it) => {
            let fields = it.fields.into_iter();
            Registered::Interface(fields.fold(Interface::new(name), |interface, it| {
                let it = it.node;
                let made = InterfaceField::new(it.name.node.to_string(), type_of(&it.ty.node));
                let arguments = it.arguments.into_iter();
                interface.field(arguments.fold(made, |made, it| made.argument(input(it.node))))
            }))
        }
        TypeKind::Union(it) => {
            let members = it.members.into_iter();
            Registered::Union(members.fold(Union::new(name), |union, it| {
                union.possible_type(it.node.to_string())
            }))
        }
        TypeKind::Enum(it) => {
            let values = it.values.into_iter();
            Registered::Enum(values.fold(Enum::new(name), |made, it| {
                made.item(it.node.value.node.to_string())
            }))
        }
        TypeKind::InputObject(it) => {
            let fields = it.fields.into_iter();
            Registered::Input(fields.fold(InputObject::new(name), |made, it| {
                made.field(input(it.node))
            }))
        }
    }
}

fn type_of(it: &Type) -> TypeRef {
    let made = match &it.base {
        BaseType::Named(name) => TypeRef::named(name.to_string()),
        BaseType::List(inner) => TypeRef::List(Box::new(type_of(inner))),
    };
    if it.nullable {
        made
    } else {
        TypeRef::NonNull(Box::new(made))
    }
}

fn input(it: InputValueDefinition) -> InputValue {
    let made = InputValue::new(it.name.node.to_string(), type_of(&it.ty.node));
    match it.default_value {
        Some(value) => made.default_value(value.node),
        None => made,
    }
}

/// A field whose value [`resolve`] gives.
fn field(parent: &str, it: FieldDefinition) -> Field {
    let name: Arc<str> = it.name.node.as_str().into();
    let (root, changes) = (parent == "Query", parent == "Mutation");
    // Only what may be one of several types must say which one it is.
    let base = base_of(&it.ty.node);
    let open = matches!(
        base,
        "Node"
            | "Actor"
            | "RepositoryOwner"
            | "GitObject"
            | "IssueOrPullRequest"
            | "SearchResultItem"
            | "RequestedReviewer"
            | "StatusCheckRollupContext"
    );
    let made = Field::new(name.to_string(), type_of(&it.ty.node), move |context| {
        let name = Arc::clone(&name);
        FieldFuture::new(async move {
            let out = value(&context, &name, root, changes)?;
            Ok(shown(out, open))
        })
    });
    let arguments = it.arguments.into_iter();
    arguments.fold(made, |made, it| made.argument(input(it.node)))
}

fn base_of(it: &Type) -> &str {
    match &it.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => base_of(inner),
    }
}

fn value(
    context: &ResolverContext<'_>,
    name: &str,
    root: bool,
    changes: bool,
) -> async_graphql::Result<Out> {
    let shared = context.data::<Arc<Mutex<Shared>>>()?;
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let args = context.args.as_index_map();
    let args: serde_json::Map<String, serde_json::Value> = args
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.clone().into_json().ok()?)))
        .collect();
    let out = if changes {
        shared.mutation.get_or_insert_with(|| name.to_owned());
        let size = shared.session.size;
        let session = &mut shared.session;
        session.attempt((Matter::Text, size), |s| mutate::run(s, name, &args))
    } else if root {
        resolve::root::field(&mut shared.session, name, &args)
    } else {
        let node = context.parent_value.try_downcast_ref::<Node>()?;
        resolve::field(&mut shared.session, node, name, &args)
    };
    out.map_err(|error| {
        let kind = match error.status {
            404 => "NOT_FOUND",
            401 | 403 => "FORBIDDEN",
            _ => "UNPROCESSABLE",
        };
        let mut shown = async_graphql::Error::new(error.line());
        shown
            .extensions
            .get_or_insert_with(Default::default)
            .set("type", kind);
        shown
    })
}

fn shown(out: Out, open: bool) -> Option<FieldValue<'static>> {
    match out {
        Out::Null => None,
        Out::Value(value) => Some(FieldValue::value(
            Value::from_json(value).unwrap_or_default(),
        )),
        Out::Node(node) => Some(shown_node(node, open)),
        Out::List(nodes) => Some(FieldValue::list(
            nodes.into_iter().map(|node| shown_node(node, open)),
        )),
    }
}

fn shown_node(node: Node, open: bool) -> FieldValue<'static> {
    let kind = node.kind();
    let value = FieldValue::owned_any(node);
    if open { value.with_type(kind) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_whole() {
        assert_eq!(schema().err(), None);
    }
}

//! The table is consistent: what it names exists, once.

use std::collections::HashSet;

use crate::google::apis;
use crate::google::method::{Kind, Place, Verb};
use crate::google::schema::{Field, Shape};

#[test]
fn identifiers_are_unique_and_say_their_api() {
    let mut seen = HashSet::new();
    for api in apis() {
        for method in api.methods {
            assert!(seen.insert(method.id), "{} is there twice", method.id);
            let mut parts = method.id.split('.');
            assert_eq!(parts.next(), Some(api.name), "{}", method.id);
            assert!(parts.count() >= 2, "{} names no resource", method.id);
        }
    }
}

#[test]
fn every_schema_that_is_named_exists() {
    for api in apis() {
        let mut ids = HashSet::new();
        for schema in api.schemas {
            assert!(
                ids.insert(schema.id),
                "{} is there twice in {}",
                schema.id,
                api.name
            );
        }
        let mut named: Vec<&str> = Vec::new();
        for method in api.methods {
            named.extend(method.request.iter().chain(&method.response));
        }
        for schema in api.schemas {
            references(schema.fields, &mut named);
        }
        for name in &named {
            assert!(ids.contains(name), "{name} is no schema of {}", api.name);
        }
        for id in ids {
            assert!(named.contains(&id), "nothing uses {id} of {}", api.name);
        }
    }
}

fn references<'a>(fields: &'a [Field], into: &mut Vec<&'a str>) {
    let mut names = HashSet::new();
    for field in fields {
        assert!(
            names.insert(field.name),
            "the field {} is there twice",
            field.name
        );
        assert!(
            !field.description.is_empty(),
            "{} has no description",
            field.name
        );
        let mut shape = field.shape;
        while let Shape::List(inner) | Shape::Map(inner) = shape {
            shape = *inner;
        }
        match shape {
            Shape::Ref(id) => into.push(id),
            Shape::Object(fields) => references(fields, into),
            _ => {}
        }
    }
}

#[test]
fn parameters_and_paths_agree() {
    for api in apis() {
        for method in api.methods {
            let variables = |path: &'static str| -> Vec<&'static str> {
                let parts = path.split(['{', '}']).skip(1).step_by(2);
                parts.map(|part| part.split('=').next().unwrap()).collect()
            };
            let declared: Vec<&str> = method
                .params
                .iter()
                .filter(|param| param.place == Place::Path)
                .map(|param| param.name)
                .collect();
            assert_eq!(declared, variables(method.path), "{}", method.id);
            if let Some(upload) = method.upload {
                assert_eq!(declared, variables(upload.path), "{}", method.id);
                assert!(upload.path.starts_with("upload/"), "{}", method.id);
                assert!(
                    upload.max_bytes > 0 && !upload.accept.is_empty(),
                    "{}",
                    method.id
                );
            }
            let mut names = HashSet::new();
            for param in method.params {
                assert!(
                    names.insert(param.name),
                    "{} of {} is there twice",
                    param.name,
                    method.id
                );
                assert!(
                    !param.description.is_empty(),
                    "{} of {}",
                    param.name,
                    method.id
                );
                if let Some(default) = param.default {
                    let fits = match param.kind {
                        Kind::Int32 | Kind::Uint32 | Kind::Uint64 => default.parse::<u64>().is_ok(),
                        Kind::Bool => default.parse::<bool>().is_ok(),
                        Kind::Text if !param.choices.is_empty() => {
                            param.choices.iter().any(|(name, _)| *name == default)
                        }
                        _ => true,
                    };
                    assert!(
                        fits,
                        "{} of {} defaults to {default}",
                        param.name, method.id
                    );
                }
            }
        }
    }
}

#[test]
fn scopes_and_bodies_are_as_they_must_be() {
    for api in apis() {
        assert!(api.root_url.starts_with("https://") && api.root_url.ends_with('/'));
        assert!(api.service_path.is_empty() || api.service_path.ends_with('/'));
        for method in api.methods {
            assert!(!method.description.is_empty(), "{}", method.id);
            assert!(!method.scopes.is_empty(), "{}", method.id);
            for scope in method.scopes {
                assert!(
                    api.scopes.iter().any(|(known, _)| known == scope),
                    "{}: {scope}",
                    method.id
                );
            }
            if matches!(method.verb, Verb::Get | Verb::Delete) {
                assert_eq!(method.request, None, "{}", method.id);
            }
            if matches!(method.verb, Verb::Put | Verb::Patch) {
                assert!(method.request.is_some(), "{}", method.id);
            }
        }
    }
}

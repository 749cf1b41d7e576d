//! The table against itself.

use super::super::API;
use crate::google::schema::Shape;

#[test]
fn every_shape_that_is_named_is_there() {
    fn refs(shape: &Shape, found: &mut Vec<&'static str>) {
        match shape {
            Shape::Ref(id) => found.push(id),
            Shape::List(inner) | Shape::Map(inner) => refs(inner, found),
            _ => {}
        }
    }
    let mut named: Vec<&str> = API
        .methods
        .iter()
        .flat_map(|it| [it.request, it.response])
        .flatten()
        .collect();
    for schema in API.schemas {
        for field in schema.fields {
            refs(&field.shape, &mut named);
        }
    }
    for id in &named {
        assert!(API.schema(id).is_some(), "{id}");
    }
    for schema in API.schemas {
        assert!(named.contains(&schema.id), "nothing uses {}", schema.id);
    }
}

#[test]
fn the_methods_are_all_there() {
    let mut ids: Vec<&str> = API.methods.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), 40);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 40);
    for method in API.methods {
        assert!(
            !method.scopes.is_empty() && method.description.ends_with('.'),
            "{}",
            method.id
        );
        let known = |scope: &&str| API.scopes.iter().any(|(it, _)| it == scope);
        assert!(method.scopes.iter().all(known), "{}", method.id);
    }
    let uploads = API.methods.iter().filter(|it| it.upload.is_some()).count();
    assert_eq!(uploads, 6);
}

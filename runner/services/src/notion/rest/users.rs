//! Users.

use serde_json::{Value, json};

use super::error::ApiError;
use super::paging::{Paging, list as list_of};
use super::{Call, Cx};
use crate::notion::id::Id;
use crate::notion::store::{Notion, User};

impl Notion {
    /// Whoever a token stands for: the bot, or the person that the seed names.
    pub(super) fn actor(&self, token: &str) -> Id {
        self.tokens.get(token).copied().unwrap_or(self.bot)
    }

    pub(super) fn email(&self, user: Id) -> Option<&str> {
        self.user(user)?.email.as_deref()
    }

    /// A user with everything that is known.
    pub(crate) fn user_json(&self, user: &User) -> Value {
        let mut value = json!({
            "object": "user",
            "id": user.id,
            "name": user.name,
            "avatar_url": null,
        });
        if let Some(email) = &user.email {
            value["type"] = "person".into();
            value["person"] = json!({"email": email});
        } else {
            value["type"] = "bot".into();
            value["bot"] = json!({
                "owner": {"type": "workspace", "workspace": true},
                "workspace_name": self.workspace,
            });
        }
        value
    }
}

pub(super) fn list(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let users: Vec<&User> = cx.notion.users.iter().collect();
    let part = Paging::of_query(call)?.cut(users, |user| user.id)?;
    let users = part.items.into_iter().map(|user| cx.notion.user_json(user));
    Ok(list_of("user", users.collect(), part.next))
}

pub(super) fn me(cx: &mut Cx<'_>, _: &Call) -> Result<Value, ApiError> {
    user(cx, cx.actor)
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    user(cx, call.id()?)
}

fn user(cx: &Cx<'_>, id: Id) -> Result<Value, ApiError> {
    let user = cx.notion.user(id);
    user.map(|user| cx.notion.user_json(user))
        .ok_or_else(|| ApiError::not_found("user", id))
}

//! Accounts.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Render, node_id};
use crate::github::session::Urls;
use crate::github::state::Repo;

impl Render<'_> {
    pub(crate) fn user(&self, login: &str) -> Value {
        let Urls { api, html } = self.urls;
        let user = self.gh.user(login);
        let kind = if user.is_some_and(|it| it.organization) {
            "Organization"
        } else {
            "User"
        };
        let url = format!("{api}/users/{login}");
        json!({
            "login": login,
            "id": user.map_or(0, |it| it.id),
            "node_id": node_id("User", login),
            "avatar_url": format!("https://avatars.githubusercontent.com/{login}"),
            "gravatar_id": "",
            "url": url,
            "html_url": format!("{html}/{login}"),
            "followers_url": format!("{url}/followers"),
            "following_url": format!("{url}/following{{/other_user}}"),
            "gists_url": format!("{url}/gists{{/gist_id}}"),
            "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format!("{url}/subscriptions"),
            "organizations_url": format!("{url}/orgs"),
            "repos_url": format!("{url}/repos"),
            "events_url": format!("{url}/events{{/privacy}}"),
            "received_events_url": format!("{url}/received_events"),
            "type": kind,
            "site_admin": false,
        })
    }

    pub(crate) fn user_or_null(&self, login: Option<&str>) -> Value {
        login.map_or(Value::Null, |login| self.user(login))
    }

    pub(crate) fn full_user(&self, login: &str) -> Value {
        let mut value = self.user(login);
        let user = self.gh.user(login);
        let own = |repo: &&Arc<Repo>| repo.owner.eq_ignore_ascii_case(login);
        value["name"] = json!(user.and_then(|it| it.name.clone()));
        value["email"] = json!(user.and_then(|it| it.email.clone()));
        for name in ["company", "location", "hireable", "bio", "twitter_username"] {
            value[name] = Value::Null;
        }
        value["blog"] = json!("");
        value["public_repos"] = json!(self.gh.repositories.values().filter(own).count());
        for name in ["public_gists", "followers", "following"] {
            value[name] = json!(0);
        }
        for name in ["created_at", "updated_at"] {
            value[name] = json!("2020-01-01T00:00:00Z");
        }
        value
    }
}

//! Environment variables that make real clients use the world.
//!
//! This crate only says what they are; setting them is the business of who
//! starts a client.

use std::net::SocketAddr;

use proctor_types::world::Account;

/// The token that clients of the world present. Any other works as well: the
/// world has one account.
const TOKEN: &str = "ya29.world";

/// A token in the form of GitHub's own.
const GITHUB_TOKEN: &str = "ghp_world0000000000000000000000000000000";
/// What git runs to be told the user and the token.
const GIT_HELPER: &str =
    "!f() { echo username=x-access-token; echo \"password=$GITHUB_TOKEN\"; }; f";

/// A token in the form of Notion's own.
const NOTION_TOKEN: &str = "ntn_world";

/// A key in the form of Composio's own.
const COMPOSIO_KEY: &str = "ak_world";

/// Variables that make clients of these services present credentials the
/// world takes, and sign what they make as its account.
pub fn client_env<S: AsRef<str>>(services: &[S], account: &Account) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    if services.iter().any(|service| service.as_ref() == "google") {
        // Read by the `gws` command line.
        variables.push(("GOOGLE_WORKSPACE_CLI_TOKEN", TOKEN));
    }
    if services.iter().any(|service| service.as_ref() == "github") {
        // Read by `gh`, Octokit's and other programs, and by git itself: the
        // helper answers with the same token, and nobody is asked.
        variables.extend([
            ("GH_TOKEN", GITHUB_TOKEN),
            ("GITHUB_TOKEN", GITHUB_TOKEN),
            ("GH_PROMPT_DISABLED", "1"),
            ("GH_NO_UPDATE_NOTIFIER", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "credential.https://github.com.helper"),
            ("GIT_CONFIG_VALUE_0", GIT_HELPER),
            // Without them git commits nothing in a home without settings.
            ("GIT_AUTHOR_NAME", &account.name),
            ("GIT_AUTHOR_EMAIL", &account.email),
            ("GIT_COMMITTER_NAME", &account.name),
            ("GIT_COMMITTER_EMAIL", &account.email),
        ]);
    }
    if services.iter().any(|service| service.as_ref() == "notion") {
        // Read by Notion's MCP server, and by the examples of its clients.
        variables.extend([
            ("NOTION_TOKEN", NOTION_TOKEN),
            ("NOTION_API_KEY", NOTION_TOKEN),
        ]);
    }
    if !services.is_empty() {
        // Read by `proctor-mcp`, and for whoever connects to the server itself;
        // read by Composio's clients.
        variables.extend([
            ("PROCTOR_MCP_URL", crate::MCP_URL),
            ("COMPOSIO_API_KEY", COMPOSIO_KEY),
        ]);
    }
    owned(variables)
}

/// Variables that make clients of these services keep their own files (caches,
/// settings) under `dir` instead of in the user's home.
pub fn config_env<S: AsRef<str>>(services: &[S], dir: &str) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    if services.iter().any(|service| service.as_ref() == "google") {
        variables.push(("GOOGLE_WORKSPACE_CLI_CONFIG_DIR", dir));
    }
    if services.iter().any(|service| service.as_ref() == "github") {
        variables.push(("GH_CONFIG_DIR", dir));
    }
    owned(variables)
}

/// Variables that make clients trust the certificates in `bundle`, a PEM file:
/// in order, Node.js; requests; curl; OpenSSL, httpx and rustls; httplib2 and
/// with it Google's Python client; git; pip; the AWS tools; Deno; npm.
pub fn trust_env(bundle: &str) -> Vec<(String, String)> {
    let names = [
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CERT_FILE",
        "HTTPLIB2_CA_CERTS",
        "GIT_SSL_CAINFO",
        "PIP_CERT",
        "AWS_CA_BUNDLE",
        "DENO_CERT",
        "npm_config_cafile",
    ];
    owned(names.into_iter().map(|name| (name, bundle)))
}

/// Variables that make clients go through the proxy at `address`. Both
/// spellings: curl reads `http_proxy` in lower case only, others the reverse.
pub fn proxy_env(address: SocketAddr) -> Vec<(String, String)> {
    let proxy = format!("http://{address}");
    let names = [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ];
    let mut variables = owned(names.into_iter().map(|name| (name, proxy.as_str())));
    // Nothing is exempt, whatever the surroundings say.
    variables.extend(owned([("NO_PROXY", ""), ("no_proxy", "")]));
    // Node.js 24 follows the variables only when told to.
    variables.extend(owned([("NODE_USE_ENV_PROXY", "1")]));
    variables
}

fn owned<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_services_of_the_world_get_credentials() {
        let account = Account {
            email: "agent@example.com".to_owned(),
            name: "Agent Ode".to_owned(),
            time_zone: "Europe/Berlin".to_owned(),
        };
        assert_eq!(client_env::<&str>(&[], &account), []);
        let google = client_env(&["google"], &account);
        assert_eq!(
            google,
            owned([
                ("GOOGLE_WORKSPACE_CLI_TOKEN", TOKEN),
                ("PROCTOR_MCP_URL", crate::MCP_URL),
                ("COMPOSIO_API_KEY", COMPOSIO_KEY),
            ])
        );
        let github = client_env(&["github"], &account);
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "Agent Ode"),
            ("GIT_COMMITTER_EMAIL", "agent@example.com"),
        ] {
            assert!(
                github.contains(&(name.to_owned(), value.to_owned())),
                "{name}"
            );
        }
    }
}

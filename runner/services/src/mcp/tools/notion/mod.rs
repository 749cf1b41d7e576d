//! Notion's tools.

mod append;
mod block;
mod content;
mod databases;
mod pages;
mod values;

use http::Method;

use crate::mcp::caller::{Ask, segment};
use crate::mcp::tool::{Arguments, Tool, Toolkit};

const fn tool<A: Arguments>() -> Tool {
    Tool::of::<A>(Toolkit::Notion)
}

pub(super) static TOOLS: [Tool; 15] = [
    tool::<pages::SearchNotionPage>(),
    tool::<pages::RetrievePage>(),
    tool::<pages::GetPageMarkdown>(),
    tool::<block::FetchBlockContents>(),
    tool::<pages::UpdatePage>(),
    tool::<block::UpdateBlock>(),
    tool::<block::DeleteBlock>(),
    tool::<append::AppendTextBlocks>(),
    tool::<append::AppendTaskBlocks>(),
    tool::<append::AppendCodeBlocks>(),
    tool::<append::AddMultiplePageContent>(),
    tool::<append::ReplacePageContent>(),
    tool::<databases::FetchDatabase>(),
    tool::<databases::QueryDatabaseWithFilter>(),
    tool::<databases::UpdateRowDatabase>(),
];

/// What a model does when it has the wrong page.
const FIND_PAGE: &str = "Find the right id with NOTION_SEARCH_NOTION_PAGE.";
/// The same for blocks.
const FIND_BLOCK: &str = "Find the right id with NOTION_FETCH_BLOCK_CONTENTS of the page.";

/// The version in which a database is one table, as the tools have it.
const VERSION: &str = "2022-06-28";

fn ask(method: Method, path: &str) -> Ask {
    Ask::new(Toolkit::Notion, method, format!("/v1/{path}")).header("notion-version", VERSION)
}

fn children_of(block: &str, method: Method) -> Ask {
    ask(method, &format!("blocks/{}/children", segment(block)))
}

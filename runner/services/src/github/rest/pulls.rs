//! Pull requests.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id, numbered_id};
use serde_json::{Map, Value, json};

use super::super::error::{Error, Result};
use super::super::pulls::merge::MergeOrder;
use super::super::pulls::open::NewPull;
use super::super::pulls::review::NewReviewComment;
use super::super::state::Issue;
use super::call::{names, optional, required};
use super::issues::{change_of, in_order};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route("GET", "/repos/*/*/pulls", "pulls/list", list),
    route("POST", "/repos/*/*/pulls", "pulls/create", create),
    route(
        "GET",
        "/repos/*/*/pulls/comments/*",
        "pulls/get-review-comment",
        get_review_comment,
    ),
    route("GET", "/repos/*/*/pulls/*", "pulls/get", get),
    route("PATCH", "/repos/*/*/pulls/*", "pulls/update", update),
    route("GET", "/repos/*/*/pulls/*/files", "pulls/list-files", files),
    route(
        "GET",
        "/repos/*/*/pulls/*/commits",
        "pulls/list-commits",
        commits,
    ),
    route(
        "GET",
        "/repos/*/*/pulls/*/merge",
        "pulls/check-if-merged",
        is_merged,
    ),
    route("PUT", "/repos/*/*/pulls/*/merge", "pulls/merge", merge),
    route(
        "PUT",
        "/repos/*/*/pulls/*/update-branch",
        "pulls/update-branch",
        update_branch,
    ),
    route(
        "GET",
        "/repos/*/*/pulls/*/requested_reviewers",
        "pulls/list-requested-reviewers",
        reviewers,
    ),
    route(
        "POST",
        "/repos/*/*/pulls/*/requested_reviewers",
        "pulls/request-reviewers",
        ask,
    ),
    route(
        "DELETE",
        "/repos/*/*/pulls/*/requested_reviewers",
        "pulls/remove-requested-reviewers",
        unask,
    ),
    route(
        "GET",
        "/repos/*/*/pulls/*/reviews",
        "pulls/list-reviews",
        reviews,
    ),
    route(
        "POST",
        "/repos/*/*/pulls/*/reviews",
        "pulls/create-review",
        review,
    ),
    route(
        "GET",
        "/repos/*/*/pulls/*/reviews/*",
        "pulls/get-review",
        get_review,
    ),
    route(
        "GET",
        "/repos/*/*/pulls/*/comments",
        "pulls/list-review-comments",
        review_comments,
    ),
    route(
        "POST",
        "/repos/*/*/pulls/*/comments",
        "pulls/create-review-comment",
        review_comment,
    ),
    route(
        "POST",
        "/repos/*/*/pulls/*/comments/*/replies",
        "pulls/create-reply-for-review-comment",
        reply,
    ),
];

fn list(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let mut found: Vec<&Issue> = repo
        .issues
        .values()
        .map(AsRef::as_ref)
        .filter(|it| it.pull.is_some())
        .collect();
    in_order(call, &mut found);
    if let Some(base) = call.query("base") {
        found.retain(|it| it.pull.as_ref().is_some_and(|pull| pull.base_ref == base));
    }
    if let Some(head) = call.query("head") {
        let (owner, branch) = head.split_once(':').unwrap_or((&repo.owner, head));
        found.retain(|it| {
            it.pull.as_ref().is_some_and(|pull| {
                let from = pull.head_repo.as_deref().unwrap_or(&repo.owner);
                let from = from.split('/').next().unwrap_or_default();
                pull.head_ref == branch && from.eq_ignore_ascii_case(owner)
            })
        });
    }
    call.list(found, |s, it| {
        s.saw(
            kind::PULL_REQUEST,
            numbered_id(&repo.full_name(), it.number),
            View::Full,
        );
        it.pull
            .as_ref()
            .map_or(Value::Null, |pull| s.render().pull(&repo, it, pull))
    })
}

fn create(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let new = NewPull {
        title: required(&body, "PullRequest", "title")?,
        body: optional(&body, "PullRequest", "body")?.unwrap_or_default(),
        head: required(&body, "PullRequest", "head")?,
        base: required(&body, "PullRequest", "base")?,
        draft: body.get("draft").and_then(Value::as_bool).unwrap_or(false),
        head_repo: None,
    };
    let full_name = call.full_name();
    let number = call.s.create_pull(&full_name, new)?;
    Ok(Reply::json(201, &whole(call, number)?))
}

fn whole(call: &Call<'_>, number: u64) -> Result<Value> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(number)?;
    call.s.render().whole_pull(&repo, issue, pull)
}

fn get(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(call.number(2)?)?;
    call.s.saw(
        kind::PULL_REQUEST,
        numbered_id(&repo.full_name(), issue.number),
        View::Full,
    );
    let git = repo.objects.open()?;
    if call.wants("diff") {
        let text = pull.compared(&git)?.diff_text(&git)?;
        return Reply::media("diff", text);
    }
    if call.wants("patch") {
        let text = pull.compared(&git)?.patch_text(&git)?;
        return Reply::media("patch", text);
    }
    Reply::ok(&call.s.render().whole_pull(&repo, issue, pull)?)
}

fn update(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    call.repo()?.pull(number)?;
    let base = optional(&body, "PullRequest", "base")?;
    let change = change_of(&body, "PullRequest")?;
    if base.is_some() {
        call.s
            .update_pull(&full_name, number, base.as_deref(), None)?;
    }
    call.s.update_issue(&full_name, number, change)?;
    Reply::ok(&whole(call, number)?)
}

fn files(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(call.number(2)?)?;
    let git = repo.objects.open()?;
    let all = pull.compared(&git)?.files(&git)?;
    call.s.saw(
        kind::PULL_REQUEST,
        numbered_id(&repo.full_name(), issue.number),
        View::Full,
    );
    call.list(all, |s, it| s.render().file(&repo, &pull.head_sha, &it))
}

fn commits(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (_, pull) = repo.pull(call.number(2)?)?;
    let git = repo.objects.open()?;
    let all = pull.compared(&git)?.commits;
    call.list(all, |s, id| {
        s.saw(
            kind::COMMIT,
            at_id(&repo.full_name(), &id.to_string()),
            View::Summary,
        );
        git.find_commit(id)
            .map_or(Value::Null, |it| s.render().commit(&repo, &it))
    })
}

fn is_merged(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    match repo.pull(call.number(2)?)?.1.merged {
        Some(_) => Reply::empty(),
        None => Err(Error::not_found()),
    }
}

fn merge(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let order = MergeOrder {
        method: optional(&body, "PullRequest", "merge_method")?.unwrap_or_default(),
        title: optional(&body, "PullRequest", "commit_title")?,
        message: optional(&body, "PullRequest", "commit_message")?,
        sha: optional(&body, "PullRequest", "sha")?,
    };
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let sha = call.s.merge_pull(&full_name, number, &order)?;
    Reply::ok(
        &json!({"sha": sha.to_string(), "merged": true, "message": "Pull Request successfully merged"}),
    )
}

fn update_branch(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let expected = optional(&body, "PullRequest", "expected_head_sha")?;
    let repo = call.repo()?;
    let (_, pull) = repo.pull(number)?;
    if expected.is_some_and(|sha| sha != pull.head_sha) {
        return Err(Error::new(
            422,
            "expected head sha didn't match current head ref.",
        ));
    }
    drop(repo);
    call.s.update_branch(&full_name, number)?;
    let url = format!("{}/repos/{full_name}/pulls/{number}", call.s.urls.api);
    Ok(Reply::json(
        202,
        &json!({"message": "Updating pull request branch.", "url": url}),
    ))
}

fn reviewers(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (_, pull) = repo.pull(call.number(2)?)?;
    let render = call.s.render();
    let users: Vec<Value> = pull
        .requested_reviewers
        .iter()
        .map(|it| render.user(it))
        .collect();
    Reply::ok(&json!({"users": users, "teams": []}))
}

fn ask(call: &mut Call<'_>) -> Result<Reply> {
    let asked = names(&call.body()?, "PullRequest", "reviewers")?.unwrap_or_default();
    let (full_name, number) = (call.full_name(), call.number(2)?);
    call.s.request_reviewers(&full_name, number, &asked, true)?;
    Ok(Reply::json(201, &whole(call, number)?))
}

fn unask(call: &mut Call<'_>) -> Result<Reply> {
    let asked = names(&call.body()?, "PullRequest", "reviewers")?.unwrap_or_default();
    let (full_name, number) = (call.full_name(), call.number(2)?);
    call.s
        .request_reviewers(&full_name, number, &asked, false)?;
    Reply::ok(&whole(call, number)?)
}

fn reviews(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(call.number(2)?)?;
    call.list(pull.reviews.iter().collect(), |s, it| {
        s.saw(kind::REVIEW, it.id.to_string(), View::Full);
        s.render().review(&repo, issue, it)
    })
}

fn review_json(call: &Call<'_>, number: u64, id: u64) -> Result<Value> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(number)?;
    let mut reviews = pull.reviews.iter();
    let review = reviews
        .find(|it| it.id == id)
        .ok_or_else(Error::not_found)?;
    Ok(call.s.render().review(&repo, issue, review))
}

fn get_review(call: &mut Call<'_>) -> Result<Reply> {
    let id = call.number(3)?;
    call.s.saw(kind::REVIEW, id.to_string(), View::Full);
    Reply::ok(&review_json(call, call.number(2)?, id)?)
}

fn review(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let event = optional(&body, "PullRequestReview", "event")?;
    let event = event.unwrap_or_else(|| "COMMENT".to_owned());
    let text = optional(&body, "PullRequestReview", "body")?.unwrap_or_default();
    let comments = body.get("comments").and_then(Value::as_array);
    let comments = comments.into_iter().flatten().filter_map(Value::as_object);
    let comments = comments.map(new_comment).collect::<Result<Vec<_>>>()?;
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let id = call.s.review(&full_name, number, &event, &text, comments)?;
    Reply::ok(&review_json(call, number, id)?)
}

fn new_comment(body: &Map<String, Value>) -> Result<NewReviewComment> {
    let resource = "PullRequestReviewComment";
    let number = |name: &str| body.get(name).and_then(Value::as_u64);
    let answered = number("in_reply_to");
    Ok(NewReviewComment {
        body: required(body, resource, "body")?,
        path: match answered {
            Some(_) => String::new(),
            None => required(body, resource, "path")?,
        },
        line: number("line").or_else(|| number("position")),
        side: optional(body, resource, "side")?,
        in_reply_to: answered,
        commit_id: optional(body, resource, "commit_id")?,
    })
}

fn review_comments(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let (issue, pull) = repo.pull(call.number(2)?)?;
    call.list(pull.review_comments.iter().collect(), |s, it| {
        s.saw(kind::COMMENT, it.id.to_string(), View::Full);
        s.render().review_comment(&repo, issue, it)
    })
}

fn comment_json(call: &Call<'_>, id: u64) -> Result<Value> {
    let repo = call.repo()?;
    for issue in repo.issues.values() {
        let comments = issue.pull.iter().flat_map(|pull| &pull.review_comments);
        if let Some(it) = comments.into_iter().find(|it| it.id == id) {
            return Ok(call.s.render().review_comment(&repo, issue, it));
        }
    }
    Err(Error::not_found())
}

fn get_review_comment(call: &mut Call<'_>) -> Result<Reply> {
    let id = call.number(2)?;
    call.s.saw(kind::COMMENT, id.to_string(), View::Full);
    Reply::ok(&comment_json(call, id)?)
}

fn review_comment(call: &mut Call<'_>) -> Result<Reply> {
    let new = new_comment(&call.body()?)?;
    commented(call, new)
}

fn reply(call: &mut Call<'_>) -> Result<Reply> {
    let new = NewReviewComment {
        body: required(&call.body()?, "PullRequestReviewComment", "body")?,
        in_reply_to: Some(call.number(3)?),
        ..NewReviewComment::default()
    };
    commented(call, new)
}

fn commented(call: &mut Call<'_>, new: NewReviewComment) -> Result<Reply> {
    let (full_name, number) = (call.full_name(), call.number(2)?);
    let id = call.s.review_comment(&full_name, number, new, None)?;
    Reply::created(&comment_json(call, id)?)
}

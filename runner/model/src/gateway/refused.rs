//! Answers without a model.

use http::{HeaderMap, HeaderValue, Response, header};
use proctor_types::model::{BudgetScope, ExchangeEnd};

use super::body::BodyError;
use super::budget::Denied;
use super::exchange::Pending;
use super::request::Refusal;
use super::respond::response;
use super::tail::whole;
use crate::Body;
use crate::api::{ModelApi, Problem};

/// An answer without a model: what the agent gets, and what is recorded.
pub(super) struct Refused {
    problem: Problem,
    code: Option<&'static str>,
    message: String,
    end: ExchangeEnd,
}

impl Refused {
    pub(super) fn of(problem: Problem, code: Option<&'static str>, message: String) -> Self {
        Self {
            problem,
            code,
            end: ExchangeEnd::Refused {
                reason: message.clone(),
            },
            message,
        }
    }

    pub(super) fn ending(problem: Problem, message: String, end: ExchangeEnd) -> Self {
        Self {
            problem,
            code: None,
            message,
            end,
        }
    }
}

impl From<BodyError> for Refused {
    fn from(error: BodyError) -> Self {
        Self::of(error.problem, None, error.reason)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Body(reason) => Self::of(Problem::Request, None, reason),
            Refusal::Model(model) => Self::of(
                Problem::NotFound,
                Some("model_not_found"),
                format!("the model {model:?} is none of this trial's"),
            ),
        }
    }
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        let (message, end) = match denied {
            Denied::Exceeded(exceeded) => (exceeded.to_string(), ExchangeEnd::Budget { exceeded }),
            Denied::Waited(scope) => {
                let whose = match scope {
                    BudgetScope::Trial => "this trial's",
                    BudgetScope::Job => "the job's",
                };
                let what = format!(
                    "waiting for other requests, which have reserved what is left of {whose} \
                     budget,"
                );
                let message = format!("{what} took too long; nothing was asked");
                (message, ExchangeEnd::Timeout { what })
            }
        };
        Self {
            code: Some("budget_exceeded"),
            ..Self::ending(Problem::Budget, message, end)
        }
    }
}

/// Answers with a refusal, in the shape that the agent's client reads.
pub(super) fn refuse(mut pending: Pending, api: ModelApi, refused: Refused) -> Response<Body> {
    let Refused {
        problem,
        code,
        message,
        end,
    } = refused;
    let body = problem.body(api, code, &format!("proctor: {message}"));
    let status = problem.status();
    pending.edit(|it| it.status = Some(status.as_u16()));
    pending.sends(&body);
    pending.end(end);
    let mut headers = json_headers();
    // The clients of Anthropic and OpenAI do not ask again then.
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    response(status, headers, whole(body))
}

pub(super) fn json_headers() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(4);
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waited_for_a_part_of_a_budget_is_told_so() {
        let refused = Refused::from(Denied::Waited(BudgetScope::Job));
        assert_eq!(
            refused.message,
            "waiting for other requests, which have reserved what is left of the job's budget, \
             took too long; nothing was asked"
        );
        assert_eq!(refused.problem, Problem::Budget);
        assert!(matches!(refused.end, ExchangeEnd::Timeout { .. }));
    }
}

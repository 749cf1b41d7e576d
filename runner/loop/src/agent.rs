//! The loop: ask the model, do what it asks for, tell it what came of that.

use proctor_model::client::{
    ChatClient, ChatContent, ChatMessage, ChatReply, ChatRequest, ChatRole, StopReason, ToolResult,
};
use proctor_types::manifest::FailureKind;
use proctor_types::transcript::{Message, Part, Role, ToolCall};

use crate::failure::Failure;
use crate::options::Options;
use crate::recorder::Recorder;
use crate::tools::call::Call;
use crate::tools::{Output, Tools};

/// Calls of one reply that are done; models make a handful.
const MAX_CALLS: usize = 64;
/// Replies in a row that are cut off before it is no use to go on.
const MAX_CUT: u32 = 3;

/// A model at work.
pub(crate) struct Agent<'a> {
    client: ChatClient,
    tools: &'a Tools,
    recorder: &'a mut Recorder,
    request: ChatRequest,
    turns: u32,
    /// Replies in a row that were cut off.
    cut: u32,
}

/// What becomes of the run after a reply.
enum Next {
    GoOn,
    Done,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(
        options: &Options,
        client: ChatClient,
        tools: &'a Tools,
        recorder: &'a mut Recorder,
    ) -> Self {
        let mut request = ChatRequest::new(&options.model);
        request.max_tokens = options.max_tokens;
        request.tools = tools.specs().to_vec();
        Self {
            client,
            tools,
            recorder,
            request,
            turns: options.turns,
            cut: 0,
        }
    }

    /// Takes down what the model is told first.
    pub(crate) fn begin(&mut self, system: String, task: String) -> Result<(), Failure> {
        self.recorder.text(Role::System, &system)?;
        self.recorder.text(Role::User, &task)?;
        self.request.system = Some(system);
        self.request.messages.push(ChatMessage::user(task));
        Ok(())
    }

    /// Works until the model asks for nothing more.
    pub(crate) async fn run(&mut self) -> Result<(), Failure> {
        for _ in 0..self.turns {
            let reply = self.client.chat(&self.request).await?;
            if matches!(self.take(reply).await?, Next::Done) {
                return Ok(());
            }
        }
        let reason = format!("the limit of {} turns is reached", self.turns);
        Err(Failure::new(FailureKind::Turns, reason))
    }

    async fn take(&mut self, reply: ChatReply) -> Result<Next, Failure> {
        let calls: Vec<Call> = reply.tool_calls.iter().map(Call::admit).collect();
        self.record(&reply, &calls)?;
        let says = !reply.text.trim().is_empty();
        match reply.stop {
            StopReason::Refusal => {
                let said = crate::cut::beginning(reply.text.trim(), 500);
                let reason = format!("the model refused: {said}");
                return Err(Failure::new(FailureKind::Refusal, reason));
            }
            StopReason::Length => self.cut += 1,
            StopReason::Other(why) if calls.is_empty() && !says => {
                let reason = format!("the model stopped without a word, and says why: {why}");
                return Err(Failure::new(FailureKind::Upstream, reason));
            }
            _ => self.cut = 0,
        }
        if self.cut >= MAX_CUT {
            let reason = format!(
                "{MAX_CUT} replies in a row were cut off: neither {} tokens of output nor the \
                 model's context window are enough for them",
                self.request.max_tokens
            );
            return Err(Failure::new(FailureKind::Context, reason));
        }
        let whole = self.cut == 0;
        if calls.is_empty() && whole {
            return Ok(Next::Done);
        }
        self.remember(&reply.text, &calls);
        if calls.is_empty() {
            self.nudge()?;
        } else {
            self.answer(calls, whole).await?;
        }
        Ok(Next::GoOn)
    }

    fn record(&mut self, reply: &ChatReply, calls: &[Call]) -> Result<(), Failure> {
        let mut content = Vec::new();
        if !reply.text.is_empty() {
            content.push(Part::text(&*reply.text));
        }
        content.extend(calls.iter().map(|call| {
            Part::ToolCall(ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.shown(),
            })
        }));
        let mut message = Message::new(Role::Assistant, content);
        message.model.clone_from(&reply.model);
        message.usage = reply.usage;
        let values = calls.iter().map(|call| call.values).sum();
        self.recorder.message(message, values)
    }

    /// Adds a reply to the conversation. Texts of nothing but white space are not
    /// accepted there (Anthropic), nor are messages without content.
    fn remember(&mut self, text: &str, calls: &[Call]) {
        let mut content = Vec::new();
        if !text.trim().is_empty() {
            content.push(ChatContent::Text(text.to_owned()));
        }
        content.extend(calls.iter().map(|call| ChatContent::ToolCall(call.sent())));
        if !content.is_empty() {
            self.request.messages.push(ChatMessage {
                role: ChatRole::Assistant,
                content,
            });
        }
    }

    /// Asks for the rest of a reply that was cut off.
    fn nudge(&mut self) -> Result<(), Failure> {
        let text = format!(
            "Your reply was cut off after {} tokens. Go on where it ends, in smaller steps.",
            self.request.max_tokens
        );
        self.recorder.text(Role::User, &text)?;
        self.request.messages.push(ChatMessage::user(text));
        Ok(())
    }

    /// Does calls one after the other, and gives the model what came of each.
    async fn answer(&mut self, calls: Vec<Call>, whole: bool) -> Result<(), Failure> {
        let mut results = Vec::with_capacity(calls.len());
        for (index, call) in calls.into_iter().enumerate() {
            let output = if !whole {
                Output::error(format!(
                    "Not done: your reply was cut off after {} tokens, so that this call may be \
                     incomplete. Make it again, with shorter arguments.",
                    self.request.max_tokens
                ))
            } else if index >= MAX_CALLS {
                Output::error(format!(
                    "Not done: only the first {MAX_CALLS} calls of a reply are. Look at their \
                     results first."
                ))
            } else {
                self.tools.call(&call).await
            };
            let mut message = Message::new(Role::ToolResult, vec![Part::text(&*output.text)]);
            message.tool_call_id = Some(call.id.clone());
            message.tool_name = Some(call.name);
            message.is_error = Some(output.is_error);
            message.details = Some(output.details);
            self.recorder.message(message, 0)?;
            results.push(ToolResult {
                id: call.id,
                content: output.text,
                is_error: output.is_error,
            });
        }
        self.request.messages.push(ChatMessage::results(results));
        Ok(())
    }
}

//! Token counts in the words of each API, as [`Usage`].

use proctor_types::Usage;

use crate::json::{Fields, Look};

/// Anthropic's: `input_tokens` has nothing of the cache in it.
pub(crate) fn anthropic(counts: &Fields) -> Usage {
    let count = |key| counts.count(key).unwrap_or_default();
    Usage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        output: count("output_tokens"),
        reasoning: 0,
    }
}

/// Codex's: everything of the prompt is in `input_tokens`, reasoning is in
/// `output_tokens` (measured with 0.171: `total_tokens` is the sum of the two).
pub(crate) fn codex(counts: &Fields) -> Usage {
    let count = |key| counts.count(key).unwrap_or_default();
    let (read, write) = (
        count("cached_input_tokens"),
        count("cache_write_input_tokens"),
    );
    Usage {
        input: count("input_tokens")
            .saturating_sub(read)
            .saturating_sub(write),
        cache_read: read,
        cache_write: write,
        output: count("output_tokens"),
        reasoning: count("reasoning_output_tokens"),
    }
}

/// `OpenClaw`'s and pi's: no token is in two fields.
pub(crate) fn openclaw(counts: &Fields) -> Usage {
    let count = |key| counts.count(key).unwrap_or_default();
    Usage {
        input: count("input"),
        cache_read: count("cacheRead"),
        cache_write: count("cacheWrite"),
        output: count("output"),
        reasoning: count("reasoning"),
    }
}

/// opencode's. Providers differ in whether reasoning is a part of `output`;
/// `total` tells.
pub(crate) fn opencode(counts: &Fields) -> Usage {
    let count = |key| counts.count(key).unwrap_or_default();
    let empty = Fields::new();
    let cache = counts.object("cache").unwrap_or(&empty);
    let mut usage = Usage {
        input: count("input"),
        cache_read: cache.count("read").unwrap_or_default(),
        cache_write: cache.count("write").unwrap_or_default(),
        output: count("output"),
        reasoning: count("reasoning"),
    };
    if counts.count("total") == Some(usage.total().saturating_add(usage.reasoning)) {
        usage.output = usage.output.saturating_add(usage.reasoning);
    }
    usage
}

/// Of a message in Gemini CLI's session: `input` has the cached tokens in it,
/// `output` has no thoughts, `tool` are tokens of the prompt.
pub(crate) fn gemini(counts: &Fields) -> Usage {
    let count = |key| counts.count(key).unwrap_or_default();
    let cached = count("cached");
    Usage {
        input: count("input")
            .saturating_sub(cached)
            .saturating_add(count("tool")),
        cache_read: cached,
        cache_write: 0,
        output: count("output").saturating_add(count("thoughts")),
        reasoning: count("thoughts"),
    }
}

/// Of the result in Gemini CLI's stream. It counts thoughts in the total only.
pub(crate) fn gemini_stats(stats: &Fields) -> Usage {
    let count = |key| stats.count(key).unwrap_or_default();
    let (prompt, cached, output) = (
        count("input_tokens"),
        count("cached"),
        count("output_tokens"),
    );
    let thoughts = count("total_tokens")
        .saturating_sub(prompt)
        .saturating_sub(output);
    Usage {
        input: prompt.saturating_sub(cached),
        cache_read: cached,
        cache_write: 0,
        output: output.saturating_add(thoughts),
        reasoning: thoughts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Fields {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn no_token_is_counted_twice_and_lies_do_not_underflow() {
        let usage = codex(&fields(
            r#"{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":10,"output_tokens":20,"reasoning_output_tokens":3}"#,
        ));
        assert_eq!(usage.total(), 120);
        assert_eq!((usage.input, usage.reasoning), (30, 3));
        assert_eq!(
            codex(&fields(r#"{"input_tokens":1,"cached_input_tokens":9}"#)).input,
            0
        );
        assert_eq!(
            codex(&fields(r#"{"input_tokens":-1,"output_tokens":"9"}"#)).total(),
            0
        );
    }

    #[test]
    fn reasoning_is_a_part_of_the_output_however_it_is_told() {
        for (counts, output) in [
            (
                r#"{"total":30,"input":10,"output":15,"reasoning":5,"cache":{}}"#,
                20,
            ),
            (
                r#"{"total":30,"input":10,"output":20,"reasoning":5,"cache":{}}"#,
                20,
            ),
            (r#"{"input":10,"output":20,"reasoning":5}"#, 20),
        ] {
            assert_eq!(opencode(&fields(counts)).output, output, "{counts}");
        }
        let stats = r#"{"total_tokens":150,"input_tokens":100,"output_tokens":40,"cached":30}"#;
        let usage = gemini_stats(&fields(stats));
        assert_eq!((usage.input, usage.output, usage.reasoning), (70, 50, 10));
        assert_eq!(usage.total(), 150);
    }
}

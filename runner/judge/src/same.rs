//! Whether two names are names of one model.

/// Whether `a` and `b` name the same model, whoever serves it and whichever of
/// its dated versions is meant: `anthropic/claude-sonnet-4.5` and
/// `claude-sonnet-4-5-20250929` do.
pub fn same_model(a: &str, b: &str) -> bool {
    let (a, b) = (family(a), family(b));
    !a.is_empty() && a == b
}

/// A model's name without provider, version date and spelling.
fn family(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    // `claude-sonnet-4-5@20250929`, as Google's Vertex writes it. What follows a
    // colon is another model: `llama3:8b`, `llama3:70b`.
    let name = name.split('@').next().unwrap_or_default();
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let parts: Vec<&str> = name.split(['-', '.', '_']).collect();
    parts[..parts.len() - date(&parts)].join("-")
}

/// How many parts at the end are a date: `20250929`, or `2025`, `04`, `14`.
fn date(parts: &[&str]) -> usize {
    let number = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    match parts {
        [_, .., day] if number(day, 8) && day.starts_with("20") => 1,
        [_, .., year, month, day]
            if number(year, 4) && year.starts_with("20") && number(month, 2) && number(day, 2) =>
        {
            3
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_model_has_many_names() {
        for (a, b) in [
            ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929"),
            ("claude-sonnet-4-5@20250929", "Claude-Sonnet-4-5"),
            ("gpt-4.1-2025-04-14", "openai/gpt-4.1"),
            ("openrouter/qwen/qwen3", "qwen3-latest"),
        ] {
            assert!(same_model(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("claude-sonnet-4-5", "claude-opus-4-5"),
            ("gpt-4.1", "gpt-4.1-mini"),
            ("llama3:8b", "llama3:70b"),
            ("", ""),
        ] {
            assert!(!same_model(a, b), "{a} {b}");
        }
    }
}

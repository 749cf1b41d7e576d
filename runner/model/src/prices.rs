//! What tokens cost.

use std::sync::Arc;

use proctor_types::model::{Cost, Usage};
use serde::Deserialize;

/// The table that comes with Proctor.
const DEFAULT: &str = include_str!("prices.toml");

/// Millionths of a millionth of a US dollar: a token of the cheapest models
/// costs some ten thousand of them, so that sums are exact.
pub(crate) type Pico = u64;

const PICO_PER_USD: f64 = 1e12;

/// US dollars of an amount.
#[expect(
    clippy::cast_precision_loss,
    reason = "for showing; 15 digits are enough"
)]
pub(crate) fn usd(pico: Pico) -> f64 {
    pico as f64 / PICO_PER_USD
}

/// The amount of US dollars; everything below none is none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate"
)]
pub(crate) fn pico(usd: f64) -> Pico {
    (usd * PICO_PER_USD).round() as Pico
}

/// Prices of models. Look-ups know a model by its name, and by its name with a
/// date after it (`claude-sonnet-4-5-20250929`, `gpt-5-2025-08-07`,
/// `NAME-latest`). A model that is in no table has no price: its cost is not
/// known, and never 0.
#[derive(Debug, Clone)]
pub struct PriceTable {
    version: Arc<str>,
    models: Arc<[Entry]>,
}

/// Why a table of prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// Not TOML, or not of this shape.
    #[error("the table of prices cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// A price that is none.
    #[error("the price of {model} is no number of US dollars between 0 and 1,000,000: {price}")]
    Price {
        /// Whose.
        model: String,
        /// The figure.
        price: f64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    #[serde(default, rename = "model")]
    models: Vec<FileEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    names: Vec<String>,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    above: Option<FileAbove>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileAbove {
    prompt: u64,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

#[derive(Debug)]
struct Entry {
    names: Vec<String>,
    rates: Rates,
    /// Rates of prompts with more tokens than this.
    above: Option<(u64, Rates)>,
}

/// Amounts per token.
#[derive(Debug, Clone, Copy)]
struct Rates {
    input: Pico,
    output: Pico,
    cache_read: Pico,
    cache_write: Pico,
}

impl Default for PriceTable {
    /// The table that comes with Proctor (`prices.toml`).
    fn default() -> Self {
        // A test reads the embedded table; a broken one knows no price.
        Self::parse(DEFAULT).unwrap_or_else(|_| Self {
            version: Arc::from("none"),
            models: Arc::from([]),
        })
    }
}

impl PriceTable {
    /// A table from TOML: `version = "..."` and, for each model,
    /// `[[model]] names = [...]`, with `input`, `output`, `cache_read`,
    /// `cache_write` in US dollars per million tokens (without the last two,
    /// cached tokens cost what others do), and `above = {prompt = N, ...}` with
    /// the rates of prompts of more than N tokens.
    ///
    /// # Errors
    /// When it is not of this shape, or a price is none.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let file: File = toml::from_str(text)?;
        let models: Result<Vec<_>, _> = file.models.into_iter().map(Entry::new).collect();
        Ok(Self {
            version: Arc::from(file.version),
            models: Arc::from(models?),
        })
    }

    /// This table, with the models of an operator's own coming first.
    ///
    /// # Errors
    /// When the operator's is not of [`PriceTable::parse`]'s shape.
    pub fn overridden_by(&self, text: &str) -> Result<Self, PriceError> {
        let file: File = toml::from_str(text)?;
        let own: Result<Vec<_>, _> = file.models.into_iter().map(Entry::new).collect();
        let mut models = own?;
        models.extend(self.models.iter().map(Entry::clone_of));
        Ok(Self {
            version: Arc::from(format!("{}+{}", self.version, file.version)),
            models: Arc::from(models),
        })
    }

    /// Which table it is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether a model's price is known.
    pub fn knows(&self, model: &str) -> bool {
        self.entry(model).is_some()
    }

    /// What tokens of a model cost. None when its price is not known.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Cost> {
        Some(Cost {
            usd: usd(self.amount(model, usage)?),
            prices: self.version.to_string(),
        })
    }

    pub(crate) fn amount(&self, model: &str, usage: &Usage) -> Option<Pico> {
        let entry = self.entry(model)?;
        let prompt = usage
            .input
            .saturating_add(usage.cache_read)
            .saturating_add(usage.cache_write);
        let rates = match &entry.above {
            Some((most, rates)) if prompt > *most => rates,
            _ => &entry.rates,
        };
        let parts = [
            (usage.input, rates.input),
            (usage.cache_read, rates.cache_read),
            (usage.cache_write, rates.cache_write),
            (usage.output, rates.output),
        ];
        let amounts = parts.map(|(tokens, rate)| tokens.saturating_mul(rate));
        Some(amounts.into_iter().fold(0, Pico::saturating_add))
    }

    fn entry(&self, model: &str) -> Option<&Entry> {
        // Google's names come with the collection in front.
        let model = model.strip_prefix("models/").unwrap_or(model);
        let named = |is: fn(&str, &str) -> bool| {
            let mut entries = self.models.iter();
            entries.find(|entry| entry.names.iter().any(|name| is(name, model)))
        };
        named(|name, model| name == model).or_else(|| named(is_dated))
    }
}

impl Entry {
    fn new(file: FileEntry) -> Result<Self, PriceError> {
        let name = file.names.first().cloned().unwrap_or_default();
        let rates = Rates::new(
            &name,
            (file.input, file.output),
            (file.cache_read, file.cache_write),
        )?;
        let above = match file.above {
            Some(above) => {
                let rates = Rates::new(
                    &name,
                    (above.input, above.output),
                    (above.cache_read, above.cache_write),
                )?;
                Some((above.prompt, rates))
            }
            None => None,
        };
        Ok(Self {
            names: file.names,
            rates,
            above,
        })
    }

    fn clone_of(&self) -> Self {
        Self {
            names: self.names.clone(),
            rates: self.rates,
            above: self.above,
        }
    }
}

impl Rates {
    fn new(
        model: &str,
        (input, output): (f64, f64),
        (cache_read, cache_write): (Option<f64>, Option<f64>),
    ) -> Result<Self, PriceError> {
        let rate = |price: f64| {
            if (0.0..=1e6).contains(&price) {
                Ok(pico(price / 1e6))
            } else {
                Err(PriceError::Price {
                    model: model.to_owned(),
                    price,
                })
            }
        };
        Ok(Self {
            input: rate(input)?,
            output: rate(output)?,
            cache_read: rate(cache_read.unwrap_or(input))?,
            cache_write: rate(cache_write.unwrap_or(input))?,
        })
    }
}

/// Whether a model is a dated edition of a name.
fn is_dated(name: &str, model: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else {
        return false;
    };
    let Some(rest) = rest.strip_prefix(['-', '@']) else {
        return false;
    };
    rest == "latest"
        || (rest.len() >= 4
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage {
        input: 1000,
        cache_read: 2000,
        cache_write: 300,
        output: 40,
        reasoning: 7,
    };

    #[test]
    fn the_table_that_comes_with_proctor_is_sound() {
        let table = PriceTable::parse(DEFAULT).unwrap();
        assert!(table.version().starts_with("20"), "{}", table.version());
        let mut names: Vec<_> = table.models.iter().flat_map(|it| &it.names).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "a name is there twice");
        for entry in table.models.iter() {
            assert!(!entry.names.is_empty());
            assert!(
                entry.rates.cache_read <= entry.rates.input,
                "{:?}",
                entry.names
            );
            assert!(entry.rates.input <= entry.rates.output, "{:?}", entry.names);
        }
    }

    #[test]
    fn a_cost_is_the_sum_of_its_parts() {
        let table = PriceTable::default();
        // 1000 x 3 + 2000 x 0.30 + 300 x 3.75 + 40 x 15, in millionths.
        let cost = table.cost("claude-sonnet-4-5-20250929", &USAGE).unwrap();
        assert!((cost.usd - 0.005_325).abs() < 1e-12, "{}", cost.usd);
        assert_eq!(cost.prices, table.version());
    }

    #[test]
    fn long_prompts_cost_what_the_table_says() {
        let text = r#"
            version = "test"
            [[model]]
            names = ["m"]
            input = 1.0
            output = 2.0
            above = {prompt = 3300, input = 10.0, output = 20.0}
        "#;
        let table = PriceTable::parse(text).unwrap();
        assert!((table.cost("m", &USAGE).unwrap().usd - 0.003_38).abs() < 1e-12);
        let longer = Usage {
            input: 1001,
            ..USAGE
        };
        assert!((table.cost("m", &longer).unwrap().usd - 0.033_81).abs() < 1e-12);
    }

    #[test]
    fn an_unknown_model_costs_nobody_knows_what() {
        let table = PriceTable::default();
        for model in [
            "",
            "gpt",
            "gpt-5-mini-pro",
            "claude-sonnet-4-5-turbo",
            "gpt-5-1",
        ] {
            assert_eq!(table.cost(model, &USAGE), None, "{model}");
        }
    }

    #[test]
    fn an_operators_table_comes_first() {
        let own =
            "version = \"mine\"\n[[model]]\nnames = [\"gpt-5\", \"local\"]\ninput = 0\noutput = 0";
        let table = PriceTable::default().overridden_by(own).unwrap();
        assert_eq!(table.amount("gpt-5", &USAGE), Some(0));
        assert_eq!(table.amount("local", &USAGE), Some(0));
        assert!(table.amount("gpt-5-mini", &USAGE) > Some(0));
        assert!(table.version().ends_with("+mine"));
    }

    #[test]
    fn nonsense_is_refused() {
        for (field, value) in [
            ("input", "-1"),
            ("input", "nan"),
            ("output", "inf"),
            ("x", "1"),
        ] {
            let text = format!(
                "version = \"t\"\n[[model]]\nnames = [\"m\"]\n{field} = {value}\n{}",
                if field == "input" {
                    "output = 1"
                } else {
                    "input = 1"
                }
            );
            assert!(PriceTable::parse(&text).is_err(), "{field} = {value}");
        }
    }
}

//! Grades `@NAME@`: a report on the expenses in a CSV file.
//!
//! What is right follows from the file as it was seeded. The agent's own copy is
//! looked at only to see whether it was left alone.

use proctor_grader::markdown::Document;
use proctor_grader::types::Criterion;
use proctor_grader::verdict::{Checklist, penalty};
use proctor_grader::{Error, Evidence, Verdict, cite, criterion, text};

const INPUT: &str = "expenses.csv";
const REPORT: &str = "report.md";
/// Expenses of more than this, in cents, need a receipt.
const NEEDS_RECEIPT: i64 = 50_00;

/// Grades a trial of the task.
///
/// # Errors
/// The bundle cannot be read, or the task has no expenses. That is never the
/// agent's fault, and never counted as its zero.
pub fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
    let expenses = Expense::seeded(evidence)?;
    let workspace = evidence.workspace()?;
    // A report that is not there is one that says nothing.
    let report = Document::parse(&workspace.text(REPORT)?.unwrap_or_default());

    let mut verdict = Verdict::new();
    verdict.add(totals(&expenses, &report));
    verdict.add(missing_receipts(&expenses, &report));
    if workspace.bytes(INPUT)? != evidence.fixtures().bytes(INPUT)? {
        verdict.adjust(
            penalty("input_changed", "Changed the input", 3.0)
                .cite(cite::fixture(INPUT))
                .because(format!("{INPUT} is not what it was.")),
        );
    }
    Ok(verdict)
}

proctor_grader::export!(grade);

struct Expense {
    employee: String,
    category: String,
    cents: i64,
    has_receipt: bool,
}

impl Expense {
    /// The expenses of the task.
    fn seeded(evidence: &Evidence) -> Result<Vec<Self>, Error> {
        let unfit = |problem: &str| Error::unfit(format!("{INPUT}: {problem}"));
        let parsed = evidence.fixtures().csv(INPUT)?;
        if let Some(problem) = parsed.problem() {
            return Err(unfit(&problem));
        }
        let table = parsed.valid().unwrap_or_default();
        let expense = |row: usize| {
            Some(Self {
                employee: table.cell(row, "employee")?.to_owned(),
                category: table.cell(row, "category")?.to_owned(),
                cents: *amounts(table.cell(row, "amount")?).first()?,
                has_receipt: table.cell(row, "receipt")? == "yes",
            })
        };
        (0..table.rows().len())
            .map(|row| expense(row).ok_or_else(|| unfit(&format!("row {} is odd", row + 1))))
            .collect()
    }
}

/// A share of the points for each total that stands in a line with its name, and
/// with no other amount.
fn totals(expenses: &[Expense], report: &Document) -> Criterion {
    let mut wanted: Vec<(&str, i64)> = Vec::new();
    for expense in expenses {
        match wanted
            .iter_mut()
            .find(|(name, _)| *name == expense.category)
        {
            Some((_, sum)) => *sum += expense.cents,
            None => wanted.push((&expense.category, expense.cents)),
        }
    }
    wanted.push(("Total", expenses.iter().map(|one| one.cents).sum()));

    let lines = lines_below(report, "Totals");
    let mut list = Checklist::new();
    for (name, cents) in wanted {
        let line = lines
            .iter()
            .find(|(_, line)| text::contains(line, name) && amounts(line) == [cents]);
        list = list.item(name, line.is_some());
        if let Some((number, _)) = line {
            list = list.cite(cite::line(REPORT, *number));
        }
    }
    criterion("totals", "Totals per category and over all")
        .category("Sums")
        .max(5.0)
        .shared(&list)
}

/// Each expense that is listed and should not be takes away one that should.
fn missing_receipts(expenses: &[Expense], report: &Document) -> Criterion {
    let wanted: Vec<&Expense> = expenses
        .iter()
        .filter(|one| !one.has_receipt && one.cents > NEEDS_RECEIPT)
        .collect();
    let mut listed = lines_below(report, "Missing receipts");
    listed.retain(|(_, line)| !amounts(line).is_empty());
    let is_one = |line: &str, one: &Expense| {
        text::contains(line, &one.employee) && amounts(line) == [one.cents]
    };
    let right: Vec<u64> = wanted
        .iter()
        .filter_map(|one| listed.iter().find(|(_, line)| is_one(line, one)))
        .map(|(number, _)| *number)
        .collect();
    let wrong = listed.len() - right.len();
    criterion("missing_receipts", "Expenses that lack a receipt")
        .category("Receipts")
        .max(5.0)
        .cites(right.iter().map(|number| cite::line(REPORT, *number)))
        .share(
            right.len().saturating_sub(wrong),
            wanted.len(),
            format!(
                "Listed: {} of {}, and {wrong} others.",
                right.len(),
                wanted.len()
            ),
        )
}

/// The lines below a heading, with their numbers from 1.
fn lines_below<'a>(report: &'a Document, title: &str) -> Vec<(u64, &'a str)> {
    report.section(title).map_or_else(Vec::new, |section| {
        (section.line() + 1..).zip(section.text().lines()).collect()
    })
}

/// Everything in a text that is written as an amount, in cents: digits, with
/// commas or without, and two decimals.
fn amounts(text: &str) -> Vec<i64> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .filter_map(|word| {
            let (whole, decimals) = word.trim_end_matches(['.', ',']).split_once('.')?;
            let digits = format!("{}{decimals}", whole.replace(',', ""));
            (decimals.len() == 2).then(|| digits.parse().ok()).flatten()
        })
        .collect()
}

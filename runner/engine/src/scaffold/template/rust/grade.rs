//! The grader on made-up evidence: what it must give points for, and what not.

use grader::grade;
use proctor_grader::Verdict;
use proctor_grader::testing::Bundle;

const EXPENSES: &str = include_str!("../../assets/expenses.csv");
const REPORT: &str = "\
# Expenses

## Totals

| Category | Amount |
| --- | ---: |
| Travel | 512.00 |
| Meals | 170.95 |
| Hotel | 385.00 |
| Software | 128.00 |
| **Total** | **1,195.95** |

## Missing receipts

- 2026-03-05, Ana Costa, 61.20
- 2026-03-12, Jonas Weber, 149.00
- 2026-03-16, Priya Nair, 73.15
";

/// The verdict on an agent that left `report`.
fn verdict(report: &str) -> Verdict {
    let bundle = Bundle::new()
        .fixture("expenses.csv", EXPENSES)
        .workspace("expenses.csv", EXPENSES)
        .workspace("report.md", report);
    grade(&bundle.evidence()).expect("a verdict")
}

fn points(verdict: &Verdict, id: &str) -> f64 {
    let criterion = verdict.criterion(id).expect("the criterion");
    criterion.points.expect("points")
}

#[test]
fn a_right_report_gets_full_marks() {
    let verdict = verdict(REPORT);
    for id in ["totals", "missing_receipts"] {
        let criterion = verdict.criterion(id).expect("the criterion");
        assert_eq!(
            criterion.points,
            Some(criterion.max),
            "{}",
            criterion.reason
        );
    }
    assert_eq!(verdict.adjustments(), []);
}

#[test]
fn an_agent_that_did_nothing_gets_nothing() {
    let bundle = Bundle::new()
        .fixture("expenses.csv", EXPENSES)
        .workspace("expenses.csv", EXPENSES);
    let verdict = grade(&bundle.evidence()).expect("a verdict");
    assert_eq!(points(&verdict, "totals"), 0.0);
    assert_eq!(points(&verdict, "missing_receipts"), 0.0);
}

#[test]
fn each_wrong_total_costs_its_share() {
    let verdict = verdict(&REPORT.replace("170.95", "170.59"));
    assert_eq!(points(&verdict, "totals"), 4.0);
    assert_eq!(points(&verdict, "missing_receipts"), 5.0);
}

#[test]
fn changing_the_input_costs_points_beside_the_criteria() {
    let bundle = Bundle::new()
        .fixture("expenses.csv", EXPENSES)
        .workspace("expenses.csv", "date,employee,category,amount,receipt\n")
        .workspace("report.md", REPORT);
    let verdict = grade(&bundle.evidence()).expect("a verdict");
    assert_eq!(verdict.adjustments().len(), 1);
    assert_eq!(verdict.adjustments()[0].points, 3.0);
}

#[test]
fn listing_everything_is_not_the_same_as_finding_it() {
    let everything: String = EXPENSES.lines().map(|line| format!("- {line}\n")).collect();
    let verdict = verdict(&format!(
        "## Missing receipts\n{everything}## Totals\n{everything}"
    ));
    assert_eq!(points(&verdict, "missing_receipts"), 0.0);
    assert_eq!(points(&verdict, "totals"), 0.0);
}

#[test]
fn a_report_of_nonsense_is_graded_all_the_same() {
    for report in [
        "",
        "#",
        "## Totals",
        "1.2.3 ,,,.. 99999999999999999999.00\n## Missing receipts\n.",
    ] {
        let verdict = verdict(report);
        assert_eq!(points(&verdict, "totals"), 0.0, "{report}");
    }
}

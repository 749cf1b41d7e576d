//! What happened beside the grading, where the time went, and what the report
//! rests on.

use std::fmt::Write as _;

use proctor_types::manifest::Isolation;

use super::super::TrialReport;
use super::super::markdown::{code, inline};
use super::super::resolve::Resolver;
use crate::events::Stage;
use crate::record::{SeededRecord, TimeShare, TrialRecord};

/// Most refused attempts to leave the world that are listed.
const EGRESS: usize = 20;

/// What the task's probes did.
pub(super) fn probes(out: &mut String, resolver: &Resolver) {
    if resolver.probes().is_empty() {
        return;
    }
    out.push_str(
        "## Probes\n\nRun in the agent's room after it was gone. What they printed was made by \
         files that the agent could write.\n\n",
    );
    for probe in resolver.probes() {
        _ = writeln!(
            out,
            "- {}, {}: {}, {} bytes of output",
            code(&format!("probe:{}", probe.name)),
            code(&inline(&probe.run)),
            inline(&probe.end.to_string()),
            probe.stdout_bytes.saturating_add(probe.stderr_bytes)
        );
    }
    out.push('\n');
}

/// Attempts to leave the world.
pub(super) fn egress(out: &mut String, resolver: &Resolver) {
    let tried: Vec<_> = resolver.egress().collect();
    if tried.is_empty() {
        return;
    }
    _ = writeln!(
        out,
        "## Attempts to leave the world\n\n{} refused; none got through.\n",
        tried.len()
    );
    for entry in tried.iter().take(EGRESS) {
        _ = writeln!(
            out,
            "- {}: {}",
            code(&format!("journal:{}", entry.n)),
            inline(&format!(
                "{} {}:{} {}",
                entry.service, entry.host, entry.port, entry.method
            ))
        );
    }
    out.push('\n');
}

/// Seconds per stage, and the share that was not the agent's.
pub(super) fn time(out: &mut String, record: &TrialRecord) {
    let share = TimeShare::of([record]);
    _ = writeln!(out, "## Time\n\n{share}.\n");
    out.push_str("| stage | seconds | share |\n| --- | ---: | ---: |\n");
    for stage in Stage::ALL {
        let Some(seconds) = record.seconds.get(stage.as_str()) else {
            continue;
        };
        let part = if share.total > 0.0 {
            seconds / share.total * 100.0
        } else {
            0.0
        };
        let whose = match stage {
            Stage::Run => " (the agent)",
            Stage::Probe => " (the task's)",
            Stage::Judge => " (the judge)",
            _ => "",
        };
        _ = writeln!(
            out,
            "| {}{whose} | {seconds:.3} | {part:.1} % |",
            stage.as_str()
        );
    }
    _ = writeln!(out, "| total | {:.3} | |\n", share.total);
}

/// What the report rests on.
pub(super) fn rests_on(out: &mut String, report: &TrialReport<'_>) {
    let record = report.record;
    out.push_str("## What this rests on\n\n");
    _ = writeln!(
        out,
        "- task {}, agent {}",
        code(&record.task),
        code(&record.agent)
    );
    let seeded = record.seeded.iter().flat_map(SeededRecord::lines);
    for (what, much) in seeded {
        _ = writeln!(out, "- seeded {what}: {}", inline(&much));
    }
    _ = writeln!(
        out,
        "- isolation: {}; requests answered: {}; attempts to leave the world: {}",
        match record.isolation {
            Isolation::Sandbox => "sandbox",
            Isolation::None => "none",
        },
        record.requests.answered,
        record.requests.egress
    );
    if let Some(model) = &record.model {
        _ = writeln!(out, "- model: {}", inline(&model.to_string()));
    }
    if let Some(verdict) = report.verdict {
        _ = writeln!(
            out,
            "- evidence: manifest {}",
            code(&verdict.evidence_sha256)
        );
        _ = writeln!(
            out,
            "- grader: {} ({}), fuel {}",
            code(&verdict.grader.sha256),
            inline(&verdict.grader.abi),
            verdict.grader.fuel
        );
    }
    out.push_str(
        "- every figure is from `trial.json` and `verdict.json` beside this file; citations point \
         into `evidence/`\n",
    );
}

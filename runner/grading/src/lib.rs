//! The host for grader components: limits, module cache, validation, scoring.

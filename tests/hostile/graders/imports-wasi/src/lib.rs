//! A grader that wants to know what time it is. The time would make its verdict
//! another one each time.

/// The contract of a grader, and a clock.
#[allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated: values pass through raw pointers into this module's own memory"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../../grader-sdk/wit",
        inline: r"
            package hostile:graders;

            world clocked {
                include proctor:grader/grader@1.0.0;
                import wasi:clocks/wall-clock@0.2.0;
            }

            package wasi:clocks@0.2.0 {
                interface wall-clock {
                    record datetime { seconds: u64, nanoseconds: u32 }
                    now: func() -> datetime;
                }
            }
        ",
        world: "hostile:graders/clocked",
        generate_all,
    });

    use proctor::grader::types::{Criterion, Status};

    struct Grader;

    impl Guest for Grader {
        fn grade() -> Result<Verdict, String> {
            let now = wasi::clocks::wall_clock::now();
            Ok(Verdict {
                criteria: vec![Criterion {
                    id: "a".to_owned(),
                    title: "A".to_owned(),
                    category: "Test".to_owned(),
                    status: Status::Graded,
                    points: Some(if now.seconds.is_multiple_of(2) {
                        1.0
                    } else {
                        0.0
                    }),
                    max: 1.0,
                    reason: "It depends.".to_owned(),
                    citations: Vec::new(),
                    question: None,
                }],
                notes: Vec::new(),
            })
        }
    }

    export!(Grader);
}

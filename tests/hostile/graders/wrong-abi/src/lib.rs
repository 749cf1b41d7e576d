//! A grader of a contract that this runner does not know: version 2, and a
//! function of another name.

/// The other contract.
#[allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated: values pass through raw pointers into this module's own memory"
)]
mod bindings {
    wit_bindgen::generate!({
        inline: r"
            package proctor:grader@2.0.0;

            interface types {
                record verdict { passed: bool }
            }

            world grader {
                use types.{verdict};
                export judge: func() -> result<verdict, string>;
            }
        ",
    });

    struct Grader;

    impl Guest for Grader {
        fn judge() -> Result<Verdict, String> {
            Ok(Verdict { passed: true })
        }
    }

    export!(Grader);
}

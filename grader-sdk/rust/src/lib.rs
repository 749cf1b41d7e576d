//! The Rust SDK for graders: typed evidence in, a verdict out, natively and as WebAssembly.

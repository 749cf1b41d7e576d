//! Lines for the task's author. They are kept beside the verdict, capped, and
//! never count. Natively they go to [`tracing`](https://docs.rs/tracing).

/// For whoever debugs the grader.
pub fn debug(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::component::log(crate::component::Level::Debug, message);
    #[cfg(not(target_arch = "wasm32"))]
    tracing::debug!("{message}");
}

/// Something worth knowing.
pub fn info(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::component::log(crate::component::Level::Info, message);
    #[cfg(not(target_arch = "wasm32"))]
    tracing::info!("{message}");
}

/// Something that looks wrong and does not keep the grader from grading.
pub fn warn(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::component::log(crate::component::Level::Warn, message);
    #[cfg(not(target_arch = "wasm32"))]
    tracing::warn!("{message}");
}

/// Why there will be no verdict.
pub fn error(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::component::log(crate::component::Level::Error, message);
    #[cfg(not(target_arch = "wasm32"))]
    tracing::error!("{message}");
}

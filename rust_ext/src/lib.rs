//! The hot paths of gg: token counts, log capture, trimming, the membrane's entry points, starting compilers.
//!
//! The rules are plain Rust; `python` shows them to `gg_rust_ext`, their only importer.

pub mod logs;
pub mod membrane;
#[cfg(feature = "python")]
mod python;
pub mod start;
pub mod text;
pub mod tokens;
pub mod trim;

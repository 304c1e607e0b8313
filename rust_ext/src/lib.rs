//! The hot paths of gg: token counts, log capture, trimming.
//!
//! The rules are plain Rust; `python` shows them to `gg_rust_ext`, their only importer.

pub mod logs;
#[cfg(feature = "python")]
mod python;
pub mod text;
pub mod tokens;
pub mod trim;

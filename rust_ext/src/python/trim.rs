//! `TrimRules`, `Trimmed` and `apply_ranges`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use super::detached;
use crate::trim::ranges::{RangeError, Selection};
use crate::trim::rules::Rules;
use crate::trim::{Limits, MIN_LINE_BYTES, trim};

#[pyclass(module = "gg_rust_ext._gg_rust_ext", frozen)]
pub struct TrimRules {
    rules: Rules,
    limits: Limits,
}

#[pymethods]
impl TrimRules {
    #[new]
    #[pyo3(signature = (
        rules, *, max_diagnostics = 8, max_notes = None, edge_frames = 10, max_line_bytes = 2048, max_bytes = 16384
    ))]
    fn new(
        rules: Vec<(PyBackedStr, PyBackedStr)>,
        max_diagnostics: usize,
        max_notes: Option<usize>,
        edge_frames: usize,
        max_line_bytes: usize,
        max_bytes: usize,
    ) -> PyResult<Self> {
        if max_diagnostics == 0 || edge_frames == 0 {
            return Err(PyValueError::new_err("max_diagnostics and edge_frames are at least 1"));
        }
        if max_line_bytes < MIN_LINE_BYTES || max_bytes < 2 * MIN_LINE_BYTES {
            return Err(PyValueError::new_err(format!(
                "max_line_bytes is at least {MIN_LINE_BYTES} and max_bytes at least {}",
                2 * MIN_LINE_BYTES
            )));
        }
        let rules = Rules::new(&rules).map_err(PyValueError::new_err)?;
        let max_notes = max_notes.unwrap_or(usize::MAX);
        Ok(Self { rules, limits: Limits { max_diagnostics, max_notes, edge_frames, max_line_bytes, max_bytes } })
    }

    #[pyo3(signature = (data, protected = Vec::new()), text_signature = "($self, data, protected=())")]
    fn trim(&self, py: Python<'_>, data: PyBackedBytes, protected: Vec<(usize, usize)>) -> Trimmed {
        detached(py, data.len(), || {
            let trimmed = trim(&self.rules, &self.limits, &data, &protected);
            Trimmed {
                ranges: trimmed.selection.ranges().iter().map(|range| (range.start, range.end)).collect(),
                dropped_lines: trimmed.dropped_lines,
                dropped_diagnostics: trimmed.dropped_diagnostics,
                dropped_frames: trimmed.dropped_frames,
            }
        })
    }
}

#[pyclass(module = "gg_rust_ext._gg_rust_ext", frozen, get_all)]
pub struct Trimmed {
    ranges: Vec<(usize, usize)>,
    dropped_lines: usize,
    dropped_diagnostics: usize,
    dropped_frames: usize,
}

#[pymethods]
impl Trimmed {
    fn __repr__(&self) -> String {
        let Self { ranges, dropped_lines, dropped_diagnostics, dropped_frames } = self;
        let count = ranges.len();
        format!(
            "Trimmed({count} ranges, dropped_lines={dropped_lines}, dropped_diagnostics={dropped_diagnostics}, \
             dropped_frames={dropped_frames})"
        )
    }
}

#[pyfunction]
pub fn apply_ranges(data: PyBackedBytes, ranges: Vec<(usize, usize)>) -> PyResult<String> {
    let selection = Selection::from_ranges(&data, &ranges).map_err(|error| {
        PyValueError::new_err(match error {
            RangeError::OutOfBounds(at) => format!("range {at} does not lie within the {} bytes", data.len()),
            RangeError::NotAscending(at) => format!("range {at} begins before the end of the one in front of it"),
        })
    })?;
    Ok(selection.text())
}

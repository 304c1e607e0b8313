//! The rules as a Python module. What things mean is said in `_gg_rust_ext.pyi`.

mod logs;
mod membrane;
mod start;
mod trim;

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyString;

use crate::{text, tokens};

/// Changes whenever the Python side must change with this one; the facade compares it.
const ABI: u32 = 2;

/// Work on more bytes than this runs without the interpreter's lock.
const DETACH_BYTES: usize = 4096;

#[pymodule]
fn _gg_rust_ext(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ABI", ABI)?;
    module.add_function(wrap_pyfunction!(apply_ranges, module)?)?;
    module.add_function(wrap_pyfunction!(clean, module)?)?;
    module.add_function(wrap_pyfunction!(clip, module)?)?;
    module.add_function(wrap_pyfunction!(count_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(load_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(start::start_confined, module)?)?;
    module.add_class::<logs::LogCapture>()?;
    module.add_class::<logs::LogTail>()?;
    module.add_class::<membrane::MembraneEntry>()?;
    module.add_class::<trim::TrimRules>()?;
    module.add_class::<trim::Trimmed>()
}

use trim::apply_ranges;

/// Run `work` on `bytes` bytes of input, without the interpreter's lock when that pays.
fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > DETACH_BYTES { py.detach(work) } else { work() }
}

/// The text of a `str` without lone surrogates, which no encoding has.
fn text_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let bytes: PyBackedBytes = text.call_method1("encode", ("utf-8", "ignore"))?.extract()?;
    Ok(Cow::Owned(text::clean(&bytes).into_owned()))
}

#[pyfunction]
#[pyo3(signature = (text, /))]
fn count_tokens(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Ok(text) = text.cast::<PyString>() {
        let text = text_of(text)?;
        return Ok(detached(py, text.len(), || tokens::count(&text)));
    }
    let Ok(bytes) = text.extract::<PyBackedBytes>() else {
        return Err(PyTypeError::new_err(format!("count_tokens takes str or bytes, not {}", text.get_type().name()?)));
    };
    Ok(detached(py, bytes.len(), || tokens::count(&text::clean(&bytes))))
}

#[pyfunction]
fn load_tokens(py: Python<'_>) {
    py.detach(|| {
        tokens::tokenizer();
    });
}

#[pyfunction]
#[pyo3(signature = (data, /))]
fn clean(data: PyBackedBytes) -> (String, usize) {
    let text = text::clean(&data).into_owned();
    let deleted = data.len() - text.len();
    (text, deleted)
}

#[pyfunction]
fn clip(text: &Bound<'_, PyString>, max_bytes: usize) -> PyResult<String> {
    Ok(text::clip(&text_of(text)?, max_bytes).to_owned())
}

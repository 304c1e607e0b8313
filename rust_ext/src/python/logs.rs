//! `LogCapture` and `LogTail`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::logs::{Capture, records};

#[pyclass(module = "gg_rust_ext._gg_rust_ext")]
pub struct LogCapture(Capture);

#[pymethods]
impl LogCapture {
    #[new]
    #[pyo3(signature = (max_lines = 200, max_bytes = 16384, max_line_bytes = 2048))]
    fn new(max_lines: usize, max_bytes: usize, max_line_bytes: usize) -> Self {
        Self(Capture::new(max_lines, max_bytes, max_line_bytes))
    }

    fn write(&mut self, stream: i64, data: PyBackedBytes) -> PyResult<()> {
        self.check_open()?;
        match u8::try_from(stream) {
            Ok(stream) if self.0.write(stream, &data) => Ok(()),
            _ => Err(PyValueError::new_err(format!("stream {stream} is neither 1 (stdout) nor 2 (stderr)"))),
        }
    }

    fn write_records(&mut self, records: PyBackedBytes) -> PyResult<usize> {
        self.check_open()?;
        let capture = &mut self.0;
        Ok(records::read(&records, |stream, data| {
            let _known = capture.write(stream, data);
        }))
    }

    fn finish(&mut self) -> LogTail {
        let tail = self.0.finish();
        let lines: Vec<String> = tail.lines().cloned().collect();
        let (logged, suppressed, kept_bytes) = (tail.logged(), tail.suppressed(), tail.kept_bytes());
        LogTail { lines, logged, suppressed, kept_bytes, undecodable_bytes: self.0.undecodable() }
    }

    fn stderr_ends<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.stderr_ends())
    }
}

impl LogCapture {
    fn check_open(&self) -> PyResult<()> {
        if self.0.is_finished() {
            return Err(PyValueError::new_err("the capture is finished"));
        }
        Ok(())
    }
}

#[pyclass(module = "gg_rust_ext._gg_rust_ext", frozen, get_all)]
pub struct LogTail {
    lines: Vec<String>,
    logged: usize,
    suppressed: usize,
    kept_bytes: usize,
    undecodable_bytes: usize,
}

#[pymethods]
impl LogTail {
    fn __repr__(&self) -> String {
        let Self { lines, logged, suppressed, kept_bytes, undecodable_bytes } = self;
        let kept = lines.len();
        format!(
            "LogTail({kept} lines, logged={logged}, suppressed={suppressed}, kept_bytes={kept_bytes}, \
             undecodable_bytes={undecodable_bytes})"
        )
    }
}

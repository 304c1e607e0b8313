//! `start_confined`.

use std::ffi::CString;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::start::{Start, start};

fn texts(given: Vec<String>) -> PyResult<Vec<CString>> {
    given.into_iter().map(|text| CString::new(text).map_err(|_| PyValueError::new_err("a text holds a zero"))).collect()
}

#[pyfunction]
#[pyo3(signature = (arguments, environment, folder, stdin, output, limits, ruleset, filter))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub fn start_confined(
    arguments: Vec<String>,
    environment: Vec<String>,
    folder: i32,
    stdin: i32,
    output: i32,
    limits: Vec<(u32, u64, u64)>,
    ruleset: Option<i32>,
    filter: Vec<u8>,
) -> PyResult<i32> {
    let arguments = texts(arguments)?;
    let executable = arguments.first().cloned().ok_or_else(|| PyValueError::new_err("there is no program"))?;
    let confinement = ruleset.map(|ruleset| (ruleset, filter));
    let environment = texts(environment)?;
    Ok(start(&Start { executable, arguments, environment, folder, stdin, output, limits, confinement })?)
}

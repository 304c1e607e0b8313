//! The membrane's entry points as Python hands them to wasmtime.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::transmute;

use pyo3::prelude::*;

use crate::membrane::{Api, Membrane, component_call, core_call, core_take};

#[pyclass(unsendable)]
pub struct MembraneEntry {
    // Boxed, so that the address given to wasmtime stays; a cell, because wasm reaches it while Python waits for wasm.
    membrane: Box<UnsafeCell<Membrane>>,
}

impl MembraneEntry {
    #[allow(clippy::mut_from_ref)] // what the cell is for
    fn membrane(&self) -> &mut Membrane {
        // SAFETY: one thread (`unsendable`), and Python's calls and wasm's never overlap.
        unsafe { &mut *self.membrane.get() }
    }
}

#[pymethods]
impl MembraneEntry {
    #[new]
    #[pyo3(signature = (*, fd, timer, caller_context, memory_data, memory_data_size, byte_vec_new, string_kind))]
    fn new(
        fd: i32,
        timer: usize,
        caller_context: usize,
        memory_data: usize,
        memory_data_size: usize,
        byte_vec_new: usize,
        string_kind: u8,
    ) -> Self {
        // SAFETY: the caller hands over the addresses of these very functions.
        let api = unsafe {
            Api {
                caller_context: transmute::<usize, unsafe extern "C" fn(*mut c_void) -> *mut c_void>(caller_context),
                memory_data: transmute::<usize, unsafe extern "C" fn(*mut c_void, *const c_void) -> *mut u8>(
                    memory_data,
                ),
                memory_data_size: transmute::<usize, unsafe extern "C" fn(*mut c_void, *const c_void) -> usize>(
                    memory_data_size,
                ),
                byte_vec_new: transmute::<usize, unsafe extern "C" fn(*mut c_void, usize, *const u8)>(byte_vec_new),
                string_kind,
            }
        };
        Self { membrane: Box::new(UnsafeCell::new(Membrane::new(api, fd, timer))) }
    }

    #[getter]
    fn environment(&self) -> usize {
        self.membrane.get() as usize
    }

    #[getter]
    fn core_call(&self) -> usize {
        core_call as *const () as usize
    }

    #[getter]
    fn core_take(&self) -> usize {
        core_take as *const () as usize
    }

    #[getter]
    fn component_call(&self) -> usize {
        component_call as *const () as usize
    }

    #[pyo3(signature = (memory=None, ring=None))]
    fn begin(&self, memory: Option<&[u8]>, ring: Option<u32>) {
        self.membrane().begin(memory.unwrap_or_default(), ring);
    }

    fn share_cpu(&self, allowed: bool) {
        self.membrane().share_cpu(allowed);
    }

    fn mark_late(&self) {
        self.membrane().late = true;
    }

    #[getter]
    fn parked_s(&self) -> f64 {
        self.membrane().parked.as_secs_f64()
    }

    #[getter]
    fn fired(&self) -> bool {
        self.membrane().fired
    }
}

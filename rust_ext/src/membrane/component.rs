//! The entry point of the component form: `call: func(request: string) -> string`.

use super::Membrane;
use std::ffi::c_void;

/// wasmtime's `wasmtime_component_val_t`, when it is a string.
#[repr(C)]
pub struct StringValue {
    kind: u8,
    size: usize,
    data: *const u8,
}

/// `call(request) -> reply`.
///
/// # Safety
/// Called by wasmtime only: `env` is the `Membrane` it was defined with, `args` one string, `results` one value.
pub unsafe extern "C" fn component_call(
    env: *mut c_void,
    _context: *mut c_void,
    _type: *const c_void,
    args: *const StringValue,
    _argument_count: usize,
    results: *mut StringValue,
    _result_count: usize,
) -> *mut c_void {
    // SAFETY: as promised; a string of no bytes may have a null pointer.
    let (membrane, request) = unsafe {
        let request = &*args;
        let data = if request.size == 0 { &[][..] } else { std::slice::from_raw_parts(request.data, request.size) };
        (&mut *env.cast::<Membrane>(), data)
    };
    membrane.ask(request);
    // SAFETY: `results` is room for one value, which wasmtime frees; the vector is made by its own allocator.
    unsafe {
        (*results).kind = membrane.api.string_kind;
        let vector = (&raw mut (*results).size).cast();
        (membrane.api.byte_vec_new)(vector, membrane.reply.len(), membrane.reply.as_ptr());
    }
    std::ptr::null_mut()
}

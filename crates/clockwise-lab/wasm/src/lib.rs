//! The lab's core for browsers, without generated bindings: three functions, and memory that the caller
//! reads and writes.
//!
//! 1. `alloc(length)` gives memory for a request, and the caller writes the request there.
//! 2. `call(pointer, length)` takes that memory back and answers: 0, or 1 for a refusal.
//! 3. `out(0)` says where the answer's document lies and `out(i)` where its array *i* − 1: the address times
//!    2³² plus the length in bytes, 0 where there is none. Both stay until the next `call`.
//!
//! Arrays are in the byte order of the machine, which in WebAssembly is little-endian.

mod memory;

use std::cell::RefCell;

use clockwise_lab::{Answer, Values, handle};

thread_local! {
    /// The last answer: what [`out`] speaks of.
    static ANSWER: RefCell<Answer> = const { RefCell::new(Answer { json: String::new(), arrays: Vec::new() }) };
}

/// Memory of `length` bytes, all zero, for one request.
#[allow(unsafe_code, reason = "a name that a foreign caller finds")]
// SAFETY: no other symbol of this program is called so.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Answers the request that lies in memory from [`alloc`], and frees that. 0, or 1 for a refusal.
///
/// # Safety
/// `pointer` came from `alloc(length)` with the same length, and was not given here before.
#[allow(unsafe_code, reason = "the caller's promise is taken up in one place")]
// SAFETY: no other symbol of this program is called so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(pointer: *mut u8, length: usize) -> u32 {
    // SAFETY: `alloc` let go of a box of exactly this slice, and by the caller's promise this is the first
    // time it comes back. Its bytes have been initialised since.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) };
    let answer = handle(&request);
    let refused = answer.json.starts_with(r#"{"error""#);
    ANSWER.set(answer);
    u32::from(refused)
}

/// Where the answer's document lies (0), or one of its arrays (from 1): address × 2³² + bytes.
#[allow(unsafe_code, reason = "a name that a foreign caller finds")]
// SAFETY: no other symbol of this program is called so.
#[unsafe(no_mangle)]
pub extern "C" fn out(index: usize) -> u64 {
    ANSWER.with_borrow(|answer| {
        let place = |address: usize, bytes: usize| (address as u64) << 32 | bytes as u64;
        let Some(at) = index.checked_sub(1) else {
            return place(answer.json.as_ptr() as usize, answer.json.len());
        };
        match answer.arrays.get(at).map(|array| &array.values) {
            None => 0,
            Some(Values::U8(values)) => place(values.as_ptr() as usize, values.len()),
            Some(Values::U16(values)) => place(values.as_ptr() as usize, values.len() * 2),
            Some(Values::F32(values)) => place(values.as_ptr() as usize, values.len() * 4),
        }
    })
}

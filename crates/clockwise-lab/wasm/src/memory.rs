//! The allocator, hidden from the optimiser.
//!
//! For LLVM an allocation function is more than a function: of what `alloc_zeroed` gives it knows that every
//! byte is zero until something is written. With LTO it looks into the other half as well, `dealloc`, where
//! the allocator of this target reads the length of a block from the word *before* it. Inlined behind an
//! `alloc_zeroed`, that word is taken for a part of the zeroed block, its value for 0, and freeing the block
//! traps (rustc 1.96: a Maglev layout was enough). So the address passes through [`black_box`] on its way
//! back: behind it LLVM no longer knows where the block came from.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

struct Hidden;

#[global_allocator]
static MEMORY: Hidden = Hidden;

// SAFETY: every call is the system allocator's with the same arguments, and so are all promises.
#[allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only passes on")]
unsafe impl GlobalAlloc for Hidden {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on; the address stays the same.
        unsafe { System.dealloc(black_box(block), layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise, passed on; the address stays the same.
        unsafe { System.realloc(black_box(block), layout, size) }
    }
}

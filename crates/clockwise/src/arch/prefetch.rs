//! Memory asked for before it is needed, so that many reads are waited for at once.

/// Asks for the line of memory that a place begins in, and waits for nothing. It changes no answer; on
/// processors that it is not known for, it is nothing.
#[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
#[inline]
pub(crate) fn prefetch<T>(place: &T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    // SAFETY: a prefetch reads nothing that the program sees and never faults, whatever the address; this one
    // is that of a reference. The one requirement is a processor that has SSE, and this is compiled only where
    // the whole program is compiled for such.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(place).cast()) }
}

/// Asks for the line of memory that a place begins in, and waits for nothing. It changes no answer; on
/// processors that it is not known for, it is nothing.
#[cfg(target_arch = "aarch64")]
#[inline]
pub(crate) fn prefetch<T>(place: &T) {
    // SAFETY: every processor of this kind has the instruction. It writes no register, flag or memory, reads
    // nothing that the program sees, and never faults, whatever the address; this one is that of a reference.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{place}]",
            place = in(reg) core::ptr::from_ref(place),
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Asks for the line of memory that a place begins in, and waits for nothing. It changes no answer; on
/// processors that it is not known for, it is nothing.
#[cfg(not(any(all(target_arch = "x86_64", target_feature = "sse"), target_arch = "aarch64")))]
#[inline]
pub(crate) fn prefetch<T>(_place: &T) {}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::prefetch;

    #[test]
    fn what_is_asked_for_stays_as_it_is() {
        let lines = vec![[7_u64; 8]; 100];
        lines.iter().for_each(prefetch);
        // Nothing is there to be read, and it may be asked for.
        prefetch(&());
        prefetch::<[u64; 0]>(&[]);
        assert!(lines.iter().all(|line| *line == [7; 8]));
    }
}

//! Memory asked for before it is needed, so that many reads are waited for at once.

/// Bytes that are soon there, because a cache of the processor's own has them: of so few, to ask takes longer than to
/// wait.
pub(crate) const AT_HAND: usize = 256 << 10;

/// Reads that overlap in a batch.
pub(crate) const TOGETHER: usize = 64;

/// What `read` says of each key by its hash and the place in `memory` where its lookup begins, which `find` finds.
///
/// If there is much memory, in two passes over some keys at a time: what the second reads, the first has asked for.
#[inline(always)]
pub(crate) fn asked_for<M, A>(
    memory: &[M],
    hashes: &[u64],
    answers: &mut [A],
    find: impl Fn(u64) -> usize,
    read: impl Fn(u64, usize) -> A,
) {
    if size_of_val(memory) <= AT_HAND {
        for (&hash, answer) in hashes.iter().zip(answers) {
            *answer = read(hash, find(hash));
        }
        return;
    }
    let mut places = [0; TOGETHER];
    for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
        for (place, &hash) in places.iter_mut().zip(hashes) {
            *place = find(hash);
            if let Some(there) = memory.get(*place) {
                prefetch(there);
            }
        }
        for ((&hash, &place), answer) in hashes.iter().zip(&places).zip(answers) {
            *answer = read(hash, place);
        }
    }
}

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
    use std::vec::Vec;

    use super::{AT_HAND, asked_for, prefetch};

    #[test]
    fn far_and_near_memory_is_read_where_each_hash_says() {
        for bytes in [10, AT_HAND, AT_HAND + 1] {
            let memory: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
            for keys in [0, 1, 64, 65, 200] {
                let hashes: Vec<u64> = (0..keys).map(|key| key * 0x9e37_79b9).collect();
                let mut answers = vec![(7, 7); hashes.len() + 1];
                let find = |hash| (hash % bytes as u64) as usize;
                asked_for(&memory, &hashes, &mut answers, find, |hash, at| (hash, memory[at]));
                assert_eq!(answers.pop(), Some((7, 7)));
                let expected = hashes.iter().map(|&hash| (hash, memory[find(hash)]));
                assert!(expected.eq(answers.iter().copied()), "{keys} keys, {bytes} bytes");
                let mut fewer = vec![(7, 7); answers.len() / 2];
                asked_for(&memory, &hashes, &mut fewer, find, |hash, at| (hash, memory[at]));
                assert_eq!(fewer, answers[..fewer.len()]);
            }
        }
    }

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

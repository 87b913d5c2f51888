//! Bytes that lie in several places, read as one row: a key and what a system puts behind it.

/// What is left of the row.
pub(super) struct Row<'a> {
    parts: &'a [&'a [u8]],
    /// The part that is being read, as far as it has not been.
    front: &'a [u8],
}

impl<'a> Row<'a> {
    pub(super) fn new(parts: &'a [&'a [u8]]) -> Row<'a> {
        Row { parts, front: &[] }
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.front.len() + self.parts.iter().map(|part| part.len()).sum::<usize>()
    }

    /// The next bytes: as many as there is room for, or the rest.
    pub(super) fn next<'b>(&mut self, room: &'b mut [u8]) -> &'b [u8] {
        let mut filled = 0;
        while filled < room.len() {
            if self.front.is_empty() {
                let Some((first, rest)) = self.parts.split_first() else { break };
                (self.front, self.parts) = (first, rest);
                continue;
            }
            let (now, later) = self.front.split_at(self.front.len().min(room.len() - filled));
            room[filled..filled + now.len()].copy_from_slice(now);
            filled += now.len();
            self.front = later;
        }
        &room[..filled]
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn pieces_of_any_size_come_out_in_order_whatever_the_parts() {
        let text: Vec<u8> = (0..40).collect();
        for first in 0..=40 {
            for second in first..=40 {
                let parts = [&text[..first], &text[first..second], &text[second..], &[]];
                for size in [1, 3, 8, 64] {
                    let (mut row, mut read, mut room) = (Row::new(&parts), Vec::new(), [0; 64]);
                    assert_eq!(row.len(), 40);
                    while row.len() > 0 {
                        let piece = row.next(&mut room[..size]);
                        assert_eq!(piece.len(), size.min(40 - read.len()));
                        read.extend_from_slice(piece);
                    }
                    assert_eq!(read, text);
                    assert!(row.next(&mut room).is_empty());
                }
            }
        }
    }
}

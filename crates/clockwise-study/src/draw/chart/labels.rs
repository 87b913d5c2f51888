//! Labels at the ends of curves, moved apart where they would overlap.

/// The middles of labels of the given heights, as near to where each wants to be as can be without
/// overlap, within `top` to `bottom` where they have room. `wanted` need not be sorted.
///
/// Neighbours that would overlap are joined to a block, and a block goes where the sum of its squared
/// moves is least (the pool-adjacent-violators rule of isotonic regression; R. E. Barlow and others,
/// Statistical Inference under Order Restrictions, 1972, ch. 1).
pub(super) fn apart(wanted: &[(f64, f64)], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].0.total_cmp(&wanted[*b].0));
    struct Block {
        from: f64,
        height: f64,
        labels: Vec<usize>,
        /// The sum over labels of where the block would begin to suit that label.
        sum: f64,
    }
    let placed = |sum: f64, count: usize, height: f64| (sum / count as f64).min(bottom - height).max(top);
    let mut blocks: Vec<Block> = Vec::new();
    for label in order {
        let (middle, height) = wanted[label];
        let sum = middle - height / 2.0;
        blocks.push(Block { from: placed(sum, 1, height), height, labels: vec![label], sum });
        while let [.., above, below] = &mut blocks[..] {
            if above.from + above.height <= below.from {
                break;
            }
            above.sum += below.sum - above.height * below.labels.len() as f64;
            above.height += below.height;
            above.labels.append(&mut below.labels);
            above.from = placed(above.sum, above.labels.len(), above.height);
            blocks.pop();
        }
    }
    let mut middles = vec![0.0; wanted.len()];
    for block in blocks {
        let mut from = block.from;
        for label in block.labels {
            middles[label] = from + wanted[label].1 / 2.0;
            from += wanted[label].1;
        }
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(apart(&[(50.0, 10.0), (20.0, 10.0)], 0.0, 100.0), [50.0, 20.0]);
    }

    #[test]
    fn labels_in_one_place_part_evenly() {
        assert_eq!(apart(&[(50.0, 10.0), (50.0, 10.0)], 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(apart(&[(50.0, 10.0); 3], 0.0, 100.0), [40.0, 50.0, 60.0]);
    }

    #[test]
    fn labels_keep_inside_and_in_order() {
        let middles = apart(&[(99.0, 10.0), (98.0, 10.0), (97.0, 20.0), (1.0, 10.0)], 0.0, 100.0);
        assert_eq!(middles, [95.0, 85.0, 70.0, 5.0]);
    }

    #[test]
    fn no_two_overlap_wherever_they_want_to_be() {
        let mut seed = 0x5eed_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f64 / f64::from(1 << 24)
        };
        for _ in 0..200 {
            let wanted: Vec<(f64, f64)> = (0..8).map(|_| (next() * 200.0, 10.0 + next() * 10.0)).collect();
            let mut spans: Vec<(f64, f64)> = apart(&wanted, 0.0, 200.0)
                .iter()
                .zip(&wanted)
                .map(|(middle, (_, height))| (middle - height / 2.0, middle + height / 2.0))
                .collect();
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-9), "{wanted:?}: {spans:?}");
            assert!(spans[0].0 >= -1e-9 && spans[7].1 <= 200.0 + 1e-9, "{spans:?}");
        }
    }
}

//! Where a hash puts the points of servers whose labels are nearly alike: a picture of the ring itself,
//! which needs no run.

use clockwise::hash::NamedHash;
use clockwise::ring::Label;
use clockwise::{Layout, Measured as _, Members, Ring, Server};

use crate::draw::{Strip, Strips};
use crate::experiment::Value;
use crate::results::Cell;

/// More points than this in a row run together.
const MOST_POINTS: u64 = 400;
const MOST_SERVERS: u64 = 12;

/// The points of each setting with a hash, servers and points, a heading a setting and a row a server. None if no
/// setting is such a ring, or all are too large to draw.
pub(super) fn strips(cells: &[&Cell]) -> Option<Strips> {
    let mut rows = Vec::new();
    for cell in cells {
        let setting = &cell.setting;
        let (Some(Value::Text(hash)), servers, points) =
            (setting.get("hash"), setting.whole("servers"), setting.whole("points"))
        else {
            continue;
        };
        if !(1..=MOST_SERVERS).contains(&servers) || !(1..=MOST_POINTS).contains(&points) {
            continue;
        }
        let named = match hash.as_str() {
            "murmur3" => NamedHash::Murmur3X86_32,
            "fnv1a" => NamedHash::Fnv1a32,
            other => match other.parse() {
                Ok(named) => named,
                Err(_) => continue,
            },
        };
        rows.extend(ring(named, servers as u32, points as u32)?);
    }
    let label = "the circle of hashes; per cent: the server's share of it".to_owned();
    (!rows.is_empty()).then_some(Strips { label, rows })
}

/// The rows of one ring, whose points are hashes of `node-0#0` and so on.
fn ring(hash: NamedHash, servers: u32, points: u32) -> Option<Vec<Strip>> {
    let members = (0..servers).map(|i| Server::new(format!("node-{i}"))).collect::<Result<Vec<_>, _>>();
    let members = Members::new(members.ok()?).ok()?;
    let ring =
        Ring::builder(hash).points_per_weight(points).label(Label::Joined("#")).build(&members).ok()?;
    let Layout::Circle { arcs, last, .. } = ring.layout()? else { return None };
    let shares = ring.shares();
    let rows = ring.servers().iter().enumerate().map(|(server, of)| {
        let own = arcs.iter().filter(|(_, owner)| owner.index() == server);
        let share = shares.get(server).map_or(0.0, |share| share.as_f64());
        Strip {
            name: of.name().as_str().to_owned(),
            group: if server == 0 { format!("{hash}, {points} points a server") } else { String::new() },
            places: own.map(|(end, _)| end as f64 / last as f64).collect(),
            note: crate::draw::percent(share),
        }
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_are_those_of_the_published_rings() {
        // Five servers, 50 points: shares recorded from the program of the published text's ring.
        let notes = |hash| ring(hash, 5, 50).unwrap().into_iter().map(|row| row.note).collect::<Vec<_>>();
        assert_eq!(notes(NamedHash::Fnv1a32), ["26.3%", "11.8%", "12.4%", "35.4%", "14.1%"]);
        let rows = ring(NamedHash::Fnv1a32, 5, 50).unwrap();
        assert!(rows.iter().all(|row| row.places.len() == 50));
        assert!(rows.iter().flat_map(|row| &row.places).all(|place| (0.0..=1.0).contains(place)));
        // Labels that differ in their last character lie side by side: many more points than of the other hash have a
        // neighbour of their own server within a thousandth of the circle.
        let close = |hash| {
            let rows = ring(hash, 5, 50).unwrap();
            let near = |places: &Vec<f64>| {
                let mut sorted = places.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.windows(2).filter(|pair| pair[1] - pair[0] < 0.001).count()
            };
            rows.iter().map(|row| near(&row.places)).sum::<usize>()
        };
        let (fnv, murmur) = (close(NamedHash::Fnv1a32), close(NamedHash::Murmur3X86_32));
        assert!(fnv > 2 * murmur.max(1), "{fnv} and {murmur}");
    }
}

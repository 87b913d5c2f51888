//! What the handbook's sample programs print, computed with the library.
//!
//! | program | how |
//! |---|---|
//! | rendezvous | [`handbook`]: the first 8 bytes of MD5 of `node:key`, weights 1, 1, 1, 2, keys `user:0` to `user:99999` |
//! | jump | the first 8 bytes of MD5 of the same keys, from 10 to 11 buckets |
//! | bounded | points at MD5 of `a-0` to `d-99`, ε = ¼, 1,000 requests in turn for `video:hot` and `video:<i>`, the cap from the running total with the request in it |
//!
//! Nothing here is drawn: every run is the same.

use clockwise::dialect::handbook;
use clockwise::hash::{JavaString, KeyHash as _, Md5};
use clockwise::ring::Label;
use clockwise::{Cap, Members, Ring, Server, fill_arriving};

use super::{Kernel, Measures, Metric, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "samples",
    about: "what the handbook's sample programs print",
    knobs: &[],
    metrics: &[
        Metric { name: "replica_1_c", label: "first replica of user:42 is c", unit: "" },
        Metric { name: "replica_2_d", label: "second replica of user:42 is d", unit: "" },
        Metric { name: "replica_3_a", label: "third replica of user:42 is a", unit: "" },
        Metric { name: "rendezvous_a", label: "keys on a", unit: "keys" },
        Metric { name: "rendezvous_b", label: "keys on b", unit: "keys" },
        Metric { name: "rendezvous_c", label: "keys on c", unit: "keys" },
        Metric { name: "rendezvous_d", label: "keys on d, of weight 2", unit: "keys" },
        Metric { name: "rendezvous_moved", label: "share of keys that c's leave moves", unit: "" },
        Metric { name: "rendezvous_stray", label: "of these, not c's", unit: "keys" },
        Metric { name: "jump_moved", label: "share of keys that an eleventh bucket moves", unit: "" },
        Metric { name: "jump_stray", label: "of these, into another bucket", unit: "keys" },
        Metric { name: "jump_fewest", label: "keys of the idlest of ten buckets", unit: "keys" },
        Metric { name: "jump_most", label: "keys of the busiest of ten buckets", unit: "keys" },
        Metric { name: "bounded_a", label: "load of a", unit: "requests" },
        Metric { name: "bounded_b", label: "load of b", unit: "requests" },
        Metric { name: "bounded_c", label: "load of c", unit: "requests" },
        Metric { name: "bounded_d", label: "load of d", unit: "requests" },
        Metric { name: "bounded_most", label: "load of the busiest", unit: "requests" },
        Metric { name: "plain_c", label: "load of c without a cap", unit: "requests" },
        Metric { name: "java_step", label: "String.hashCode of user:2 less that of user:1", unit: "" },
    ],
    revision: 1,
    cost: |_| 3e8,
    fits: knobs::any,
    run: |_, out| Ok(run(out)?),
};

fn run(out: &mut Measures) -> Result<(), clockwise::Error> {
    let keys: Vec<String> = (0..100_000).map(|i| format!("user:{i}")).collect();
    rendezvous(&keys, out)?;
    jump(&keys, out)?;
    bounded(out)?;
    let [one, two] = ["user:1", "user:2"].map(|text| JavaString.hash(text.as_bytes()) as u32);
    out.put("java_step", f64::from(two.wrapping_sub(one)));
    Ok(())
}

fn rendezvous(keys: &[String], out: &mut Measures) -> Result<(), clockwise::Error> {
    let fleet = Members::new([
        Server::new("a")?,
        Server::new("b")?,
        Server::new("c")?,
        Server::new("d")?.with_weight(2)?,
    ])?;
    let before = handbook::rendezvous(&fleet)?;
    let after = handbook::rendezvous(&fleet.without("c")?)?;
    let replicas: Vec<&str> = before.owners("user:42", 3).map(|server| server.name().as_str()).collect();
    for (metric, (replica, stated)) in
        ["replica_1_c", "replica_2_d", "replica_3_a"].into_iter().zip(replicas.iter().zip(["c", "d", "a"]))
    {
        out.put(metric, f64::from(u8::from(*replica == stated)));
    }
    let mut counts = [0_u32; 4];
    let (mut moved, mut stray) = (0_u32, 0_u32);
    for key in keys {
        let owner = before.owner_ix(key);
        counts[owner.index()] += 1;
        let name = before.servers()[owner.index()].name();
        if after.owner(key).name() != name {
            moved += 1;
            stray += u32::from(name.as_str() != "c");
        }
    }
    for (metric, count) in
        ["rendezvous_a", "rendezvous_b", "rendezvous_c", "rendezvous_d"].into_iter().zip(counts)
    {
        out.put(metric, f64::from(count));
    }
    out.put("rendezvous_moved", f64::from(moved) / keys.len() as f64);
    out.put("rendezvous_stray", f64::from(stray));
    Ok(())
}

fn jump(keys: &[String], out: &mut Measures) -> Result<(), clockwise::Error> {
    let mut counts = [0_u32; 10];
    let (mut moved, mut stray) = (0_u32, 0_u32);
    for key in keys {
        let hash = Md5.hash(key.as_bytes());
        let (before, after) = (clockwise::jump(hash, 10)?, clockwise::jump(hash, 11)?);
        counts[before as usize] += 1;
        if before != after {
            moved += 1;
            stray += u32::from(after != 10);
        }
    }
    out.put("jump_moved", f64::from(moved) / keys.len() as f64);
    out.put("jump_stray", f64::from(stray));
    out.put("jump_fewest", f64::from(counts.into_iter().fold(u32::MAX, u32::min)));
    out.put("jump_most", f64::from(counts.into_iter().fold(0, u32::max)));
    Ok(())
}

fn bounded(out: &mut Measures) -> Result<(), clockwise::Error> {
    let fleet = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?, Server::new("d")?])?;
    let ring = Ring::builder(Md5).points_per_weight(100).label(Label::Joined("-")).build(&fleet)?;
    let request = |i: u32| if i.is_multiple_of(2) { "video:hot".to_owned() } else { format!("video:{i}") };
    let requests: Vec<String> = (0..1_000).map(request).collect();
    let filled = fill_arriving(&ring, &requests, Cap::QUARTER);
    for (metric, load) in ["bounded_a", "bounded_b", "bounded_c", "bounded_d"].into_iter().zip(filled.loads())
    {
        out.put(metric, *load as f64);
    }
    out.put("bounded_most", filled.loads().iter().copied().max().unwrap_or(0) as f64);
    let on_c = requests.iter().filter(|request| ring.owner(request).name().as_str() == "c").count();
    out.put("plain_c", on_c as f64);
    Ok(())
}

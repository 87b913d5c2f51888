//! The slots of Redis Cluster and Valkey, and the maps that their tool makes.

use clockwise::dialect::redis::{Options, Plan, Rebalance, Reshard};
use clockwise::hash::{KeyHash, RedisSlot};
use clockwise::slots::SlotMap;
use clockwise::{Buckets, Members, Server};
use serde_json::Value;

use crate::record::{self, Score, bytes, list, number, object, read, text};

/// The owner of every slot, by name.
fn owners(map: &SlotMap) -> Vec<&str> {
    map.owners().iter().map(|owner| map.servers()[owner.index()].name().as_str()).collect()
}

/// The map that a case holds under `field`: for each master its ranges, ends included.
fn map(case: &Value, field: &str) -> SlotMap {
    let ranges = object(case, field);
    let masters: Result<Vec<Server>, _> = ranges.keys().map(|name| Server::new(name.as_str())).collect();
    let members = Members::new(masters.expect("servers")).expect("a fleet");
    let mut map = SlotMap::builder(&members, RedisSlot::SLOTS).expect("a map");
    for (name, ranges) in ranges {
        for range in ranges.as_array().expect("ranges") {
            let end = |at: usize| range[at].as_u64().expect("a slot") as u32;
            map = map.assign(end(0)..=end(1), name).expect("free slots");
        }
    }
    map.build().expect("all slots")
}

fn order(case: &Value) -> Vec<&str> {
    list(case, "order").iter().map(|name| name.as_str().expect("a name")).collect()
}

#[test]
fn every_recorded_slot_and_map_of_redis_cluster() {
    let recorded = read("redis/redis-cluster.json");
    let mut score = Score::default();
    for (key, slot) in object(&recorded, "keyslot") {
        score.answer(&slot.as_u64().expect("a slot"), &RedisSlot.hash(key.as_bytes()), || format!("{key:?}"));
    }
    for (key, slot) in object(&recorded, "keyslot_hex") {
        score.answer(&slot.as_u64().expect("a slot"), &RedisSlot.hash(&bytes(key)), || key.clone());
    }
    for case in list(&recorded, "create") {
        let masters: Vec<String> =
            (0..number(case, "n")).map(|i| format!("127.0.0.1:{}", 22_000 + i)).collect();
        let list_of_servers: Result<Vec<Server>, _> =
            masters.iter().map(|name| Server::new(name.as_str())).collect();
        let nodes = Buckets::new(list_of_servers.expect("servers")).expect("a fleet");
        let cluster = Options::default().build(&nodes).expect("a cluster");
        compare(&mut score, &map(case, "slots"), cluster.map(), case);
        if case.get("owners_by_MOVED").is_some() {
            let (servers, moved) = (list(&case["owners_by_MOVED"], "servers"), &case["owners_by_MOVED"]);
            let answers = object(moved, "owners");
            for ((key, owner), ours) in answers.iter().zip(record::owners(&cluster, answers.keys())) {
                let owner = servers[owner.as_u64().expect("an index") as usize].as_str().expect("a name");
                let ours = cluster.servers()[ours.index()].name().as_str();
                score.answer(&owner, &ours, || format!("{key:?} of {} masters", masters.len()));
            }
        }
    }
    for case in list(&recorded, "rebalance") {
        let weight =
            |(name, weight): (&String, &Value)| (name.clone(), weight.as_f64().expect("a weight") as f32);
        let weights = object(case, "weights").iter().map(weight).collect();
        let rebalance = Rebalance { weights, use_empty_masters: true, ..Rebalance::default() };
        let plan = rebalance.plan(&map(case, "before"), &order(case)).expect("a plan");
        compare(&mut score, &map(case, "after"), &plan.first_run(), case);
    }
    for case in list(&recorded, "reshard") {
        assert_eq!(text(case, "from"), "all");
        let reshard =
            Reshard { from: vec![], to: text(case, "to").into(), slots: number(case, "slots") as u32 };
        let plan: Plan = reshard.plan(&map(case, "before"), &order(case)).expect("a plan");
        compare(&mut score, &map(case, "after"), &plan.first_run(), case);
    }
    score.close_as("redis", "7.0.15 and valkey unstable 55bbbe09", 312_778);
}

/// The owner of each slot is one answer.
fn compare(score: &mut Score, recorded: &SlotMap, ours: &SlotMap, case: &Value) {
    let ours = owners(ours);
    for (slot, (recorded, ours)) in owners(recorded).iter().zip(&ours).enumerate() {
        score.answer(recorded, ours, || format!("slot {slot} of {} masters, {}", case["n"], case["weights"]));
    }
}

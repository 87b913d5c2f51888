//! The document that `plan --format json` prints: stable names, exact numbers.

use clockwise::moves::{self, BusiestOverMean, Moves};
use clockwise::{ArcMoves, Share};
use clockwise_config::Pool;
use clockwise_study::plan::{HitRatio, Report};
use serde::Serialize;

use super::{Counted, Goal};
use crate::args;
use crate::input;

/// A plan. Shares are parts of one.
#[derive(Serialize)]
pub(super) struct Document {
    /// Where the fleet was read from.
    pub(super) fleet: String,
    /// The change, as the subject of a sentence.
    pub(super) change: String,
    /// How keys are placed before and after.
    pub(super) scheme: Sides<String>,
    /// The seed of the synthetic keys; null where keys were read.
    pub(super) seed: Option<u64>,
    /// Keys looked at.
    pub(super) keys: u64,
    /// Keys whose owner changes.
    pub(super) moved: u64,
    pub(super) moved_share: f64,
    /// The least that such a change must move: half the sum of |target share after − before|.
    pub(super) minimum_share: f64,
    /// Keys that move for nothing: neither off a server whose target share falls nor onto one
    /// whose target share rises.
    pub(super) stray: u64,
    /// Requests looked at; null where the keys do not count them.
    pub(super) requests: Option<u64>,
    pub(super) requests_moved: Option<u64>,
    pub(super) requests_moved_share: Option<f64>,
    pub(super) bytes_moved: Option<u64>,
    /// Exact over every key there could be; null unless both sides are rings or slots.
    pub(super) circle_moved_share: Option<f64>,
    /// The rest of that exact account; null where it is.
    pub(super) circle: Option<Circle>,
    pub(super) flows: Vec<Flow>,
    pub(super) servers: Vec<ServerRow>,
    /// By keys.
    pub(super) busiest_over_mean: Sides<f64>,
    /// By requests; null where the keys do not count them.
    pub(super) busiest_over_mean_requests: Option<Sides<f64>>,
    /// The hit ratio before, and while moved keys miss once.
    pub(super) hit_ratio: Option<Sides<f64>>,
    /// The database's load while moved keys miss ÷ its load before.
    pub(super) database_load_factor: Option<f64>,
    pub(super) compare: Vec<Compared>,
}

#[derive(Serialize)]
pub(super) struct Sides<T> {
    pub(super) before: T,
    pub(super) after: T,
}

/// The change over every key there could be. Shares are of the circle, or of the slots.
#[derive(Serialize)]
pub(super) struct Circle {
    pub(super) stray_share: f64,
    pub(super) flows: Vec<CircleFlow>,
    pub(super) servers: Vec<CircleServer>,
    pub(super) busiest_over_mean: Sides<f64>,
}

#[derive(Serialize)]
pub(super) struct CircleFlow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) share: f64,
    pub(super) stray: bool,
}

#[derive(Serialize)]
pub(super) struct CircleServer {
    pub(super) name: String,
    pub(super) share_before: f64,
    pub(super) share_after: f64,
}

impl From<&ArcMoves> for Circle {
    fn from(arcs: &ArcMoves) -> Circle {
        let flow = |flow: &moves::Flow<Share>| CircleFlow {
            from: flow.from.to_string(),
            to: flow.to.to_string(),
            share: flow.moved.as_f64(),
            stray: flow.stray,
        };
        let server = |server: &moves::ServerMoves<Share>| CircleServer {
            name: server.name.to_string(),
            share_before: server.before.as_f64(),
            share_after: server.after.as_f64(),
        };
        Circle {
            stray_share: arcs.stray().as_f64(),
            flows: arcs.flows().iter().map(flow).collect(),
            servers: arcs.servers().iter().map(server).collect(),
            busiest_over_mean: sides(arcs.busiest_over_mean_of_arcs()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Flow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) keys: u64,
    pub(super) requests: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) stray: bool,
}

#[derive(Serialize)]
pub(super) struct ServerRow {
    pub(super) name: String,
    pub(super) keys_before: u64,
    pub(super) keys_after: u64,
    /// Of the keys.
    pub(super) share_before: f64,
    pub(super) share_after: f64,
    /// Of the requests; null where the keys do not count them.
    pub(super) requests_share_before: Option<f64>,
    pub(super) requests_share_after: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Compared {
    pub(super) scheme: String,
    pub(super) moved_share: f64,
    pub(super) requests_moved_share: Option<f64>,
    pub(super) stray: u64,
    pub(super) busiest_over_mean: Sides<f64>,
}

impl From<BusiestOverMean> for Sides<f64> {
    fn from(both: BusiestOverMean) -> Sides<f64> {
        Sides { before: both.before, after: both.after }
    }
}

impl Document {
    pub(super) fn new(
        args: &args::Plan,
        pool: &Pool,
        goal: &Goal,
        report: &Report,
        counted: Counted,
    ) -> Document {
        let moves = &report.moves;
        let (total, moved) = (moves.total(), moves.moved());
        let requests = |number: u64| counted.requests.then_some(number);
        let requests_share = |number: u64| requests_share(counted, number, moves);
        let moved_share = moved.keys as f64 / total.keys as f64;
        let requests_moved_share = requests_share(moved.requests);
        let hit_ratio = args
            .hit_ratio
            .map(|ratio| HitRatio::while_moving(ratio.0, requests_moved_share.unwrap_or(moved_share)));
        Document {
            fleet: input::title(pool),
            change: goal.change.clone(),
            scheme: Sides { before: pool.scheme().to_string(), after: goal.fleet.scheme.to_string() },
            seed: args.keys.keys.is_none().then_some(args.seed),
            keys: total.keys,
            moved: moved.keys,
            moved_share,
            minimum_share: moves.minimum().as_f64(),
            stray: moves.stray().keys,
            requests: requests(total.requests),
            requests_moved: requests(moved.requests),
            requests_moved_share,
            bytes_moved: counted.bytes.then_some(moved.bytes),
            circle_moved_share: report.circle.as_ref().map(|circle| circle.moved().as_f64()),
            circle: report.circle.as_ref().map(Circle::from),
            flows: (moves.flows().iter())
                .map(|flow| Flow {
                    from: flow.from.to_string(),
                    to: flow.to.to_string(),
                    keys: flow.moved.keys,
                    requests: requests(flow.moved.requests),
                    bytes: counted.bytes.then_some(flow.moved.bytes),
                    stray: flow.stray,
                })
                .collect(),
            servers: (moves.servers().iter())
                .map(|server| ServerRow {
                    name: server.name.to_string(),
                    keys_before: server.before.keys,
                    keys_after: server.after.keys,
                    share_before: server.before.keys as f64 / total.keys as f64,
                    share_after: server.after.keys as f64 / total.keys as f64,
                    requests_share_before: requests_share(server.before.requests),
                    requests_share_after: requests_share(server.after.requests),
                })
                .collect(),
            busiest_over_mean: busiest(moves),
            busiest_over_mean_requests: moves.busiest_over_mean_of_requests().map(Sides::from),
            hit_ratio: hit_ratio.map(|ratio| Sides { before: ratio.before, after: ratio.after }),
            database_load_factor: hit_ratio.and_then(HitRatio::database_load_factor),
            compare: (report.compared.iter())
                .map(|(scheme, moves)| Compared {
                    scheme: scheme.to_string(),
                    moved_share: moves.moved().keys as f64 / total.keys as f64,
                    requests_moved_share: requests_share_of(counted, moves),
                    stray: moves.stray().keys,
                    busiest_over_mean: busiest(moves),
                })
                .collect(),
        }
    }
}

/// Busiest ÷ mean by keys.
fn busiest(moves: &Moves) -> Sides<f64> {
    sides(moves.busiest_over_mean_of_keys())
}

/// A plan without keys is refused before it gets here, and a circle is never empty.
fn sides(busiest: Option<BusiestOverMean>) -> Sides<f64> {
    busiest.map_or(Sides { before: 0.0, after: 0.0 }, Sides::from)
}

impl Document {
    /// The exact account, where it stands in for keys that were not given.
    pub(super) fn exact(&self) -> Option<(f64, &Circle)> {
        self.seed.and(self.circle_moved_share).zip(self.circle.as_ref())
    }
}

/// Part of all requests, where there are any.
fn requests_share(counted: Counted, number: u64, moves: &Moves) -> Option<f64> {
    let total = moves.total().requests;
    (counted.requests && total > 0).then(|| number as f64 / total as f64)
}

fn requests_share_of(counted: Counted, moves: &Moves) -> Option<f64> {
    requests_share(counted, moves.moved().requests, moves)
}

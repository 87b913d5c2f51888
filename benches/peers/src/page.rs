//! The page: method, machine, goals, raw numbers, and where a peer is ahead.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use clockwise::Level;

use crate::core_loops::Loop;
use crate::goals::Row;
use crate::growth::Growth;
use crate::harness::Measured;

const METHOD: &str = "\
# How fast it is, against other crates

Written by `cargo xtask bench`; run it for the figures of your machine.

Every crate places keys of the same list over the same fleet and is looked up as its documentation shows:
65,536 numbers of 64 bits, and as many texts `user:0`, `user:1`, …. Hashing the key is part of every lookup.
Where a crate has a hash of its own it hashes; ours mixes a number once and hashes a text by xxh3-64; crates for
jump hash take a number as it is. Rings have 160 points a server, Maglev tables 65,537 slots unless said.

Before anything is timed an entry must be fair: it leaves no server out, no server has more than four times
the mean, and crates that implement the function of the jump paper give its answers. All entries of a size then
run in turns, and the least CPU time of the thread counts, for each kind of key by itself; of builds, that of all
threads, because pingora-ketama v2 sorts on several. On a shared machine
only ratios of one run mean anything; and caches are shared with whatever else runs, so that under load even
the ratios of large rings and tables differ from run to run, some of them by a factor of two.

The last goals are of the program `clockwise` from its start to its end: 100 servers, and ten million keys of 20
bytes in a file, one a line. Time is the CPU time of the whole process, and what it prints goes to `/dev/null`.
";

/// What the profiles showed; not measured again by a run.
const REASONS: &str = "\
## Why some rows are not better

Verdicts differ from run to run where a row is near its goal. Two runs some hours after the one above measured
the same code otherwise: while reading the file took 5.6 and 4.6 ns a key, not 3.5, the plan of a ring took 60.6 and 50.7 ns, multi-probe with 10
servers was 9.5 and 10.7 times as fast as its peer, our own points were built 1.2 and 1.3 times as fast, and the ring took, one by one, 1.12 and
1.49 times two reads, in batches 0.93 and 1.10.

Maglev, numbers: of the 29 instructions of a lookup, 13 mix the number, and 7 find the remainder by two products
where a peer divides; the read is one of a table of 128 KiB. Where the table was in the cache, a loop over keys took 2.7 ns.
In four runs on the idle machine a lookup took 3.7 to 4.3 ns and that of the peer 33 to 54: 8.3 to 12.9 times; in two later ones 12.3 and 8.1.

Maglev, build of 65,537 slots: the turns of 1,000 servers look at 363,000 slots, and which look finds a free one cannot be guessed.
With equal weights, whole rounds of all servers and a step that wraps at zero took 7.0 million instructions where turns one by one took
10.4, and on a busy machine 1.2 ms where those took 1.35, 2.7 times as fast as the peer in the same runs. To test two, four or
eight slots of a walk at once, with one guess for all, took as long or longer.

Multi-probe, 10 servers: no part of the index holds two points, so nothing is guessed and 21 probes take some 25 instructions
each, a quarter of them to mix the probe. Probes in even steps would be a fifth faster, and less even.

Bounded loads: four counts are changed for a lease that is taken and given back, in atomic instructions and all in one order, so that
no number of threads exceeds a cap together. In a loop of their own these took 10.5 ns, ordinary ones 1.6. With the ring in the
caches a lease took 26 ns, 8 of them for the lookup with its hash, in 151 instructions: the loop, the lookup, the lease and its return.
`cargo xtask instructions` counts 168 for the same, because it compiles crates apart and this page's program as one; the walk to another server, which one key
in 180 needs, stands apart, and took 30 more instructions and 2 to 3 ns of every lease while it did not. Right after the plain search had
the caches, a lease took 37 to 47 ns, because whoever comes first to a line of the ring waits for memory, and the search 160
to 200: so each of the two goes over its keys four times in a turn. In four runs of that, on the idle machine, a lease took 26 to 30 ns, and
the search 94 to 125: 3.6, 3.6, 3.9 and 4.2 times. Every lease writes the total, whose cache line goes from core to core: in the
same runs two threads took 26, 26, 42 and 44 ns, and one 42 to 45. In two later ones a lease was 3.8 and 4.2 times as fast as the search,
and two threads were 7 in a hundred slower than one, 48 and 49 ns where one took 45 and 46: that goal is not safely met.

Jump-back, 10 servers: where its walk ends can be guessed while most of the last range of buckets is filled, with 1,000 of 1,024, and
not with 10 of 16. By callgrind, from a ready hash, a key takes with 10 servers 64 instructions and 1.00 wrong guesses, and by
`jumpconsistenthash` 52 and 0.90; with 1,000 servers 48 and 0.04 where that takes 120 and 1.12. A form that computes all that most keys
may need and chooses from it, taken only where more than a tenth of the buckets up to the power of two is missing, had 0.12 wrong
guesses with 10 servers and took 12.8 to 18.5 ns where the walk took 15.8 to 19.0. But with 1,000 servers, where the walk is taken
beside it, a lookup took 7.6 to 11.0 ns in place of 4.8 to 6.1, and with 100 servers 10.6 to 15.2 in place of 10.1 to 11.3, so the walk
stayed alone.

AnchorHash has a goal that no row shows, 1.2 times the time of its authors' program in C++ (anchorhash/cpp-anchorhash at 5258080,
`mem/AnchorHash.cpp`), which no package manager has. Linked into one program by g++ 12.2 -O3, in turns with ours from a ready
hash, with room for a tenth more servers, a tenth of them removed or none: 0.97 to 1.02 times its time with 10 to 10,000 servers
and 1.1 to 1.2 with 100,000, where ours reads four bytes of each bucket as it does; with room for twice as many or 1,024, 0.9 to 1.13.
Its hash is one instruction of CRC-32, ours the mix of a word; a number that is mixed before, as in the table below, takes 1.4 to 1.7
times as long, and need not be, because every draw mixes.

Jump: `jumpconsistenthash` divides whole numbers, and gives other buckets than the paper for a few keys
(5000199272517344705 in 2,000 buckets: 1024 and not 1023), too few to be met among the keys that are checked here.
Ours divides whole numbers where the floats of the paper cannot differ, and computes those elsewhere.

## What keeps the ring from its limits

A lookup reads one line of memory, which has sixteen bits of each point of a bucket and their owners. Counted by
cachegrind (32 KiB and 512 KiB of cache), per lookup of a ready hash among 160,000 points: two reads in turn
bring 2.1 lines of memory, 1.5 of them from beyond the larger cache, a lookup 1.1 and 0.7. But a lookup takes 34
instructions where two reads take 9, so that fewer of them overlap while they wait: 13 find the line, 14 compare and
read the owner, and the rest is the loop. On a
busy machine a lookup took 0.7 to 1.3 times as long as two reads where each ran twice in a row, and about twice as
long in turns with them, when each finds the larger cache full of the other's lines. One lookup
in seventy is of a bucket with more points before the key than a line has, and waits twice more. Eight
points a line instead of eleven or twelve would leave almost none of these and took a fifth off in a prototype, but
the ring would take 18 bytes a point.

A batch asks for the lines of 64 keys before it reads any of them. That is 41 instructions a key, and pays where lines are
far: on a busy machine, with 10,000 servers a key took 23.9 ns where one by one took 36.4 and a batch that did not ask
39.6. With 1,000 it took 4.7 where one by one took 4.5 and a batch that did not ask 5.1 while the caches were
free, and 7.5, 13.1 and 14.3 while others used them. With 10, where all lines are near, it took 3.9 and one by one 2.9, so that
up to 256 KiB of lines are looked up one by one. The batch and the reads beside it hand out 1,024 answers at a time over one
array, as the command takes them: in an array of all owners the batch wrote 256 KiB and the reads nothing, and its own
answers put its lines out of the cache.

Tables are asked for in batches likewise, of more than 256 KiB: on a busy machine a key of Maglev took 5.8 ns of 655,373
slots where one after the other took 10.3, of AnchorHash 6.6 and 9.5 with 100,000 servers, 14.9 and 27.7 with a
million, of MementoHash 62 and 81, and 79 and 192. DxHash has a bit for a server and gained nothing.

Above 65,536 servers an owner does not fit a line. Half a line has the fragments of up to fourteen points and where
they begin, and the point tells its owner: two reads in turn, both from memory. In one run with 100,000 servers on a
busy machine a lookup took 94 ns, and 145 by an index and a window of five points, the form before; a batch 43 and 90;
a join 398 ms and 624.

A build hashes 160,000 texts, scatters them twice, and makes the lines: 245 instructions a point before labels were
counted up in place and the form of points was settled outside of loops, which took a fifth off its time. On a busy
machine it took as long as that of pingora v1 or a tenth longer; the lines are 32 of those instructions. Of
pingora's own points it takes 240 where pingora v1 takes 249, and took 315 before the four bytes that end a point were looked
up side by side and points behind a dropped one were moved without a call: 4.6 ms in a run where v1 took 5.1 and the form
before 5.8. A join is held against copying a position
and a server for each point, 16 bytes with the space between, because a ring keeps 15.9. What is between two
of the newcomer's points is copied as one stretch, and so are the lines that none of its points is in. One join in
25 is of a ring that then has more lines: all of them are made anew, which takes twice as long. To copy points plainly where no
server's number changes took 0.79 to 0.93 of the time of the join above, whose newcomer has the last number, but 1.02 to 1.11 with a
newcomer in the middle or in front, so every point is renamed. A leave
looks at every point, and takes three to four times as long as a join.

Arcs moved by a join: every point of both rings is read. Sixteen arcs of either side that end at the same places are told so in
vectors, and each is then added to the sum of its server: 22 instructions a point, three of them to compare, where arcs that were read and
compared one by one took 63. In turns on a busy machine that took 0.33 to 0.38 ms, and the form before 0.81 to 0.85. What it and a join
are held against is a copy to memory that the program has and has written to: 0.09 to 0.13 ms where arcs took 0.30 to 0.44 and a
join 0.18 (0.24 before the lines got the new numbers of their servers in vectors), and 1.7 where the system was asked for the memory anew, which neither of the two does from its second round on.
";

fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(" unknown");
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc
        .map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "{}; {cores} cores, load {load}; instructions: {}; {rustc}",
        model.trim_start_matches([' ', '\t', ':']),
        Level::best()
    )
}

fn nanoseconds(time: f64) -> String {
    match time {
        ..100.0 => format!("{time:.1} ns"),
        ..1e6 => format!("{time:.0} ns"),
        _ => format!("{:.1} ms", time / 1e6),
    }
}

pub fn text(
    goals: &[Row],
    measured: &[Measured],
    large: &[Measured],
    loops: &[Loop],
    growth: &[Growth],
    refused: &[String],
    rounds: u32,
) -> String {
    let mut page = format!("{METHOD}\nMachine: {}. Rounds: {rounds}.\n\n## Goals\n\n", machine());
    // A String takes all that is written.
    let mut line = |text: std::fmt::Arguments<'_>| {
        let _ = writeln!(page, "{text}");
    };
    line(format_args!("| what | goal | reached | verdict | best peer |\n|---|---|---|---|---|"));
    for row in goals {
        let [goal, reached, verdict] = row.shown();
        line(format_args!("| {} | {goal} | {reached} | {verdict} | {} |", row.what, row.peer));
    }
    line(format_args!(
        "\nOf goals with `≥` the number is how many times as fast as the best peer; of those with `≤`, how many"
    ));
    line(format_args!("times as long as the limit takes.\n\n{REASONS}\n## Where a peer is ahead\n"));
    let mut ahead = 0;
    // Tables of one size each: a large one is not compared with small ones.
    for (slots, measured) in [("", measured), (", 655,373 slots", large)] {
        for ours in measured.iter().filter(|m| m.ours) {
            let alike = |m: &&Measured| !m.ours && m.scheme == ours.scheme && m.servers == ours.servers;
            for peer in measured.iter().filter(alike) {
                for (kind, theirs, own) in [
                    ("numbers", peer.number, ours.number),
                    ("texts", peer.text, ours.text),
                    ("building", peer.build, ours.build),
                ] {
                    if theirs < own && kind != "building" || theirs * 1.1 < own {
                        ahead += 1;
                        let times = own / theirs;
                        line(format_args!(
                            "- {}{slots}, {} servers, {kind}: {} takes {}, {} {} ({times:.2} times)",
                            ours.scheme,
                            ours.servers,
                            peer.name,
                            nanoseconds(theirs),
                            ours.name,
                            nanoseconds(own)
                        ));
                    }
                }
            }
        }
    }
    if ahead == 0 {
        line(format_args!("Nowhere in this run."));
    }
    line(format_args!("\n## Time of a lookup\n"));
    line(format_args!(
        "| scheme | crate | servers | number | text | build | bytes kept | busiest / mean |\n|---|---|---|---|---|---|---|---|"
    ));
    for m in measured {
        let (number, text, build) = (nanoseconds(m.number), nanoseconds(m.text), nanoseconds(m.build));
        line(format_args!(
            "| {} | {} | {} | {number} | {text} | {build} | {} | {:.2} |",
            m.scheme, m.name, m.servers, m.bytes, m.busiest
        ));
    }
    for m in large {
        let (number, text, build) = (nanoseconds(m.number), nanoseconds(m.text), nanoseconds(m.build));
        line(format_args!(
            "| {}, 655,373 slots | {} | {} | {number} | {text} | {build} | {} | {:.2} |",
            m.scheme, m.name, m.servers, m.bytes, m.busiest
        ));
    }
    line(format_args!("\n## From a ready hash, 1,000 servers\n\n| what | ours | against |\n|---|---|---|"));
    for found in loops {
        line(format_args!(
            "| {} | {} | {} |",
            found.what,
            nanoseconds(found.ours),
            nanoseconds(found.against)
        ));
    }
    line(format_args!(
        "\n## How costs grow\n\nA ring of so many servers and points a server, and the other schemes over servers alone. A join is one \
         more server,\nas a user would have it: a ring from the one before, the others built anew. Bytes are what stays allocated; times are the least of a few rounds.\n"
    ));
    line(format_args!(
        "| scheme | servers | points | lookup | build | join | bytes | bytes a point or slot |\n|---|---|---|---|---|---|---|---|"
    ));
    for row in growth {
        let (lookup, build, join) = (nanoseconds(row.lookup), nanoseconds(row.build), nanoseconds(row.join));
        let each =
            row.parts.map_or("-".to_owned(), |parts| format!("{:.1}", row.bytes as f64 / parts as f64));
        let points = row.points.map_or("-".to_owned(), |points| points.to_string());
        line(format_args!(
            "| {} | {} | {points} | {lookup} | {build} | {join} | {} | {each} |",
            row.scheme, row.servers, row.bytes
        ));
    }
    if !refused.is_empty() {
        line(format_args!("\n## Not timed, because not fair\n"));
        for reason in refused {
            line(format_args!("- {reason}"));
        }
    }
    page
}

//! Pictures as SVG: a ring with its points ([`ring`]), shares before and after ([`bars`]), and charts of
//! measurements ([`Chart`]).
//!
//! One small vocabulary for all: the same text sizes, the same colours for the same server, plain
//! shapes. The files stand alone (no fonts, no scripts, nothing fetched), follow the reader's light
//! or dark scheme, carry a title and a description for screen readers, and are the same bytes for the
//! same input, with coordinates to a hundredth of a pixel, one shape a line: they diff cleanly.
//!
//! ```
//! use clockwise::hash::Xxh3;
//! use clockwise::{Measured, Members, Placement, Ring, Server};
//! use clockwise_study::draw;
//!
//! let members = Members::new([Server::new("cache-1")?, Server::new("cache-2")?])?;
//! let ring = Ring::builder(Xxh3).build(&members)?;
//! let layout = ring.layout().expect("a ring has arcs");
//! let picture = draw::ring("my fleet", ring.servers(), layout);
//! assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
//! # Ok::<(), clockwise::Error>(())
//! ```

mod bars;
mod chart;
mod circle;
mod legend;
mod measure;
mod palette;
mod ring;
mod scale;
mod svg;
#[cfg(test)]
mod tests;

pub use bars::{Bar, bars};
pub use chart::{
    Axis, Body, Chart, Dots, Heat, HeatRow, Mark, Panel, Plot, Point, Row, Rule, Series, Strip, Strips,
    Table, Width,
};
pub(crate) use palette::STYLE;
pub use ring::ring;
pub use scale::Unit;

use crate::number::{counted, grouped};

/// A share as the pictures print it: three digits, or a plain 0%.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value <= 0.0 {
        "0%".to_owned()
    } else if value < 0.9995 {
        format!("{value:.3}%")
    } else if value < 9.995 {
        format!("{value:.2}%")
    } else {
        format!("{value:.1}%")
    }
}

/// A name in at most `most` columns; the middle goes first, since names differ at both ends.
fn shortened(name: &str, most: usize) -> String {
    // Wide scripts take two columns a character; counting them so errs on the short side only.
    let width = |c: char| if u32::from(c) >= 0x1100 { 2 } else { 1 };
    if name.chars().map(width).sum::<usize>() <= most {
        return name.to_owned();
    }
    let take = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        characters
            .take_while(|&c| {
                used += width(c);
                used <= room
            })
            .collect::<Vec<_>>()
    };
    let room = most.saturating_sub(1);
    let tail = take(&mut name.chars().rev(), room / 2);
    let head = take(&mut name.chars(), room - room / 2);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

//! Charts of measurements: curves with their theory ([`Plot`]), values in rows beside what was
//! published ([`Dots`]), points along a line ([`Strips`]), tables in colour ([`Heat`]).
//!
//! A chart is data first. From the same data come a picture that stands alone ([`Chart::picture`]),
//! two layouts for a page ([`Chart::inline`]: one for wide screens, one for phones, with letters of the
//! same size), the sentence that a screen reader says, and a table of all numbers ([`Chart::table`]).

mod dots;
mod heat;
mod key;
mod labels;
mod plot;
mod strips;
mod table;

pub use dots::{Dots, Mark, Row};
pub use heat::{Heat, HeatRow};
pub use plot::{Axis, Panel, Plot, Point, Rule, Series};
pub use strips::{Strip, Strips};
pub use table::Table;

use super::measure;
use super::palette::STYLE;
use super::svg::{self, Px, Svg};

/// A chart: what it shows, said in a sentence, and the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The finding, as a sentence.
    pub title: String,
    /// What is shown, and how it was measured.
    pub subtitle: String,
    /// The data.
    pub body: Body,
}

/// The kinds of charts.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Curves and points on two axes, in one panel or several.
    Plot(Plot),
    /// Values in rows on one axis.
    Dots(Dots),
    /// Points along a line, a row each.
    Strips(Strips),
    /// Numbers in rows and columns, shaded.
    Heat(Heat),
    /// Numbers of several kinds, which no picture would make clearer.
    Numbers(Table),
}

/// For which width of the page a chart is laid out. Letters have the same size in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 760 pixels.
    Wide,
    /// 340 pixels: a phone held upright.
    Narrow,
}

impl Width {
    fn pixels(self) -> f64 {
        match self {
            Width::Wide => 760.0,
            Width::Narrow => 340.0,
        }
    }
}

/// The size of plain text.
const TEXT: f64 = 13.0;
/// The size of ticks and notes.
const SMALL: f64 = 12.0;
/// From one line of text to the next.
const LINE: f64 = 17.0;
const TITLE: f64 = 18.0;
const TITLE_LINE: f64 = 24.0;
/// Between the edge of a picture that stands alone and what it shows.
const MARGIN: f64 = 24.0;
/// Colours of series, and shapes of marks.
const COLOURS: usize = 8;

/// What a body draws itself on: a piece of the picture from `left` to `right`, beginning at `top`.
struct Sheet {
    svg: Svg,
    left: f64,
    right: f64,
    top: f64,
    narrow: bool,
}

impl Sheet {
    fn width(&self) -> f64 {
        self.right - self.left
    }

    fn words(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.svg.text("text", &[("class", &class), ("x", &Px(x)), ("y", &Px(y))], text);
    }

    fn path(&mut self, class: &str, path: &str) {
        self.svg.leaf("path", &[("class", &class), ("d", &path)]);
    }
}

impl Chart {
    /// A picture that stands alone, as a file: with the title, and a style sheet for light and dark.
    pub fn picture(&self) -> String {
        let width = Width::Wide.pixels() + 2.0 * MARGIN;
        let room = Width::Wide.pixels();
        let mut sheet =
            Sheet { svg: Svg::new(""), left: MARGIN, right: MARGIN + room, top: MARGIN, narrow: false };
        for line in measure::wrapped(&self.title, TITLE * 1.13, room) {
            let y = sheet.top + TITLE;
            sheet.words("headline", MARGIN, y, &line);
            sheet.top += TITLE_LINE;
        }
        for line in measure::wrapped(&self.subtitle, TEXT, room) {
            let y = sheet.top + TEXT;
            sheet.words("muted", MARGIN, y, &line);
            sheet.top += LINE;
        }
        sheet.top += 14.0;
        let height = self.draw(&mut sheet) + MARGIN * 0.75;
        self.framed(sheet, width, height, Some(STYLE)).finish()
    }

    /// A picture for a page that has the style sheet already and says the title itself.
    pub fn inline(&self, width: Width) -> String {
        self.markup(width).finish()
    }

    /// The same, to go on with.
    pub(crate) fn markup(&self, width: Width) -> Svg {
        let pixels = width.pixels();
        let narrow = width == Width::Narrow;
        let mut sheet = Sheet { svg: Svg::new(""), left: 0.0, right: pixels, top: 2.0, narrow };
        let height = self.draw(&mut sheet) + 4.0;
        self.framed(sheet, pixels, height, None)
    }

    /// Draws from `sheet.top` down; where it ends.
    fn draw(&self, sheet: &mut Sheet) -> f64 {
        if self.table().rows.is_empty() {
            sheet.words("muted", sheet.left, sheet.top + TEXT, "Nothing was measured.");
            return sheet.top + LINE;
        }
        match &self.body {
            Body::Plot(plot) => plot.draw(sheet),
            Body::Dots(dots) => dots.draw(sheet),
            Body::Strips(strips) => strips.draw(sheet),
            Body::Heat(heat) => heat.draw(sheet),
            Body::Numbers(_) => {
                sheet.words("muted", sheet.left, sheet.top + TEXT, "The table has all there is to show.");
                sheet.top + LINE
            }
        }
    }

    fn framed(&self, sheet: Sheet, width: f64, height: f64, style: Option<&str>) -> Svg {
        let (width, height) = (width.ceil() as u32, height.ceil() as u32);
        let mut out = svg::picture(width, height, &self.title, &self.description(), style);
        out.nest(sheet.svg);
        out
    }

    /// What the picture shows, in words, for who does not see it.
    pub fn description(&self) -> String {
        let shown = match &self.body {
            Body::Plot(plot) => plot.description(),
            Body::Dots(dots) => dots.description(),
            Body::Strips(strips) => strips.description(),
            Body::Heat(heat) => heat.description(),
            Body::Numbers(table) => format!("A table of {} rows.", table.rows.len()),
        };
        if self.subtitle.is_empty() {
            return shown;
        }
        let stop = if self.subtitle.ends_with(['.', '?', '!']) { "" } else { "." };
        format!("{}{stop} {shown}", self.subtitle)
    }

    /// Whether it is a picture: what is numbers alone is shown as a table.
    pub fn is_drawn(&self) -> bool {
        !matches!(self.body, Body::Numbers(_))
    }

    /// All numbers of the chart.
    pub fn table(&self) -> Table {
        match &self.body {
            Body::Plot(plot) => plot.table(),
            Body::Dots(dots) => dots.table(),
            Body::Strips(strips) => strips.table(),
            Body::Heat(heat) => heat.table(),
            Body::Numbers(table) => table.clone(),
        }
    }
}

/// A mark of series `index` at a place: circle, square, triangle, diamond in turn.
fn mark(index: usize, x: f64, y: f64) -> String {
    match index % 4 {
        0 => format!("M{} {}a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z", Px(x - 4.0), Px(y)),
        1 => format!("M{} {}h7v7h-7z", Px(x - 3.5), Px(y - 3.5)),
        2 => format!("M{} {}l4.6 8h-9.2z", Px(x), Px(y - 5.0)),
        _ => format!("M{} {}l5 5l-5 5l-5 -5z", Px(x), Px(y - 5.0)),
    }
}

/// An error bar upright or lying, with caps, if it would be seen beside its mark.
fn error_bar(low: (f64, f64), high: (f64, f64)) -> Option<String> {
    let (dx, dy) = ((high.0 - low.0).abs(), (high.1 - low.1).abs());
    if dx + dy < 3.0 {
        return None;
    }
    let cap = |(x, y): (f64, f64)| {
        if dx > dy {
            format!("M{} {}v7", Px(x), Px(y - 3.5))
        } else {
            format!("M{} {}h7", Px(x - 3.5), Px(y))
        }
    };
    Some(format!("M{} {}L{} {}{}{}", Px(low.0), Px(low.1), Px(high.0), Px(high.1), cap(low), cap(high)))
}

#[cfg(test)]
mod tests;

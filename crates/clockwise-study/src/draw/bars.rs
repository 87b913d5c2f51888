//! Shares before and after a change, as horizontal bars.

use super::palette::STYLE;
use super::svg::{self, Px, Svg};
use super::{percent, shortened};

/// One server's shares, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its share before; 0 for a newcomer.
    pub before: f64,
    /// Its share after; 0 for one that leaves.
    pub after: f64,
    /// Its target share after: weight ÷ total weight.
    pub target: f64,
}

/// More servers than this are not shown: those whose shares change most are.
const MOST: usize = 40;

const WIDTH: u32 = 1000;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 830.0;
const TOP: f64 = 120.0;
const ROW: f64 = 34.0;
const NAME: usize = 24;

/// Draws shares before and after a change, in the order given, with a mark at each target.
///
/// `subtitle` says what the shares are of: keys, requests, the circle. Beyond 40 servers the 40 that
/// change most are drawn, in the order given, and the picture says so. Shares outside 0 to 1 are
/// drawn as the nearer of the two.
pub fn bars(title: &str, subtitle: &str, rows: &[Bar<'_>]) -> String {
    let rows: Vec<Bar> = rows.iter().map(Bar::bounded).collect();
    let mut shown: Vec<usize> = (0..rows.len()).collect();
    if rows.len() > MOST {
        let change = |at: &usize| (rows[*at].after - rows[*at].before).abs();
        shown.sort_by(|a, b| change(b).total_cmp(&change(a)));
        shown.truncate(MOST);
        shown.sort_unstable();
    }
    let largest = shown.iter().map(|&at| rows[at].largest()).fold(0.0, f64::max);
    let (step, end) = scale(largest);
    let x = |share: f64| LEFT + (RIGHT - LEFT) * share / end;

    let bottom = TOP + ROW * shown.len() as f64;
    let note = rows.len() > MOST;
    let height = bottom as u32 + if note { 50 } else { 26 };
    let description = match shown.iter().max_by(|a, b| rows[**a].after.total_cmp(&rows[**b].after)) {
        Some(&most) => format!(
            "{subtitle}. The largest share after is {}'s, {}; before it had {}.",
            rows[most].name,
            percent(rows[most].after),
            percent(rows[most].before)
        ),
        None => subtitle.to_owned(),
    };
    let mut svg = svg::picture(WIDTH, height, title, &description, Some(STYLE));
    svg.text("text", &[("class", &"title"), ("x", &30), ("y", &42)], title);
    svg.text("text", &[("class", &"muted"), ("x", &30), ("y", &66)], subtitle);
    draw_key(&mut svg);

    let lines = (end / step).round() as u32;
    for line in 0..=lines {
        let share = step * f64::from(line);
        let path = format!("M{} {}V{}", Px(x(share)), Px(TOP - 8.0), Px(bottom));
        svg.leaf("path", &[("class", &"rule"), ("d", &path)]);
        let label = format!("{}%", Px(share * 100.0));
        let (x, y) = (Px(x(share)), Px(TOP - 14.0));
        svg.text("text", &[("class", &"muted small middle"), ("x", &x), ("y", &y)], &label);
    }
    for (row, &at) in shown.iter().enumerate() {
        let (bar, top) = (&rows[at], TOP + ROW * row as f64);
        let (name, text) = (shortened(bar.name, NAME), Px(top + 20.0));
        svg.text("text", &[("class", &"end"), ("x", &Px(LEFT - 12.0)), ("y", &text)], &name);
        let tip = format!("{}: {} before, {} after", bar.name, percent(bar.before), percent(bar.after));
        for (class, share, y, height) in [("before", bar.before, 4.0, 8.0), ("after", bar.after, 13.0, 13.0)]
        {
            let width = Px(x(share) - LEFT);
            let (y, height) = (Px(top + y), Px(height));
            let place = [
                ("class", &class as _),
                ("x", &LEFT as _),
                ("y", &y as _),
                ("width", &width as _),
                ("height", &height as _),
            ];
            svg.tipped("rect", &place, &tip);
        }
        if bar.target > 0.0 {
            let path = format!("M{} {}v16", Px(x(bar.target)), Px(top + 11.5));
            svg.leaf("path", &[("class", &"target"), ("d", &path)]);
        }
        let change = format!("{} → {}", percent(bar.before), percent(bar.after));
        svg.text("text", &[("class", &"number"), ("x", &Px(RIGHT + 20.0)), ("y", &text)], &change);
    }
    if note {
        let text = format!("The {MOST} of {} servers whose shares change most.", rows.len());
        svg.text("text", &[("class", &"muted small"), ("x", &30), ("y", &Px(bottom + 28.0))], &text);
    }
    svg.finish()
}

/// What the two bars and the mark mean.
fn draw_key(svg: &mut Svg) {
    for (class, x, text) in [("before", 640.0, "before"), ("after", 730.0, "after")] {
        let place: [super::svg::Attribute; 5] =
            [("class", &class), ("x", &Px(x)), ("y", &54), ("width", &18), ("height", &12)];
        svg.leaf("rect", &place);
        svg.text("text", &[("class", &"muted"), ("x", &Px(x + 25.0)), ("y", &65)], text);
    }
    svg.leaf("path", &[("class", &"target"), ("d", &"M812 52v16")]);
    svg.text("text", &[("class", &"muted"), ("x", &821), ("y", &65)], "target after");
}

/// The distance of grid lines and the end of the scale, for a largest value.
fn scale(largest: f64) -> (f64, f64) {
    let steps = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
    let step = steps.into_iter().find(|step| largest / step <= 6.0).unwrap_or(0.2);
    (step, step * (largest / step).ceil().max(1.0))
}

impl Bar<'_> {
    fn bounded(&self) -> Self {
        let bound = |share: f64| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        Bar {
            name: self.name,
            before: bound(self.before),
            after: bound(self.after),
            target: bound(self.target),
        }
    }

    fn largest(&self) -> f64 {
        self.before.max(self.after).max(self.target)
    }
}

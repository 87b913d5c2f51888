//! The legend of a ring: colour, letter, name, share, share ÷ target, points.

use super::palette::{Look, letter};
use super::svg::{Px, Svg};
use super::{counted, grouped, percent, shortened};

/// One server as the legend shows it.
pub(super) struct Entry<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) share: f64,
    /// Share ÷ target share; none for a server without a target.
    pub(super) over: Option<f64>,
    pub(super) pieces: u64,
}

pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    piece: &'static str,
    busiest: Option<usize>,
    /// What is shown, in order, and how many are left out before the last [`IDLEST`].
    shown: Vec<usize>,
    left_out: usize,
}

/// A fleet up to this size is shown whole, in its own order.
const WHOLE: usize = 40;
/// Of a larger one the busiest and the idlest.
const BUSIEST: usize = 26;
const IDLEST: usize = 12;

const ROW: f64 = 22.0;
const LETTER: f64 = 44.0;
const NAME: f64 = 66.0;
const SHARE: f64 = 316.0;
const OVER: f64 = 382.0;
const PIECES: f64 = 450.0;
/// The longest name, in columns of a wide fallback font.
const NAME_COLUMNS: usize = 24;

impl<'a> Legend<'a> {
    pub(super) fn new(entries: Vec<Entry<'a>>, piece: &'static str) -> Legend<'a> {
        let busiest = entries
            .iter()
            .filter(|entry| entry.over.is_some())
            .reduce(|most, next| if next.over > most.over { next } else { most })
            .map(|entry| entry.index);
        let mut shown: Vec<usize> = (0..entries.len()).collect();
        let mut left_out = 0;
        if entries.len() > WHOLE {
            let over = |at: &usize| entries[*at].over.unwrap_or(0.0);
            shown.sort_by(|a, b| over(b).total_cmp(&over(a)));
            left_out = entries.len() - BUSIEST - IDLEST;
            shown.drain(BUSIEST..BUSIEST + left_out);
        }
        Legend { entries, piece, busiest, shown, left_out }
    }

    pub(super) fn height(&self) -> u32 {
        let rows = self.shown.len() + usize::from(self.left_out > 0);
        (rows as f64 * ROW) as u32
    }

    /// The server with the largest share ÷ target share; the first of several.
    pub(super) fn busiest(&self) -> Option<&Entry<'a>> {
        self.busiest.and_then(|at| self.entries.get(at))
    }

    /// A server in one line.
    pub(super) fn tip(&self, server: usize) -> String {
        self.entries.get(server).map_or_else(String::new, |entry| {
            let (name, share) = (entry.name, percent(entry.share));
            format!("{} {name}: {share}, {}", letter(server), counted(entry.pieces, self.piece))
        })
    }

    pub(super) fn draw(&self, svg: &mut Svg, (left, top): (f64, f64)) {
        let heads = [
            ("muted small", NAME, "server"),
            ("muted small end", SHARE, "share"),
            ("muted small end", OVER, "÷ target"),
            ("muted small end", PIECES, if self.piece == "slot" { "slots" } else { "points" }),
        ];
        for (class, x, text) in heads {
            svg.text("text", &[("class", &class), ("x", &Px(left + x)), ("y", &Px(top - 16.0))], text);
        }
        let line = format!("M{} {}H{}", Px(left), Px(top - 8.0), Px(left + PIECES));
        svg.leaf("path", &[("class", &"rule"), ("d", &line)]);
        let mut y = top;
        for (row, &at) in self.shown.iter().enumerate() {
            if self.left_out > 0 && row == BUSIEST {
                let text = format!("… {} between these", counted(self.left_out as u64, "server"));
                svg.text(
                    "text",
                    &[("class", &"muted"), ("x", &Px(left + NAME)), ("y", &Px(y + 13.0))],
                    &text,
                );
                y += ROW;
            }
            if let Some(entry) = self.entries.get(at) {
                self.draw_row(svg, entry, left, y);
            }
            y += ROW;
        }
    }

    fn draw_row(&self, svg: &mut Svg, entry: &Entry, left: f64, top: f64) {
        let look = Look::of(entry.index);
        let class = format!("f{}", look.colour);
        svg.leaf(
            "rect",
            &[
                ("class", &class),
                ("x", &Px(left)),
                ("y", &Px(top + 1.0)),
                ("width", &24),
                ("height", &15),
                ("rx", &2),
            ],
        );
        for offset in look.offsets(15.0) {
            let line = format!("M{} {}h24", Px(left), Px(top + 8.5 + offset));
            svg.leaf("path", &[("class", &"stripe"), ("stroke-width", &1.5), ("d", &line)]);
        }
        let over = entry.over.map_or_else(|| "draining".to_owned(), |over| format!("{over:.3}"));
        let cells = [
            ("letter middle", LETTER, letter(entry.index)),
            ("name", NAME, shortened(entry.name, NAME_COLUMNS)),
            ("end number", SHARE, percent(entry.share)),
            (if self.busiest == Some(entry.index) { "end number most" } else { "end number" }, OVER, over),
            ("end number", PIECES, grouped(entry.pieces)),
        ];
        for (class, x, text) in &cells {
            svg.text("text", &[("class", class), ("x", &Px(left + x)), ("y", &Px(top + 13.0))], text);
        }
    }
}

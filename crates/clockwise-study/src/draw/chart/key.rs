//! The line above a chart that says what its signs mean.

use super::super::measure;
use super::super::svg::Px;
use super::{LINE, SMALL, Sheet, mark};

/// A sign and what it means.
pub(super) enum Sign {
    /// The mark of a series, in its colour.
    Series(usize),
    /// A mark with its error bar, in no colour.
    Measured,
    /// A dashed curve.
    Theory,
    /// A band of accepted values.
    Band,
    /// An upright stroke.
    Published,
    /// A framed cell.
    Framed,
}

/// Between two entries.
const GAP: f64 = 20.0;
const SIGN: f64 = 24.0;

/// Draws the entries in lines from the left and moves the top of the sheet below them.
pub(super) fn draw(sheet: &mut Sheet, entries: &[(Sign, String)]) {
    if entries.is_empty() {
        return;
    }
    let mut x = sheet.left;
    for (sign, text) in entries {
        let room = sheet.width() - SIGN;
        let lines = measure::wrapped(text, SMALL, room);
        let longest = lines.iter().map(|line| measure::width(line, SMALL)).fold(0.0, f64::max);
        if x > sheet.left && x + SIGN + longest > sheet.right {
            x = sheet.left;
            sheet.top += LINE;
        }
        let middle = sheet.top + LINE / 2.0;
        draw_sign(sheet, sign, x, middle);
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                sheet.top += LINE;
            }
            let y = sheet.top + LINE / 2.0 + 4.3;
            sheet.words("muted small", x + SIGN, y, line);
        }
        x += SIGN + longest + GAP;
    }
    sheet.top += LINE + 6.0;
}

fn draw_sign(sheet: &mut Sheet, sign: &Sign, x: f64, y: f64) {
    match sign {
        Sign::Series(index) => {
            let colour = index % super::COLOURS;
            sheet.path(&format!("m{colour}"), &mark(*index, x + 9.0, y));
        }
        Sign::Measured => {
            let bar = format!(
                "M{0} {1}v13M{2} {1}h6M{2} {3}h6",
                Px(x + 9.0),
                Px(y - 6.5),
                Px(x + 6.0),
                Px(y + 6.5)
            );
            sheet.path("grey-line", &bar);
            sheet.path("grey", &mark(0, x + 9.0, y));
        }
        Sign::Theory => sheet.path("grey-line theory", &format!("M{} {}h19", Px(x), Px(y))),
        Sign::Band => {
            let path = format!("M{} {}h18v10h-18z", Px(x), Px(y - 5.0));
            sheet.path("accepted", &path);
        }
        Sign::Published => sheet.path("target", &format!("M{} {}v14", Px(x + 9.0), Px(y - 7.0))),
        Sign::Framed => sheet.path("framed", &format!("M{} {}h16v10h-16z", Px(x + 1.0), Px(y - 5.0))),
    }
}

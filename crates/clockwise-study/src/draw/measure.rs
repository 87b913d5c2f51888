//! How wide text will be, before any browser has seen it.
//!
//! Advance widths of DejaVu Sans, the widest of the fonts that the style sheet names: what has room
//! there has room in the others.

/// Hundredths of the font size, rounded up, from the space to the tilde.
const ADVANCE: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64,
    62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98,
    64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
];

/// Bold letters are up to a quarter wider; words, an eighth.
const BOLD: f64 = 1.13;

/// The width of `text` in letters of `size` pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let hundredths: u32 = text
        .chars()
        .map(|c| {
            let at = u32::from(c).wrapping_sub(32) as usize;
            match ADVANCE.get(at) {
                Some(advance) => u32::from(*advance),
                None if u32::from(c) >= 0x1100 && !('\u{2000}'..='\u{2bff}').contains(&c) => 100,
                None if c == '·' => 32,
                None if matches!(c, '…' | '—' | '\u{fffd}') => 104,
                None if c < '\u{250}' || ('ΐ'..='џ').contains(&c) => 84,
                None => 88,
            }
        })
        .sum();
    f64::from(hundredths) / 100.0 * size
}

/// The same of bold text.
pub(super) fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD
}

/// `text` in lines of at most `room` pixels, broken at spaces. A word that has no room in a line of
/// its own loses its middle.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fitted(word, size, room)),
        }
    }
    lines
}

/// The same in at most `most` lines; what does not fit in the last one loses its middle.
pub(super) fn wrapped_in(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, size, room);
    if lines.len() > most
        && let Some(first) = most.checked_sub(1)
    {
        let rest = lines.split_off(first).join(" ");
        lines.push(fitted(&rest, size, room));
    }
    lines
}

/// The same, with words broken after a sign or, if that is not enough, between letters.
pub(super) fn broken_in(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text, |piece| width(piece, size) <= room) {
        if !line.is_empty() && width(format!("{line}{piece}").trim_end(), size) > room {
            lines.push(std::mem::take(&mut line).trim().to_owned());
        }
        line.push_str(&piece);
    }
    lines.push(line.trim().to_owned());
    if lines.len() > most && most > 0 {
        let rest = lines.split_off(most - 1).concat();
        lines.push(fitted(&rest, size, room));
    }
    lines
}

/// `text` cut after spaces and signs, and between letters where a piece would not fit.
fn pieces(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in text.chars() {
        let start = match pieces.last() {
            Some(piece) => {
                piece.ends_with([' ', '-', ':', '_', '#', '/', '.', ',']) || !fits(&format!("{piece}{c}"))
            }
            None => true,
        };
        if start {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

/// `text` if it has room, else as much of its ends as has.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let longest = text.chars().count();
    let shorter = (0..longest).rev().map(|most| super::shortened(text, most));
    shorter.into_iter().find(|short| width(short, size) <= room).unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // By the font's own table, in 2,048ths of its size: 1767 + 1255 + 1300 + 569 + 1260 + 1212.
        let exact = (1767.0 + 1255.0 + 1300.0 + 569.0 + 1260.0 + 1212.0) / 2048.0 * 10.0;
        assert!((exact..exact * 1.02).contains(&width("Maglev", 10.0)), "{exact}");
        assert!((width("±×", 10.0) - 16.8).abs() < 1e-9);
        assert!((width("サ", 13.0) - 13.0).abs() < 1e-9);
        assert!(bold_width("a", 10.0) > width("a", 10.0));
    }

    #[test]
    fn words_break_after_signs_first() {
        assert_eq!(broken_in("node-0#0", 12.0, 40.0, 3), ["node-", "0#0"]);
        assert_eq!(broken_in("sequential keys", 12.0, 48.0, 4), ["sequen", "tial", "keys"]);
        assert_eq!(broken_in("two words", 12.0, 100.0, 3), ["two words"]);
        assert_eq!(broken_in("", 12.0, 100.0, 3), [""]);
        let lines = broken_in("a-b-c-d-e-f-g-h", 12.0, 20.0, 2);
        assert!(lines.len() == 2 && lines[1].contains('…'), "{lines:?}");
    }

    #[test]
    fn lines_have_room_and_lose_no_word() {
        let text = "the busiest server of a ring carries twice the mean";
        let lines = wrapped(text, 13.0, 120.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 13.0) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrapped("", 13.0, 10.0), [""; 0]);
        let lines = wrapped("unbreakable-as-a-single-word", 13.0, 60.0);
        assert!(lines.len() == 1 && lines[0].contains('…') && width(&lines[0], 13.0) <= 60.0, "{lines:?}");
        let lines = wrapped_in(text, 13.0, 120.0, 2);
        assert!(lines.len() == 2 && lines[1].contains('…') && width(&lines[1], 13.0) <= 120.0, "{lines:?}");
    }
}

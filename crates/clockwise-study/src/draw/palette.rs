//! Colours, letters and the style sheet.
//!
//! Eight colours that stay apart under the common kinds of colour blindness (M. Okabe, K. Ito, Color
//! Universal Design, 2008, its black turned grey so that it shows on a dark page too). From the
//! ninth server on they repeat with stripes along the band: none, one, two, three. Letters name the
//! servers wherever there is room, so that colour is never the only way to tell them.

/// How many colours there are before stripes begin.
pub(super) const COLOURS: usize = 8;

/// The most stripes.
const STRIPES: usize = 3;

/// The style sheet of every picture. Plain classes rather than variables: more programs draw them.
pub(super) const STYLE: &str = "
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:13px;fill:#1f2328}
.page{fill:#fff}
.title{font-size:20px;font-weight:600}
.big{font-size:34px;font-weight:600}
.muted{fill:#59636e}
.small{font-size:12px}
.end{text-anchor:end}
.middle{text-anchor:middle}
.most{font-weight:700}
.number{font-variant-numeric:tabular-nums}
.letter{font-weight:600;font-size:12px}
.rule{stroke:#d1d9e0;stroke-width:1;fill:none}
.point{stroke:#59636e;stroke-width:.75;fill:none}
.target{stroke:#1f2328;stroke-width:2;fill:none}
.stripe{stroke:#fff;fill:none}
.bed{stroke:#d1d9e0;fill:none}
.before{fill:#afb8c1}
.after{fill:#0072b2}
.band{fill:none}
.s0{stroke:#0072b2}.f0{fill:#0072b2}
.s1{stroke:#e69f00}.f1{fill:#e69f00}
.s2{stroke:#009e73}.f2{fill:#009e73}
.s3{stroke:#cc79a7}.f3{fill:#cc79a7}
.s4{stroke:#56b4e9}.f4{fill:#56b4e9}
.s5{stroke:#d55e00}.f5{fill:#d55e00}
.s6{stroke:#e3d322}.f6{fill:#e3d322}
.s7{stroke:#8c959f}.f7{fill:#8c959f}
.on{fill:#111}
.on0{fill:#fff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.page{fill:#0d1117}
.muted{fill:#9198a1}
.rule,.bed{stroke:#3d444d}
.point{stroke:#9198a1}
.target{stroke:#e6edf3}
.stripe{stroke:#0d1117}
.before{fill:#656c76}
.after{fill:#3d9be0}
.s0{stroke:#2b88c8}.f0{fill:#2b88c8}
.on0{fill:#111}
}
";

/// How a server is drawn: its colour, and how many stripes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) colour: usize,
    pub(super) stripes: usize,
}

impl Look {
    pub(super) fn of(server: usize) -> Look {
        Look { colour: server % COLOURS, stripes: server / COLOURS % (STRIPES + 1) }
    }

    /// Where the stripes run in a band of this width: offsets from its middle.
    pub(super) fn offsets(self, width: f64) -> impl Iterator<Item = f64> {
        let step = width / (self.stripes + 1) as f64;
        (1..=self.stripes).map(move |i| step * i as f64 - width / 2.0)
    }
}

/// The letter of a server: A to Z, AA, AB, as columns of a spreadsheet.
pub(super) fn letter(server: usize) -> String {
    let mut rest = server + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let letters: Vec<_> = [0, 1, 25, 26, 27, 51, 52, 701, 702, 999].map(letter).into();
        assert_eq!(letters, ["A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA", "ALL"]);
    }

    #[test]
    fn thirty_two_servers_look_different() {
        let mut looks: Vec<_> = (0..32).map(Look::of).collect();
        looks.sort_by_key(|look| (look.colour, look.stripes));
        looks.dedup();
        assert_eq!(looks.len(), 32);
    }
}

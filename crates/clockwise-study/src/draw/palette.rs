//! Colours, letters and the style sheet.
//!
//! Servers of a ring are areas, curves of a chart are lines and letters: areas may be pale, lines may
//! not, so there are two sets of colours.
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
pub(crate) const STYLE: &str = "
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
.headline{font-size:18px;font-weight:600}
.panel{font-weight:600}
.panel,.haloed{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}
.axis{fill:#3d444d}
.tiny{font-size:10px}
.axis-line{stroke:#8c959f;stroke-width:1;fill:none}
.curve{stroke-width:1.75;fill:none;stroke-linejoin:round}
.theory{stroke-dasharray:6 4}
.error{stroke-width:1.25;fill:none}
.level{stroke:#59636e;stroke-width:1.25;stroke-dasharray:2 3;fill:none}
.lead{stroke:#8c959f;stroke-width:1;fill:none;opacity:.7}
.grey{fill:#59636e}
.grey-line{stroke:#59636e;stroke-width:1.25;fill:none}
.gap{stroke:#8c959f;stroke-width:4;fill:none;opacity:.55}
.bed-line{stroke:#e4e8ec;stroke-width:1;fill:none}
.accepted{fill:#d8e3ef}
.strip{fill:#f1f4f7}
.tick{stroke-width:1.25;fill:none}
.framed{stroke:#1f2328;stroke-width:1.5;fill:none}
.l0{stroke:#0067b0}.m0,.t0{fill:#0067b0}
.l1{stroke:#b93d08}.m1,.t1{fill:#b93d08}
.l2{stroke:#0b7a5b}.m2,.t2{fill:#0b7a5b}
.l3{stroke:#3b1150}.m3,.t3{fill:#3b1150}
.l4{stroke:#9333ea}.m4,.t4{fill:#9333ea}
.l5{stroke:#5a2000}.m5,.t5{fill:#5a2000}
.l6{stroke:#6b7280}.m6,.t6{fill:#6b7280}
.l7{stroke:#111418}.m7,.t7{fill:#111418}
.h0{fill:#f2f6fa}.h1{fill:#dce9f5}.h2{fill:#bdd7ee}.h3{fill:#94bfe3}.h4{fill:#5a9bd0}.h5{fill:#1f6fb2}.h6{fill:#0a4a80}
.hx5,.hx6{fill:#fff}
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
.axis{fill:#c3cad2}
.panel,.haloed{stroke:#0d1117}
.axis-line{stroke:#656c76}
.level{stroke:#9198a1}
.lead{stroke:#656c76}
.grey{fill:#9198a1}
.grey-line{stroke:#9198a1}
.gap{stroke:#656c76}
.bed-line{stroke:#21262d}
.accepted{fill:#22384f}
.strip{fill:#161b22}
.framed{stroke:#fff}
.l0{stroke:#5eb1ef}.m0,.t0{fill:#5eb1ef}
.l1{stroke:#ff9a5c}.m1,.t1{fill:#ff9a5c}
.l2{stroke:#3fc79a}.m2,.t2{fill:#3fc79a}
.l3{stroke:#f2ea6e}.m3,.t3{fill:#f2ea6e}
.l4{stroke:#9f8cff}.m4,.t4{fill:#9f8cff}
.l5{stroke:#d9f3f3}.m5,.t5{fill:#d9f3f3}
.l6{stroke:#ea62c4}.m6,.t6{fill:#ea62c4}
.l7{stroke:#a3acb8}.m7,.t7{fill:#a3acb8}
.h0{fill:#131a22}.h1{fill:#142a40}.h2{fill:#173d60}.h3{fill:#1c5687}.h4{fill:#3d82bb}.h5{fill:#7fb6e2}.h6{fill:#c4e0f8}
.hx4,.hx5,.hx6{fill:#0d1117}
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

    /// The colours of curves, on a light and on a dark page, with the page's.
    fn curves() -> [(Vec<[f64; 3]>, [f64; 3]); 2] {
        let (light, dark) = STYLE.split_once("@media").unwrap();
        [light, dark].map(|style| {
            let colour = |rule: &str| {
                let start = style.find(rule).unwrap() + rule.len();
                let digits = style[start..].trim_start_matches('#');
                let digits = &digits[..digits.find('}').unwrap()];
                let wide = if digits.len() == 3 { 1 } else { 2 };
                [0, 1, 2].map(|at| {
                    let part = &digits[at * wide..(at + 1) * wide];
                    let value = u8::from_str_radix(&part.repeat(3 - wide), 16).unwrap();
                    let value = f64::from(value) / 255.0;
                    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
                })
            };
            let curves = (0..COLOURS).map(|at| colour(&format!(".t{at}{{fill:"))).collect();
            (curves, colour(".page{fill:"))
        })
    }

    fn luminance([r, g, b]: [f64; 3]) -> f64 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn names_of_curves_can_be_read_on_both_pages() {
        for (curves, page) in curves() {
            for (at, colour) in curves.into_iter().enumerate() {
                let (a, b) = (luminance(colour), luminance(page));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "curve {at}: {contrast}");
            }
        }
    }

    #[test]
    fn curves_differ_for_every_kind_of_eye() {
        // G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A Physiologically-based Model for Simulation of
        // Color Vision Deficiency, IEEE TVCG 15(6), 2009: severity 1.
        let eyes: [[[f64; 3]; 3]; 4] = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
        ];
        // CIE 1976 L*a*b*, in which a distance of 2.3 is just noticed.
        let lab = |[r, g, b]: [f64; 3]| {
            let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047;
            let y = luminance([r, g, b]);
            let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883;
            let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
            [116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))]
        };
        for (curves, _) in curves() {
            for eye in eyes {
                let seen: Vec<[f64; 3]> = curves
                    .iter()
                    .map(|c| {
                        lab(eye.map(|row| (row[0] * c[0] + row[1] * c[1] + row[2] * c[2]).clamp(0.0, 1.0)))
                    })
                    .collect();
                for a in 0..seen.len() {
                    for b in 0..a {
                        let squares = (0..3).map(|i| (seen[a][i] - seen[b][i]).powi(2)).sum::<f64>();
                        assert!(squares.sqrt() > 11.5, "curves {b} and {a}: {}", squares.sqrt());
                    }
                }
            }
        }
    }

    #[test]
    fn thirty_two_servers_look_different() {
        let mut looks: Vec<_> = (0..32).map(Look::of).collect();
        looks.sort_by_key(|look| (look.colour, look.stripes));
        looks.dedup();
        assert_eq!(looks.len(), 32);
    }
}

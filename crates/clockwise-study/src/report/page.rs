//! The page: its head, its style sheet, and the order of what is in it.

use super::{Cost, Report, figures, front, part};
use crate::draw::STYLE;
use crate::markup::Markup;

impl Report {
    /// The page. `cost` is the only thing on it that depends on the machine.
    pub fn html(&self, cost: &[Cost]) -> String {
        let mut page = Markup::new("<!doctype html>\n");
        page.open("html", &[("lang", &"en")]);
        page.within("head", &[], |page| {
            page.leaf("meta", &[("charset", &"utf-8")]);
            let viewport = "width=device-width, initial-scale=1";
            page.leaf("meta", &[("name", &"viewport"), ("content", &viewport)]);
            page.leaf("meta", &[("name", &"color-scheme"), ("content", &"light dark")]);
            // Nothing is fetched, the sign of the tab included.
            page.leaf("link", &[("rel", &"icon"), ("href", &"data:,")]);
            page.text("title", &[], &self.title);
            page.text("style", &[], STYLE);
            page.text("style", &[], PAGE);
        });
        page.open("body", &[]);
        page.text("a", &[("class", &"skip"), ("href", &"#content")], "To the content");
        page.open("div", &[("class", &"sheet")]);
        self.contents(&mut page, cost);
        page.open("main", &[("id", &"content")]);
        front::draw(&mut page, self);
        for part in &self.parts {
            part::draw(&mut page, part);
        }
        figures::unmeasured(&mut page, &self.unmeasured);
        front::cost(&mut page, cost);
        page.finish()
    }

    fn contents(&self, page: &mut Markup, cost: &[Cost]) {
        page.open("nav", &[("aria-label", &"Contents")]);
        page.open("ul", &[]);
        let mut item = |target: String, text: &str| {
            page.within("li", &[], |page| page.text("a", &[("href", &target)], text));
        };
        item("#summary".to_owned(), "Summary");
        for part in &self.parts {
            item(format!("#{}", part.name), &part.title);
        }
        if !self.unmeasured.is_empty() {
            item("#not-measured".to_owned(), "Not measured here");
        }
        if !cost.is_empty() {
            item("#cost".to_owned(), "What it took");
        }
        page.close();
        page.close();
    }
}

/// Where phones begin: below this the narrow layout of pictures is shown.
const PAGE: &str = "
:root{--ink:#1f2328;--soft:#57606a;--page:#fff;--line:#d1d9e0;--wash:#f5f7f9;--link:#0067b0;--yes:#0b6e4f;--no:#b0300a;--half:#7d6200}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--page:#0d1117;--line:#30363d;--wash:#161b22;--link:#5eb1ef;--yes:#3fc79a;--no:#ff9a5c;--half:#d9b63a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;overflow-wrap:break-word}
.sheet{max-width:808px;margin:0 auto;padding:0 24px 96px}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;background:var(--page);padding:8px;z-index:1}
h1{font-size:2rem;line-height:1.2;margin:56px 0 12px;letter-spacing:-.01em}
h2{font-size:1.5rem;line-height:1.25;margin:0 0 8px;letter-spacing:-.005em}
h3{font-size:1.0625rem;line-height:1.4;margin:0 0 4px}
p{margin:0 0 12px;max-width:44rem}
section{margin-top:72px;padding-top:32px;border-top:1px solid var(--line)}
section:first-of-type{margin-top:0;padding-top:0;border:0}
.question{font-size:1.125rem;margin-bottom:16px}
.soft{color:var(--soft)}
.fine{color:var(--soft);font-size:.875rem}
nav{font-size:.9375rem;margin-top:20px;padding:12px 16px;max-height:9.4rem;overflow-y:auto;background:var(--wash);border-radius:8px}
nav ul{list-style:none;margin:0;padding:0;columns:2;column-gap:24px}
nav li{break-inside:avoid;padding:2px 0}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
.score{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:24px 0;padding:0;list-style:none}
.score li{border:1px solid var(--line);border-radius:8px;padding:14px 16px}
.score b{display:block;white-space:nowrap;font-size:1.5rem;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.score span{color:var(--soft);font-size:.875rem;line-height:1.35;display:block}
figure{margin:40px 0 0}
figcaption{margin-bottom:12px}
figcaption p{font-size:.9375rem;color:var(--soft);margin:0}
svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
details{margin-top:10px}
summary{cursor:pointer;color:var(--link);font-size:.9375rem;width:fit-content}
.scroll{overflow-x:auto;margin-top:10px;border:1px solid var(--line);border-radius:8px}
.tall{max-height:32rem;overflow-y:auto}
table{border-collapse:collapse;font-size:.875rem;line-height:1.45;width:100%}
thead th.n{min-width:6.5rem}
thead th:first-child{min-width:8rem}
th,td{padding:7px 12px;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th,thead td{border-top:0;background:var(--wash);font-weight:600;vertical-align:bottom}
tbody th{font-weight:400}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
td.n{white-space:nowrap}
td .why,th .why{display:block;color:var(--soft);margin-top:3px}
.verdict{white-space:nowrap;color:var(--soft)}
.yes{color:var(--yes)}.no{color:var(--no);font-weight:600}.half{color:var(--half)}
.line{display:block}
.claims{min-width:18rem}
td.wraps{white-space:normal;min-width:5rem}
.short{list-style:none;padding:0;margin:0 0 12px}
.short li{padding:10px 0;border-top:1px solid var(--line)}
.short li:first-child{border-top:0}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.subhead{font-size:1.1875rem;margin:44px 0 8px}
.subhead+figure{margin-top:20px}
@media (min-width:1140px){
.sheet{max-width:1088px;display:grid;grid-template-columns:232px 760px;column-gap:48px}
nav{position:sticky;top:24px;align-self:start;margin-top:60px;max-height:calc(100vh - 48px);overflow-y:auto;background:none;padding:0}
nav ul{columns:1}
nav li{padding:3px 0}
}
@media (max-width:640px){
.sheet{padding:0 16px 64px}
h1{font-size:1.625rem;margin-top:32px}
h2{font-size:1.3125rem}
nav ul{columns:1}
.wide{display:none}
.narrow{display:block}
.narrow svg{margin:0 auto}
section{margin-top:48px;padding-top:24px}
.score{grid-template-columns:1fr 1fr}
.score li{padding:12px}
.score b{font-size:1.25rem}
.claims{min-width:11rem}
th,td{padding:7px 10px}
}
@media print{nav,.skip{display:none}.sheet{display:block}figure,table{break-inside:avoid}}
";

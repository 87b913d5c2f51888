//! `clockwise lab`: a page that shows keys move, served from this program or written into a folder.
//!
//! All of it is static: the page computes in the browser, with the core that this program has too.

mod http;
mod server;

use std::fs;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};

use clockwise_lab::State;
use data_encoding::BASE64;

use crate::args::{Lab, Reading};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;

/// A file of the page.
struct Asset {
    /// Its name, which is its path as well.
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// The page: built from `web/lab`, and its core by `cargo xtask wasm`.
const ASSETS: &[Asset] = &[
    Asset {
        name: "index.html",
        kind: "text/html; charset=utf-8",
        bytes: include_bytes!("../../../assets/lab/index.html"),
    },
    Asset {
        name: "lab.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../../../assets/lab/lab.css"),
    },
    Asset {
        name: "lab.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../../../assets/lab/lab.js"),
    },
    Asset {
        name: "lab.wasm",
        kind: "application/wasm",
        bytes: include_bytes!("../../../assets/lab/lab.wasm"),
    },
];

/// The page that is opened from a disk.
const OFFLINE: &str = "offline.html";

pub(crate) fn run(args: &Lab, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let fragment = match &args.fleet {
        Some(fleet) => format!("#{}", link(args, fleet, console)?),
        None => {
            no_reading(&args.reading)?;
            String::new()
        }
    };
    if let Some(folder) = &args.export {
        export(folder)?;
        console.answer(|out| Ok(writeln!(out, "{} is ready to be served", folder.display())?))?;
        return Ok(Exit::Fine);
    }
    let listener = listen(&args.listen)?;
    let address = format!("http://{}/{fragment}", listener.local_addr()?);
    console.answer(|out| Ok(writeln!(out, "The lab is at {address}\nCtrl-C ends it.")?))?;
    if !args.no_open && !opened(&address) {
        console.note("note: no browser could be opened; the address above opens in any");
    }
    Err(server::serve(&listener).into())
}

/// Refuses what is told about a file where none is given: it would count for nothing.
fn no_reading(reading: &Reading) -> Result<(), Failure> {
    let told = [
        ("--merge", reading.merge),
        ("--strict", reading.strict),
        ("--from", reading.file.from.is_some()),
        ("--lenient", reading.file.lenient),
        ("--placement", reading.file.placement.is_some()),
    ];
    match told.iter().find(|(_, is_told)| *is_told) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} is about a fleet's file, and there is none: name it as FLEET"
        ))),
        None => Ok(()),
    }
}

/// The state of a fleet as the page reads it.
fn link(args: &Lab, fleet: &str, console: &mut Console<'_>) -> Result<String, Failure> {
    let pool = input::fleet(fleet, &args.reading, console)?;
    let refused = |refusal: clockwise_lab::Refusal| Failure::Input(format!("{fleet}: {refusal}"));
    let fleet = clockwise_lab::import::fleet(&pool).map_err(refused)?;
    clockwise_lab::text::encode(&State { fleet, ..State::default() }).map_err(refused)
}

/// Listens on this machine and for nobody else.
fn listen(address: &str) -> Result<TcpListener, Failure> {
    let parsed = address.parse::<SocketAddr>().or_else(|_| Ok((address.parse::<IpAddr>()?, 0).into()));
    let parsed = parsed.map_err(|_: std::net::AddrParseError| {
        Failure::Usage(format!("--listen: {address:?} is not an address such as 127.0.0.1:8080"))
    })?;
    if !parsed.ip().is_loopback() {
        return Err(Failure::Usage(format!(
            "--listen: {} is open to other machines, and the lab is served to this one alone; --export \
             writes it for a web server",
            parsed.ip()
        )));
    }
    TcpListener::bind(parsed)
        .map_err(|error| Failure::Input(format!("{parsed} cannot be listened on: {error}")))
}

/// Writes the page into a folder: for a file server, and a page of one piece for a disk.
fn export(folder: &Path) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| Failure::writing(&path, &error)
    };
    if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
        let folder = folder.display();
        return Err(Failure::Input(format!("{folder} is a file, and --export writes a folder")));
    }
    fs::create_dir_all(folder).map_err(failed(folder))?;
    for name in ["index.html", OFFLINE] {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|page| !is_ours(&page)) {
            let path = path.display();
            return Err(Failure::Input(format!(
                "{path} is another page, and would be lost; --export takes a folder of its own"
            )));
        }
    }
    for asset in ASSETS {
        let path = folder.join(asset.name);
        fs::write(&path, asset.bytes).map_err(failed(&path))?;
    }
    let path = folder.join(OFFLINE);
    fs::write(&path, offline()).map_err(failed(&path))
}

/// Whether a page is the lab's, of whichever version: what an export may write anew.
fn is_ours(page: &[u8]) -> bool {
    String::from_utf8_lossy(page).contains("<title>Clockwise lab</title>")
}

/// The page in one piece, core and all: a browser fetches nothing for a page that it opened from a disk.
fn offline() -> String {
    let of = |name: &str| ASSETS.iter().find(|asset| asset.name == name).map_or(&[][..], |asset| asset.bytes);
    let text = |name| String::from_utf8_lossy(of(name));
    let core = BASE64.encode(of("lab.wasm"));
    // The script runs last, since one that stands in the page is not deferred.
    let parts = [
        (r#"<link rel="stylesheet" href="lab.css">"#, format!("<style>{}</style>", text("lab.css"))),
        (r#"<script src="lab.js" defer></script>"#, String::new()),
        (
            "</body>",
            format!(
                "<script type=\"text/plain\" id=\"lab-wasm\">{core}</script>\n<script>{}</script>\n</body>",
                text("lab.js")
            ),
        ),
    ];
    parts.iter().fold(text("index.html").into_owned(), |page, (from, to)| page.replacen(from, to, 1))
}

/// Opens an address in the browser; whether one could be asked to.
fn opened(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_one_piece_holds_the_core() {
        let page = offline();
        let inside = page.split("id=\"lab-wasm\">").nth(1).unwrap().split("</script>").next().unwrap();
        let core = BASE64.decode(inside.as_bytes()).unwrap();
        assert!(core.starts_with(b"\0asm"));
        assert_eq!(core, ASSETS.iter().find(|asset| asset.name == "lab.wasm").unwrap().bytes);
        // Nothing is left to fetch, and no part ends before its end.
        assert!(!page.contains("src=\"") && !page.contains("rel=\"stylesheet\""));
        let script = page.rsplit("<script>").next().unwrap();
        assert_eq!(script.matches("</script").count(), 1);
        let written =
            String::from_utf8_lossy(ASSETS.iter().find(|asset| asset.name == "lab.js").unwrap().bytes);
        assert!(script.starts_with(&*written));
    }

    #[test]
    fn only_this_machine_is_listened_to() {
        for (address, said) in [
            ("0.0.0.0:8080", "open to other machines"),
            ("[::]:0", "open to other machines"),
            ("192.168.0.1", "open to other machines"),
            ("example.org:80", "is not an address"),
            ("127.0.0.1:", "is not an address"),
        ] {
            let failure = listen(address).unwrap_err();
            assert!(failure.to_string().contains(said), "{address}: {failure}");
            assert_eq!(failure.exit(), Exit::Usage);
        }
        assert!(listen("127.0.0.1").unwrap().local_addr().unwrap().port() > 0);
    }
}

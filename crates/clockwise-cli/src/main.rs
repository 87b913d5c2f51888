//! The `clockwise` command: which server owns this key, what moves when the fleet changes, and does
//! every client agree?
#![forbid(unsafe_code)]

use std::io;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clockwise_cli::{Colour, Console, run};

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let mut err = AutoStream::auto(io::stderr());
    let colour = Colour {
        out: AutoStream::choice(&out) != ColorChoice::Never,
        err: err.current_choice() != ColorChoice::Never,
    };
    run(std::env::args_os(), &mut Console::new(&mut out, &mut err, colour)).into()
}

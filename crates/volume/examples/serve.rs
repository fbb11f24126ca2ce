//! `serve SPEC.json MOUNTPOINT SOCKET`: serves a volume until it is stopped; prints `ready` once it can be opened.

use std::io::Write;
use std::path::Path;

use plimsoll_volume::serve::serve;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, mountpoint, socket] = arguments.as_slice() else {
        return Err("usage: serve SPEC.json MOUNTPOINT SOCKET".into());
    };
    let spec = std::fs::read_to_string(spec)?;
    serve(&spec, Path::new(mountpoint), Path::new(socket), &mut || {
        // Nobody may be listening, and the volume is there anyway.
        let _ = writeln!(std::io::stdout(), "ready");
    })?;
    Ok(())
}

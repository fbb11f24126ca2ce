//! Lists the engines.

use plimsoll_listing::Modules;

fn main() -> std::io::Result<()> {
    let engines = Modules::of("src/engines")?;
    engines.list("engine_names")?;
    engines.declare("engines", "Engine")
}

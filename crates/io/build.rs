//! Lists the engines.

use plimsoll_listing::Modules;

fn main() -> std::io::Result<()> {
    Modules::of("src/engines")?.declare("engines", "Engine")
}

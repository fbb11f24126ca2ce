//! Lists the drivers, and the servers that their tests start.

use plimsoll_listing::Modules;

fn main() -> std::io::Result<()> {
    let drivers = Modules::of("src/drivers")?;
    drivers.declare("drivers", "Driver")?;
    drivers.list("suites")?;
    Modules::of("tests/servers")?.declare_plain("servers")
}

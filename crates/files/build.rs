//! Lists the workloads.

use plimsoll_listing::Modules;

fn main() -> std::io::Result<()> {
    Modules::of("src/workloads")?.declare_plain("workloads")
}

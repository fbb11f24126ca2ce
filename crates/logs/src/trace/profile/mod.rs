//! What a trace asks of a device, in one pass and bounded memory: the load in one page.

pub mod device;
pub mod devices;
pub mod reuse;
pub mod spread;

pub use device::{Device, Profile};
pub use devices::Devices;
pub use reuse::Reuse;
pub use spread::Spread;

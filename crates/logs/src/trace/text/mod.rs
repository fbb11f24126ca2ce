//! Traces of other tools, as lines of text. Each format is a file here, known by its content.

mod alibaba;
mod blkparse;
mod cloudphysics;
mod columns;
mod fio_iolog;
mod msr;
mod tencent;

pub mod format;
pub mod lines;
pub mod sink;

use crate::trace::text::format::Format;

/// All of them.
pub const FORMATS: &[Format] =
    &[blkparse::FORMAT, fio_iolog::FORMAT, msr::FORMAT, alibaba::FORMAT, tencent::FORMAT, cloudphysics::FORMAT];

/// The formats that a file which begins so can be of; `whole` says that this is all of it.
pub fn recognise(head: &[u8], whole: bool) -> Vec<&'static Format> {
    FORMATS.iter().filter(|format| format.fits(head, whole)).collect()
}

/// The format with a name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

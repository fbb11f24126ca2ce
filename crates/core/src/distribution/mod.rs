//! Where random operations go: each distribution turns a step into a block number.

mod normal;
mod once;
mod pareto;
mod uniform;
mod zipf;
mod zones;

pub use normal::Normal;
pub use once::Once;
pub use pareto::Pareto;
pub use uniform::Uniform;
pub use zipf::Zipf;
pub use zones::Zones;

use serde::{Deserialize, Serialize};

use crate::random::{Purpose, Stream};

/// Multiplier that scatters neighbouring ranks over the region (fio's `GOLDEN_RATIO_PRIME`).
const SCATTER: u64 = 0x61C8_8646_80B5_83EB;

/// Where random operations go. A `centre`, 0…1 of the region, is where the hottest block lies; absent: anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Distribution {
    /// Uniform, every block once before any repeats (fio's default, its "random map").
    Once,
    /// Uniform with repetition.
    Uniform,
    /// Zipf with exponent `theta` (not 1), hot blocks scattered over the region.
    Zipf {
        /// Above 0, and not 1.
        theta: f64,
        /// Where the hottest block lies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Self-similar: a share `h` of the blocks gets a share `1-h` of the operations.
    Pareto {
        /// Strictly between 0 and 1.
        h: f64,
        /// Where the hottest block lies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// fio's: the mean of twelve even draws and a jitter of `deviation`, a share of the region; the middle is hot, but
    /// neighbours are scattered. A centre other than 0.5 moves all blocks.
    Normal {
        /// From 0 to below 1.
        deviation: f64,
        /// Where the hottest block lies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Even inside zones that have a share of the operations each; they lie one behind the other from the beginning.
    Zones {
        /// In the order in which they lie.
        zones: Vec<Zone>,
    },
}

/// A part of the region (of each file, where there are several) and its share of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Relative to the sum of all.
    pub weight: f64,
    /// Its length.
    pub bytes: u64,
}

/// A source of block numbers in `0..blocks`.
#[derive(Debug, Clone)]
pub enum Blocks {
    /// Every block once, then again in another order.
    Once(Once),
    /// With repetition.
    Uniform(Uniform),
    /// Some blocks hot, by rank.
    Zipf(Zipf),
    /// Some blocks hot, self-similar.
    Pareto(Pareto),
    /// Some blocks hot, around one.
    Normal(Normal),
    /// Parts of the region hot.
    Zones(Zones),
}

impl Blocks {
    /// The distribution over `blocks` blocks of `unit` bytes; `blocks` is at least 1. Where hot blocks lie depends on the
    /// seed only, and not even on that where a centre is given.
    pub fn new(kind: &Distribution, blocks: u64, unit: u64, seed: u64) -> Self {
        let drawn = || Stream::new(seed, 0, Purpose::Offset).bits();
        let place = |centre: Option<f64>| centre.map_or_else(drawn, |centre| (blocks as f64 * centre) as u64);
        match *kind {
            Distribution::Once => Self::Once(Once::new(blocks, seed)),
            Distribution::Uniform => Self::Uniform(Uniform::new(blocks)),
            Distribution::Zipf { theta, centre } => Self::Zipf(Zipf::new(blocks, theta, place(centre))),
            Distribution::Pareto { h, centre } => Self::Pareto(Pareto::new(blocks, h, place(centre))),
            Distribution::Normal { deviation, centre } => Self::Normal(Normal::new(blocks, deviation, centre)),
            Distribution::Zones { ref zones } => Self::Zones(Zones::new(zones, unit)),
        }
    }

    /// The part of thread `thread` of `threads`: [`Once`] deals its permutation out, the others are drawn independently.
    pub fn for_thread(&self, thread: u32, threads: u32) -> Self {
        match self {
            Self::Once(once) => Self::Once(once.deal(u64::from(thread), u64::from(threads))),
            other => other.clone(),
        }
    }

    /// The next block number. Called once per operation of every loop: the most used distribution stays inside of it.
    #[inline(always)]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        match self {
            Self::Once(once) => once.draw(),
            Self::Uniform(uniform) => uniform.draw(stream),
            Self::Zipf(zipf) => zipf.draw(stream),
            Self::Pareto(pareto) => pareto.draw(stream),
            Self::Normal(normal) => normal.draw(stream),
            Self::Zones(zones) => zones.draw(stream),
        }
    }
}

impl Blocks {
    /// Like [`Self::draw`], but the hottest blocks lie side by side.
    pub fn draw_in_order(&mut self, stream: &mut Stream) -> u64 {
        match self {
            Self::Zipf(zipf) => zipf.draw_in_order(stream),
            Self::Pareto(pareto) => pareto.draw_in_order(stream),
            Self::Normal(normal) => normal.draw_in_order(stream),
            other => other.draw(stream),
        }
    }
}

/// Places rank `rank` somewhere in `0..blocks`.
#[inline]
fn scatter(rank: u64, place: u64, blocks: u64) -> u64 {
    rank.wrapping_mul(SCATTER).wrapping_add(place) % blocks
}

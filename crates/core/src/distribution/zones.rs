//! Zones with a share of the operations each, even inside.

use super::Zone;
use crate::random::Stream;

/// Zones one behind the other, from the beginning of the region.
#[derive(Debug, Clone)]
pub struct Zones {
    /// The upper end of a zone's share of `0…2⁶⁴`, its first block and its number of blocks.
    zones: Vec<(u64, u64, u64)>,
}

impl Zones {
    /// In blocks of `unit` bytes. Weights are relative to their sum, which is above 0; a zone with a weight holds a block.
    pub fn new(zones: &[Zone], unit: u64) -> Self {
        let total: f64 = zones.iter().map(|zone| zone.weight).sum();
        let (mut sum, mut first, mut found) = (0.0, 0, Vec::new());
        for zone in zones {
            let blocks = zone.bytes / unit;
            if zone.weight > 0.0 {
                sum += zone.weight;
                found.push(((sum / total * 2f64.powi(64)) as u64, first, blocks));
            }
            first += blocks;
        }
        if let Some((end, _, _)) = found.last_mut() {
            *end = u64::MAX;
        }
        Self { zones: found }
    }

    /// The next block number.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        let bits = stream.bits();
        let zone = self.zones.iter().find(|(end, _, _)| bits <= *end);
        zone.map_or(0, |&(_, first, blocks)| first + stream.below(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn zones_get_their_shares_and_nothing_lies_outside() {
        let zone = |weight, bytes| Zone { weight, bytes };
        let zones = [zone(60.0, 10 * 512), zone(0.0, 30 * 512), zone(30.0, 20 * 512), zone(10.0, 40 * 512)];
        let mut zones = Zones::new(&zones, 512);
        let mut stream = Stream::new(1, 0, Purpose::Offset);
        let mut counts = [0u32; 101];
        (0..100_000).for_each(|_| counts[zones.draw(&mut stream) as usize] += 1);
        let share = |from: usize, to: usize| f64::from(counts[from..to].iter().sum::<u32>()) / 1e5;
        for (from, to, want) in [(0, 10, 0.6), (10, 40, 0.0), (40, 60, 0.3), (60, 100, 0.1), (100, 101, 0.0)] {
            assert!((share(from, to) - want).abs() < 0.01, "{from}..{to}: {}", share(from, to));
        }
        let even = counts[..10].iter().all(|&count| (5_500..6_500).contains(&count));
        assert!(even, "{:?}", &counts[..10]);
    }
}

//! The I/O priority of each operation, drawn as fio draws it, so that as many operations have each as there.
//!
//! Source: fio 3.33, `engines/cmdprio.c` (`fio_cmdprio_set_ioprio`).

use crate::spec::{JobSpec, PriorityShare};

use super::tausworthe::Tausworthe;
use crate::engine::OpKind;

/// The priorities of one job.
#[derive(Debug, Clone)]
pub struct Priorities {
    draws: Tausworthe,
    reads: Vec<Share>,
    writes: Vec<Share>,
}

/// What one operation gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Given {
    /// The kernel's number; 0: that of the thread.
    pub priority: u16,
    /// Index of its name in [`names`]; nothing where operations of its kind are not told apart.
    pub named: Option<u16>,
}

#[derive(Debug, Clone, Copy)]
struct Share {
    size: u64,
    percent: u32,
    given: Given,
}

/// What latencies are told under: for reads, then for writes, those of the thread's own priority, then by the kernel's
/// number. Nothing for a kind whose operations all have the same.
pub fn names(spec: &JobSpec) -> Vec<String> {
    let Some(asked) = &spec.priorities else { return Vec::new() };
    let kinds = [("read", &asked.reads), ("write", &asked.writes)];
    kinds.into_iter().flat_map(|(kind, shares)| named(kind, shares)).collect()
}

fn named(kind: &str, shares: &[PriorityShare]) -> Vec<String> {
    let own = (!shares.is_empty()).then(|| format!("{kind}_priority_own"));
    own.into_iter().chain(distinct(shares).into_iter().map(|priority| format!("{kind}_priority_{priority}"))).collect()
}

/// In the order in which they first come.
fn distinct(shares: &[PriorityShare]) -> Vec<u16> {
    let mut found = Vec::new();
    for share in shares {
        if !found.contains(&share.priority) {
            found.push(share.priority);
        }
    }
    found
}

impl Priorities {
    /// Nothing where all operations have the priority of their thread.
    pub fn new(spec: &JobSpec) -> Option<Self> {
        let asked = spec.priorities.as_ref()?;
        let behind = named("", &asked.reads).len();
        Some(Self {
            draws: Tausworthe::new(asked.seed),
            reads: shares(&asked.reads, 0),
            writes: shares(&asked.writes, behind),
        })
    }

    /// The priority of the next operation.
    #[inline]
    pub fn draw(&mut self, kind: OpKind, length: u32) -> Given {
        let shares = match kind {
            OpKind::Read => &self.reads,
            OpKind::Write => &self.writes,
            OpKind::Trim | OpKind::Fsync | OpKind::Fdatasync => return Given::default(),
        };
        let Some((own, shares)) = shares.split_first() else { return Given::default() };
        let of_size = || shares.iter().filter(|share| share.size == 0 || share.size == u64::from(length));
        let any: u32 = of_size().map(|share| share.percent).sum();
        if any == 0 {
            return own.given;
        }
        let drawn = (100.0 * self.draws.share()) as u32;
        let mut sum = 0;
        let found = of_size().find(|share| {
            sum += share.percent;
            drawn < sum
        });
        found.map_or(own.given, |share| share.given)
    }
}

/// The first stands for operations with the priority of the thread; none where there are no others. `first` is the index
/// of its name.
fn shares(asked: &[PriorityShare], first: usize) -> Vec<Share> {
    if asked.is_empty() {
        return Vec::new();
    }
    let numbers = distinct(asked);
    let own = Share { size: 0, percent: 0, given: Given { priority: 0, named: Some(first as u16) } };
    let given = |share: &PriorityShare| {
        let at = numbers.iter().position(|&number| number == share.priority).unwrap_or_default();
        let given = Given { priority: share.priority, named: Some((first + 1 + at) as u16) };
        Share { size: share.size, percent: share.percent, given }
    };
    std::iter::once(own).chain(asked.iter().map(given)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::tests::spec;
    use crate::spec::{Mode, Priorities as Asked};

    fn share(size: u64, percent: u32, priority: u16) -> PriorityShare {
        PriorityShare { size, percent, priority }
    }

    fn asked(reads: Vec<PriorityShare>, writes: Vec<PriorityShare>) -> JobSpec {
        let mut spec = spec(Mode::Randrw, &[4096], 0, 1 << 20, 1);
        spec.priorities = Some(Asked { seed: 7, reads, writes, whole: false });
        spec
    }

    #[test]
    fn every_size_has_its_shares_and_every_priority_its_name() {
        let reads = vec![share(4096, 25, 0x2001), share(4096, 75, 0x6002), share(8192, 10, 0x2001)];
        let spec = asked(reads, vec![share(0, 50, 0x4003)]);
        let names = names(&spec);
        let expected = ["read_priority_own", "read_priority_8193", "read_priority_24578"];
        assert_eq!(names[..3], expected.map(str::to_owned));
        assert_eq!(names[3..], ["write_priority_own", "write_priority_16387"].map(str::to_owned));
        let mut priorities = Priorities::new(&spec).unwrap();
        let mut count = |kind, length, priority| {
            let drawn = (0..10_000).map(|_| priorities.draw(kind, length));
            drawn
                .filter(|given| {
                    let told = given.priority == 0
                        || names[given.named.unwrap() as usize].ends_with(&given.priority.to_string());
                    assert!(told, "{given:?}");
                    given.priority == priority
                })
                .count()
        };
        for (kind, length, priority, percent) in [
            (OpKind::Read, 4096, 0x2001, 25),
            (OpKind::Read, 4096, 0x6002, 75),
            (OpKind::Read, 8192, 0x2001, 10),
            (OpKind::Read, 512, 0, 100),
            (OpKind::Write, 512, 0x4003, 50),
        ] {
            let found = count(kind, length, priority);
            assert!(found.abs_diff(percent * 100) < 200, "{kind:?} of {length}: {found}");
        }
        assert_eq!(priorities.draw(OpKind::Trim, 4096), Given::default());
    }

    #[test]
    fn a_kind_without_shares_is_not_told_apart_and_draws_nothing() {
        let spec = asked(Vec::new(), vec![share(0, 50, 0x2000)]);
        assert_eq!(names(&spec), ["write_priority_own", "write_priority_8192"]);
        let mut with_reads = Priorities::new(&spec).unwrap();
        let mut without = with_reads.clone();
        for _ in 0..100 {
            assert_eq!(with_reads.draw(OpKind::Read, 4096), Given::default());
            assert_eq!(with_reads.draw(OpKind::Write, 4096), without.draw(OpKind::Write, 4096));
        }
    }
}

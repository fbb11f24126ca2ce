//! Jobs that pause and go on: they work in slices whose times are given ahead.
//!
//! Jobs on several targets that alternate need no word with each other while they run: each is told once, by
//! [`crate::job::Job::go`], from when its times count, on a clock that all jobs of a machine share. That works the same
//! for jobs of other processes.

use std::sync::Arc;

use crate::window::Window;

/// The most that a job may have: each is a row of its outcome.
const MOST: usize = 100_000;
/// Times end here, half a year after the job began: far from where adding to a clock overflows.
const LATEST_NS: u64 = 1 << 54;

/// When a job works, counted from the moment that it is told to go; none: all the time.
#[derive(Debug, Clone, Default)]
pub struct Slices {
    /// Start and length of each, ns.
    each: Arc<[(u64, u64)]>,
    /// What is done in the first part of each does not count: the device or server still has to find its pace.
    discard_ns: u64,
    /// In the first one, what is done so long before that does not count either.
    warmup_ns: u64,
}

impl Slices {
    /// As they are asked for.
    pub fn new(each: &[(u64, u64)], discard_ns: u64, warmup_ns: u64) -> Self {
        Self { each: each.into(), discard_ns, warmup_ns }
    }

    /// Whether the job does not pause.
    pub fn is_none(&self) -> bool {
        self.each.is_empty()
    }

    /// Refuses times that cannot be kept; the message says what to change.
    pub fn check(&self) -> Result<(), String> {
        if self.is_none() && self.discard_ns > 0 {
            return Err("discard_ns is the first part of each slice: give slices, or leave it out".to_owned());
        }
        if self.each.len() > MOST {
            return Err(format!("there are {} slices: use at most {MOST}", self.each.len()));
        }
        let mut free_ns = 0;
        for (index, &(start_ns, length_ns)) in self.each.iter().enumerate() {
            let (number, ignored_ns) = (index + 1, self.ignored_ns(index));
            if length_ns <= ignored_ns {
                let shorten = if ignored_ns > self.discard_ns { "warmup" } else { "discard_ns" };
                return Err(format!(
                    "slice {number} lasts {length_ns} ns, and the first {ignored_ns} ns do not count: use longer slices or a shorter {shorten}"
                ));
            }
            if start_ns < free_ns {
                return Err(format!(
                    "slice {number} starts at {start_ns} ns, before the one ahead of it ends at {free_ns} ns: give slices in the order of time, without overlap"
                ));
            }
            free_ns = match start_ns.checked_add(length_ns) {
                Some(end_ns) if end_ns <= LATEST_NS => end_ns,
                _ => {
                    return Err(format!("slice {number} ends more than half a year after the start: use earlier ones"));
                }
            };
        }
        Ok(())
    }

    /// The first part of slice `index` that does not count.
    fn ignored_ns(&self, index: usize) -> u64 {
        if index == 0 { self.discard_ns.saturating_add(self.warmup_ns) } else { self.discard_ns }
    }

    /// Slice `index` of a job that went at `go_ns`; none after the last one. Its load begins, its counting begins, and
    /// its load ends, like those of a run.
    pub fn window(&self, index: u64, go_ns: u64) -> Option<Window> {
        let &(start_ns, length_ns) = self.each.get(index as usize)?;
        let (begin_ns, ignored_ns) = (go_ns + start_ns, self.ignored_ns(index as usize));
        Some(Window::new(begin_ns, ignored_ns, length_ns - ignored_ns, length_ns))
    }

    /// From `go_ns` to the end of the last one.
    pub fn whole(&self, go_ns: u64) -> Window {
        let length_ns = self.each.last().map_or(0, |&(start_ns, length_ns)| start_ns + length_ns);
        let window = Window::new(go_ns, 0, length_ns, length_ns.max(1));
        Window { last_interval: (self.each.len() as u64).saturating_sub(1), ..window }
    }

    /// Start and length of the part of slice `index` that counts. It has to be one of them.
    pub fn counted(&self, index: usize) -> (u64, u64) {
        let ((start_ns, length_ns), ignored_ns) = (self.each[index], self.ignored_ns(index));
        (start_ns + ignored_ns, length_ns - ignored_ns)
    }

    /// How many have begun to count by `ns` after the start.
    pub fn begun(&self, ns: u64) -> usize {
        let counting = self.each.partition_point(|(start_ns, _)| start_ns + self.discard_ns < ns);
        // Of the first one a longer part is left out.
        if counting == 1 && self.counted(0).0 >= ns { 0 } else { counting }
    }

    /// All parts that count, until `ns` after the start.
    pub fn counted_ns(&self, ns: u64) -> u64 {
        let counted = (0..self.begun(ns)).map(|index| self.counted(index));
        counted.map(|(start_ns, length_ns)| length_ns.min(ns - start_ns)).sum()
    }

    /// Whether a moment lies in a part that counts, seen from slice `index` of a job that went at `go_ns` as if there were
    /// no rests: what was due in an earlier slice and is done in this one lies that much before it.
    #[cold]
    pub fn counts(&self, index: u64, go_ns: u64, moment_ns: u64) -> bool {
        // Nothing is due before the start: where the moment is before that, it was due in the first one.
        let (mut index, mut moment_ns) = (index as usize, moment_ns.saturating_sub(go_ns));
        while index > 0 && moment_ns < self.each[index].0 {
            index -= 1;
            moment_ns = moment_ns.saturating_sub(self.rest_after(index));
        }
        self.each.get(index).is_some_and(|(start_ns, _)| moment_ns >= start_ns + self.ignored_ns(index))
    }

    /// From the end of slice `index`, which is not the last one, to the next.
    pub fn rest_after(&self, index: usize) -> u64 {
        let (start_ns, length_ns) = self.each[index];
        self.each[index + 1].0 - (start_ns + length_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 40, 20 and 30 ns, the first 10 of which do not count, with rests of 60 and 80.
    fn three() -> Slices {
        Slices::new(&[(100, 40), (200, 20), (300, 30)], 10, 0)
    }

    #[test]
    fn each_has_the_times_of_a_run_of_its_own() {
        let window = three().window(1, 1000).unwrap();
        assert_eq!((window.begin_ns, window.measure_ns, window.end_ns), (1200, 1210, 1220));
        assert!(three().window(3, 1000).is_none());
        let whole = three().whole(1000);
        assert_eq!((whole.begin_ns, whole.measure_ns, whole.end_ns, whole.last_interval), (1000, 1000, 1330, 2));
    }

    #[test]
    fn what_counts_is_the_slices_without_their_beginnings() {
        assert_eq!(three().counted(2), (310, 20));
        let until = [0, 110, 111, 140, 150, 215, 1000];
        assert_eq!(until.map(|ns| three().counted_ns(ns)), [0, 0, 1, 30, 30, 35, 60]);
        assert_eq!(until.map(|ns| three().begun(ns)), [0, 0, 1, 1, 1, 2, 3]);
    }

    #[test]
    fn the_warm_up_is_a_part_of_the_first_slice_that_does_not_count() {
        let warm = Slices::new(&[(100, 40), (200, 20)], 10, 15);
        assert_eq!([warm.counted(0), warm.counted(1)], [(125, 15), (210, 10)]);
        let window = warm.window(0, 1000).unwrap();
        assert_eq!((window.begin_ns, window.measure_ns, window.end_ns), (1100, 1125, 1140));
        let until = [0, 111, 125, 126, 150, 211, 1000];
        assert_eq!(until.map(|ns| warm.begun(ns)), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(until.map(|ns| warm.counted_ns(ns)), [0, 0, 0, 1, 15, 16, 25]);
        assert_eq!([124, 125].map(|ns| warm.counts(0, 1000, 1000 + ns)), [false, true]);
        assert_eq!([209, 210].map(|ns| warm.counts(1, 1000, 1000 + ns)), [false, true]);
        let message = Slices::new(&[(0, 40), (50, 40)], 10, 30).check().unwrap_err();
        assert!(message.contains("slice 1 lasts 40 ns") && message.ends_with("a shorter warmup"), "{message}");
    }

    #[test]
    fn moments_of_earlier_slices_are_seen_without_the_rests() {
        let counts = |index, moments: &[u64]| -> Vec<bool> {
            moments.iter().map(|moment| three().counts(index, 1000, 1000 + moment)).collect()
        };
        assert_eq!(counts(0, &[100, 109, 110, 139]), [false, false, true, true]);
        // From slice 1 the first one seems to have lasted from 160 to 200, and to have counted from 170 on.
        assert_eq!(counts(1, &[160, 169, 170, 199, 200, 209, 210]), [false, false, true, true, false, false, true]);
        assert_eq!(
            counts(2, &[240, 249, 250, 279, 280, 289, 290, 299, 300, 310]),
            [false, false, true, true, false, false, true, true, false, true]
        );
        assert_eq!(counts(2, &[0]), [false]);
    }

    #[test]
    fn times_that_cannot_be_kept_are_refused() {
        let check = |each: &[(u64, u64)], discard_ns| Slices::new(each, discard_ns, 0).check();
        assert_eq!(three().check(), Ok(()));
        assert_eq!(check(&[], 0), Ok(()));
        assert_eq!(check(&[(0, 5), (5, 5)], 4), Ok(()), "they may touch");
        for (each, discard_ns, word) in [
            (&[][..], 1, "give slices"),
            (&[(0, 5)][..], 5, "slice 1 lasts 5 ns"),
            (&[(10, 5), (14, 5)][..], 0, "slice 2 starts at 14 ns"),
            (&[(u64::MAX, 5)][..], 0, "half a year"),
        ] {
            let message = check(each, discard_ns).unwrap_err();
            assert!(message.contains(word), "{message}");
        }
        assert!(check(&vec![(0, 5); MOST + 1], 0).unwrap_err().contains("at most"));
    }
}

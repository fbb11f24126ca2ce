//! A thread's way through the slices of its job, the same for every kind.
//!
//! Each slice has four phases. In the **discard** operations are issued and not counted. What is issued while the slice
//! **counts** is counted, also when it comes back later: in the **drain**, in which nothing is issued any more. Then the
//! thread **rests** until the next slice. So each operation counts in the slice that issued it, none twice, and none that
//! was issued before: a slice counts as many operations as its time is worth, however long they take.
//!
//! The time integral of the operations in flight and the processor time cover the part that counts, which is the time
//! that rates are divided by. At its beginning operations of the discard are in flight, and at its end some of its own
//! still are, the same number in the mean: so the integral divided by the time is the number in flight of Little's law.
//! Over the drain, where that number falls to nothing, it would not be.

use crate::cpu_time::{Used, used};
use crate::slices::Slices;
use crate::window::Window;

/// What a thread does with the slice that is on, or comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlicePhase {
    /// Waits for its beginning.
    Rest,
    /// Issues operations that do not count.
    Discard,
    /// Issues operations that do.
    Count,
    /// Takes back what is in flight.
    Drain,
}

/// Where a thread is.
#[derive(Debug)]
pub struct Course {
    slices: Slices,
    go_ns: u64,
    /// Of the slice that is on, or comes next.
    index: u64,
    window: Window,
    phase: SlicePhase,
    /// The last slice that has begun.
    begun: Option<u64>,
    /// In all parts that counted.
    used: Used,
    /// When the part that counts began.
    used_before: Used,
    /// Time integral of the part that counted, while its slice drains.
    in_flight_ns: u64,
}

impl Course {
    /// Before the first slice of a job that goes at `go_ns`; nothing for a job without slices.
    pub fn new(slices: &Slices, go_ns: u64) -> Option<Self> {
        let window = slices.window(0, go_ns)?;
        let (slices, nothing) = (slices.clone(), Used::default());
        let (begun, used, used_before) = (None, nothing, nothing);
        let phase = SlicePhase::Rest;
        Some(Self { slices, go_ns, index: 0, window, phase, begun, used, used_before, in_flight_ns: 0 })
    }

    /// Number of the slice that is on, or comes next.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Its times.
    pub fn window(&self) -> Window {
        self.window
    }

    /// What the thread does.
    pub fn phase(&self) -> SlicePhase {
        self.phase
    }

    /// When the next phase begins; that of rest begins once nothing is in flight.
    pub fn due_ns(&self) -> u64 {
        match self.phase {
            SlicePhase::Rest => self.window.begin_ns,
            SlicePhase::Discard => self.window.measure_ns,
            SlicePhase::Count => self.window.end_ns,
            SlicePhase::Drain => u64::MAX,
        }
    }

    /// The slice begins. Returns the rest since the last one that the thread has worked in: what was due after its end is
    /// now due as much later. Slices that were missed in between are no rest, because nothing kept what was due in them
    /// from being done but that other operations did not come back.
    pub fn begin(&mut self) -> u64 {
        self.phase = SlicePhase::Discard;
        let last = self.begun.replace(self.index).unwrap_or(self.index);
        (last..self.index).map(|index| self.slices.rest_after(index as usize)).sum()
    }

    /// Moves on to the phase that is due at `now`, until when the integral of the slice is `in_flight_ns`.
    pub fn go_on(&mut self, now: u64, in_flight_ns: &mut u64) {
        if self.phase == SlicePhase::Discard && now >= self.window.measure_ns {
            self.phase = SlicePhase::Count;
            self.used_before = used();
            *in_flight_ns = 0;
        }
        if self.phase == SlicePhase::Count && now >= self.window.end_ns {
            self.close(*in_flight_ns);
        }
    }

    /// The part that counts is over.
    fn close(&mut self, in_flight_ns: u64) {
        self.phase = SlicePhase::Drain;
        self.used = self.used_in_all();
        self.in_flight_ns = in_flight_ns;
    }

    fn used_in_all(&self) -> Used {
        self.used.plus(used().since(self.used_before))
    }

    /// What the thread has used in the parts that counted and are over.
    pub fn used(&self) -> Used {
        self.used
    }

    /// Nothing is in flight any more. Returns the integral of the slice and how long the drain took.
    pub fn drained(&mut self, now: u64) -> (u64, u64) {
        (self.in_flight_ns, now.saturating_sub(self.window.end_ns))
    }

    /// Rests until the next slice that is not over at `now`. False when there is none.
    pub fn rest(&mut self, now: u64) -> bool {
        self.phase = SlicePhase::Rest;
        while let Some(window) = self.slices.window(self.index + 1, self.go_ns) {
            (self.index, self.window) = (self.index + 1, window);
            if now < window.end_ns {
                return true;
            }
        }
        false
    }

    /// The thread ends at `now`. Whether there is something that it has counted and not delivered.
    pub fn end(&mut self, now: u64, in_flight_ns: &mut u64) -> bool {
        self.go_on(now, in_flight_ns);
        if self.phase == SlicePhase::Count {
            self.close(*in_flight_ns);
        }
        *in_flight_ns = self.in_flight_ns;
        self.phase == SlicePhase::Drain
    }

    /// Whether a moment lies in a part that counts, as if there were no rests ([`Slices::counts`]): what was due in an
    /// earlier slice, and was not issued in time, was offered there.
    pub fn counts(&self, moment_ns: u64) -> bool {
        self.slices.counts(self.begun.unwrap_or(0), self.go_ns, moment_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        Course::new(&Slices::new(&[(100, 40), (200, 20), (300, 30), (400, 30)], 10, 0), 1000).unwrap()
    }

    #[test]
    fn each_slice_has_its_phases_and_integrates_what_counts() {
        let mut course = course();
        assert_eq!((course.phase(), course.due_ns(), course.index()), (SlicePhase::Rest, 1100, 0));
        assert_eq!((course.begin(), course.phase(), course.due_ns()), (0, SlicePhase::Discard, 1110));
        let mut in_flight_ns = 7;
        course.go_on(1109, &mut in_flight_ns);
        assert_eq!((course.phase(), in_flight_ns), (SlicePhase::Discard, 7));
        course.go_on(1112, &mut in_flight_ns);
        assert_eq!((course.phase(), in_flight_ns, course.due_ns()), (SlicePhase::Count, 0, 1140));
        in_flight_ns = 30;
        course.go_on(1140, &mut in_flight_ns);
        assert_eq!((course.phase(), course.due_ns()), (SlicePhase::Drain, u64::MAX));
        in_flight_ns = 50;
        assert_eq!(course.drained(1145), (30, 5), "what the drain adds is left out of {in_flight_ns}");
        assert!(course.rest(1145));
        assert_eq!((course.phase(), course.due_ns(), course.index()), (SlicePhase::Rest, 1200, 1));
        assert_eq!(course.begin(), 60);
    }

    #[test]
    fn slices_that_are_over_are_left_out_and_were_no_rest() {
        let mut course = course();
        course.begin();
        course.go_on(1139, &mut 0);
        course.go_on(1340, &mut 0);
        assert_eq!(course.drained(1340), (0, 200));
        assert!(course.rest(1340));
        assert_eq!(course.index(), 3);
        assert_eq!(course.begin(), 60 + 80 + 70, "the rests, without the 50 of the slices in between");
        course.go_on(1430, &mut 0);
        assert!(!course.rest(1430));
    }

    #[test]
    fn a_thread_that_wakes_too_late_for_all_of_a_slice_counts_nothing_in_it() {
        let mut course = course();
        course.begin();
        let mut in_flight_ns = 9;
        course.go_on(1150, &mut in_flight_ns);
        assert_eq!((course.phase(), in_flight_ns, course.drained(1150)), (SlicePhase::Drain, 0, (0, 10)));
    }

    #[test]
    fn who_ends_in_a_slice_has_something_to_deliver() {
        let ends = |begins: bool, at_ns: u64| {
            let (mut course, mut in_flight_ns) = (course(), 20);
            if begins {
                course.begin();
                course.go_on(1110, &mut in_flight_ns);
                in_flight_ns = 20;
            }
            course.end(at_ns, &mut in_flight_ns)
        };
        assert_eq!([ends(false, 1050), ends(true, 1120), ends(true, 1145)], [false, true, true]);
        let mut discarding = course();
        discarding.begin();
        assert!(!discarding.end(1105, &mut 0));
    }
}

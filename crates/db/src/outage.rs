//! Stretches in which the server served nobody: what each thread saw, and what all of them saw at the same time.

use plimsoll_core::window::Window;

use crate::client::FIRST_PAUSE_NS;
use crate::outcome::Outage;

/// Stretches that one thread remembers; more do not change what is said of the run.
const REMEMBERED: usize = 1024;

/// A time without a completed operation that began when a connection broke or was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The server last showed life.
    pub from_ns: u64,
    /// An operation was completed again, or the work was over.
    pub to_ns: u64,
    /// Most clients without a connection at one time.
    pub down: u32,
    /// Connections that broke.
    pub broken: u32,
    /// Attempts to connect that failed.
    pub refused: u32,
    /// The first of the two ends.
    pub back: bool,
}

/// What one thread sees. Only what goes wrong costs time.
#[derive(Debug, Default)]
pub struct Absence {
    open: Option<Stretch>,
    over: Vec<Stretch>,
}

impl Absence {
    /// With room for all that is remembered.
    pub fn new() -> Self {
        Self { open: None, over: Vec::with_capacity(REMEMBERED) }
    }

    /// Nothing has been completed since a connection broke.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A connection broke: so many clients have none now, and the server last showed life at `alive_ns`.
    #[cold]
    pub fn lost(&mut self, alive_ns: u64, down: usize) {
        let stretch = self.begin(alive_ns);
        stretch.down = stretch.down.max(down as u32);
        stretch.broken += 1;
    }

    /// A client has waited for too long and closed its connection. A server may be slow and there: whether it is tells
    /// the next attempt to connect.
    #[cold]
    pub fn unanswered(&mut self, alive_ns: u64) {
        self.begin(alive_ns);
    }

    fn begin(&mut self, alive_ns: u64) -> &mut Stretch {
        let new = Stretch { from_ns: alive_ns, to_ns: alive_ns, down: 0, broken: 0, refused: 0, back: false };
        self.open.get_or_insert(new)
    }

    /// A connection could not be opened anew.
    #[cold]
    pub fn refused(&mut self) {
        if let Some(stretch) = &mut self.open {
            stretch.refused += 1;
        }
    }

    /// An operation is completed again.
    #[cold]
    pub fn back(&mut self, now: u64) {
        self.close(now, true);
    }

    fn close(&mut self, to_ns: u64, back: bool) {
        let Some(open) = self.open.take() else { return };
        // Nobody tries to connect sooner: in less time no client has missed anything.
        if to_ns >= open.from_ns + FIRST_PAUSE_NS && self.over.len() < REMEMBERED {
            self.over.push(Stretch { to_ns, back, ..open });
        }
    }

    /// The thread ends at `now`, with so many clients: from here on it says nothing against what the others see.
    pub fn end(mut self, now: u64, clients: usize) -> Vec<Stretch> {
        self.close(now, false);
        let done = Stretch { from_ns: now, to_ns: u64::MAX, down: clients as u32, broken: 0, refused: 0, back: false };
        self.over.push(done);
        self.over
    }
}

/// What two groups of clients saw at the same time.
fn both(left: &[Stretch], right: &[Stretch]) -> Vec<Stretch> {
    let (mut l, mut r) = (0, 0);
    let mut found = Vec::new();
    while l < left.len() && r < right.len() {
        let (a, b) = (left[l], right[r]);
        let (from_ns, to_ns) = (a.from_ns.max(b.from_ns), a.to_ns.min(b.to_ns));
        if to_ns > from_ns {
            let back = (a.to_ns == to_ns && a.back) || (b.to_ns == to_ns && b.back);
            let (down, broken, refused) = (a.down + b.down, a.broken + b.broken, a.refused + b.refused);
            found.push(Stretch { from_ns, to_ns, down, broken, refused, back });
        }
        if a.to_ns < b.to_ns { l += 1 } else { r += 1 }
    }
    found
}

/// The outages of the server among what its threads saw: nobody was served, and either no client had a connection or
/// none could be opened. `end_ns` is when the last thread ended.
///
/// One connection that broke and was opened anew at the first attempt is no outage, although a client that is alone has
/// none for the time of its own pause.
pub fn outages(threads: &[Vec<Stretch>], clients: u32, window: &Window, end_ns: u64) -> Vec<Outage> {
    let Some((first, rest)) = threads.split_first() else { return Vec::new() };
    let common = rest.iter().fold(first.clone(), |seen, next| both(&seen, next));
    let real = common.into_iter().filter_map(|stretch| {
        let to_ns = stretch.to_ns.min(end_ns);
        let lasted = to_ns.checked_sub(stretch.from_ns).filter(|&ns| ns >= FIRST_PAUSE_NS)?;
        let all_lost = stretch.down >= clients && stretch.broken > 1;
        (all_lost || stretch.refused > 0).then_some(Outage {
            start_ns: stretch.from_ns as i64 - window.measure_ns as i64,
            duration_ns: lasted,
            back: stretch.back,
        })
    });
    real.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn window() -> Window {
        Window::new(0, 1000 * MS, 9000 * MS, 1000 * MS)
    }

    /// A thread with one client that loses its connection at each of these moments, in ms, and is back at the other.
    fn thread(times: &[(u64, Option<u64>)], refused: bool) -> Vec<Stretch> {
        let mut absence = Absence::new();
        for &(lost, back) in times {
            absence.lost(lost * MS, 1);
            if refused {
                absence.refused();
            }
            if let Some(back) = back {
                absence.back(back * MS);
            }
        }
        absence.end(10_000 * MS, 1)
    }

    fn seen(threads: &[Vec<Stretch>]) -> Vec<(i64, u64, bool)> {
        let found = outages(threads, threads.len() as u32, &window(), 10_000 * MS);
        found.iter().map(|each| (each.start_ns / MS as i64, each.duration_ns / MS, each.back)).collect()
    }

    #[test]
    fn an_outage_is_what_all_threads_saw_at_the_same_time() {
        let threads = [thread(&[(3000, Some(4500))], false), thread(&[(3010, Some(4400))], false)];
        assert_eq!(seen(&threads), [(2010, 1390, true)]);
        let never = [thread(&[(3000, None)], true), thread(&[(3010, None)], true)];
        assert_eq!(seen(&never), [(2010, 6990, false)]);
    }

    #[test]
    fn a_connection_that_breaks_while_others_are_served_is_none() {
        assert_eq!(seen(&[thread(&[(3000, Some(4500))], true), thread(&[], false)]), []);
        let one_after_the_other = [thread(&[(3000, Some(3500))], true), thread(&[(5000, Some(5500))], true)];
        assert_eq!(seen(&one_after_the_other), []);
        // One of two clients of the only thread lost its connection, and the other's operation took 50 ms.
        let mut absence = Absence::new();
        absence.lost(3000 * MS, 1);
        absence.back(3050 * MS);
        assert_eq!(outages(&[absence.end(10_000 * MS, 2)], 2, &window(), 10_000 * MS), []);
    }

    #[test]
    fn what_is_over_at_once_is_none_and_the_warm_up_counts() {
        assert_eq!(seen(&[thread(&[(3000, Some(3005))], true)]), []);
        assert_eq!(
            seen(&[thread(&[(200, Some(700)), (3000, Some(4000))], true)]),
            [(-800, 500, true), (2000, 1000, true)]
        );
    }

    #[test]
    fn a_thread_that_has_done_its_share_does_not_hide_an_outage() {
        let done = Absence::new().end(2000 * MS, 1);
        assert_eq!(seen(&[done, thread(&[(3000, Some(4000))], true)]), [(2000, 1000, true)]);
    }

    #[test]
    fn a_connection_that_is_opened_anew_at_once_is_no_outage_of_a_client_that_is_alone() {
        assert_eq!(seen(&[thread(&[(3000, Some(3012))], false)]), []);
        assert_eq!(seen(&[thread(&[(3000, Some(3030))], true)]), [(2000, 30, true)]);
        // Whoever connects with each request is not refused: its requests fail.
        let mut absence = Absence::new();
        (0..3).for_each(|_| absence.lost(3000 * MS, 1));
        absence.back(3030 * MS);
        assert_eq!(outages(&[absence.end(10_000 * MS, 1)], 1, &window(), 10_000 * MS).len(), 1);
    }

    #[test]
    fn a_server_that_answers_too_late_is_not_away_unless_it_refuses_connections() {
        let silent = |refused: bool| {
            let mut absence = Absence::new();
            (0..2).for_each(|_| absence.unanswered(3000 * MS));
            if refused {
                absence.refused();
            }
            absence.back(4000 * MS);
            outages(&[absence.end(10_000 * MS, 2)], 2, &window(), 10_000 * MS).len()
        };
        assert_eq!((silent(false), silent(true)), (0, 1));
    }

    #[test]
    fn what_breaks_all_the_time_takes_no_more_room() {
        let mut absence = Absence::new();
        for at in 0..10_000 {
            absence.lost(at * 100 * MS, 1);
            absence.back(at * 100 * MS + 50 * MS);
        }
        assert!(absence.end(0, 1).len() <= REMEMBERED + 1);
    }
}

//! A value that one thread makes and others wait for.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Empty at first, then full for ever.
#[derive(Debug)]
pub struct Promise<T> {
    value: Mutex<Option<T>>,
    kept: Condvar,
}

impl<T> Default for Promise<T> {
    fn default() -> Self {
        Self { value: Mutex::new(None), kept: Condvar::new() }
    }
}

impl<T: Clone> Promise<T> {
    /// Here it is.
    pub fn keep(&self, value: T) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        self.kept.notify_all();
    }

    /// Waits for the value, at most `timeout`; nothing when the time is over first.
    pub fn wait(&self, timeout: Option<Duration>) -> Option<T> {
        let guard = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |value: &mut Option<T>| value.is_none();
        match timeout {
            None => self.kept.wait_while(guard, open).unwrap_or_else(PoisonError::into_inner).clone(),
            Some(timeout) => {
                let waited = self.kept.wait_timeout_while(guard, timeout, open);
                waited.unwrap_or_else(PoisonError::into_inner).0.clone()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_gets_the_value_and_an_open_one_is_nothing() {
        let promise = Promise::default();
        assert_eq!(promise.wait(Some(Duration::ZERO)), None);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| promise.wait(None));
            promise.keep(7);
            assert_eq!(waits.join().ok().flatten(), Some(7));
        });
        assert_eq!(promise.wait(Some(Duration::ZERO)), Some(7), "it stays");
    }
}

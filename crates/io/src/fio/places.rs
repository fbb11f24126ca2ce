//! Which operation comes next, where fio's own rules decide: recorded loads, its draws, its mix, its zones.

use std::sync::Arc;

use super::draws::Draws;
use super::mix::Mix;
use super::replay::Replay;
use super::strides::Strides;
use crate::engine::OpKind;
use crate::pattern::Pattern;
use crate::region::Next;
use crate::spec::JobSpec;

/// What decides beside, or in place of, the pattern of a thread.
#[derive(Debug, Clone)]
pub struct Places {
    mix: Option<Mix>,
    draws: Option<Draws>,
    strides: Option<Strides>,
    replay: Option<Replay>,
}

impl Places {
    /// Those that a job asks for; its zones, if it has any, are set in `pattern`.
    pub fn new(spec: &Arc<JobSpec>, pattern: &mut Pattern) -> Self {
        let strides = Strides::new(spec);
        if let Some(strides) = &strides {
            pattern.use_zones(strides.range(), strides.fresh());
        }
        Self { mix: Mix::new(spec), draws: Draws::new(spec), strides, replay: Replay::new(spec) }
    }

    /// When the next operation is due, since the begin of the load; 0: at once.
    pub fn due_ns(&self) -> u64 {
        self.replay.as_ref().map_or(0, Replay::due_ns)
    }

    /// Whether the next operation reads, writes or trims.
    pub fn draw_kind(&mut self, pattern: &mut Pattern) -> OpKind {
        if let Some(replay) = &self.replay {
            return replay.kind();
        }
        match &mut self.mix {
            Some(mix) if pattern.is_mixed() => {
                if mix.draw() {
                    OpKind::Write
                } else {
                    OpKind::Read
                }
            }
            _ => pattern.draw_kind(),
        }
    }

    /// The next operation, of a kind that the pattern has; none when the pass is over.
    pub fn draw_of(&mut self, pattern: &mut Pattern, kind: OpKind) -> Option<Next> {
        if let Some(replay) = &mut self.replay {
            return replay.next();
        }
        if let Some(draws) = &mut self.draws {
            let (offset, length) = draws.next(kind)?;
            self.issued(kind);
            return Some(Next { kind, offset: pattern.begin() + offset, length: length as u32 });
        }
        pattern.draw_with(kind, |pattern, length| {
            self.issued(kind);
            if let Some(strides) = &mut self.strides {
                let zone = strides.next(length);
                if zone.anew {
                    pattern.enter_zone(zone.begin, strides.fresh());
                }
            }
        })
    }

    fn issued(&mut self, kind: OpKind) {
        if let Some(mix) = &mut self.mix {
            mix.issued(kind == OpKind::Write);
        }
    }

    /// Begins the next pass with the places of the first one.
    pub fn repeat(&mut self, first: &Self) {
        let mix = self.mix.take();
        self.clone_from(first);
        if let (Some(mut mix), Some(first)) = (mix, &first.mix) {
            mix.begin_pass(first);
            self.mix = Some(mix);
        }
    }

    /// Begins the next pass, with random places of its own.
    pub fn begin_pass(&mut self) {
        if let Some(mix) = &mut self.mix {
            mix.go_on();
        }
        if let Some(draws) = &mut self.draws {
            draws.begin_pass();
        }
        if let Some(replay) = &mut self.replay {
            replay.begin_pass();
        }
    }
}

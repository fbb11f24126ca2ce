//! No database: what the client itself costs.

use std::sync::Arc;

use crate::caps::Caps;
use crate::driver::{Driver, Found, Reply, Request, Session, State};
use crate::fault::{Fault, JobError};
use crate::ownership::Whose;
use crate::setup::Setup;

/// Answers everything at once with nothing in it.
#[derive(Debug)]
pub struct NullDriver;

impl Driver for NullDriver {
    type Session = Nothing;
    const CAPS: Caps = Caps {
        name: "null",
        description: "no database: every request is answered at once, to see what the client costs",
        schemes: &[("null", 0)],
        workloads: &["ycsb", "tpcb", "web"],
        ..Caps::EMBEDDED
    };

    fn new(_setup: Arc<Setup>) -> Result<Self, JobError> {
        Ok(Self)
    }

    fn connect(&self, _client: u32) -> Result<Nothing, Fault> {
        Ok(Nothing)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Ok(Vec::new())
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        Ok(Some(Found { records: 0, shape: None, whose: Whose::Ours }))
    }
}

/// A connection to nothing.
#[derive(Debug)]
pub struct Nothing;

impl Session for Nothing {
    #[inline]
    fn start(&mut self, _request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        reply.row();
        Ok(State::Done)
    }
}

//! A record of declared parameters.

use plimsoll_core::parameters::Parameter;
use serde::Serialize;

/// The parameters of a workload, or those that several have.
#[derive(Clone, Serialize)]
pub struct Record {
    /// Of the workload, or of the kind of workload.
    pub name: &'static str,
    /// The record whose parameters it has as well.
    pub base: Option<&'static str>,
    /// In the order of the declaration.
    pub parameters: Vec<Parameter>,
}

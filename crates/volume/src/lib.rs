//! Provisioned volumes: one model of their limits, used in virtual time ([`simulate`]) and as a real block device
//! ([`serve`]).
//!
//! The model is pure: time is passed in, nothing is read or written. Numbers come resolved in a [`spec::VolumeSpec`];
//! catalogues, provider rules and prices live in Python.

pub mod error;
pub mod model;
pub mod serve;
pub mod simulate;
pub mod spec;
pub mod stats;

//! What the documents mean: the world, and one cluster in it.
//!
//! Nothing in this room fails, does I/O or reads a clock. A document with the wrong
//! shape yields less, never an error: the reader of the bundle has already turned what
//! it could not read into gaps, and [`Seen`] carries those to whoever asks.

#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used
)]

pub mod action;
pub mod api_error;
pub mod balancer;
pub mod belongs;
pub mod condition;
pub mod controller;
pub mod current;
pub mod doc;
mod escape;
pub mod event;
pub mod log;
pub mod message;
pub mod node;
pub mod noise;
pub mod operation;
pub mod plan;
pub mod port;
pub mod resolve;
pub mod said;
pub mod seen;
pub mod snapshot;
pub mod stage;
pub mod status_reason;
pub mod version;
pub mod waits;
pub mod world;

pub use condition::{Condition, Status};
pub use doc::Doc;
pub use message::{Message, Source};
pub use seen::{Seen, Unseen};
pub use snapshot::Snapshot;
pub use world::World;

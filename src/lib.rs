//! `kubectl magnum`: why an OpenStack Magnum cluster is stuck, and what it left behind.
//!
//! ```text
//!   servers ─▶ gather ─┐                                     ┌─▶ WhyReport ────────▶ text | json | yaml | markdown
//!                      ├─▶ bundle ───▶ World ───▶ Snapshot ─┴─▶ LeftoversReport ──▶ the same, names, a script
//!   folder, .tar.gz ───┘   documents   parsed     one cluster    the answer
//!                          and gaps    once       in the world   as data
//! ```
//!
//! The rooms and the doors between them (a room may name only the rooms to its right;
//! `tests/doors.rs` holds this list):
//!
//! ```text
//! gather   → bundle, model, exit
//! bundle   → exit                        model    → bundle            tree   → model, bundle, age
//! causes   → bundle, model, report, age  report   → tree, exit
//! leftovers → model, report
//! diagnose → bundle, model, causes, leftovers, tree, report, exit, age
//! render   → report, tree, age           manual   → causes, exit
//! cli      → render, tree, exit, gather  run      → all
//! complete → cli, gather, diagnose, model, report, causes, exit
//! ```
//!
//! From the bundle to the report nothing fails, nothing reads a clock, a file or the
//! environment: the same bundle gives the same bytes.

pub mod age;
pub mod bundle;
pub mod causes;
pub mod cli;
pub mod complete;
pub mod diagnose;
pub mod exit;
pub mod gather;
pub mod leftovers;
pub mod manual;
pub mod model;
pub mod render;
pub mod report;
pub mod run;
pub mod tree;

//! The real clients against servers on this machine.

mod cloud;
mod complete;
mod faults;
mod kubernetes;
mod left;
mod login;
mod program;
#[cfg(unix)]
mod progress;
mod records;
mod runs;
mod scenario;
mod scenario_cloud;
#[cfg(unix)]
#[path = "../support/screen.rs"]
mod screen;
mod server;
mod sources;
mod tls;
mod whole;

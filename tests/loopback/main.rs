//! The real clients against servers on this machine.

mod cloud;
mod complete;
mod faults;
mod kubernetes;
mod login;
mod program;
mod records;
mod runs;
mod scenario;
mod scenario_cloud;
mod server;
mod sources;
mod tls;
mod whole;

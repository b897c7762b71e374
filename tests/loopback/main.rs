//! The real clients against servers on this machine.

mod cloud;
mod faults;
mod kubernetes;
mod left;
mod login;
mod program;
mod runs;
mod scenario;
mod scenario_cloud;
mod server;
mod tls;
mod whole;

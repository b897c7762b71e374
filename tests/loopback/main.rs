//! The real clients against servers on this machine.

mod cloud;
mod kubernetes;
mod login;
mod server;
mod tls;

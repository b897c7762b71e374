//! From clouds.yaml, `OS_*` variables and `--os-*` flags to answers of OpenStack services.
//!
//! ```text
//! files ──▶ clouds (which cloud, region, flags) ──▶ settings ──▶ session ──▶ Answer | Fault
//!                                                    login, TLS   auth: token, catalog
//! ```
//!
//! This is the only user of the `openstack` crate: its session keeps the login and hands out
//! authenticated requests. Its own reader of clouds.yaml is not used (it leaves out domains,
//! scopes and TLS settings without a word), nor its typed resources (a status it does not
//! know makes a whole list fail).

pub mod answer;
pub mod auth;
pub mod clouds;
pub mod files;
pub mod http;
pub mod login;
pub mod options;
pub mod said;
pub mod service;
pub mod session;
pub mod settings;
pub mod token;
pub mod words;

pub use answer::{Answer, Pages};
pub use clouds::{Cloud, resolve};
pub use options::CloudOptions;
pub use service::{Ask, Service};
pub use session::Session;

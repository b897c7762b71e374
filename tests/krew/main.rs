//! What krew will be given: archives and manifest are made by the scripts of a release, held against
//! krew's rules, and installed as krew does it. No network, and no krew, is needed.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

mod archive;
mod install;
mod lint;
mod made;

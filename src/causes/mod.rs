//! Named causes: one small file each, and all knowledge about a cause is in its file.
//!
//! A cause looks at a [`Snapshot`] and returns findings. It is *certain* only if it is
//! tied to this cluster by a whole id, name or label, still holds, and nothing that was
//! read says otherwise; if an inference stands where a fact could have been read, it is
//! *likely*. What a cause needs and was not read is listed as "not checked", so silence
//! is never taken for absence.

#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used
)]

use std::collections::{BTreeMap, BTreeSet};

use crate::model::action::Actions;
use crate::model::api_error::Service;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::{Certainty, Evidence, NotIt, Recovers, Risk, Thing};

mod addons_not_applied;
mod application_credential_gone;
mod capo_too_old;
mod cluster_lock_lost;
mod cluster_paused;
mod conflicting_writes;
mod controller_down;
mod controller_panic;
mod credential_read_forbidden;
mod credential_secret_missing;
mod drain_blocked;
mod duplicate_server_group;
mod external_network_not_reachable;
mod flavor_not_found;
mod floating_ip_already_associated;
mod floating_ip_holds_router;
mod helm_missing;
mod image_not_found;
mod invalid_cluster_field;
mod key_pair_not_found;
mod keystone_ca_not_trusted;
pub mod kit;
mod kube_tag_missing;
mod legacy_cloud_provider;
mod load_balancer_error;
mod load_balancer_provider_missing;
mod load_balancer_stuck;
mod login_refused;
mod management_api_slow;
mod network_in_use;
mod no_free_address;
mod no_valid_host;
mod node_count_patched;
mod node_group_unknown_to_cluster_api;
mod node_never_joined;
mod node_not_ready;
mod openstack_api_down;
mod orphan_vip_port;
mod owner_deleted;
mod owner_disabled;
mod owner_lost_roles;
mod project_deleted;
mod project_disabled;
mod quota_used_up;
mod replicas_null;
mod requester_cannot_delegate;
mod security_group_in_use;
mod security_group_rule_exists;
mod server_deleted;
mod server_in_error;
mod service_load_balancer_delete_failed;
mod service_load_balancer_holds_network;
mod status_pass_aborted;
mod table;
#[cfg(test)]
pub(crate) mod testing;
mod unsupported_cni_or_even_masters;
mod upgrade_needs_workload_api;
mod upgrade_skips_minor;
mod volume_type_not_found;
mod webhook_unreachable;

pub use table::ALL;

/// A named cause.
pub struct Cause {
    /// Kebab-case: file name, table key, manual anchor, output tag.
    pub id: &'static str,
    /// Reads well after "because".
    pub title: &'static str,
    /// In which actions it can be one.
    pub during: Actions,
    /// Where in the life of a cluster it stands; causes are sorted by it.
    pub stage: Stage,
    /// Ids of causes that only follow from this one.
    pub explains: &'static [&'static str],
    /// Parts that it reads. If it finds nothing and one of them was not read whole, it
    /// is "not checked". `log:<provider>` is the log of that controller.
    pub needs: &'static [&'static str],
    /// Markdown with the headings What happens, How it is recognised, Sources.
    pub doc: &'static str,
    /// Releases that have it, for causes that are faults of a release.
    pub affected: &'static [Range],
    /// What to do.
    pub fix: Fix,
    /// Names of values that a finding gives to the fix.
    pub values: &'static [&'static str],
    /// How it is found.
    pub look: Look,
}

/// Releases with a fault.
pub struct Range {
    /// `CAPO`, `magnum-cluster-api`, …
    pub of: &'static str,
    /// First release with it.
    pub from: &'static str,
    /// Releases without it, from each on.
    pub fixed: &'static [&'static str],
}

/// How a cause is found.
pub enum Look {
    /// A current message with one of these signatures, and no code.
    Says(&'static [Signature]),
    /// A function.
    ///
    /// Errors: [`Unseen`] names parts without which it cannot say yes or no.
    Code(fn(&Snapshot<'_>) -> Result<Vec<Finding>, Unseen>),
}

/// What a message must be like. Empty fields match everything.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// Whose answer it was.
    pub service: Option<Service>,
    /// HTTP status.
    pub code: Option<u16>,
    /// Error type in the body.
    pub kind: Option<&'static str>,
    /// Words in the text, whatever their case.
    pub words: &'static str,
    /// What is said about this cluster.
    pub says: &'static str,
    /// Whether it ends by itself.
    pub recovers: Recovers,
    /// Sentence for that.
    pub recovers_says: &'static str,
}

impl Signature {
    /// True if the message is like this.
    #[must_use]
    pub fn matches(&self, message: &Message) -> bool {
        let api = message.api.as_ref();
        let service = self.service.is_none_or(|s| api.is_some_and(|a| a.service == s));
        let code = self.code.is_none_or(|c| api.is_some_and(|a| a.status() == Some(c)));
        let kind = self.kind.is_none_or(|k| api.is_some_and(|a| a.kind.as_deref() == Some(k)));
        service && code && kind && message.has(self.words)
    }
}

/// What to do about a cause.
pub struct Fix {
    /// What the steps touch.
    pub risk: Risk,
    /// In this order.
    pub steps: &'static [Step],
}

/// One step of a fix. Text and lines may hold placeholders: `{cluster}`, `{uuid}`,
/// `{stack_id}`, `{project_id}`, `{namespace}`, and the cause's own values.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// What it does.
    pub say: &'static str,
    /// Shell lines; `{each}` repeats the line for each value named by [`Step::each`].
    pub run: &'static [&'static str],
    /// Name of the values for `{each}`.
    pub each: Option<&'static str>,
    /// Only with this flag.
    pub when: Option<&'static str>,
    /// Only without this flag.
    pub unless: Option<&'static str>,
}

impl Step {
    /// A step that a person does.
    #[must_use]
    pub const fn say(say: &'static str) -> Self {
        Step { say, run: &[], each: None, when: None, unless: None }
    }

    /// The same with shell lines.
    #[must_use]
    pub const fn run(mut self, run: &'static [&'static str]) -> Self {
        self.run = run;
        self
    }

    /// The same with a line for each value of that name.
    #[must_use]
    pub const fn each(mut self, values: &'static str, run: &'static [&'static str]) -> Self {
        self.each = Some(values);
        self.run = run;
        self
    }

    /// Only with this flag.
    #[must_use]
    pub const fn when(mut self, flag: &'static str) -> Self {
        self.when = Some(flag);
        self
    }

    /// Only without this flag.
    #[must_use]
    pub const fn unless(mut self, flag: &'static str) -> Self {
        self.unless = Some(flag);
        self
    }
}

/// A cause that was found in this cluster.
#[derive(Debug, Clone)]
pub struct Finding {
    /// How sure.
    pub certainty: Certainty,
    /// What it says about this cluster: the first one is the headline.
    pub says: Vec<String>,
    /// Whether it ends by itself.
    pub recovers: Recovers,
    /// Sentence for that.
    pub recovers_says: String,
    /// Things that it is about; consequences must share one.
    pub about: Vec<Thing>,
    /// True if it is about something that all clusters share: then anything can follow.
    pub shared: bool,
    /// Why.
    pub evidence: Vec<Evidence>,
    /// Values for the fix.
    pub values: BTreeMap<&'static str, Vec<String>>,
    /// Flags that switch steps of the fix.
    pub flags: BTreeSet<&'static str>,
    /// Loud things that it explains away.
    pub not_it: Vec<NotIt>,
    /// Stage, where it differs from the cause's own.
    pub stage: Option<Stage>,
    /// Risk, where it differs from the cause's own.
    pub risk: Option<Risk>,
}

impl Finding {
    /// A certain finding with its headline.
    #[must_use]
    pub fn new(headline: impl Into<String>) -> Self {
        Finding {
            certainty: Certainty::Certain,
            says: vec![headline.into()],
            recovers: Recovers::AfterFix,
            recovers_says: String::new(),
            about: Vec::new(),
            shared: false,
            evidence: Vec::new(),
            values: BTreeMap::new(),
            flags: BTreeSet::new(),
            not_it: Vec::new(),
            stage: None,
            risk: None,
        }
    }

    /// The same, only likely if `likely`.
    #[must_use]
    pub fn likely_if(mut self, likely: bool) -> Self {
        if likely {
            self.certainty = Certainty::Likely;
        }
        self
    }

    /// The same with one more sentence.
    #[must_use]
    pub fn says(mut self, sentence: impl Into<String>) -> Self {
        self.says.push(sentence.into());
        self
    }

    /// The same with its end.
    #[must_use]
    pub fn recovers(mut self, recovers: Recovers, says: impl Into<String>) -> Self {
        self.recovers = recovers;
        self.recovers_says = says.into();
        self
    }

    /// The same about one more thing.
    #[must_use]
    pub fn about(mut self, thing: Thing) -> Self {
        if !self.about.contains(&thing) {
            self.about.push(thing);
        }
        self
    }

    /// The same about something that all clusters share.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// The same with one more piece of evidence.
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        if !self.evidence.contains(&evidence) {
            self.evidence.push(evidence);
        }
        self
    }

    /// The same with one more value for the fix.
    #[must_use]
    pub fn value(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let values = self.values.entry(name).or_default();
        let value = value.into();
        if !values.contains(&value) {
            values.push(value);
        }
        self
    }

    /// The same with a flag.
    #[must_use]
    pub fn flag(mut self, flag: &'static str) -> Self {
        self.flags.insert(flag);
        self
    }

    /// The same with a fix that deletes something.
    #[must_use]
    pub fn deletes(mut self) -> Self {
        self.risk = Some(Risk::Deletes);
        self
    }

    /// The same with a loud thing that it explains away.
    #[must_use]
    pub fn not_it(mut self, what: impl Into<String>, because: impl Into<String>) -> Self {
        self.not_it.push(NotIt { what: what.into(), because: because.into() });
        self
    }
}

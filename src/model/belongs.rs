//! Which thing carries whose mark.
//!
//! CAPO names things after the Cluster (`<stack id>-…`, `k8s-…-<namespace>-<stack id>…`);
//! what runs inside the cluster names them after the Magnum UUID. A stack id can be the
//! beginning of another one, so a name belongs to the longest stack id that fits it.
//!
//! Sources: kubernetes-sigs/cluster-api-provider-openstack pkg/utils/names/names.go and
//! pkg/cloud/services; kubernetes/cloud-provider-openstack pkg/openstack/loadbalancer.go.

use std::collections::BTreeSet;

/// The marks of one cluster.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// Magnum UUID.
    pub uuid: Option<String>,
    /// Name of the Cluster object.
    pub stack_id: Option<String>,
    /// Namespace of the Cluster object.
    pub namespace: String,
    /// Stack ids of other clusters that begin with this one's.
    longer: Vec<String>,
}

impl Marks {
    /// Marks of the cluster `stack_id`, among all stack ids that are known.
    #[must_use]
    pub fn new(uuid: Option<&str>, stack_id: Option<&str>, namespace: &str, known: &BTreeSet<&str>) -> Self {
        let longer = known.iter().filter(|k| stack_id.is_some_and(|s| is_or_begins(k, s) && **k != s));
        Marks {
            uuid: uuid.map(str::to_owned),
            stack_id: stack_id.map(str::to_owned),
            namespace: namespace.to_owned(),
            longer: longer.map(|k| (*k).to_owned()).collect(),
        }
    }

    /// The same marks where these stack ids are known, too.
    #[must_use]
    pub fn beside(&self, more: &BTreeSet<String>) -> Self {
        let known = self.longer.iter().chain(more).map(String::as_str).collect();
        Marks::new(self.uuid.as_deref(), self.stack_id.as_deref(), &self.namespace, &known)
    }

    /// True for the stack id itself and for a name that begins with it and a dash.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let Some(stack_id) = &self.stack_id else { return false };
        is_or_begins(name, stack_id) && !self.longer.iter().any(|other| is_or_begins(name, other))
    }

    /// The name that CAPO gives to the cluster's network, subnet and router.
    #[must_use]
    pub fn network(&self) -> Option<String> {
        Some(format!("k8s-clusterapi-cluster-{}-{}", self.namespace, self.stack_id.as_ref()?))
    }

    /// The name of the API load balancer.
    #[must_use]
    pub fn api_load_balancer(&self) -> Option<String> {
        Some(format!("{}-kubeapi", self.network()?))
    }

    /// True for one of the cluster's own security groups, by whole name.
    #[must_use]
    pub fn group(&self, name: &str) -> bool {
        let Some(stack_id) = &self.stack_id else { return false };
        let prefix = format!("k8s-cluster-{}-{stack_id}-secgroup-", self.namespace);
        ["controlplane", "worker", "bastion"].iter().any(|role| name.strip_prefix(&prefix) == Some(*role))
    }

    /// True for the load balancer of a Service of this cluster.
    #[must_use]
    pub fn service_load_balancer(&self, name: &str, description: &str) -> bool {
        let Some(uuid) = &self.uuid else { return false };
        name.starts_with(&format!("kube_service_{uuid}_"))
            || description.ends_with(&format!(" from cluster {uuid}"))
    }

    /// True if a text names the cluster: its UUID, or its stack id as a whole word.
    #[must_use]
    pub fn in_text(&self, text: &str) -> bool {
        let uuid = self.uuid.as_deref().is_some_and(|uuid| text.contains(uuid));
        uuid || self.stack_id.as_deref().is_some_and(|stack_id| self.word_in(text, stack_id))
    }

    /// The stack id in `text`, not as a part of another name. What follows may be a
    /// dash and the rest of an object's name, if no longer stack id claims it.
    fn word_in(&self, text: &str, stack_id: &str) -> bool {
        text.match_indices(stack_id).any(|(at, _)| {
            let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            let after = rest.get(stack_id.len()..).unwrap_or_default();
            let starts = !before.chars().next_back().is_some_and(char::is_alphanumeric)
                && !before.ends_with('-')
                || before.ends_with(&format!("{}-", self.namespace));
            let ends = !after.chars().next().is_some_and(char::is_alphanumeric);
            starts && ends && !self.longer.iter().any(|other| is_or_begins_word(rest, other))
        })
    }
}

fn is_or_begins(name: &str, stack_id: &str) -> bool {
    name.strip_prefix(stack_id).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn is_or_begins_word(text: &str, stack_id: &str) -> bool {
    text.strip_prefix(stack_id).is_some_and(|rest| !rest.chars().next().is_some_and(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(stack_id: &str, known: &[&str]) -> Marks {
        Marks::new(Some("uuid-1"), Some(stack_id), "magnum-system", &known.iter().copied().collect())
    }

    #[test]
    fn a_name_belongs_to_the_longest_stack_id() {
        let short = marks("k8s-a", &["k8s-a", "k8s-a-b"]);
        assert!(short.names("k8s-a-x7d2f"));
        assert!(short.names("k8s-a"));
        assert!(!short.names("k8s-a-b-x7d2f"));
        assert!(!short.names("k8s-ab"));
        assert!(marks("k8s-a-b", &["k8s-a", "k8s-a-b"]).names("k8s-a-b-x7d2f"));
    }

    #[test]
    fn a_text_names_a_cluster_by_whole_words() {
        let cluster = marks("kube-abcde", &["kube-abcde", "kube-abcde-x"]);
        assert!(cluster.in_text(r#"cluster="kube-abcde""#));
        assert!(cluster.in_text("k8s-cluster-magnum-system-kube-abcde-secgroup-worker"));
        assert!(cluster.in_text("Machine=\"magnum-system/kube-abcde-7f6gh-9x2vb\""));
        assert!(cluster.in_text("of cluster uuid-1"));
        assert!(!cluster.in_text("kube-abcdef"));
        assert!(!cluster.in_text("mykube-abcde"));
        assert!(!cluster.in_text("kube-abcde-x-12345"));
    }

    #[test]
    fn security_groups_are_matched_by_whole_name() {
        let cluster = marks("kube-abcde", &[]);
        assert!(cluster.group("k8s-cluster-magnum-system-kube-abcde-secgroup-worker"));
        assert!(!cluster.group("k8s-cluster-magnum-system-kube-abcde-x-secgroup-worker"));
        assert!(!cluster.group("k8s-cluster-magnum-system-kube-abcde-secgroup-workers"));
    }
}

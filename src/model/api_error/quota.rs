//! Refusals for quota, in the words of each service.

use super::after;

/// What a service refused for quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaRefusal {
    /// The resources by their names in the quota API: `router`, `cores`, `server_groups`, `gigabytes`.
    pub resources: Vec<String>,
    /// How much was asked for, of the first resource.
    pub requested: Option<u64>,
    /// How much was in use.
    pub used: Option<u64>,
    /// The limit.
    pub limit: Option<u64>,
}

impl QuotaRefusal {
    fn of<'a>(resources: impl IntoIterator<Item = &'a str>) -> Option<QuotaRefusal> {
        let resources: Vec<String> =
            resources.into_iter().map(normal).filter(|resource| !resource.is_empty()).collect();
        let found = !resources.is_empty();
        found.then_some(QuotaRefusal { resources, requested: None, used: None, limit: None })
    }
}

/// The refusal that a sentence tells of.
pub fn quota(text: &str) -> Option<QuotaRefusal> {
    [neutron, octavia, nova_counted, nova_fixed, unified_limits, cinder_count, cinder_size, magnum]
        .iter()
        .find_map(|wording| wording(text))
}

/// `Quota exceeded for resources: ['router', 'port'].` (openstack/neutron-lib, exceptions: OverQuota)
fn neutron(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, "Quota exceeded for resources: [")?;
    QuotaRefusal::of(rest.split(']').next()?.split(','))
}

/// `Quota has been met for resources: Load Balancer` (openstack/octavia, common/exceptions.py: QuotaException)
fn octavia(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, "Quota has been met for resources: ")?;
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, ' ' | ',' | '_'))).unwrap_or(rest.len());
    QuotaRefusal::of(rest.get(..end)?.split(','))
}

/// `Quota exceeded for cores, ram: Requested 2, 4096, but already used 0, 0 of 1, 2 cores, ram`
/// (openstack/nova, exception.py: TooManyInstances)
fn nova_counted(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, "Quota exceeded for ")?;
    let (resources, counts) = rest.split_once(": Requested ").unwrap_or_else(|| {
        let end = rest.find(['.', '"', '\n', ':', ';']).unwrap_or(rest.len());
        (rest.get(..end).unwrap_or_default(), "")
    });
    if resources.contains(['"', '\n', '{']) || resources.len() > 200 {
        return None;
    }
    let mut refusal = QuotaRefusal::of(resources.split(','))?;
    refusal.requested = number(counts);
    if let Some((_, used)) = after(counts, "already used ") {
        refusal.used = number(used);
        refusal.limit = after(used, " of ").and_then(|(_, limit)| number(limit));
    }
    Some(refusal)
}

/// Nova's sentences without numbers (openstack/nova, exception.py), and the resources they are about.
const FIXED: [(&str, &str); 6] = [
    ("too many server groups", "server_groups"),
    ("too many servers in group", "server_group_members"),
    ("too many key pairs", "key_pairs"),
    ("Maximum number of key pairs exceeded", "key_pairs"),
    ("Maximum number of ports exceeded", "port"),
    ("Maximum number of floating IPs exceeded", "floatingip"),
];

/// `Quota exceeded, too many server groups.`
fn nova_fixed(text: &str) -> Option<QuotaRefusal> {
    FIXED
        .iter()
        .find(|(words, _)| text.contains(words))
        .and_then(|(_, resource)| QuotaRefusal::of([*resource]))
}

/// `Project … is over a limit for [Resource servers is over limit of 1 due to current usage 1 and delta 1, …]`
/// (openstack/oslo.limit, oslo_limit/exception.py)
fn unified_limits(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, "is over a limit for ")?;
    let over = rest.split("Resource ").skip(1).filter_map(|part| part.split_once(" is over limit of "));
    let mut over = over.peekable();
    let numbers = over.peek().map(|(_, numbers)| *numbers).unwrap_or_default();
    let mut refusal = QuotaRefusal::of(over.map(|(resource, _)| resource))?;
    refusal.limit = number(numbers);
    refusal.used = after(numbers, "current usage ").and_then(|(_, used)| number(used));
    refusal.requested = after(numbers, "delta ").and_then(|(_, delta)| number(delta));
    Some(refusal)
}

/// `Maximum number of volumes allowed (10) exceeded for quota 'volumes'.`
/// (openstack/cinder, exception.py: VolumeLimitExceeded, SnapshotLimitExceeded)
fn cinder_count(text: &str) -> Option<QuotaRefusal> {
    if let Some((_, rest)) = after(text, "Maximum number of ")
        && let Some((resource, rest)) = rest.split_once(" allowed (")
        && !resource.contains(['"', '\n'])
    {
        let named =
            after(rest, "for quota '").and_then(|(_, name)| name.split_once('\'')).map(|(name, _)| name);
        let mut refusal = QuotaRefusal::of([named.unwrap_or(resource)])?;
        refusal.limit = number(rest);
        return Some(refusal);
    }
    // Nova passes on no more than the class of what Cinder refused.
    text.contains("VolumeLimitExceeded").then(|| QuotaRefusal::of(["volumes"])).flatten()
}

/// `Requested volume or snapshot exceeds allowed gigabytes quota. Requested 20G, quota is 10G and 5G has been
/// consumed.` (openstack/cinder, exception.py: VolumeSizeExceedsAvailableQuota)
fn cinder_size(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, " exceeds allowed ")?;
    let (resource, rest) = rest.split_once(" quota")?;
    if resource.contains(' ') {
        return None;
    }
    let mut refusal = QuotaRefusal::of([resource])?;
    refusal.requested = after(rest, "Requested ").and_then(|(_, asked)| number(asked));
    refusal.limit = after(rest, "quota is ").and_then(|(_, limit)| number(limit));
    refusal.used = after(rest, " and ").and_then(|(_, used)| number(used));
    Some(refusal)
}

/// `You have reached the maximum clusters per project, 20. You may delete a cluster to make room for a new one.`
/// (openstack/magnum, api/controllers/v1/cluster.py)
fn magnum(text: &str) -> Option<QuotaRefusal> {
    let (_, rest) = after(text, "You have reached the maximum clusters per project")?;
    let mut refusal = QuotaRefusal::of(["clusters"])?;
    refusal.limit = rest.strip_prefix(", ").and_then(number);
    Some(refusal)
}

/// The number a text starts with.
fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// The name that the quota API has for a resource.
fn normal(resource: &str) -> String {
    let name = resource.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\' | '.'));
    let name = name.strip_prefix("u'").unwrap_or(name).to_lowercase().replace(' ', "_");
    let same = match name.as_str() {
        "load_balancer" | "loadbalancers" => "loadbalancer",
        "health_monitor" | "healthmonitors" => "healthmonitor",
        "l7_policy" => "l7policy",
        "l7_rule" => "l7rule",
        "floating_ip" | "floatingips" => "floatingip",
        "servers" | "instance" => "instances",
        "class:vcpu" | "class:pcpu" => "cores",
        "class:memory_mb" => "ram",
        "server_key_pairs" => "key_pairs",
        _ => return name,
    };
    same.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resources, then requested, used and limit.
    fn check(text: &str, resources: &[&str], numbers: [Option<u64>; 3]) {
        let refusal = quota(text).unwrap_or_else(|| panic!("no refusal in {text}"));
        assert_eq!(refusal.resources, resources);
        assert_eq!([refusal.requested, refusal.used, refusal.limit], numbers);
    }

    #[test]
    fn neutron_names_resources() {
        check("{\"message\": \"Quota exceeded for resources: ['router'].\"}", &["router"], [None; 3]);
        check(
            "Quota exceeded for resources: [u'port', 'security_group']",
            &["port", "security_group"],
            [None; 3],
        );
    }

    #[test]
    fn octavia_names_classes() {
        check("\"Quota has been met for resources: Load Balancer\"", &["loadbalancer"], [None; 3]);
        check("Quota has been met for resources: Health Monitor.", &["healthmonitor"], [None; 3]);
    }

    #[test]
    fn nova_counts() {
        let text = "Quota exceeded for cores: Requested 2, but already used 13 of 2 cores";
        check(text, &["cores"], [Some(2), Some(13), Some(2)]);
    }

    #[test]
    fn nova_counts_the_first_of_several() {
        let text = "Quota exceeded for cores, ram: Requested 16, 32768, but already used 20, 65536 of 20, 65536 cores, ram";
        check(text, &["cores", "ram"], [Some(16), Some(20), Some(20)]);
    }

    #[test]
    fn nova_without_numbers() {
        check("Quota exceeded, too many server groups.", &["server_groups"], [None; 3]);
        check("Quota exceeded, too many servers in group", &["server_group_members"], [None; 3]);
    }

    #[test]
    fn unified_limits_of_nova() {
        let text = "Project 69146a is over a limit for [Resource servers is over limit of 1 due to current usage 3 and delta 2, Resource class:MEMORY_MB is over limit of 512 due to current usage 0 and delta 4096]";
        check(text, &["instances", "ram"], [Some(2), Some(3), Some(1)]);
    }

    #[test]
    fn cinder_counts_volumes() {
        let text =
            "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.";
        check(text, &["volumes"], [None, None, Some(10)]);
        check("Maximum number of snapshots allowed (5) exceeded", &["snapshots"], [None, None, Some(5)]);
        check("Build of instance aborted: VolumeLimitExceeded", &["volumes"], [None; 3]);
    }

    #[test]
    fn cinder_counts_gigabytes() {
        let text = "Requested volume or snapshot exceeds allowed gigabytes quota. Requested 20G, quota is 10G and 5G has been consumed.";
        check(text, &["gigabytes"], [Some(20), Some(5), Some(10)]);
    }

    #[test]
    fn magnum_counts_clusters() {
        let text = "You have reached the maximum clusters per project, 20. You may delete a cluster to make room for a new one.";
        check(text, &["clusters"], [None, None, Some(20)]);
    }

    #[test]
    fn other_sentences_are_no_refusal() {
        for text in ["No valid host was found.", "exceeded quota", "Maximum number of retries", ""] {
            assert_eq!(quota(text), None);
        }
    }
}

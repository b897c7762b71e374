//! Whose API a request went to.

use std::collections::BTreeMap;

/// A service with an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// Identity.
    Keystone,
    /// Network.
    Neutron,
    /// Load balancer.
    Octavia,
    /// Compute.
    Nova,
    /// Block storage.
    Cinder,
    /// Image.
    Glance,
    /// Container infrastructure.
    Magnum,
    /// The management cluster or the cluster's own API server.
    Kubernetes,
    /// Nothing told.
    Unknown,
}

impl Service {
    /// Its name for people.
    pub fn word(self) -> &'static str {
        match self {
            Service::Keystone => "Keystone",
            Service::Neutron => "Neutron",
            Service::Octavia => "Octavia",
            Service::Nova => "Nova",
            Service::Cinder => "Cinder",
            Service::Glance => "Glance",
            Service::Magnum => "Magnum",
            Service::Kubernetes => "Kubernetes",
            Service::Unknown => "unknown service",
        }
    }

    /// The service behind a catalog type and its aliases (openstack/service-types-authority).
    fn of_type(kind: &str) -> Service {
        match kind {
            "identity" => Service::Keystone,
            "network" => Service::Neutron,
            "load-balancer" | "loadbalancer" => Service::Octavia,
            "compute" | "compute_legacy" => Service::Nova,
            "block-storage" | "block-store" | "volume" | "volumev2" | "volumev3" => Service::Cinder,
            "image" => Service::Glance,
            "container-infra" | "container-infrastructure" | "container-infrastructure-management" => {
                Service::Magnum
            }
            _ => Service::Unknown,
        }
    }
}

/// The service of a URL: by the longest endpoint of the catalog (service type to URL) that it starts with, by
/// the only service at its host and port, then by the shape of its path.
pub fn service_of(url: &str, endpoints: &BTreeMap<String, String>) -> Service {
    let known = || {
        endpoints
            .iter()
            .map(|(kind, endpoint)| (Service::of_type(kind), endpoint.trim_end_matches('/')))
            .filter(|(service, endpoint)| *service != Service::Unknown && !endpoint.is_empty())
    };
    let longest = known().filter(|(_, endpoint)| starts_with(url, endpoint)).max_by_key(|(_, e)| e.len());
    if let Some((service, _)) = longest {
        return service;
    }
    let mut there = known().filter(|(_, endpoint)| authority(endpoint) == authority(url)).map(|(s, _)| s);
    let shape = by_path(path(url), url);
    match there.next() {
        Some(only) if there.all(|other| other == only) => only,
        _ => shape,
    }
}

/// A URL starts with an endpoint, which ends at the end of a path segment.
fn starts_with(url: &str, endpoint: &str) -> bool {
    let (Some(head), Some(tail)) = (url.get(..endpoint.len()), url.get(endpoint.len()..)) else {
        return false;
    };
    head.eq_ignore_ascii_case(endpoint) && (tail.is_empty() || tail.starts_with(['/', '?']))
}

/// Host and port of a URL.
fn authority(url: &str) -> String {
    let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
    behind.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase()
}

/// The path of a URL, without query; `/` if it has none.
pub(super) fn path(url: &str) -> &str {
    let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
    let path = behind.find('/').and_then(|at| behind.get(at..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or("/")
}

/// The service that a path belongs to by its shape, at any prefix a site put before it.
pub(super) fn by_path(path: &str, url: &str) -> Service {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let (first, last) = (segments.first().copied().unwrap_or_default(), segments.last().copied());
    if last.is_some_and(|last| last.starts_with("validate-") || last.starts_with("mutate-")) {
        return Service::Kubernetes;
    }
    if matches!(first, "apis" | "healthz" | "readyz" | "livez" | "openapi") || path.starts_with("/api/v1") {
        return Service::Kubernetes;
    }
    // client-go's discovery of an API server.
    if segments.is_empty() && url.contains("?timeout=") {
        return Service::Kubernetes;
    }
    if segments.iter().any(|segment| matches!(*segment, "lbaas" | "load-balancer" | "octavia")) {
        return Service::Octavia;
    }
    segments
        .iter()
        .position(|segment| is_version(segment))
        .and_then(|at| Some(by_version(segments.get(at)?, segments.get(at + 1..)?)))
        .unwrap_or(Service::Unknown)
}

/// `v2.0`, `v3`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    })
}

/// What a version and the segments behind it tell.
fn by_version(version: &str, behind: &[&str]) -> Service {
    let resource = behind.first().copied().unwrap_or_default();
    // Nova and Cinder may carry the project before the resource.
    let (project, inner) = match (is_project(resource), behind.get(1)) {
        (true, inner) => (true, inner.copied().unwrap_or_default()),
        (false, _) => (false, resource),
    };
    match (version, resource) {
        ("v3", _) if IDENTITY.contains(&resource) => Service::Keystone,
        ("v2.0", "tokens") => Service::Keystone,
        ("v2.0", _) => Service::Neutron,
        ("v1", _) if MAGNUM.contains(&resource) => Service::Magnum,
        ("v2" | "v1", "images" | "schemas" | "tasks" | "metadefs") => Service::Glance,
        ("v2" | "v3", _) if BLOCK_STORAGE.contains(&inner) => Service::Cinder,
        ("v3", _) if project => Service::Cinder,
        ("v2.1", _) => Service::Nova,
        ("v2", _) if COMPUTE.contains(&inner) || inner.starts_with("os-") => Service::Nova,
        _ => Service::Unknown,
    }
}

/// A project's id in a path: 32 hexadecimal digits, or the same as a UUID.
fn is_project(segment: &str) -> bool {
    matches!(segment.len(), 32 | 36) && segment.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Resources of Keystone's v3 (openstack/keystone, keystone/api).
const IDENTITY: [&str; 17] = [
    "auth",
    "users",
    "projects",
    "groups",
    "domains",
    "roles",
    "role_assignments",
    "services",
    "endpoints",
    "regions",
    "credentials",
    "limits",
    "registered_limits",
    "policies",
    "OS-TRUST",
    "OS-FEDERATION",
    "system",
];

/// Resources of Magnum's v1 (openstack/magnum, magnum/api/controllers/v1).
const MAGNUM: [&str; 9] = [
    "clusters",
    "clustertemplates",
    "certificates",
    "mservices",
    "quotas",
    "stats",
    "federations",
    "bays",
    "baymodels",
];

/// Resources of Cinder's v3 (openstack/cinder, cinder/api/v3/router.py).
const BLOCK_STORAGE: [&str; 7] =
    ["volumes", "snapshots", "backups", "attachments", "types", "group_types", "volume-transfers"];

/// Resources of Nova's v2 (openstack/nova, nova/api/openstack/compute/routes.py).
const COMPUTE: [&str; 5] = ["servers", "flavors", "limits", "images", "extensions"];

/// Words before an error that name its service; the last one in the text counts.
const WORDS: [(&str, Service); 29] = [
    ("providerClient authentication err", Service::Keystone),
    ("Unable to re-authenticate", Service::Keystone),
    ("keystone", Service::Keystone),
    ("identity", Service::Keystone),
    ("networking", Service::Neutron),
    ("network service", Service::Neutron),
    ("external network", Service::Neutron),
    ("neutron", Service::Neutron),
    ("loadbalancer", Service::Octavia),
    ("load-balancer", Service::Octavia),
    ("load balancer", Service::Octavia),
    ("octavia", Service::Octavia),
    ("compute", Service::Nova),
    ("nova", Service::Nova),
    ("volume", Service::Cinder),
    ("block storage", Service::Cinder),
    ("cinder", Service::Cinder),
    ("image", Service::Glance),
    ("glance", Service::Glance),
    ("magnumclient", Service::Magnum),
    ("container-infra", Service::Magnum),
    ("remote cluster", Service::Kubernetes),
    ("workload cluster", Service::Kubernetes),
    ("cluster is not reachable", Service::Kubernetes),
    ("cluster accessor", Service::Kubernetes),
    ("bootstrap token", Service::Kubernetes),
    ("reconcile Node", Service::Kubernetes),
    ("client rate limiter", Service::Kubernetes),
    // client-go, rest/request.go
    ("reading response body", Service::Kubernetes),
];

/// The service by the words before an error.
pub(super) fn by_words(before: &str) -> Service {
    WORDS
        .iter()
        .filter_map(|(word, service)| Some((last_word(before, word)?, *service)))
        .max_by_key(|(at, _)| *at)
        .map_or(Service::Unknown, |(_, service)| service)
}

/// The end of the last place where a word, or its plural, stands for itself, not inside another or in a name.
fn last_word(text: &str, word: &str) -> Option<usize> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    text.rmatch_indices(word).map(|(at, _)| at + word.len()).find(|end| {
        let before = text.get(..end.saturating_sub(word.len())).unwrap_or_default();
        let behind = text.get(*end..).unwrap_or_default();
        let behind = behind.strip_prefix('s').unwrap_or(behind);
        !before.ends_with(inside) && !behind.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_service(url: &str, expected: Service) {
        let endpoints = [
            ("network", "https://cloud.example/network/"),
            ("load-balancer", "https://cloud.example/network/v2.0/lbaas"),
            ("identity", "https://cloud.example/identity"),
            ("volumev3", "http://127.0.0.1:8776/v3/d57f97f08b9747f7ad7d12c22d0340e4"),
            ("placement", "http://127.0.0.1:8778"),
        ];
        let endpoints: BTreeMap<String, String> =
            endpoints.iter().map(|(kind, url)| ((*kind).to_owned(), (*url).to_owned())).collect();
        assert_eq!(service_of(url, &endpoints), expected, "{url}");
    }

    #[test]
    fn service_by_endpoint() {
        check_service("https://cloud.example/network/v2.0/ports", Service::Neutron);
        check_service("https://cloud.example/network/v2.0/lbaas/listeners", Service::Octavia);
        check_service("https://CLOUD.example/identity", Service::Keystone);
        check_service("http://127.0.0.1:8776/v3/types", Service::Cinder);
    }

    #[test]
    fn service_by_path_where_no_endpoint_fits() {
        check_service("https://cloud.example/networking-not/v2.1/servers", Service::Nova);
        check_service("https://other.example/image/v2/images/1", Service::Glance);
        check_service("http://127.0.0.1:8778/x", Service::Unknown);
    }
}

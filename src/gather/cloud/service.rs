//! The services we read, their names in catalogs, and how a URL of theirs is made.

use reqwest::Url;

/// A service whose API we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Service {
    /// Magnum.
    ContainerInfra,
    /// Keystone.
    Identity,
    /// Nova.
    Compute,
    /// Neutron.
    Network,
    /// Octavia.
    LoadBalancer,
    /// Cinder.
    BlockStorage,
    /// Glance.
    Image,
}

impl Service {
    /// Every service, in the order of the list above.
    pub const ALL: [Service; 7] = [
        Service::ContainerInfra,
        Service::Identity,
        Service::Compute,
        Service::Network,
        Service::LoadBalancer,
        Service::BlockStorage,
        Service::Image,
    ];

    /// The word for it in the bundle (`openstack/<word>/…`) and in messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Service::ContainerInfra => "container-infra",
            Service::Identity => "identity",
            Service::Compute => "compute",
            Service::Network => "network",
            Service::LoadBalancer => "load-balancer",
            Service::BlockStorage => "volume",
            Service::Image => "image",
        }
    }

    /// Its names in catalogs and settings, the official one first (the data of
    /// os-service-types, `service-types.json`).
    #[must_use]
    pub fn types(self) -> &'static [&'static str] {
        match self {
            Service::ContainerInfra => {
                &["container-infrastructure-management", "container-infrastructure", "container-infra"]
            }
            Service::Identity => &["identity"],
            Service::Compute => &["compute"],
            Service::Network => &["network"],
            Service::LoadBalancer => &["load-balancer"],
            Service::BlockStorage => &["block-storage", "volumev3", "volumev2", "volume", "block-store"],
            Service::Image => &["image"],
        }
    }

    /// Version in the path of its URLs.
    fn version(self) -> &'static str {
        match self {
            Service::ContainerInfra => "v1",
            Service::Identity | Service::BlockStorage => "v3",
            Service::Compute => "v2.1",
            Service::Network => "v2.0",
            Service::LoadBalancer | Service::Image => "v2",
        }
    }

    /// The word for it in the header `OpenStack-API-Version`. Magnum takes only this alias,
    /// Cinder only its old name.
    #[must_use]
    pub fn version_word(self) -> &'static str {
        match self {
            Service::BlockStorage => "volume",
            other => other.word(),
        }
    }

    /// The microversion to ask for if nobody says another: Magnum's newest, because node
    /// groups, tags and the driver's fields came late; else none.
    #[must_use]
    pub fn usual_microversion(self) -> Option<&'static str> {
        (self == Service::ContainerInfra).then_some("latest")
    }
}

/// One question to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Whom.
    pub service: Service,
    /// Path below the version, in segments: `["clusters", "prod"]`. Not encoded.
    pub path: Vec<String>,
    /// Query, in order. Not encoded.
    pub query: Vec<(String, String)>,
    /// Microversion, if not the usual one.
    pub microversion: Option<String>,
}

impl Ask {
    /// A question without a query.
    #[must_use]
    pub fn new(service: Service, path: &[&str]) -> Self {
        let path = path.iter().map(|segment| (*segment).to_owned()).collect();
        Ask { service, path, query: Vec::new(), microversion: None }
    }

    /// The same with one more pair in the query.
    #[must_use]
    pub fn query(mut self, key: &str, value: impl Into<String>) -> Self {
        self.query.push((key.to_owned(), value.into()));
        self
    }

    /// The same with a microversion, `2.96` or `latest`.
    #[must_use]
    pub fn microversion(mut self, version: &str) -> Self {
        self.microversion = Some(version.to_owned());
        self
    }

    /// The URL to ask, from the service's address in the catalog. Sites write the address
    /// with or without a version, with an older one, under a prefix, with the project id; the
    /// prefix and the id stay, the version becomes the one we speak. None if the address is
    /// not a URL, or a segment would lead elsewhere (`..`).
    #[must_use]
    pub fn url(&self, endpoint: &str, project: Option<&str>) -> Option<Url> {
        let mut url = Url::parse(endpoint).ok()?;
        let old: Vec<String> = url.path_segments()?.filter(|s| !s.is_empty()).map(str::to_owned).collect();
        // Behind the version only Cinder and old Novas have something, the project id.
        let may_follow = usize::from(matches!(self.service, Service::BlockStorage | Service::Compute));
        let at =
            old.iter().rposition(|segment| is_version(segment)).filter(|at| at + 1 + may_follow >= old.len());
        let (prefix, rest) = match at {
            Some(at) => (old.get(..at)?, old.get(at + 1..)?),
            None => (old.as_slice(), [].as_slice()),
        };
        let add_project = match self.service {
            Service::BlockStorage if rest.is_empty() => project,
            _ => None,
        };
        if self.path.iter().any(|segment| matches!(segment.as_str(), "" | "." | "..")) {
            return None;
        }
        {
            let mut segments = url.path_segments_mut().ok()?;
            segments.clear().extend(prefix).push(self.service.version()).extend(rest);
            segments.extend(add_project).extend(&self.path);
        }
        url.set_query(None);
        url.set_fragment(None);
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Some(url)
    }
}

/// `v1`, `v2.0`, `v2.1`, `v3`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(endpoint: &str, service: Service, path: &[&str], expected: &str) {
        let url = Ask::new(service, path).url(endpoint, Some("p1")).map(String::from);
        assert_eq!(url.as_deref(), Some(expected), "{endpoint}");
    }

    #[test]
    fn magnum_with_and_without_version() {
        for endpoint in ["https://h:9511", "https://h:9511/", "https://h:9511/v1", "https://h:9511/v1/"] {
            check(endpoint, Service::ContainerInfra, &["clusters"], "https://h:9511/v1/clusters");
        }
        check("https://h/magnum/v1", Service::ContainerInfra, &["clusters"], "https://h/magnum/v1/clusters");
    }

    #[test]
    fn cinder_keeps_or_gets_the_project() {
        let expected = "https://h:8776/v3/p1/volumes/detail";
        for endpoint in
            ["https://h:8776/v3/p1", "https://h:8776/v2/p1", "https://h:8776/v3", "https://h:8776/"]
        {
            check(endpoint, Service::BlockStorage, &["volumes", "detail"], expected);
        }
        check(
            "https://h/volume/v3/p2",
            Service::BlockStorage,
            &["volumes"],
            "https://h/volume/v3/p2/volumes",
        );
    }

    #[test]
    fn the_other_services() {
        check("http://h:9696", Service::Network, &["ports"], "http://h:9696/v2.0/ports");
        check("http://h:9696/v2.0/", Service::Network, &["ports"], "http://h:9696/v2.0/ports");
        check(
            "http://h:9876/v2.0",
            Service::LoadBalancer,
            &["lbaas", "pools"],
            "http://h:9876/v2/lbaas/pools",
        );
        check("http://h/compute/v2.1", Service::Compute, &["servers"], "http://h/compute/v2.1/servers");
        check("http://h:8774/v2/p1", Service::Compute, &["servers"], "http://h:8774/v2.1/p1/servers");
        check("http://h/identity", Service::Identity, &["projects"], "http://h/identity/v3/projects");
        check("http://h/v1/image", Service::Image, &["images"], "http://h/v1/image/v2/images");
        check("http://h/image", Service::Image, &["images"], "http://h/image/v2/images");
    }

    #[test]
    fn names_and_values_are_encoded() {
        check(
            "http://h",
            Service::ContainerInfra,
            &["clusters", "a/b?c d"],
            "http://h/v1/clusters/a%2Fb%3Fc%20d",
        );
        let ask = Ask::new(Service::Network, &["ports"]).query("tags", "a&b=c").query("fields", "id");
        let url = ask.url("http://h", None).map(String::from);
        assert_eq!(url.as_deref(), Some("http://h/v2.0/ports?tags=a%26b%3Dc&fields=id"));
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        for name in ["..", ".", ""] {
            assert_eq!(Ask::new(Service::ContainerInfra, &["clusters", name]).url("http://h", None), None);
        }
        assert_eq!(Ask::new(Service::Network, &["ports"]).url("not a url", None), None);
    }
}

//! The kinds of things that a cluster leaves behind.

/// A kind. The order is that of removal: what holds others goes first, data stays last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An object that a controller of Cluster API has to finish.
    Object,
    /// Before the load balancer whose port it is on: both can be looked at as they were.
    FloatingIp,
    LoadBalancer,
    Server,
    Volume,
    Trunk,
    Port,
    Router,
    Subnet,
    Network,
    SecurityGroup,
    ServerGroup,
    Credential,
    ResourceSet,
    Secret,
    /// A snapshot of a volume of the cluster's users.
    DataSnapshot,
    /// A volume of the cluster's users.
    DataVolume,
}

impl Kind {
    /// The word for it in every output.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::LoadBalancer => "load balancer",
            Kind::FloatingIp => "floating IP",
            Kind::Server => "server",
            Kind::Volume | Kind::DataVolume => "volume",
            Kind::Trunk => "trunk",
            Kind::Port => "port",
            Kind::Router => "router",
            Kind::Subnet => "subnet",
            Kind::Network => "network",
            Kind::SecurityGroup => "security group",
            Kind::ServerGroup => "server group",
            Kind::Credential => "application credential",
            Kind::ResourceSet => "ClusterResourceSet",
            Kind::Secret => "Secret",
            Kind::DataSnapshot => "volume snapshot",
        }
    }

    /// The words of the `openstack` command that mean it; none for Kubernetes objects.
    pub(super) fn command(self) -> Option<&'static str> {
        Some(match self {
            Kind::Object | Kind::ResourceSet | Kind::Secret => return None,
            Kind::LoadBalancer => "loadbalancer",
            Kind::FloatingIp => "floating ip",
            Kind::Trunk => "network trunk",
            _ => self.word(),
        })
    }

    /// Lists that have those who hold such a thing: without them nobody knows that it can go. Whoever
    /// holds it by an id that it has itself is looked up one by one.
    pub(super) fn held_through(self) -> &'static [&'static str] {
        match self {
            Kind::SecurityGroup | Kind::Subnet | Kind::Network => &["openstack/network/ports"],
            Kind::Router => &["openstack/network/ports", "openstack/network/floatingips"],
            Kind::Volume => &["openstack/volume/snapshots"],
            _ => &[],
        }
    }

    /// True for what belongs to the cluster's users.
    pub(super) fn is_data(self) -> bool {
        matches!(self, Kind::DataSnapshot | Kind::DataVolume)
    }

    /// True for an object of the management cluster.
    pub(super) fn is_kubernetes(self) -> bool {
        self.command().is_none()
    }
}

//! One cluster in the world: what Magnum, Kubernetes and OpenStack have of it, what was
//! said about it, and what could not be seen.

use jiff::{SignedDuration, Timestamp};

use super::action::{self, Action, Since, Speakers};
use super::belongs::Marks;
use super::controller::{self, Controller};
use super::node::{self, Node};
use super::said::{self, Said};
use super::seen::Unseen;
use super::status_reason::{self, StatusReason};
use super::{Doc, Seen, World, current, version};

/// Everything that is known about one cluster.
#[derive(Debug)]
pub struct Snapshot<'w> {
    /// The world it is in.
    pub world: &'w World<'w>,
    /// When the servers were read.
    pub taken_at: Timestamp,
    /// Its marks: UUID, stack id, namespace.
    pub marks: Marks,
    /// What the operator called it.
    pub asked_for: String,
    /// What Magnum has.
    pub magnum: Magnum<'w>,
    /// What the management cluster has.
    pub kube: Kube<'w>,
    /// What OpenStack has; lists hold other clusters' things too.
    pub cloud: Cloud<'w>,
    /// What was said about it.
    pub said: Said,
    /// Its machines.
    pub nodes: Vec<Node<'w>>,
    /// Controllers of the management cluster.
    pub controllers: Vec<Controller<'w>>,
    /// What it is doing.
    pub action: Action,
    /// Since when.
    pub since: Since,
}

/// Magnum's half.
#[derive(Debug)]
pub struct Magnum<'w> {
    /// Rows of `clusters.json`, all of them.
    pub clusters: Seen<Doc<'w>>,
    /// The row of this cluster.
    pub cluster: Option<Doc<'w>>,
    /// Its node groups.
    pub groups: Seen<Doc<'w>>,
    /// Its template, if it was read.
    pub template: Option<Doc<'w>>,
    /// Its status_reason, taken apart.
    pub reason: StatusReason,
}

/// The management cluster's half: objects of this cluster alone.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is the list of the kind that it is named after")]
pub struct Kube<'w> {
    pub clusters: Seen<Doc<'w>>,
    pub openstack_clusters: Seen<Doc<'w>>,
    pub control_planes: Seen<Doc<'w>>,
    pub deployments: Seen<Doc<'w>>,
    pub sets: Seen<Doc<'w>>,
    pub machines: Seen<Doc<'w>>,
    pub openstack_machines: Seen<Doc<'w>>,
    pub openstack_servers: Seen<Doc<'w>>,
    pub health_checks: Seen<Doc<'w>>,
    pub configs: Seen<Doc<'w>>,
    pub secrets: Seen<Doc<'w>>,
    pub resource_sets: Seen<Doc<'w>>,
    /// Of the namespace: shared by clusters.
    pub classes: Seen<Doc<'w>>,
    /// Deployments of controllers, of all namespaces.
    pub controllers: Seen<Doc<'w>>,
    /// Pods of controllers, of all namespaces.
    pub pods: Seen<Doc<'w>>,
}

/// OpenStack's half: lists of the project.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is the list that it is named after")]
pub struct Cloud<'w> {
    pub servers: Seen<Doc<'w>>,
    pub server_groups: Seen<Doc<'w>>,
    pub flavors: Seen<Doc<'w>>,
    pub ports: Seen<Doc<'w>>,
    pub groups: Seen<Doc<'w>>,
    pub networks: Seen<Doc<'w>>,
    pub subnets: Seen<Doc<'w>>,
    pub routers: Seen<Doc<'w>>,
    pub floating_ips: Seen<Doc<'w>>,
    pub load_balancers: Seen<Doc<'w>>,
    pub listeners: Seen<Doc<'w>>,
    pub pools: Seen<Doc<'w>>,
    pub volumes: Seen<Doc<'w>>,
    pub snapshots: Seen<Doc<'w>>,
    pub images: Seen<Doc<'w>>,
    pub projects: Seen<Doc<'w>>,
    pub users: Seen<Doc<'w>>,
    pub credentials: Seen<Doc<'w>>,
}

impl<'w> Snapshot<'w> {
    /// The cluster with these marks.
    #[must_use]
    pub fn new(world: &'w World<'w>, asked_for: &str, uuid: Option<&str>, stack_id: Option<&str>) -> Self {
        let marks = Marks::new(uuid, stack_id, world.namespace, world.stack_ids());
        let magnum = Magnum::new(world, &marks);
        let kube = Kube::new(world, &marks);
        let cloud = Cloud::new(world);
        let controllers = controller::all(&kube.controllers, &world.objects("statefulset"), &kube.pods);
        let owners: Vec<Doc<'w>> =
            kube.control_planes.some().iter().chain(kube.deployments.some()).copied().collect();
        let speakers = Speakers {
            magnum: magnum.cluster,
            cluster: kube.cluster(),
            control_plane: kube.control_plane(),
            owners: &owners,
            machines: kube.machines.some(),
        };
        let action = action::of(speakers);
        let since = action::since(action, speakers);
        let nodes = node::all(&kube, &cloud);
        let mut snapshot = Snapshot {
            world,
            taken_at: world.taken_at,
            marks,
            asked_for: asked_for.to_owned(),
            magnum,
            kube,
            cloud,
            said: Said::default(),
            nodes,
            controllers,
            action,
            since,
        };
        snapshot.said = said::collect(&snapshot);
        let messages = std::mem::take(&mut snapshot.said.messages);
        snapshot.said.messages = current::judge(&snapshot, messages);
        snapshot
    }

    /// Keystone project that owns the cluster.
    #[must_use]
    pub fn project_id(&self) -> Option<&'w str> {
        let magnum = self.magnum.cluster.and_then(|c| c.str("project_id"));
        magnum.or(self.world.meta.target.project_id.as_deref())
    }

    /// Keystone user that made the cluster and owns its application credential.
    #[must_use]
    pub fn user_id(&self) -> Option<&'w str> {
        self.magnum.cluster?.str("user_id")
    }

    /// Name of that project, if it was read.
    #[must_use]
    pub fn project_name(&self) -> Option<&'w str> {
        let id = self.project_id()?;
        self.cloud.projects.some().iter().find(|p| p.str("id") == Some(id))?.str("name")
    }

    /// Magnum status, or nothing.
    #[must_use]
    pub fn status(&self) -> &'w str {
        self.magnum.cluster.map(|c| c.text("status")).unwrap_or_default()
    }

    /// Seconds from a moment to the reading, never below 0.
    #[must_use]
    pub fn age(&self, at: Timestamp) -> SignedDuration {
        self.taken_at.duration_since(at).max(SignedDuration::ZERO)
    }

    /// True once a control plane machine has become a node. `None` if that was not read.
    #[must_use]
    pub fn initialised(&self) -> Option<bool> {
        self.kube.control_plane().map(action::initialised)
    }

    /// The controller with a provider label.
    ///
    /// # Errors
    /// [`Unseen`] if it is not among what was read and the list was not whole.
    pub fn controller(&self, provider: &str) -> Result<Option<&Controller<'w>>, Unseen> {
        controller::find(&self.controllers, &self.kube.controllers, provider)
    }

    /// Version of a provider's controller.
    #[must_use]
    pub fn version(&self, provider: &str) -> Option<&str> {
        self.controllers.iter().find(|c| c.provider == provider)?.version.as_deref()
    }

    /// CAPO's version.
    #[must_use]
    pub fn capo(&self) -> Option<&str> {
        self.version("infrastructure-openstack")
    }

    /// Highest driver version that has written a ClusterClass in the namespace.
    #[must_use]
    pub fn driver_at_least(&self) -> Option<String> {
        let classes = self.kube.classes.some().iter().filter_map(|c| c.name().strip_prefix("magnum-v"));
        classes.max_by_key(|v| version::parse(v)).and_then(version::short)
    }

    /// Parts out of `parts` that were not read whole.
    #[must_use]
    pub fn unread(&self, parts: &[&str]) -> Vec<String> {
        let whole = |part: &&&str| self.world.how(part) == super::seen::How::Whole;
        parts.iter().filter(|p| !whole(p)).map(|p| (*p).to_owned()).collect()
    }
}

impl<'w> Magnum<'w> {
    fn new(world: &'w World<'w>, marks: &Marks) -> Self {
        let clusters = world.rows("openstack/container-infra/clusters", "clusters");
        let is_ours = |c: &&Doc<'w>| match &marks.uuid {
            Some(uuid) => c.text("uuid") == uuid,
            None => stack_id(**c).is_some() && stack_id(**c) == marks.stack_id.as_deref(),
        };
        let cluster = clusters.some().iter().find(is_ours).copied();
        let uuid = cluster.and_then(|c| c.str("uuid"));
        // A group's `cluster_id` is the Magnum UUID, not the stack id. Lists made for one
        // cluster may lack it.
        let groups = world.rows("openstack/container-infra/nodegroups", "nodegroups").filter(|g| {
            g.str("cluster_id").is_none_or(|id| Some(id) == uuid || Some(id) == marks.uuid.as_deref())
        });
        let templates = world.rows("openstack/container-infra/clustertemplates", "clustertemplates");
        let wanted = cluster.and_then(|c| c.str("cluster_template_id"));
        let template = templates.some().iter().find(|t| t.str("uuid") == wanted).copied();
        let reason = status_reason::parse(cluster.and_then(|c| c.str("status_reason")));
        Magnum { clusters, cluster, groups, template, reason }
    }
}

/// The stack id of a Magnum cluster row: `cluster_id` from microversion 1.13, `stack_id`
/// before. Source: openstack/magnum magnum/api/controllers/v1/cluster.py.
#[must_use]
pub fn stack_id(cluster: Doc<'_>) -> Option<&str> {
    cluster.str("cluster_id").or_else(|| cluster.str("stack_id"))
}

impl<'w> Kube<'w> {
    fn new(world: &'w World<'w>, marks: &Marks) -> Self {
        let own = |kind: &str| world.objects(kind).filter(|d| mine(*d, marks));
        Kube {
            clusters: world.objects("cluster").filter(|d| {
                d.namespace() == marks.namespace
                    && marks.stack_id.as_deref().map_or_else(
                        || marks.uuid.is_some() && d.label("cluster-uuid") == marks.uuid.as_deref(),
                        |s| d.name() == s,
                    )
            }),
            openstack_clusters: own("openstackcluster"),
            control_planes: own("kubeadmcontrolplane"),
            deployments: own("machinedeployment"),
            sets: own("machineset"),
            machines: own("machine"),
            openstack_machines: own("openstackmachine"),
            openstack_servers: own("openstackserver"),
            health_checks: own("machinehealthcheck"),
            configs: own("kubeadmconfig"),
            secrets: own("secret"),
            resource_sets: own("clusterresourceset"),
            classes: world.objects("clusterclass").filter(|d| d.namespace() == marks.namespace),
            controllers: world.objects("deployment"),
            pods: world.objects("pod"),
        }
    }

    /// The Cluster object.
    #[must_use]
    pub fn cluster(&self) -> Option<Doc<'w>> {
        self.clusters.some().first().copied()
    }

    /// The OpenStackCluster.
    #[must_use]
    pub fn openstack_cluster(&self) -> Option<Doc<'w>> {
        self.openstack_clusters.some().first().copied()
    }

    /// The KubeadmControlPlane.
    #[must_use]
    pub fn control_plane(&self) -> Option<Doc<'w>> {
        self.control_planes.some().first().copied()
    }

    /// All objects of the cluster that have conditions.
    pub fn all(&self) -> impl Iterator<Item = Doc<'w>> {
        let lists = [
            &self.clusters,
            &self.openstack_clusters,
            &self.control_planes,
            &self.deployments,
            &self.sets,
            &self.machines,
            &self.openstack_machines,
            &self.openstack_servers,
            &self.health_checks,
            &self.configs,
            &self.resource_sets,
        ];
        lists.into_iter().flat_map(|list| list.some().iter().copied())
    }
}

fn mine(doc: Doc<'_>, marks: &Marks) -> bool {
    if doc.namespace() != marks.namespace {
        return false;
    }
    let by_label = doc.label("cluster.x-k8s.io/cluster-name");
    let by_uuid = doc.label("cluster-uuid").is_some() && doc.label("cluster-uuid") == marks.uuid.as_deref();
    match by_label {
        Some(label) => Some(label) == marks.stack_id.as_deref(),
        None => by_uuid || marks.names(doc.name()) || Some(doc.name()) == marks.uuid.as_deref(),
    }
}

impl<'w> Cloud<'w> {
    fn new(world: &'w World<'w>) -> Self {
        let rows = |part: &str, key: &str| world.rows(&format!("openstack/{part}"), key);
        Cloud {
            servers: rows("compute/servers", "servers"),
            server_groups: rows("compute/server-groups", "server_groups"),
            flavors: rows("compute/flavors", "flavors"),
            ports: rows("network/ports", "ports"),
            groups: rows("network/security-groups", "security_groups"),
            networks: rows("network/networks", "networks"),
            subnets: rows("network/subnets", "subnets"),
            routers: rows("network/routers", "routers"),
            floating_ips: rows("network/floatingips", "floatingips"),
            load_balancers: rows("load-balancer/loadbalancers", "loadbalancers"),
            listeners: rows("load-balancer/listeners", "listeners"),
            pools: rows("load-balancer/pools", "pools"),
            volumes: rows("volume/volumes", "volumes"),
            snapshots: rows("volume/snapshots", "snapshots"),
            images: rows("image/images", "images"),
            projects: rows("identity/projects", "projects"),
            users: rows("identity/users", "users"),
            credentials: rows("identity/application_credentials", "application_credentials"),
        }
    }
}

//! One machine of the cluster with everything that makes it real.

use jiff::Timestamp;

use super::Doc;
use super::snapshot::{Cloud, Kube};

/// Machine + OpenStackMachine + OpenStackServer + Nova server + bootstrap data.
#[derive(Debug, Clone)]
pub struct Node<'w> {
    /// The Machine; absent for an OpenStackMachine or -Server that outlived it.
    pub machine: Option<Doc<'w>>,
    /// Its OpenStackMachine.
    pub infra: Option<Doc<'w>>,
    /// Its OpenStackServer (CAPO 0.11 and newer).
    pub server: Option<Doc<'w>>,
    /// Its server in Nova.
    pub nova: Option<Doc<'w>>,
    /// Its KubeadmConfig.
    pub config: Option<Doc<'w>>,
    /// Name of the Machine, else of the OpenStackMachine.
    pub name: &'w str,
    /// True for a control plane machine.
    pub control_plane: bool,
    /// Node group: the topology's name of its MachineDeployment.
    pub group: Option<&'w str>,
    /// KubeadmControlPlane or MachineSet that made it.
    pub owner: Option<(&'w str, &'w str)>,
}

impl<'w> Node<'w> {
    /// Id of the server, by whoever knows it.
    #[must_use]
    pub fn server_id(&self) -> Option<&'w str> {
        let by_server = self.server.and_then(|s| s.str("status.instanceID"));
        let by_infra = || {
            let infra = self.infra?;
            infra
                .str("spec.instanceID")
                .or_else(|| infra.str("status.instanceID"))
                .or_else(|| infra.str("spec.providerID").and_then(|id| id.rsplit('/').next()))
        };
        by_server.or_else(by_infra).or_else(|| self.nova.and_then(|n| n.str("id")))
    }

    /// Name that CAPO gives to the server and its ports.
    #[must_use]
    pub fn infra_name(&self) -> &'w str {
        self.infra.or(self.server).map_or(self.name, Doc::name)
    }

    /// True once the machine has become a Kubernetes node.
    #[must_use]
    pub fn joined(&self) -> bool {
        self.machine.is_some_and(|m| m.at("status.nodeRef").is_some_and(|r| !r.is_null()))
    }

    /// True once its server is there and running, as Cluster API sees it.
    #[must_use]
    pub fn built(&self) -> bool {
        let machine = self.machine.is_some_and(|m| {
            m.is("status.infrastructureReady") || m.is("status.initialization.infrastructureProvisioned")
        });
        machine || self.infra.is_some_and(|i| i.is("status.ready") || i.good("InstanceReady"))
    }

    /// True once its bootstrap data exists.
    #[must_use]
    pub fn has_bootstrap_data(&self) -> bool {
        self.machine.is_some_and(|m| m.str("spec.bootstrap.dataSecretName").is_some())
            || self.config.is_some_and(|c| c.str("status.dataSecretName").is_some())
    }

    /// Since when it is being deleted.
    #[must_use]
    pub fn deleting(&self) -> Option<Timestamp> {
        self.machine.or(self.infra).and_then(Doc::deleting)
    }

    /// When its first object was made.
    #[must_use]
    pub fn created(&self) -> Option<Timestamp> {
        self.machine.or(self.infra).or(self.server).and_then(Doc::created)
    }

    /// True if CAPO has given its server up: a refusal (0.11 and newer) or a server
    /// that Nova put in ERROR. Only a new Machine helps.
    /// Source: CAPO controllers/openstackserver_controller.go, "Not reconciling server in error state".
    #[must_use]
    pub fn given_up(&self) -> bool {
        let server = self.server.is_some_and(|s| s.text("status.instanceState") == "ERROR");
        let old = self.server.is_none()
            && self.infra.is_some_and(|i| {
                i.str("status.failureReason").is_some() && i.text("status.instanceState") == "ERROR"
            });
        server || old
    }
}

/// All machines of the cluster, by name.
#[must_use]
pub fn all<'w>(kube: &Kube<'w>, cloud: &Cloud<'w>) -> Vec<Node<'w>> {
    let mut nodes: Vec<Node<'w>> = kube.machines.some().iter().map(|m| of_machine(*m, kube)).collect();
    let orphans = kube
        .openstack_machines
        .some()
        .iter()
        .filter(|infra| !nodes.iter().any(|n| n.infra.is_some_and(|i| i.name() == infra.name())));
    let orphans: Vec<_> = orphans.map(|infra| blank(*infra, Some(*infra), None)).collect();
    nodes.extend(orphans);
    let servers = kube.openstack_servers.some();
    for node in &mut nodes {
        node.server = servers.iter().copied().find(|s| s.name() == node.infra_name());
    }
    let alone: Vec<_> =
        servers.iter().filter(|s| !nodes.iter().any(|n| n.infra_name() == s.name())).collect();
    let alone: Vec<_> = alone.into_iter().map(|s| blank(*s, None, Some(*s))).collect();
    nodes.extend(alone);
    for node in &mut nodes {
        let (id, name) = (node.server_id(), node.infra_name());
        let rows = cloud.servers.some();
        node.nova = rows.iter().copied().find(|s| id.is_some() && s.str("id") == id);
        if id.is_none() {
            node.nova = rows.iter().copied().find(|s| s.text("name") == name);
        }
    }
    nodes.sort_by_key(|n| (!n.control_plane, n.name));
    nodes
}

fn of_machine<'w>(machine: Doc<'w>, kube: &Kube<'w>) -> Node<'w> {
    let infra = machine.str("spec.infrastructureRef.name");
    let config = machine.str("spec.bootstrap.configRef.name");
    let find = |rows: &[Doc<'w>], name: Option<&str>| rows.iter().copied().find(|d| Some(d.name()) == name);
    let mut node = blank(machine, find(kube.openstack_machines.some(), infra), None);
    node.machine = Some(machine);
    node.config = find(kube.configs.some(), config);
    node
}

fn blank<'w>(from: Doc<'w>, infra: Option<Doc<'w>>, server: Option<Doc<'w>>) -> Node<'w> {
    let control_plane = "cluster.x-k8s.io/control-plane";
    Node {
        machine: None,
        infra,
        server,
        nova: None,
        config: None,
        name: from.name(),
        control_plane: from.label(control_plane).is_some()
            || from.owners().iter().any(|(k, _)| *k == "KubeadmControlPlane"),
        group: from.label("topology.cluster.x-k8s.io/deployment-name"),
        owner: from.owners().into_iter().find(|(k, _)| matches!(*k, "KubeadmControlPlane" | "MachineSet")),
    }
}

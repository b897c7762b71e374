"""The clusters that are always there: one in each status, names given twice, some stuck with what holds them."""

import json
import uuid

from . import api, capo, identity, layout, services, states

#: Magnum's words (`magnum/objects/fields.py`, ClusterStatus).
_STATUSES = [f"{action}_{end}" for action, ends in (
    ("CREATE", ("IN_PROGRESS", "FAILED", "COMPLETE")), ("UPDATE", ("IN_PROGRESS", "FAILED", "COMPLETE")),
    ("DELETE", ("IN_PROGRESS", "FAILED", "COMPLETE")), ("RESUME", ("COMPLETE", "FAILED")),
    ("RESTORE", ("COMPLETE",)), ("ROLLBACK", ("IN_PROGRESS", "FAILED", "COMPLETE")),
    ("SNAPSHOT", ("COMPLETE",)), ("CHECK", ("COMPLETE",)), ("ADOPT", ("COMPLETE",))) for end in ends]


def uid(name):
    """The same UUID for the same name in every lab."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"kubectl-magnum/lab/{name}"))


class Rows:
    """Rows of Magnum, gathered and then written by its own object layer."""

    def __init__(self):
        self.wanted = {"forget": [], "templates": [], "clusters": []}
        self.ages = {}

    def template(self, name, project, user):
        """A template of a project; its UUID."""
        made = uid(f"template/{project}/{name}")
        self.wanted["templates"].append({
            "uuid": made, "name": name, "project_id": project, "user_id": user, "keypair_id": "lab",
            "image_id": "ubuntu-2204-kube-v1.33.4", "flavor_id": "m1.medium", "master_flavor_id": "m1.medium",
            "external_network_id": "public",
            "dns_nameserver": "192.0.2.53", "network_driver": "calico", "volume_driver": "cinder",
            "labels": {"kube_tag": "v1.33.4", "octavia_provider": "amphora"}, "tls_disabled": False, "public": False,
            "registry_enabled": False, "floating_ip_enabled": True, "master_lb_enabled": True, "hidden": False})
        return made

    def cluster(self, made, name, sid, status, template, project, user, hours=24, groups=(), **more):
        """A cluster, `hours` old, with its default node groups and those named."""
        named = [("default-master", "master"), ("default-worker", "worker"), *((g, "worker") for g in groups)]
        version = "v1.33.4" if more.get("api_address") else None
        group = {"project_id": project, "image_id": "ubuntu-2204-kube-v1.33.4", "flavor_id": "m1.medium", "labels": {},
                 "stack_id": sid, "status": status, "node_count": 1, "version": version}
        rows = [group | {"uuid": uid(f"group/{made}/{n}"), "name": n, "role": role,
                         "is_default": n.startswith("default-"), "min_node_count": 0 if role == "worker" else 1}
                for n, role in named]
        self.wanted["clusters"].append({
            "uuid": made, "name": name, "stack_id": sid, "status": status, "cluster_template_id": template,
            "project_id": project, "user_id": user, "keypair": "lab", "labels": {"kube_tag": "v1.33.4"},
            "master_flavor_id": "m1.medium", "flavor_id": "m1.medium", "create_timeout": 60, "coe_version": version,
            "health_status_reason": {}, "floating_ip_enabled": True, "master_lb_enabled": True, "groups": rows, **more})
        self.ages[made] = hours

    def write(self):
        """Writes them, and how old they are."""
        file = layout.DATA / "rows.json"
        file.write_text(json.dumps(self.wanted))
        services.inside("magnum_rows", str(file))
        for made, hours in self.ages.items():
            states.magnum_times("cluster", made, states.ago(hours=hours), states.ago(hours=hours - 0.2))


def seed():
    """Fills the new databases, and writes down what tests need to know."""
    known = identity.seed()
    admin = api.admin()
    known["public"] = public_network(admin)
    rows, demo, other = Rows(), known["projects"]["demo"], known["projects"]["other"]
    me, them = known["users"]["demo"], known["users"]["other"]
    ours, theirs = rows.template("k8s-v1.33.4", demo, me), rows.template("k8s-v1.33.4", other, them)
    well = {"health_status": "HEALTHY", "api_address": "https://203.0.113.10:6443"}

    def cluster(name, sid, status, key=None, **more):
        rows.cluster(uid(f"cluster/{key or name}"), name, sid, status, ours, demo, me, **more)
        return uid(f"cluster/{key or name}")

    prod = cluster("prod", "kube-abcde", "CREATE_COMPLETE", hours=700, groups=("gpu",), **well)
    _whole(admin, demo, "kube-abcde", prod, known["public"], 0)
    stuck = cluster("stuck-delete", "kube-stuck", "DELETE_IN_PROGRESS", key="stuck", hours=49, health_status="UNKNOWN",
                    status_reason=_stuck_delete(admin, demo, uid("cluster/stuck"), known))
    cluster("stuck-create", "kube-error", "CREATE_IN_PROGRESS", hours=3, status_reason="CAPI Cluster status: .")
    cluster("no-stack", None, "CREATE_FAILED", hours=5, status_reason="Quota exceeded for resources: ['router'].")
    # One name in one project, as Magnum lets happen, and one name in two projects.
    twins = [cluster("twin", f"kube-twin{n}", "CREATE_COMPLETE", key=f"twin-{n}", **well) for n in (1, 2)]
    other_prod = uid("cluster/other/prod")
    rows.cluster(other_prod, "prod", "kube-othr1", "UPDATE_IN_PROGRESS", theirs, other, them, **well)
    for owner, project, user in (("gone-project", known["projects"]["gone"], known["users"]["orphan"]),
                                 ("gone-user", demo, known["users"]["leaver"])):
        rows.cluster(uid(f"cluster/{owner}"), owner, f"kube-g{owner[5:9]}", "DELETE_IN_PROGRESS", ours, project, user)
    for number, status in enumerate(_STATUSES):
        cluster(status.lower().replace("_", "-"), f"kube-st{number:03}", status,
                status_reason=None if status.endswith("COMPLETE") else f"in {status}")
    rows.write()
    known["clusters"] = {"prod": prod, "stuck": stuck, "twins": twins, "otherProd": other_prod, "statuses": len(_STATUSES)}
    layout.SEEDED.write_text(json.dumps(known, indent=1))


def public_network(admin):
    """The network to the outside, and its addresses."""
    made = admin.post("network", "/networks", {"network": {
        "name": "public", "router:external": True, "provider:network_type": "flat",
        "provider:physical_network": "public"}})["network"]["id"]
    admin.post("network", "/subnets", {"subnet": {
        "name": "public", "network_id": made, "ip_version": 4, "cidr": "203.0.113.0/24", "enable_dhcp": False}})
    return made


def _whole(admin, project, sid, made, public, number):
    """A cluster that works: network, groups, nodes, both load balancers with their floating IPs."""
    cluster = capo.Cluster(admin, project, sid, made, public, number).network().security_groups()
    for name, role in ((f"{sid}-h5xkp-q7w2m-0", "controlplane"), (f"{sid}-default-worker-7zr4v-8b9xk-0", "worker")):
        # Nova takes the ports itself.
        cluster.port(name, role, *(() if layout.nova() else ("compute:nova", uid(f"server/{name}"))))
    cluster.floating(cluster.api_balancer()["vip_port_id"])
    cluster.floating(cluster.service_balancer()["vip_port_id"], service="web")


def _stuck_delete(admin, project, made, known):
    """A delete that a load balancer and somebody's port hold up. Returns Magnum's reason."""
    cluster = capo.Cluster(admin, project, "kube-stuck", made, known["public"], 1).network().security_groups()
    cluster.service_balancer(provisioning="PENDING_DELETE")
    cluster.port("jumphost", "worker", description="")
    group = cluster.groups["worker"]
    address = f"{layout.root('neutron')}/v2.0/security-groups/{group}"
    refused = admin.ask("DELETE", "network", f"/security-groups/{group}", may_be=(409,))
    name = "k8s-cluster-magnum-system-kube-stuck-secgroup-worker"
    return ("CAPI Cluster status: . CAPI OpenstackCluster status reason: Faileddeletesecuritygroup: Failed to delete "
            f"security group {name} with id {group}: Expected HTTP response code [202 204] when accessing "
            f"[DELETE {address}], but got 409 instead: {json.dumps(refused)}")

"""What clusters left behind that Magnum has forgotten, and who plays Octavia's worker meanwhile.

`ports`: 24 ports of a cluster whose Cluster object is gone, nine of them with its workers' group; Neutron
refuses to delete the group and the network. `foreign`: three, and a port of somebody else that has the group too.
`balancer`: a load balancer of a Service that waits for its worker.
"""

import json
import time

from . import api, capo, clear, identity, layout, seed, states

KINDS = ("ports", "foreign", "balancer")


def make(kind):
    """Makes one of them anew in a project of its own. Returns its names and ids."""
    admin, name = api.admin(), f"left-{kind}"
    project = identity.project(admin, name)
    clear.project(admin, project)
    user = identity.user(admin, name)
    for role in admin.get("identity", "/roles")["roles"]:
        if role["name"] in ("member", "reader", "load-balancer_member"):
            admin.put("identity", f"/projects/{project}/users/{user}/roles/{role['id']}")
    identity.add_cloud(name, username=name, project_name=name)
    sid, made = f"kube-left{KINDS.index(kind)}", seed.uid(f"left/{kind}")
    public = json.loads(layout.SEEDED.read_text())["public"]
    cluster = capo.Cluster(admin, project, sid, made, public, 200 + KINDS.index(kind)).network().security_groups()
    known = {"cloud": name, "project": project, "stackId": sid, "uuid": made, "network": cluster.network_id,
             "group": cluster.groups["worker"]}
    if kind == "balancer":
        balancer = cluster.service_balancer(provisioning="PENDING_DELETE")
        return known | {"balancer": balancer["id"], "port": balancer["vip_port_id"]}
    many, holding = (24, 9) if kind == "ports" else (3, 2)
    names = [f"{sid}-default-worker-7zr4v-{n:05}-0" for n in range(many)]
    known["ports"] = [cluster.port(name, "worker" if n < holding else None) for n, name in enumerate(names)]
    if kind == "foreign":
        known["foreign"] = cluster.port("jumphost", "worker", description="")
    refused = {what: admin.ask("DELETE", "network", path, may_be=(409,)) for what, path in (
        ("group", f"/security-groups/{known['group']}"), ("network", f"/networks/{known['network']}"))}
    return known | {"refused": refused}


def worker(project, leave_ports=False, seconds=0):
    """Does what Octavia's worker does with load balancers of a project that are to be deleted: the port of the address
    goes, then the row. Goes on doing so for some time. With `leave_ports` it forgets the port. Returns how many."""
    admin, end, done = api.admin(), time.monotonic() + seconds, 0
    while True:
        rows = admin.get("lbaas", f"/loadbalancers?project_id={project}&provisioning_status=PENDING_DELETE")
        for row in rows["loadbalancers"]:
            if not leave_ports:
                admin.delete("network", f"/ports/{row['vip_port_id']}")
            states.balancer("loadbalancers", row["id"], "DELETED", "OFFLINE")
            done += 1
        if time.monotonic() >= end:
            return done
        time.sleep(0.5)

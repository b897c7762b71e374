"""Takes a story away again: rows of Magnum, then everything in its project, then the project."""

import json

from . import compute, layout, services, states


def story(admin, known):
    """Removes what `Story.load` made and wrote down."""
    file = layout.DATA / "rows.json"
    file.write_text(json.dumps({"forget": known["rows"]}))
    services.inside("magnum_rows", str(file))
    project(admin, known["project"])
    for network in known["outside"]:
        admin.delete("network", f"/networks/{network}")
    admin.delete("identity", f"/users/{known['user']}")
    admin.delete("identity", f"/projects/{known['project']}")
    states.credentials_gone()


def project(admin, owner):
    """Everything that a project has in Nova, Octavia and Neutron, in an order that they let."""
    if layout.nova():
        compute.clear(admin, owner)
    for row in admin.get("lbaas", f"/loadbalancers?project_id={owner}")["loadbalancers"]:
        states.balancer_gone(row["id"])

    def rows(plural):
        answer = admin.get("network", f"/{plural}?project_id={owner}")
        return answer[plural.replace("-", "_")]

    for row in rows("floatingips"):
        admin.delete("network", f"/floatingips/{row['id']}")
    for row in rows("ports"):
        if row["device_owner"] == "network:router_interface":
            admin.ask("PUT", "network", f"/routers/{row['device_id']}/remove_router_interface", {"port_id": row["id"]},
                      may_be=(404, 409))
    for plural in ("routers", "trunks", "ports", "subnets", "networks", "security-groups"):
        for row in rows(plural):
            # The default group comes back as often as it goes; the last look at a port may be old.
            admin.delete("network", f"/{plural}/{row['id']}", may_be=(404, 409))
    admin.delete("network", f"/quotas/{owner}")
    admin.delete("lbaas", f"/quotas/{owner}")

"""Makes the OpenStack side of a scenario on the real servers: its bundle's rows, with other ids.

Everything goes through the services' APIs, in a project of its own. What no API can set is written as in
`states`: states of load balancers, times. Rows of Magnum go through its object layer. Not made: rules of
security groups, members and monitors of pools, and what belongs to services that do not run (volumes, and
servers unless the profile has Nova).
"""

import datetime
import json
import pathlib
import re

from .. import kubernetes
from ..say import Trouble, step
from . import api, clear, identity, layout, seed, services, states, story_servers

_STORIES = layout.DATA / "stories"
_ROUTER = "network:router_interface"


def tell(folders):
    """Loads scenarios, each on both halves. Returns what was made, with the old ids and the new."""
    told = []
    for folder in (pathlib.Path(f).resolve() for f in folders):
        with step("openstack", f"story {folder.name}"):
            story = Story(folder)
            known = story.load()
        known["server"] = kubernetes.load([folder], replace=known["replace"])
        told.append(known)
    return told


class Story:
    """One bundle, and what became of its ids."""

    def __init__(self, folder):
        self.name = folder.name
        self.root = folder / "bundle" if (folder / "bundle").is_dir() else folder
        if not (self.root / "openstack").is_dir():
            raise Trouble(f"{folder} holds no bundle with a folder `openstack`")
        taken = re.search(r"^takenAt:\s*['\"]?([\dT:-]+)Z", (self.root / "bundle.yaml").read_text(), re.MULTILINE)
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.later = now - states.read(taken[1]) if taken else datetime.timedelta()
        self.ids = {}
        self.admin = api.admin()
        clusters = self.rows("container-infra/clusters", "clusters")
        if len(clusters) != 1:
            raise Trouble(f"{self.name} has {len(clusters)} clusters in Magnum; a story wants one")
        self.cluster = clusters[0]

    def rows(self, part, key=None):
        """The rows of one list of the bundle."""
        file = self.root / "openstack" / f"{part}.json"
        found = json.loads(file.read_text()) if file.exists() else {}
        return found.get(key or part.rpartition("/")[2].replace("-", "_"), [])

    def anew(self, what):
        """The same with the new ids, of those that are known yet."""
        text = json.dumps(what)
        for old, new in self.ids.items():
            text = text.replace(old, new)
        return json.loads(text)

    def load(self):
        """Clears what an earlier load made, and makes it all."""
        record = _STORIES / f"{self.name}.json"
        if record.exists():
            clear.story(self.admin, json.loads(record.read_text()))
        self._renamed()
        self.project = identity.project(self.admin, self.name)
        self.user = identity.user(self.admin, self.name)
        self.outside = []
        known = {"story": self.name, "project": self.project, "user": self.user, "outside": self.outside,
                 "cloud": self.name, "cluster": self.cluster["name"], "uuid": self.ids[self.cluster["uuid"]],
                 "rows": [self.ids[self.cluster["uuid"]], self.ids[self.cluster["cluster_template_id"]]]}
        _STORIES.mkdir(parents=True, exist_ok=True)
        # Written now, so that a load that breaks off is cleared too.
        record.write_text(json.dumps(known))
        try:
            self._everything()
        finally:
            known["replace"] = self.ids
            record.write_text(json.dumps(known, indent=1))
        return known

    def _everything(self):
        self._people()
        self._networks()
        self._routers()
        self._balancers()
        self._ports()
        if layout.nova():
            story_servers.tell(self)
        self._floating()
        self._quotas()
        self._times()
        self._magnum()

    def _renamed(self):
        """Magnum's rows can have any UUID; one bundle loaded under two names must not clash."""
        rows = [self.cluster, *self.rows("container-infra/nodegroups"), *self.rows("container-infra/clustertemplates")]
        for old in {row["uuid"] for row in rows} | {self.cluster["cluster_template_id"]}:
            self.ids[old] = seed.uid(f"story/{self.name}/{old}")

    def _people(self):
        roles = {r["name"]: r["id"] for r in self.admin.get("identity", "/roles")["roles"]}
        for role in ("member", "reader", "load-balancer_member"):
            self.admin.put("identity", f"/projects/{self.project}/users/{self.user}/roles/{roles[role]}")
        self.ids |= {self.cluster["project_id"]: self.project, self.cluster["user_id"]: self.user}
        login = api.Api(api.password(self.name, self.name))
        for row in self.rows("identity/application_credentials"):
            held = self.anew({"name": row["name"], "about": row["description"] or ""})
            self.ids[row["id"]] = identity.credential(login, held["name"], held["about"])["id"]
        identity.add_cloud(self.name, username=self.name, project_name=self.name)

    def _made(self, plural, singular, rows, kept, more=lambda row: {}):
        """Makes rows at once, with the fields that are kept, in this project. The new ids are noted."""
        if not rows:
            return
        wanted = [{"project_id": self.project, **{k: row[k] for k in kept if row.get(k) is not None}, **more(row)}
                  for row in rows]
        made = self.admin.post("network", f"/{plural.replace('_', '-')}", {plural: self.anew(wanted)})[plural]
        for old, new in zip(rows, made, strict=True):
            self.ids[old["id"]] = new["id"]
            if old.get("tags"):
                tags = {"tags": self.anew(old["tags"])}
                self.admin.put("network", f"/{plural.replace('_', '-')}/{new['id']}/tags", tags)

    def _networks(self):
        groups = self.rows("network/security-groups")
        self._made("networks", "network", self.rows("network/networks"), ("name", "description", "admin_state_up"))
        subnets = ("name", "description", "network_id", "ip_version", "cidr", "gateway_ip", "enable_dhcp",
                   "dns_nameservers", "allocation_pools")
        self._made("subnets", "subnet", self.rows("network/subnets"), subnets)
        self._made("security_groups", "security_group", [g for g in groups if g["name"] != "default"],
                   ("name", "description"))
        # Neutron has made it with the first thing of the project.
        own = self.admin.get("network", f"/security-groups?project_id={self.project}&name=default")["security_groups"]
        self.ids |= {g["id"]: own[0]["id"] for g in groups if g["name"] == "default" and own}

    def _routers(self):
        routers, floating = self.rows("network/routers"), self.rows("network/floatingips")
        gateways = [g for r in routers if (g := r.get("external_gateway_info"))]
        used = {g["network_id"] for g in gateways} | {f["floating_network_id"] for f in floating}
        for old in sorted(used - self.ids.keys()):
            new = self.admin.post("network", "/networks", {"network": {
                "name": f"{self.name}-outside", "router:external": True}})["network"]["id"]
            self.outside.append(new)
            taken = [a["ip_address"] for g in gateways if g["network_id"] == old for a in g["external_fixed_ips"]]
            taken += [f["floating_ip_address"] for f in floating if f["floating_network_id"] == old]
            subnet = self.admin.post("network", "/subnets", {"subnet": {
                "name": "public", "network_id": new, "ip_version": 4, "enable_dhcp": False,
                "cidr": f"{taken[0].rpartition('.')[0]}.0/24"}})
            self.ids[old] = new
            inner = {a["subnet_id"] for g in gateways if g["network_id"] == old for a in g["external_fixed_ips"]}
            self.ids |= dict.fromkeys(inner, subnet["subnet"]["id"])
        for row in routers:
            gateway = row.get("external_gateway_info")
            body = {"name": row["name"], "description": row.get("description", ""), "project_id": self.project}
            if gateway:
                # An address of Neutron's choice might be one that a floating IP of the scenario has.
                own = [{"subnet_id": a["subnet_id"], "ip_address": a["ip_address"]} for a in gateway["external_fixed_ips"]]
                body["external_gateway_info"] = {"network_id": gateway["network_id"], "external_fixed_ips": own}
            made = self.admin.post("network", "/routers", {"router": self.anew(body)})["router"]["id"]
            self.ids[row["id"]] = made
            if row.get("tags"):
                self.admin.put("network", f"/routers/{made}/tags", {"tags": self.anew(row["tags"])})
        # Their ports come before the load balancers', whose addresses are fixed as well.
        faces = [p for p in self.rows("network/ports") if p["device_owner"] == _ROUTER]
        self._made("ports", "port", faces, ("name", "description", "network_id", "fixed_ips"))
        for face in faces:
            if face["device_id"] in self.ids:
                where = f"/routers/{self.ids[face['device_id']]}/add_router_interface"
                self.admin.put("network", where, {"port_id": self.ids[face["id"]]})

    def _balancers(self):
        listeners, pools = self.rows("load-balancer/listeners"), self.rows("load-balancer/pools")
        for row in self.rows("load-balancer/loadbalancers"):
            body = {k: row[k] for k in ("name", "description", "vip_address", "vip_subnet_id", "tags")}
            body = self.anew(body | {"project_id": self.project})
            made = self.admin.post("lbaas", "/loadbalancers", {"loadbalancer": body})["loadbalancer"]
            self.ids |= {row["id"]: made["id"], row["vip_port_id"]: made["vip_port_id"]}
            states.balancer("loadbalancers", made["id"])
            for part in (p for p in listeners if _of(p, row)):
                self._part(made["id"], "listeners", "listener", part, {
                    "protocol": part["protocol"], "protocol_port": part["protocol_port"]})
            for part in (p for p in pools if _of(p, row)):
                faces = [self.ids[face["id"]] for face in part["listeners"] if face["id"] in self.ids]
                self._part(made["id"], "pools", "pool", part, {
                    "protocol": part["protocol"], "lb_algorithm": part["lb_algorithm"],
                    **({"listener_id": faces[0]} if faces else {})})
                for face in faces:
                    states.balancer("listeners", face)
        for kind in ("loadbalancers", "listeners", "pools"):
            for row in self.rows(f"load-balancer/{kind}"):
                states.balancer(kind, self.ids[row["id"]], row["provisioning_status"], row["operating_status"])

    def _part(self, balancer, plural, singular, row, fields):
        body = {"name": row["name"], "description": row["description"], "loadbalancer_id": balancer, **fields}
        if "listener_id" in body:
            del body["loadbalancer_id"]
        made = self.admin.post("lbaas", f"/{plural}", {singular: self.anew(body)})[singular]["id"]
        self.ids[row["id"]] = made
        states.balancer("loadbalancers", balancer)
        states.balancer(plural, made)

    def _ports(self):
        left = [p for p in self.rows("network/ports") if p["id"] not in self.ids and p["network_id"] in self.ids]
        kept = ("name", "description", "network_id", "fixed_ips", "security_groups", "admin_state_up", "mac_address")
        servers = {row["id"] for row in self.rows("compute/servers")} if layout.nova() else set()

        def held(port):
            if port["device_id"] in servers:
                return {}  # Nova takes only ports that nobody has.
            # A port that has a host is bound, and then up.
            bound = {"binding:host_id": "lab"} if port["status"] == "ACTIVE" else {}
            return {"device_id": port["device_id"], "device_owner": port["device_owner"], **bound}

        self._made("ports", "port", left, kept, held)

    def _floating(self):
        for row in self.rows("network/floatingips"):
            body = {k: row[k] for k in ("floating_network_id", "floating_ip_address", "description") if row.get(k)}
            if row.get("port_id") in self.ids:
                body |= {"port_id": row["port_id"], "fixed_ip_address": row["fixed_ip_address"]}
            body = self.anew(body | {"project_id": self.project})
            made = self.admin.post("network", "/floatingips", {"floatingip": body})["floatingip"]["id"]
            self.ids[row["id"]] = made
            if row.get("tags"):
                self.admin.put("network", f"/floatingips/{made}/tags", {"tags": self.anew(row["tags"])})

    def _quotas(self):
        for service, part, settable in (("network", "network/quotas", None), ("lbaas", "load-balancer/quotas", {
                "loadbalancer", "listener", "member", "pool", "healthmonitor", "l7policy", "l7rule"})):
            found = self.rows(part, "quota") or {}
            limits = {k: v["limit"] if isinstance(v, dict) else v for k, v in found.items() if not isinstance(v, str)}
            if settable is None:
                limits.pop("router_route", None)
            else:
                limits = {k: v for k, v in limits.items() if k in settable}
            if limits:
                self.admin.put(service, f"/quotas/{self.project}", {"quota": limits})

    def moved(self, row):
        """When a row was made and last changed, as late as the story is told after it was captured."""
        return [states.read(row[k]) + self.later if row.get(k) else None for k in ("created_at", "updated_at")]

    def _times(self):
        tables = {"networks": "networks", "subnets": "subnets", "routers": "routers", "ports": "ports",
                  "security-groups": "securitygroups", "floatingips": "floatingips"}
        for part, table in tables.items():
            for row in self.rows(f"network/{part}"):
                if row["id"] in self.ids and row.get("created_at"):
                    states.network_times(table, self.ids[row["id"]], *self.moved(row))
        for kind in ("loadbalancers", "listeners", "pools"):
            for row in self.rows(f"load-balancer/{kind}"):
                states.balancer_times(kind, self.ids[row["id"]], *self.moved(row))

    def _magnum(self):
        groups = self.rows("container-infra/nodegroups")
        templates = self.rows("container-infra/clustertemplates")
        stack_id = self.cluster.get("cluster_id") or self.cluster.get("stack_id")
        cluster = self.cluster | {"stack_id": stack_id, "groups": groups}
        wanted = {"templates": templates, "clusters": [cluster]}
        for row in (cluster, *groups, *templates):
            for unwanted in ("id", "cluster_id", "created_at", "updated_at", "node_addresses"):
                row.pop(unwanted, None)
        # The groups' counts, which Magnum adds up.
        cluster.pop("node_count", None)
        file = layout.DATA / "rows.json"
        file.write_text(json.dumps(self.anew(wanted)))
        services.inside("magnum_rows", str(file))
        tables = {"clusters": "cluster", "nodegroups": "nodegroup", "clustertemplates": "cluster_template"}
        for part, table in tables.items():
            for row in self.rows(f"container-infra/{part}"):
                if row.get("created_at"):
                    states.magnum_times(table, self.ids[row["uuid"]], *self.moved(row))


def _of(part, balancer):
    return any(b["id"] == balancer["id"] for b in part["loadbalancers"])

"""What Cluster API Provider OpenStack and the cloud controller manager make for a cluster, with their names."""

from . import states

_DESCRIPTION = "Created by cluster-api-provider-openstack cluster "


class Cluster:
    """The OpenStack side of one cluster: `sid` is its stack id, `uuid` that of Magnum."""

    def __init__(self, admin, project, sid, uuid, public, number):
        self.admin, self.project, self.sid, self.uuid, self.public = admin, project, sid, uuid, public
        self.place = f"magnum-system-{sid}"
        self.name = f"k8s-clusterapi-cluster-{self.place}"
        self.net = f"10.{number // 250 + 6}.{number % 250}"
        self.groups = {}

    def _new(self, plural, singular, **fields):
        body = {singular: {"project_id": self.project, **fields}}
        return self.admin.post("network", f"/{plural}", body)[singular]

    def _tag(self, plural, made):
        self.admin.put("network", f"/{plural}/{made}/tags", {"tags": [self.sid, self.place]})

    def network(self, router=True):
        """Network, subnet and, if wanted, the router to the outside."""
        about = _DESCRIPTION + self.place
        self.network_id = self._new("networks", "network", name=self.name, description=about)["id"]
        self.subnet_id = self._new(
            "subnets", "subnet", name=self.name, description=about, network_id=self.network_id, ip_version=4,
            cidr=f"{self.net}.0/24", dns_nameservers=["192.0.2.53"])["id"]
        self._tag("networks", self.network_id)
        self._tag("subnets", self.subnet_id)
        if router:
            self.router_id = self._new("routers", "router", name=self.name, description=about,
                                       external_gateway_info={"network_id": self.public})["id"]
            self.admin.put("network", f"/routers/{self.router_id}/add_router_interface", {"subnet_id": self.subnet_id})
            self._tag("routers", self.router_id)
        return self

    def security_groups(self):
        """The two groups of the nodes."""
        for role, first, last in (("controlplane", 6443, 6443), ("worker", 30000, 32767)):
            made = self._new("security-groups", "security_group", name=f"k8s-cluster-{self.place}-secgroup-{role}",
                             description="Cluster API managed group")["id"]
            self._new("security-group-rules", "security_group_rule", security_group_id=made, direction="ingress",
                      protocol="tcp", port_range_min=first, port_range_max=last)
            self._tag("security-groups", made)
            self.groups[role] = made
        return self

    def port(self, name, role="worker", owner="", device="", description=None):
        """A port on the cluster's network; a node's has the description of its cluster."""
        about = _DESCRIPTION + self.place if description is None else description
        groups = [self.groups[role]] if role else []
        bound = {"binding:host_id": "lab"} if device else {}
        return self._new("ports", "port", name=name, network_id=self.network_id, security_groups=groups,
                         device_owner=owner, device_id=device, description=about, **bound)["id"]

    def balancer(self, name, about, tags, provisioning="ACTIVE", operating="ONLINE", listener=None):
        """A load balancer in a state that no worker will change. Its VIP port is real."""
        body = {"name": name, "description": about, "vip_subnet_id": self.subnet_id, "project_id": self.project,
                "tags": tags}
        made = self.admin.post("lbaas", "/loadbalancers", {"loadbalancer": body})["loadbalancer"]
        states.balancer("loadbalancers", made["id"])
        if listener:
            self._listener(made["id"], f"{name}-{listener}", listener)
        states.balancer("loadbalancers", made["id"], provisioning, operating)
        return made

    def _listener(self, balancer, name, port):
        body = {"name": name, "loadbalancer_id": balancer, "protocol": "TCP", "protocol_port": port}
        listener = self.admin.post("lbaas", "/listeners", {"listener": body})["listener"]["id"]
        for kind, made in (("loadbalancers", balancer), ("listeners", listener)):
            states.balancer(kind, made)
        pool = {"name": name, "listener_id": listener, "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}
        states.balancer("pools", self.admin.post("lbaas", "/pools", {"pool": pool})["pool"]["id"])
        states.balancer("listeners", listener)

    def api_balancer(self, provisioning="ACTIVE", operating="ONLINE"):
        """The load balancer of the cluster's API, made by CAPO."""
        return self.balancer(f"{self.name}-kubeapi", _DESCRIPTION + self.place, [], provisioning, operating, 6443)

    def service_balancer(self, service="web", provisioning="ACTIVE", operating="ONLINE"):
        """The load balancer of a Service in the cluster, made by the cloud controller manager."""
        name = f"kube_service_{self.uuid}_default_{service}"
        about = f"Kubernetes external service default/{service} from cluster {self.uuid}"
        return self.balancer(name, about, [name], provisioning, operating, 80)

    def floating(self, port=None, service=None):
        """A floating IP: of the API, or of a Service."""
        about = f"Floating IP for Kubernetes external service default/{service} from cluster {self.uuid}"
        return self._new("floatingips", "floatingip", floating_network_id=self.public, port_id=port,
                         description=about if service else _DESCRIPTION + self.place)["id"]

    def credential(self, login, make):
        """The application credential that the driver makes: its name is the UUID."""
        return make(login, self.uuid, f"Magnum cluster ({self.uuid})")["id"]

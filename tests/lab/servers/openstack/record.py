"""Writes down what the services answer, for the tests that need no lab.

Each file holds one exchange: method, path, status, the headers that say something, the body. A record is of
the run that made it, ids and all; no token and no password is in it.
"""

import json

from ..places import PROJECT
from . import api, layout, services

_RECORDS = PROJECT / "tests" / "loopback" / "records"
_KEPT = ("content-type", "location", "openstack-api-version", "openstack-api-minimum-version",
         "openstack-api-maximum-version", "retry-after", "www-authenticate", "x-openstack-request-id")


def record():
    """Asks everything anew and replaces the records."""
    recorder = _Recorder(json.loads(layout.SEEDED.read_text()))
    for one in (recorder.keystone, recorder.magnum, recorder.neutron, recorder.octavia):
        one()
    services.stop("keystone")
    try:
        recorder.without_keystone()
    finally:
        services.start("keystone")


class _Recorder:
    """The logins, and the ids that questions need."""

    def __init__(self, known):
        self.known = known
        clouds = json.loads(layout.CLOUDS.read_text())["clouds"]
        self.secret = {name: cloud["auth"] for name, cloud in clouds.items()}
        self.demo = api.Api(api.password("demo", "demo"))
        self.admin = api.admin()
        self.project, self.other = known["projects"]["demo"], known["projects"]["other"]

    def _keep(self, service, name, method, path, token=None, body=None, headers=None):
        """One exchange."""
        status, got, text = api.exchange(method, layout.root(service) + path, body, token, headers)
        try:
            said = json.loads(text)
        except ValueError:
            said = text
        kept = {"method": method, "path": path, "status": status,
                "headers": {k: v for k, v in got.items() if k in _KEPT}, "body": said}
        file = _RECORDS / service / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def keystone(self):
        """Logins, and what a member may not see."""
        def login(name, question):
            self._keep("keystone", f"login-{name}", "POST", "/v3/auth/tokens", body=question)

        def credential(auth):
            held = {"id": auth["application_credential_id"], "secret": auth["application_credential_secret"]}
            return {"auth": {"identity": {"methods": ["application_credential"], "application_credential": held}}}

        login("project", api.password("demo", "demo"))
        login("system", api.password("admin", system=True))
        login("wrong-secret", api.password("demo", "demo", secret="not-this-secret"))
        login("wrong-project", api.password("demo", "other"))
        login("credential-deleted", credential(self.secret["dead-credential"]))
        login("credential-wrong-secret", credential(self.secret["wrong-credential"]))
        ended = {"methods": ["token"], "token": {"id": self.known["expiredToken"]}}
        login("expired-token", {"auth": {"identity": ended, "scope": {"project": {"id": self.project}}}})
        for name, path, who in (
                ("project-forbidden", f"/v3/projects/{self.other}", self.demo),
                ("project", f"/v3/projects/{self.project}", self.demo),
                ("project-missing", f"/v3/projects/{self.known['projects']['gone']}", self.admin),
                ("user-missing", f"/v3/users/{self.known['users']['leaver']}", self.admin),
                ("path-missing", "/v3/no-such-path", self.demo),
                ("versions", "/", None)):
            self._keep("keystone", name, "GET", path, who and who.token)
        self._keep("keystone", "no-login", "GET", f"/v3/projects/{self.project}")

    def magnum(self):
        """Names, versions and arguments that it takes or refuses."""
        latest = {"OpenStack-API-Version": "container-infra latest"}
        clusters = self.known["clusters"]
        for name, path, headers in (
                ("cluster", f"/v1/clusters/{clusters['prod']}", latest),
                ("cluster-1.12", f"/v1/clusters/{clusters['prod']}", {"OpenStack-API-Version": "container-infra 1.12"}),
                ("cluster-missing", "/v1/clusters/no-such-cluster", latest),
                ("cluster-twice", "/v1/clusters/twin", latest),
                ("clusters-page", "/v1/clusters?limit=1", latest),
                ("template-missing", "/v1/clustertemplates/no-such-template", latest),
                ("nodegroups-too-old", f"/v1/clusters/{clusters['prod']}/nodegroups", {}),
                ("version-too-new", "/v1/clusters", {"OpenStack-API-Version": "container-infra 1.99"}),
                ("version-of-another", "/v1/clusters", {"OpenStack-API-Version": "compute 2.1"}),
                ("argument-unknown", "/v1/clusters?all_tenants=1", latest),
                ("conductor-down", f"/v1/certificates/{clusters['prod']}", latest)):
            self._keep("magnum", name, "GET", path, self.demo.token, headers=headers)
        self._keep("magnum", "no-login", "GET", "/v1/clusters")
        self._keep("magnum", "versions", "GET", "/")

    def neutron(self):
        """Things in use, quotas, and pages."""
        group = self._first("network", "security-groups", "name=k8s-cluster-magnum-system-kube-abcde-secgroup-worker")
        network = self._first("network", "networks", "name=k8s-clusterapi-cluster-magnum-system-kube-abcde")
        missing = "00000000-0000-4000-8000-000000000000"
        for name, path in (
                ("port-missing", f"/v2.0/ports/{missing}"), ("ports-page", "/v2.0/ports?limit=1&fields=id&fields=name"),
                ("quota-of-another", f"/v2.0/quotas/{self.other}/details"), ("filter-unknown", "/v2.0/ports?no_such=1"),
                ("path-missing", "/v2.0/no-such-path"), ("quotas", f"/v2.0/quotas/{self.project}/details")):
            self._keep("neutron", name, "GET", path, self.demo.token)
        self._keep("neutron", "no-login", "GET", "/v2.0/ports")
        self._keep("neutron", "security-group-in-use", "DELETE", f"/v2.0/security-groups/{group}", self.demo.token)
        self._keep("neutron", "network-in-use", "DELETE", f"/v2.0/networks/{network}", self.demo.token)
        # Neutron takes no limit below what is used.
        used = len(self.demo.get("network", f"/routers?project_id={self.project}")["routers"])
        self.admin.put("network", f"/quotas/{self.project}", {"quota": {"router": used}})
        self._keep("neutron", "over-quota", "POST", "/v2.0/routers", self.demo.token, {"router": {"name": "one more"}})
        self.admin.delete("network", f"/quotas/{self.project}")

    def octavia(self):
        """What waits for a worker, and what is another's."""
        name = f"kube_service_{self.known['clusters']['stuck']}_default_web"
        stuck = self._first("lbaas", "loadbalancers", f"name={name}")
        missing = "00000000-0000-4000-8000-000000000000"
        stranger = api.Api(api.password("other", "other"))
        self._keep("octavia", "pending-delete", "DELETE", f"/v2/lbaas/loadbalancers/{stuck}?cascade=true",
                   self.demo.token)
        for name, path, who in (
                ("loadbalancer-missing", f"/v2/lbaas/loadbalancers/{missing}", self.demo),
                ("loadbalancer-of-another", f"/v2/lbaas/loadbalancers/{stuck}", stranger),
                ("project-of-another", f"/v2/lbaas/loadbalancers?project_id={self.project}", stranger),
                ("loadbalancers-page", "/v2/lbaas/loadbalancers?limit=1", self.demo),
                ("filter-unknown", "/v2/lbaas/loadbalancers?no_such=1", self.demo),
                ("quotas", f"/v2/lbaas/quotas/{self.project}", self.demo)):
            self._keep("octavia", name, "GET", path, who.token)
        self._keep("octavia", "no-login", "GET", "/v2/lbaas/loadbalancers")
        self.admin.put("lbaas", f"/quotas/{self.project}", {"quota": {"loadbalancer": 0}})
        subnet = self._first("network", "subnets", "name=k8s-clusterapi-cluster-magnum-system-kube-abcde")
        body = {"loadbalancer": {"name": "one more", "vip_subnet_id": subnet}}
        self._keep("octavia", "over-quota", "POST", "/v2/lbaas/loadbalancers", self.demo.token, body)
        self.admin.delete("lbaas", f"/quotas/{self.project}")

    def without_keystone(self):
        """What becomes of a token that no service has seen, while Keystone is away."""
        for service, path in (("neutron", "/v2.0/ports"), ("magnum", "/v1/clusters"),
                              ("octavia", "/v2/lbaas/loadbalancers")):
            self._keep(service, "keystone-down", "GET", path, "gAAAAABnot-a-token")

    def _first(self, service, plural, query):
        rows = self.demo.get(service, f"/{plural}?{query}")[plural.replace("-", "_")]
        return rows[0]["id"]

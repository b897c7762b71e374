"""Names, ports and folders of the OpenStack half, shared by what runs here and what runs in its venv."""

import json

from ..places import RUN, VENV, port

DATA = RUN / "openstack"
ETC = DATA / "etc"
VAR = DATA / "var"
CLOUDS = DATA / "clouds.yaml"
#: What the seed made: ids and tokens that tests need.
SEEDED = DATA / "seeded.json"
SETTINGS = DATA / "settings.json"
PASSWORD = "lab-password"
REGION = "RegionOne"
BIN = VENV / "bin"

#: Service -> its port, its type in the catalog, the path of its endpoint.
SERVICES = {
    "keystone": (port(5000), "identity", "/v3"),
    "neutron": (port(9696), "network", ""),
    "octavia": (port(9876), "load-balancer", ""),
    "magnum": (port(9511), "container-infra", "/v1"),
}


def services():
    """The services, Keystone first."""
    return SERVICES


def root(service):
    """Where a service answers without a login."""
    return f"http://127.0.0.1:{services()[service][0]}"


def url(service):
    """Its endpoint in the catalog."""
    return root(service) + services()[service][2]


def write_settings():
    """Tells the scripts that run inside the venv where everything is."""
    catalog = [{"name": name, "type": kind, "url": url(name)} for name, (_, kind, _) in services().items()]
    known = {"auth_url": url("keystone"), "password": PASSWORD, "region": REGION, "catalog": catalog,
             "etc": str(ETC), "var": str(VAR), "clouds": str(CLOUDS), "seeded": str(SEEDED)}
    SETTINGS.write_text(json.dumps(known, indent=1))

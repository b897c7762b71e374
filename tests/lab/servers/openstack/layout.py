"""Names, ports and folders of the OpenStack half, shared by what runs here and what runs in its venv."""

import json
import os

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
#: What the profile `nova` has beside them.
WITH_NOVA = {
    "placement": (port(8778), "placement", ""),
    "glance": (port(9292), "image", ""),
    "nova": (port(8774), "compute", "/v2.1"),
}
#: Programs of Nova that serve no API.
WORKERS = ("nova-conductor", "nova-scheduler", "nova-compute")
#: The message bus between those: its port, Erlang's own, and that of Erlang's name server.
BUS, BUS_NODE, BUS_NAMES = port(5674), port(5675), port(4370)
PROFILES = ("lite", "nova")
PROFILE = os.environ.get("LAB_PROFILE") or "lite"


def services():
    """The services of this profile, Keystone first."""
    return SERVICES | WITH_NOVA if nova() else SERVICES


def nova():
    """Whether this profile has Nova, with what it needs."""
    return PROFILE == "nova"


def processes():
    """Whatever may run here, of any profile; the message bus comes last."""
    return (*WORKERS, *WITH_NOVA, *SERVICES, "rabbitmq", "epmd")


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

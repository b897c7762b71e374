"""Nova's programs beside its API server, and the servers that are always there."""

import base64
import contextlib
import hashlib
import json
import struct
import time

from .. import processes
from ..say import Trouble, step
from . import api, capo, layout, services
from .seed import uid

#: What Magnum's templates name.
_IMAGE = "ubuntu-2204-kube-v1.33.4"
#: Name, cores, memory in MiB, disk in GiB. No host has a disk for the last one, and no quota counts disks.
_FLAVORS = (("m1.small", 1, 2048, 20), ("m1.medium", 2, 4096, 40), ("m1.endless", 1, 2048, 100_000_000))


def start():
    """Starts conductor, scheduler and compute, unless they run. They end at once while Keystone does not know them."""
    if all(processes.alive(name) for name in layout.WORKERS):
        return
    with step("openstack", "programs of Nova"):
        for name in layout.WORKERS:
            command = [layout.BIN / name, "--config-file", layout.ETC / "nova" / "nova.conf"]
            processes.spawn(name, command, services.environment(name))
        admin = api.admin()
        for name in layout.WORKERS:
            processes.wait_until(name, lambda: _lives(admin, name), 180)
        processes.wait_until("nova-scheduler", lambda: admin.get("compute", "/os-hypervisors")["hypervisors"], 180)


def _lives(admin, name):
    """Whether a program has told Nova lately that it lives."""
    rows = admin.get("compute", f"/os-services?binary={name}")["services"]
    return any(row["state"] == "up" for row in rows)


def seed():
    """Image, flavors, key pairs, a server group, a quota; a server that works, one that found no host, another's."""
    admin = api.admin()
    known = json.loads(layout.SEEDED.read_text())
    image, flavors = image_of(admin, _IMAGE), {row[0]: flavor(admin, *row) for row in _FLAVORS}
    demo, other = (api.Api(api.password(name, name)) for name in ("demo", "other"))
    admin.put("compute", f"/os-quota-sets/{demo.project}", {"quota_set": {"cores": 24, "instances": 12}})
    for login in (demo, other):
        login.post("compute", "/os-keypairs", {"keypair": {"name": "lab", "public_key": public_key()}})
    group = demo.post("compute", "/os-server-groups", {
        "server_group": {"name": "kube-abcde", "policy": "soft-anti-affinity"}})["server_group"]["id"]
    servers = {}
    for row in demo.get("network", f"/ports?project_id={demo.project}&fields=id&fields=name")["ports"]:
        sid, machine = "kube-abcde", row["name"].removesuffix("-0")
        if row["name"].startswith(f"{sid}-"):
            groups = {} if "-worker-" in machine else {"group": group}
            servers[machine], _ = server(
                demo, machine, image, flavors["m1.medium"], [row["id"]], [sid, f"magnum-system-{sid}"], **groups)
    for login, sid, owner, size in ((demo, "kube-error", "stuck-create", "m1.endless"),
                                    (other, "kube-othr1", "other/prod", "m1.medium")):
        machine = f"{sid}-p4d8n-zk2mv"
        number = 3 if login is demo else 4
        cluster = capo.Cluster(admin, login.project, sid, uid(f"cluster/{owner}"), known["public"], number)
        port = cluster.network().security_groups().port(f"{machine}-0", "controlplane")
        servers[machine], _ = server(login, machine, image, flavors[size], [port], [sid, f"magnum-system-{sid}"])
    known["compute"] = {"image": image, "flavors": flavors, "serverGroup": group, "servers": servers}
    layout.SEEDED.write_text(json.dumps(known, indent=1))


def image_of(admin, name):
    """An image that everybody may use; nothing reads what is in it. Its id."""
    made = admin.post("image", "/images", {
        "name": name, "disk_format": "raw", "container_format": "bare", "visibility": "public",
        "os_distro": "ubuntu"})["id"]
    status, _, text = api.exchange("PUT", f"{layout.root('glance')}/v2/images/{made}/file", "nothing", admin.token,
                                   {"Content-Type": "application/octet-stream"})
    if status != 204:
        raise Trouble(f"Glance takes no image: {status} {text}")
    return made


def flavor(admin, name, cores, memory, disk, wants=None):
    """A flavor, with what it wants of a host besides; its id."""
    made = admin.post("compute", "/flavors", {
        "flavor": {"name": name, "vcpus": cores, "ram": memory, "disk": disk}})["flavor"]["id"]
    if wants:
        admin.post("compute", f"/flavors/{made}/os-extra_specs", {"extra_specs": wants})
    return made


def server(login, name, image, size, ports, tags, key="lab", group=None):
    """A server on ports that are there, as CAPO makes it. Its id and status, once Nova is done with it."""
    wanted = {"name": name, "imageRef": image, "flavorRef": size, "tags": tags,
              "networks": [{"port": port} for port in ports] or "none"}
    body = {"server": wanted | ({"key_name": key} if key else {})}
    if group:
        body["OS-SCH-HNT:scheduler_hints"] = {"group": group}
    made = login.post("compute", "/servers", body)["server"]["id"]
    end = time.monotonic() + 120
    while (status := login.get("compute", f"/servers/{made}")["server"]["status"]) not in ("ACTIVE", "ERROR"):
        if time.monotonic() > end:
            raise Trouble(f"Nova is not done with the server {name}: {status}", "logs are in run/log/nova-*.log")
        time.sleep(0.5)
    return made, status


@contextlib.contextmanager
def no_host(admin):
    """While this lasts there is no host for a new server."""
    def set_to(status):
        for row in admin.get("compute", "/os-services?binary=nova-compute")["services"]:
            admin.put("compute", f"/os-services/{row['id']}", {"status": status})

    set_to("disabled")
    try:
        yield
    finally:
        set_to("enabled")


def clear(admin, project):
    """Takes away what a project has in Nova."""
    def servers():
        return admin.get("compute", f"/servers?all_tenants=1&project_id={project}")["servers"]

    for row in servers():
        admin.delete("compute", f"/servers/{row['id']}")
    end = time.monotonic() + 120
    while servers():
        if time.monotonic() > end:
            raise Trouble(f"Nova does not delete the servers of project {project}", "logs are in run/log/nova-*.log")
        time.sleep(0.5)
    for row in admin.get("compute", "/os-server-groups?all_projects=True")["server_groups"]:
        if row["project_id"] == project:
            admin.delete("compute", f"/os-server-groups/{row['id']}")
    admin.delete("compute", f"/os-quota-sets/{project}")


def public_key():
    """One in OpenSSH's form, whose private half nobody has."""
    kind = b"ssh-ed25519"
    parts = b"".join(struct.pack(">I", len(p)) + p for p in (kind, hashlib.sha256(b"lab").digest()))
    return f"{kind.decode()} {base64.b64encode(parts).decode()} lab"

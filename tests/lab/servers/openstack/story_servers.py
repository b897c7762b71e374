"""Makes the servers of a scenario in Nova, with the images, flavors and groups that they name."""

import contextlib

from ..say import Trouble
from . import api, compute, states

#: Limits of Nova that can be set.
_LIMITS = ("cores", "instances", "ram", "key_pairs", "metadata_items", "server_groups", "server_group_members")


def tell(story):
    """Makes them all. Ports are there already, and their server's id is noted where they name one."""
    login = api.Api(api.password(story.name, story.name))
    limits = f"/os-quota-sets/{story.project}"
    story.admin.put("compute", limits, {"quota_set": dict.fromkeys(_LIMITS, -1)})
    _images(story)
    _flavors(story)
    groups = story.rows("compute/server-groups")
    for row in groups:
        made = login.post("compute", "/os-server-groups", {"server_group": {
            "name": row["name"], "policy": row.get("policy") or row["policies"][0]}})
        story.ids[row["id"]] = made["server_group"]["id"]
    rows = story.rows("compute/servers")
    for key in sorted({row["key_name"] for row in rows if row.get("key_name")}):
        login.post("compute", "/os-keypairs", {"keypair": {"name": key, "public_key": compute.public_key()}})
    for row in rows:
        member = [g["id"] for g in groups if row["id"] in g["members"]]
        story.ids[row["id"]] = _server(story, login, row, member)
    found = (story.rows("compute/quotas", "quota_set") or {}).items()
    wanted = {k: v["limit"] if isinstance(v, dict) else v for k, v in found if k in _LIMITS}
    story.admin.put("compute", limits, {"quota_set": wanted | {"force": True}})


def _images(story):
    there = {row["name"]: row["id"] for row in story.admin.get("image", "/images?limit=1000")["images"]}
    for row in story.rows("image/images"):
        # One that was being uploaded or is gone is none that a server is made of.
        if row["status"] == "active":
            story.ids[row["id"]] = there.get(row["name"]) or compute.image_of(story.admin, row["name"])


def _flavors(story):
    there = {row["name"] for row in story.admin.get("compute", "/flavors/detail?is_public=None")["flavors"]}
    rows = [{"name": f["original_name"], **f} for f in (s["flavor"] for s in story.rows("compute/servers"))]
    for row in rows + story.rows("compute/flavors"):
        if row["name"] not in there:
            wants = row.get("extra_specs") or {}
            compute.flavor(story.admin, row["name"], row["vcpus"], row["ram"], row["disk"], wants)
            there.add(row["name"])
    story.flavors = {row["name"]: row["id"] for row in story.admin.get("compute", "/flavors/detail")["flavors"]}
    story.ids |= {row["id"]: story.flavors[row["name"]] for row in story.rows("compute/flavors")
                  if row["name"] in story.flavors}


def _server(story, login, row, groups):
    own = [p["id"] for p in story.rows("network/ports") if p["device_id"] == row["id"]]
    image = (row.get("image") or {}).get("id")
    wanted = {
        "image": story.ids.get(image) or _any_image(story), "size": story.flavors[row["flavor"]["original_name"]],
        "ports": [story.ids[port] for port in own if port in story.ids], "tags": row.get("tags") or [],
        "key": row.get("key_name"), "group": story.ids[groups[0]] if groups else None}
    # What found no host wanted nothing that hosts do not have: there was none.
    none = row["status"] == "ERROR" and not row["flavor"].get("extra_specs")
    with compute.no_host(story.admin) if none else contextlib.nullcontext():
        made, status = compute.server(login, row["name"], **wanted)
    if status != row["status"]:
        raise Trouble(f"the server {row['name']} is {status} and not {row['status']} as in the scenario")
    states.server_times(made, *story.moved({"created_at": row["created"], "updated_at": row["updated"]}))
    return made


def _any_image(story):
    """For a server whose own image is gone: what is in one plays no part here."""
    return story.admin.get("image", "/images?limit=1")["images"][0]["id"]

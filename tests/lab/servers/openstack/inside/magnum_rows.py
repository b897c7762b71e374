"""Writes templates, clusters and node groups through Magnum's object layer, in any state.

usage: python -m servers.openstack.inside.magnum_rows FILE   (JSON: forget, templates, clusters with groups)

`forget` has UUIDs of clusters and templates whose rows go first, if they are there.
"""

import json
import pathlib
import sys

from magnum import objects
from magnum.common import context, exception, service

from . import settings

service.prepare_service(["magnum", *settings.config("magnum", "magnum.conf")])
objects.register_all() if hasattr(objects, "register_all") else None
WHO = context.make_admin_context(all_tenants=True)
_TEMPLATE = {"coe": "kubernetes", "cluster_distro": "ubuntu", "server_type": "vm", "driver": "k8s_cluster_api_ubuntu"}


def forget(uuid):
    """Removes what has this UUID."""
    for row in objects.NodeGroup.list(WHO, uuid):
        row.destroy()
    for kind in (objects.Cluster, objects.ClusterTemplate):
        try:
            kind.get_by_uuid(WHO, uuid).destroy()
        except (exception.ClusterNotFound, exception.ClusterTemplateNotFound):
            pass


def make(kind, fields):
    """One row; fields that the object does not have are left out."""
    kind(WHO, **{k: v for k, v in fields.items() if k in kind.fields}).create()


def main():
    wanted = json.loads(pathlib.Path(sys.argv[1]).read_text())
    for uuid in wanted.get("forget", []):
        forget(uuid)
    for template in wanted.get("templates", []):
        make(objects.ClusterTemplate, _TEMPLATE | template)
    for cluster in wanted.get("clusters", []):
        groups = cluster.pop("groups", [])
        make(objects.Cluster, cluster)
        for group in groups:
            make(objects.NodeGroup, {"cluster_id": cluster["uuid"], "node_addresses": []} | group)


if __name__ == "__main__":
    main()

"""Puts what a bundle holds of Kubernetes into a server, as it was: status, uids, deletion times, logs.

usage: python -m servers.kubernetes.loader   (JSON {folders, replace, server} on stdin)

The objects go straight into etcd, which no validation, controller or clock of the API server touches. It
needs PyYAML, so it runs in a virtual environment; `servers.kubernetes.load` starts it from any Python.
"""

import base64
import datetime
import http.client
import json
import pathlib
import re
import shutil
import sys
import urllib.parse
import uuid

import yaml

from ..say import Trouble
from . import crds, servers, shift, versions

#: What an earlier load may have left: everything but the server's own definitions, rights and namespaces.
_LOADED = ["events", "pods", "deployments", "statefulsets", "replicasets", "secrets", "configmaps", "minions", "leases",
           *(f"{part}cluster.x-k8s.io" for part in ("", "infrastructure.", "bootstrap.", "controlplane.", "addons."))]
#: Kind -> its place in etcd below the API group. A kind that is not here would be stored where no server looks.
_PLACES = {kind: f"{kind.lower()}s" for kind in (
    "Event Pod Secret Deployment StatefulSet ReplicaSet Lease ConfigMap Namespace Cluster Machine MachineSet "
    "MachineDeployment MachinePool MachineHealthCheck KubeadmConfig KubeadmConfigTemplate KubeadmControlPlane "
    "KubeadmControlPlaneTemplate ClusterResourceSet ClusterResourceSetBinding").split()}
_PLACES |= {kind: plural for plural, (kind, _, _) in crds.CAPO.items()}
_PLACES |= {"ClusterClass": "clusterclasses", "Node": "minions"}
_CLUSTER_WIDE = {"Namespace", "Node"}
#: etcd takes 128 operations in a transaction.
_AT_ONCE = 100


class _Loader(yaml.CSafeLoader):
    """Times stay the strings that they are."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load(folders, replace, server=None):
    """Empties a server and loads bundles into it. Returns the server's name: that of the contract which
    the first bundle's Cluster API objects are written in, unless `server` says another."""
    found, logs = [], {}
    for folder in map(pathlib.Path, folders):
        root = folder / "bundle" if (folder / "bundle").is_dir() else folder
        if not (root / "kubernetes").is_dir():
            raise Trouble(f"{folder} holds no bundle: no folder `kubernetes`")
        anew = _renewer(root, replace)
        found += [o for file in sorted((root / "kubernetes").rglob("*.y*ml")) for o in _objects(anew(_read(file)))]
        logs |= {f.relative_to(root / "kubernetes"): anew(_read(f)) for f in (root / "kubernetes").rglob("*.log")}
    server = server or _contract(found)
    objects = {_key(o): o for o in map(_whole, _completed(found, logs, server))}
    _write_logs(servers.kubelet_root(server), logs)
    _into_etcd(servers.prefix(server), objects)
    return server


def _read(file):
    return file.read_text(errors="surrogateescape")


def _renewer(root, replace):
    """A function that gives a text other ids, and the times that it would have if it were taken now."""
    taken = re.search(r"^takenAt:\s*['\"]?([\dT:-]+)", _read(root / "bundle.yaml"), re.MULTILINE)
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0, tzinfo=None)
    then = datetime.datetime.fromisoformat(taken[1]) if taken else now
    ids = re.compile("|".join(map(re.escape, sorted(replace, key=len, reverse=True)))) if replace else None

    def anew(text):
        text = shift.times(text, now - then, then.year)
        return ids.sub(lambda hit: replace[hit[0]], text) if ids else text

    return anew


def _objects(text):
    for document in yaml.load_all(text, _Loader):
        for one in document.get("items", [document]) if isinstance(document, dict) else []:
            if isinstance(one, dict) and one.get("kind") and one.get("apiVersion") and one.get("metadata"):
                yield one


def _contract(objects):
    for one in objects:
        group, _, version = one["apiVersion"].partition("/")
        if group == "cluster.x-k8s.io" and version in versions.CONTRACTS:
            return version
    return versions.CONTRACTS[-1]


def _completed(objects, logs, server):
    """With what a server has besides: the pods that wrote the logs, their nodes, the namespaces."""
    pods = {(o["metadata"].get("namespace"), o["metadata"]["name"]): o for o in objects if o["kind"] == "Pod"}
    added = []
    for path in sorted(logs):
        namespace, pod, container = path.parts[1], path.parts[-3], path.parts[-2]
        if (namespace, pod) not in pods:
            pods[namespace, pod] = _pod(namespace, pod, container)
            added.append(pods[namespace, pod])
    nodes = {n for pod in pods.values() if (n := pod.get("spec", {}).get("nodeName"))}
    nodes -= {o["metadata"]["name"] for o in objects if o["kind"] == "Node"}
    spaces = {n for o in [*objects, *added] if (n := o["metadata"].get("namespace"))}
    spaces -= {o["metadata"]["name"] for o in objects if o["kind"] == "Namespace"}
    return [*objects, *added, *(_node(n, server) for n in nodes), *map(_namespace, spaces)]


def _pod(namespace, name, container):
    """The Pod of a log whose bundle has none, with the labels by which its Deployment would be known."""
    conductor = {"application": "magnum", "component": "conductor"}
    labels = conductor if name.startswith("magnum-conductor") else {"cluster.x-k8s.io/provider": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"nodeName": "lab", "containers": [{"name": container, "image": "unknown"}]},
            "status": {"phase": "Running"}}


def _node(name, server):
    """A Node of one address, or the API server would look up its name first."""
    kubelet = {"Port": servers.kubelet_port(server)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {},
            "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                       "daemonEndpoints": {"kubeletEndpoint": kubelet}}}


def _namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"}}


def _whole(one):
    """With the metadata that every stored object has. The revision is etcd's own."""
    metadata = one["metadata"]
    metadata.pop("resourceVersion", None)
    metadata.setdefault("uid", str(uuid.uuid5(uuid.NAMESPACE_URL, _key(one))))
    metadata.setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
    if one["kind"] == "Secret" and one.get("data"):
        # A mask is no base64, and one Secret that cannot be decoded makes every list of Secrets fail.
        masked = base64.b64encode(b"masked").decode()
        one["data"] = dict.fromkeys(one["data"], masked)
    return one


def _key(one):
    """Where the API server looks for an object, below its prefix."""
    group, kind = one["apiVersion"].rpartition("/")[0], one["kind"]
    if kind not in _PLACES:
        raise Trouble(f"the lab does not know where {kind} belongs", "add the kind to servers/kubernetes/loader.py")
    where = [group] if group.endswith(".x-k8s.io") else []
    space = [] if kind in _CLUSTER_WIDE else [one["metadata"].get("namespace") or "default"]
    return "/".join([*where, _PLACES[kind], *space, one["metadata"]["name"]])


def _into_etcd(prefix, objects):
    def coded(text):
        return base64.b64encode(text.encode()).decode()

    ranges = [{"requestDeleteRange": {"key": coded(f"{prefix}/{p}/"), "rangeEnd": coded(f"{prefix}/{p}0")}}
              for p in _LOADED]
    puts = [{"requestPut": {"key": coded(f"{prefix}/{key}"), "value": coded(json.dumps(one))}}
            for key, one in objects.items()]
    address = urllib.parse.urlparse(servers.ETCD)
    etcd = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    # A transaction may not delete a range and put into it.
    for operations in [ranges, *(puts[i:i + _AT_ONCE] for i in range(0, len(puts), _AT_ONCE))]:
        try:
            etcd.request("POST", "/v3/kv/txn", json.dumps({"success": operations}))
            answer = etcd.getresponse()
            said = answer.read().decode(errors="replace")
        except OSError as error:
            raise Trouble(f"etcd does not answer: {error}", "run `tests/lab/lab.sh up` first") from error
        if answer.status != 200:
            raise Trouble(f"etcd refuses to load: {answer.status} {said}")


def _write_logs(root, logs):
    shutil.rmtree(root, ignore_errors=True)
    for path, text in logs.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, errors="surrogateescape")


def main():
    try:
        print(load(**json.load(sys.stdin)))
    except Trouble as trouble:
        print(f"{trouble}; {trouble.hint}" if trouble.hint else trouble, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()

"""The kinds that the API servers know: Cluster API's own definitions, and open ones for CAPO's."""

import hashlib
import json
import pathlib

from .. import packages
from ..places import RUN
from . import pki, versions

HERE = pathlib.Path(__file__).resolve().parent
_GROUP = "infrastructure.cluster.x-k8s.io"
#: CAPO's kinds: plural -> (kind, version, short name). CAPO cannot be had as a Go module, so its
#: definitions are written here without a schema; names and versions are those of release 0.14
#: (kubernetes-sigs/cluster-api-provider-openstack, config/crd/bases).
CAPO = {
    "openstackclusters": ("OpenStackCluster", "v1beta1", "osc"),
    "openstackclustertemplates": ("OpenStackClusterTemplate", "v1beta1", "osct"),
    "openstackmachines": ("OpenStackMachine", "v1beta1", "osm"),
    "openstackmachinetemplates": ("OpenStackMachineTemplate", "v1beta1", "osmt"),
    "openstackservers": ("OpenStackServer", "v1alpha1", "oss"),
    "openstackfloatingippools": ("OpenStackFloatingIPPool", "v1alpha1", "osfip"),
}


def install(contract):
    """Creates the definitions, rights and namespace, unless they are what was put in before."""
    admin = pki.kubeconfig(contract, "admin")
    files = sorted(versions.crds(contract).glob("*.yaml"))
    rules = HERE / "rbac.yaml"
    capo = json.dumps({"apiVersion": "v1", "kind": "List", "items": [_capo(plural) for plural in CAPO]})
    text = "".join(f.read_text() for f in [*files, rules]) + capo
    mark = RUN / "etcd" / f"{contract}.stamp"
    digest = hashlib.sha256(text.encode()).hexdigest()
    if mark.exists() and mark.read_text() == digest:
        return
    own = RUN / "capo-crds.json"
    own.write_text(capo)
    _kubectl(admin, "apply", "--server-side", "--force-conflicts", "--validate=false", "-f", own,
             "-f", versions.crds(contract))
    _label(admin, files)
    _kubectl(admin, "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "magnum-system"}}
    (RUN / "namespace.json").write_text(json.dumps(namespace))
    _kubectl(admin, "apply", "--server-side", "--force-conflicts", "-f", RUN / "namespace.json", "-f", rules)
    mark.write_text(digest)


def _capo(plural):
    kind, version, short = CAPO[plural]
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{_GROUP}",
            # Contract -> version of the kind. clusterctl turns a reference without a version into one by it.
            "labels": {"cluster.x-k8s.io/v1beta1": version, "cluster.x-k8s.io/provider": "infrastructure-openstack"},
        },
        "spec": {
            "group": _GROUP, "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List",
                      "shortNames": [short], "categories": ["cluster-api"]},
            "versions": [{"name": version, "served": True, "storage": True, "subresources": {"status": {}},
                          "schema": {"openAPIV3Schema": schema}}],
        },
    }


def _label(admin, files):
    """What kustomize adds in a release and the plain files lack: the contract of each provider's kinds.
    Without it clusterctl leaves the kind's objects out, without a word."""
    for part in ("bootstrap", "controlplane"):
        names = []
        for file in files:
            group, _, plural = file.stem.partition("_")
            if group == f"{part}.cluster.x-k8s.io":
                names.append(f"{plural}.{group}")
        served = [c for c in versions.CONTRACTS if f"name: {c}\n" in "".join(
            f.read_text() for f in files if f.stem.startswith(f"{part}."))]
        _kubectl(admin, "label", "--overwrite", "crd", *names, *(f"cluster.x-k8s.io/{c}={c}" for c in served))


def _kubectl(admin, *arguments):
    packages.run([versions.kubectl(), "--kubeconfig", admin, "--cache-dir", RUN / "kubectl-cache", *arguments],
                 f"kubectl {arguments[0]}")

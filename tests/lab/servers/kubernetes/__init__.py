"""The Kubernetes half: etcd, an API server for each contract of Cluster API, kubectl and its peers."""

import json
import subprocess

from .. import packages
from ..places import BIN, HERE, RUN
from ..say import Trouble
from . import crds, pki, programs, servers, versions

_LOADER = "PyYAML==6.0.3"
_PATH = RUN / "path"


def up():
    """Installs and starts it."""
    programs.install()
    _python()
    pki.make()
    servers.start()
    for contract in versions.CONTRACTS:
        crds.install(contract)
    _link()


def load(folders, replace=None, server=None):
    """Empties an API server and puts the Kubernetes side of bundles into it: objects with their status,
    and logs, with every time moved so that they were captured just now.

    `replace` has other ids for some of the captured ones, in objects and logs alike. `server` is a
    contract; without it the bundle's own is taken. Returns the contract.
    """
    question = {"folders": [str(f) for f in folders], "replace": replace or {}, "server": server}
    done = subprocess.run(
        [_python(), "-m", "servers.kubernetes.loader"], input=json.dumps(question), capture_output=True, text=True,
        cwd=HERE.parent)
    if done.returncode:
        raise Trouble(f"loading failed: {done.stderr.strip()}")
    return done.stdout.strip()


def describe():
    """What the tests need to know of it: programs, and for each contract a server with its users."""
    newest = versions.CONTRACTS[-1]
    return {
        "env": {"KUBECONFIG": str(pki.kubeconfig(newest, "admin"))},
        "path": [str(_PATH)],
        "kubectl": str(versions.kubectl()),
        "krew": str(_program("krew", versions.KREW)),
        "validate-krew-manifest": str(_program("validate-krew-manifest", versions.KREW)),
        "pki": str(pki.PKI),
        "token": pki.TOKEN,
        "load": [str(HERE.parent / "lab.sh"), "load"],
        "servers": {contract: _server(contract) for contract in versions.CONTRACTS},
    }


def _server(contract):
    return {
        "url": f"https://127.0.0.1:{pki.api_port(contract)}",
        "kubeconfig": {user: str(pki.kubeconfig(contract, user)) for user in pki.USERS},
        "audit": str(servers.audit_log(contract)),
        "clusterctl": str(versions.clusterctl(contract)),
    }


def _program(name, version):
    return BIN / f"{name}-{version}"


def _link():
    """The programs by the names that people and kubectl look for."""
    _PATH.mkdir(parents=True, exist_ok=True)
    newest = versions.clusterctl(versions.CONTRACTS[-1])
    wanted = {"kubectl": versions.kubectl(), "kubectl-krew": _program("krew", versions.KREW), "clusterctl": newest}
    for name, program in wanted.items():
        link = _PATH / name
        link.unlink(missing_ok=True)
        link.symlink_to(program)


def _python():
    return packages.venv("kubernetes", [_LOADER]) / "bin" / "python"

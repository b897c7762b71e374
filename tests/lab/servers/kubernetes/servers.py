"""The processes: etcd, an API server for each contract, a kubelet for each API server's logs."""

import ssl
import sys

from .. import processes
from ..places import BIN, HERE, LOG, RUN, port
from ..say import step
from . import pki, versions

ETCD = f"http://127.0.0.1:{port(22379)}"


def prefix(contract):
    """Where the contract's API server keeps its objects in etcd."""
    return f"/{contract}"


def kubelet_port(contract):
    """Where the API server of the contract finds the logs of pods."""
    return port(22250 + versions.CONTRACTS.index(contract))


def kubelet_root(contract):
    """The logs that the kubelet gives, laid out as in a bundle's `kubernetes` folder."""
    return RUN / "kubelet" / contract


def audit_log(contract):
    """One JSON line for each request that the API server answered since it was started."""
    return LOG / f"audit-{contract}.log"


def start():
    """Starts everything that does not run, and waits until the API servers are ready."""
    peers = f"http://127.0.0.1:{port(22380)}"
    with step("kubernetes", "etcd and API servers"):
        processes.spawn("etcd", [
            BIN / f"etcd-{versions.ETCD}", "--data-dir", RUN / "etcd", "--listen-client-urls", ETCD,
            "--advertise-client-urls", ETCD, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
            "--initial-cluster", f"default={peers}", "--unsafe-no-fsync", "--log-level", "warn"])
        processes.wait_until("etcd", lambda: processes.answers(f"{ETCD}/health"), 30)
        for contract in versions.CONTRACTS:
            kubelet_root(contract).mkdir(parents=True, exist_ok=True)
            processes.spawn(f"kubelet-{contract}", [
                sys.executable, HERE / "kubernetes" / "kubelet.py", kubelet_port(contract), pki.PKI / "apiserver.crt",
                pki.PKI / "apiserver.key", kubelet_root(contract)])
            if not processes.alive(f"kube-apiserver-{contract}"):
                audit_log(contract).unlink(missing_ok=True)
            processes.spawn(f"kube-apiserver-{contract}", _api_server(contract))
        for contract in versions.CONTRACTS:
            processes.wait_until(f"kube-apiserver-{contract}", lambda: _ready(contract), 120)


def _api_server(contract):
    keys = pki.PKI
    flags = {
        "etcd-servers": ETCD, "etcd-prefix": prefix(contract),
        "bind-address": "127.0.0.1", "advertise-address": "127.0.0.1", "secure-port": pki.api_port(contract),
        "tls-cert-file": keys / "apiserver.crt", "tls-private-key-file": keys / "apiserver.key",
        "client-ca-file": keys / "ca.crt", "token-auth-file": keys / "tokens.csv",
        "service-account-key-file": keys / "service-accounts.pub",
        "service-account-signing-key-file": keys / "service-accounts.key",
        "service-account-issuer": "https://kubernetes.default.svc", "service-cluster-ip-range": "10.96.0.0/16",
        "authorization-mode": "RBAC", "disable-admission-plugins": "ServiceAccount", "endpoint-reconciler-type": "none",
        "kubelet-client-certificate": keys / "admin.crt", "kubelet-client-key": keys / "admin.key",
        "kubelet-certificate-authority": keys / "ca.crt",
        "audit-policy-file": keys / "audit.yaml", "audit-log-path": audit_log(contract),
        # Each line must be in the file when the answer is.
        "audit-log-mode": "blocking",
    }
    return [BIN / f"kube-apiserver-{versions.KUBERNETES}", *(f"--{name}={value}" for name, value in flags.items())]


def _ready(contract):
    context = ssl.create_default_context(cafile=pki.PKI / "ca.crt")
    context.load_cert_chain(pki.PKI / "admin.crt", pki.PKI / "admin.key")
    return processes.answers(f"https://127.0.0.1:{pki.api_port(contract)}/readyz", context)

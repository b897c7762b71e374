"""Certificates, tokens and kubeconfigs of the lab: who may talk to its API servers, and as whom."""

import os

from .. import packages
from ..places import RUN, port
from .versions import CONTRACTS

PKI = RUN / "pki"
#: Name -> subject. The group decides what the RBAC rules of `rbac.yaml` grant; `blind` is in none.
USERS = {
    "admin": "/O=system:masters/CN=admin",
    "operator": "/O=operators/CN=olga",
    "narrow": "/O=narrow/CN=nora",
    "blind": "/O=blind/CN=bert",
}
#: The operator once more, for sign-in by token.
TOKEN = "lab-operator-token"
_NAMES = "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1"


def api_port(contract):
    """Where the contract's API server listens."""
    return port(26443 + CONTRACTS.index(contract))


def make():
    """Makes what is missing; a second call changes nothing."""
    packages.debian("kubernetes", {"openssl": "openssl"})
    PKI.mkdir(parents=True, exist_ok=True)
    if not (PKI / "done").exists():
        _authority("ca")
        _authority("foreign-ca")
        _signed("apiserver", "/CN=kube-apiserver", names=_NAMES)
        for name, subject in USERS.items():
            _signed(name, subject)
        # Two of the operator's that must not be let in.
        _signed("expired", USERS["operator"], days=-1)
        _signed("foreign", USERS["operator"], authority="foreign-ca")
        _openssl("genrsa", "-out", "service-accounts.key", "2048")
        _openssl("rsa", "-in", "service-accounts.key", "-pubout", "-out", "service-accounts.pub")
        (PKI / "tokens.csv").write_text(f'{TOKEN},oscar,1,"operators"\n')
        (PKI / "done").touch()
    # One line for each request, once it is answered.
    (PKI / "audit.yaml").write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\n"
                                    "omitStages: [RequestReceived, ResponseStarted]\nrules: [{level: Metadata}]\n")
    for contract in CONTRACTS:
        for user in USERS:
            _kubeconfig(contract, user)


def kubeconfig(contract, user):
    """The path of a user's kubeconfig for a server."""
    return RUN / "kubeconfig" / f"{contract}-{user}.yaml"


def _openssl(*arguments):
    packages.run(["openssl", *arguments], f"openssl {arguments[0]}", cwd=PKI)


def _key():
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def _authority(name):
    _openssl("req", "-x509", *_key(), "-days", "3650", "-subj", f"/CN=lab {name}", "-keyout", f"{name}.key",
             "-out", f"{name}.crt")


def _signed(name, subject, names=None, authority="ca", days=3650):
    (PKI / f"{name}.ext").write_text(f"subjectAltName={names or f'DNS:{name}'}\n")
    _openssl("req", "-new", *_key(), "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
    _openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
             "-CAcreateserial", "-days", str(days), "-extfile", f"{name}.ext", "-out", f"{name}.crt")


def _kubeconfig(contract, user):
    file = kubeconfig(contract, user)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(f"""apiVersion: v1
kind: Config
current-context: {contract}
clusters:
- name: {contract}
  cluster: {{server: "https://127.0.0.1:{api_port(contract)}", certificate-authority: "{PKI}/ca.crt"}}
users:
- name: {user}
  user: {{client-certificate: "{PKI}/{user}.crt", client-key: "{PKI}/{user}.key"}}
contexts:
- name: {contract}
  context: {{cluster: {contract}, user: {user}}}
""")
    os.replace(fresh, file)

"""Writes the services' configuration from the templates beside this file."""

import pathlib
import shutil
import string

from .. import packages
from ..places import VENV
from . import layout

_HERE = pathlib.Path(__file__).parent
_FILES = {
    "keystone": ["keystone.conf"],
    "neutron": ["neutron.conf", "ml2_conf.ini"],
    "octavia": ["octavia.conf"],
    "magnum": ["magnum.conf", "kubeconfig"],
    "placement": ["placement.conf"],
    "glance": ["glance-api.conf"],
    "nova": ["nova.conf"],
}


def _login(section, user):
    return "\n".join([
        f"[{section}]", "auth_type = password", f"auth_url = {layout.url('keystone')}", f"username = {user}",
        f"password = {layout.PASSWORD}", "project_name = service", "user_domain_name = Default",
        "project_domain_name = Default", f"region_name = {layout.REGION}"])


def _common(service):
    return "\n".join([
        "[DEFAULT]", "host = lab", "use_stderr = true", f"transport_url = {_bus(service)}", "rpc_response_timeout = 5",
        "[oslo_concurrency]", f"lock_path = {layout.VAR}/lock/{service}", "[oslo_messaging_notifications]",
        "driver = noop", "[database]", f"connection = {database(service)}", "max_retries = 1", "retry_interval = 1",
        # Octavia sets one, which SQLite's pool refuses.
        "pool_timeout ="])


def _bus(service):
    """Only Nova has programs that talk with each other."""
    return f"rabbit://guest:guest@127.0.0.1:{layout.BUS}/" if service == "nova" else "fake:/"


def database(name):
    """The URL of a database. Whoever writes second waits; the usual five seconds are too short for that."""
    return f"sqlite:///{layout.VAR}/db/{name}.sqlite?timeout=60"


def write():
    """All files of the services, the certificates of Octavia and Neutron's plugin."""
    for folder in ("db", "fernet", "credential", *(f"lock/{s}" for s in layout.services())):
        (layout.VAR / folder).mkdir(parents=True, exist_ok=True)
    for service in layout.services():
        words = {"common": _common(service), "etc": layout.ETC / service, "var": layout.VAR, "venv": VENV,
                 "root": layout.root(service), "port": layout.services()[service][0], "password": layout.PASSWORD,
                 "authtoken": _login("keystone_authtoken", service), "region": layout.REGION,
                 "database": database(service), "database_api": database(f"{service}_api"),
                 "notify_nova": str(layout.nova()).lower()}
        words |= {f"login_{part}": _login(part, service) for part in
                  ("service_auth", "service_user", "keystone_auth", "neutron", "nova", "placement")}
        (layout.ETC / service).mkdir(parents=True, exist_ok=True)
        for name in _FILES[service]:
            text = (_HERE / "templates" / name).read_text()
            (layout.ETC / service / name).write_text(string.Template(text).substitute(words))
    _octavia_authority()
    _neutron_plugin()
    if layout.nova():
        # Its API server looks for this one beside its configuration.
        shutil.copy(VENV / "etc" / "nova" / "api-paste.ini", layout.ETC / "nova")
        shutil.copytree(_HERE / "plugins" / "nova", layout.ETC / "nova" / "plugins", dirs_exist_ok=True)
    layout.write_settings()


def _octavia_authority():
    """The API server loads the driver of certificates, though nothing here asks it for one."""
    folder = layout.ETC / "octavia"
    if not (folder / "ca.pem").exists():
        packages.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-passout", "pass:lab", "-keyout", folder / "ca.key",
             "-out", folder / "ca.pem", "-days", "3650", "-subj", "/CN=lab"], "making a certificate for Octavia")


def _neutron_plugin():
    """Puts our mechanism driver where Neutron's entry points are looked up."""
    plugins = layout.ETC / "plugins"
    known = plugins / "lab_neutron-1.0.dist-info"
    known.mkdir(parents=True, exist_ok=True)
    shutil.copy(_HERE / "plugins" / "lab_neutron.py", plugins)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-neutron\nVersion: 1.0\n")
    (known / "entry_points.txt").write_text("[neutron.ml2.mechanism_drivers]\nlab = lab_neutron:AtOnce\n")

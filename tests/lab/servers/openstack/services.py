"""Starts and stops the API servers, each under uWSGI with a log of the requests it got."""

import concurrent.futures
import os

from .. import packages, processes
from ..places import LAB, LOG, VENV
from ..say import Trouble, step
from . import layout

_MODULES = {"keystone": "keystone.wsgi.api", "neutron": "neutron.wsgi.api", "octavia": "octavia.wsgi.api",
            "magnum": "magnum.wsgi.api", "placement": "placement.wsgi.api", "glance": "glance.wsgi.api",
            "nova": "nova.wsgi.osapi_compute"}
#: They find their files by the command line; the others by the variables below.
_FLAGS = {"octavia": "octavia.conf", "magnum": "magnum.conf"}
_ACCESS = '%(method)\t%(uri)\t%(status)\t%(uagent)'


def environment(program=""):
    """What every program of the services needs to find its configuration."""
    plugins = [f"{layout.ETC}/plugins", *([f"{layout.ETC}/nova/plugins"] if program.startswith("nova") else [])]
    return {
        "PYTHONPATH": os.pathsep.join(plugins), "PYTHONWARNINGS": "ignore",
        "OS_KEYSTONE_CONFIG_DIR": f"{layout.ETC}/keystone",
        "OS_NEUTRON_CONFIG_DIR": f"{layout.ETC}/neutron", "OS_NEUTRON_CONFIG_FILES": "neutron.conf;ml2_conf.ini",
        "OS_PLACEMENT_CONFIG_DIR": f"{layout.ETC}/placement", "OS_GLANCE_CONFIG_DIR": f"{layout.ETC}/glance",
        "OS_NOVA_CONFIG_DIR": f"{layout.ETC}/nova",
        "KUBECONFIG": f"{layout.ETC}/magnum/kubeconfig"}


def access_log(service):
    """Its requests: method, path with query, status and user agent, a tab between."""
    return LOG / f"{service}.access"


def start(*names):
    """Starts servers side by side (all when none is named) and waits for their answers."""
    names = names or tuple(layout.services())
    with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(_start, names))


def _start(name):
    if processes.alive(name):
        return
    flags = f"--config-file {layout.ETC}/{name}/{_FLAGS[name]}" if name in _FLAGS else ""
    LOG.mkdir(parents=True, exist_ok=True)
    with step("openstack", name):
        address = f"127.0.0.1:{layout.services()[name][0]}"
        processes.spawn(
            name,
            [layout.BIN / "uwsgi", "--http-socket", address, "--module", _MODULES[name],
             "--pyargv", flags, "--virtualenv", VENV, "--need-app", "--die-on-term", "--lazy-apps", "--enable-threads",
             "--threads", "4", "--processes", "1", "--buffer-size", "65535",
             # uWSGI closes each connection; clients that are not told so try to use it again.
             "--add-header", "Connection: close",
             "--log-format", _ACCESS, "--req-logger", f"file:{access_log(name)}"],
            environment(name))
        processes.wait_until(name, lambda: processes.answers(layout.root(name) + "/"), 120)


def inside(module, *arguments, **more):
    """Runs one of our scripts in the venv; returns what it printed."""
    env = environment() | {"LAB_SETTINGS": str(layout.SETTINGS), "PYTHONDONTWRITEBYTECODE": "1"} | more
    env["PYTHONPATH"] += os.pathsep + str(LAB)
    argv = [layout.BIN / "python", "-m", f"servers.openstack.inside.{module}", *arguments]
    try:
        return packages.run(argv, module, env)
    except Trouble as trouble:
        trouble.hint = trouble.hint or f"settings are in {layout.SETTINGS}, logs in {LOG}"
        raise


def stop(*names):
    """Stops servers, all of them (of any profile) when none is named."""
    processes.stop(*(names or layout.processes()))

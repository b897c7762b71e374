"""The message bus between Nova's programs: Debian's RabbitMQ, started by hand with a home of its own."""

import shutil
import socket

from .. import processes
from ..places import LOG
from ..say import step
from . import layout

#: Not the one in the path, which changes to a user of the system's.
PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def start():
    """Starts it on the loopback device, unless it runs."""
    if processes.alive("rabbitmq"):
        return
    home = layout.VAR / "rabbitmq"
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "rabbitmq.conf"
    settings.write_text("\n".join([
        f"listeners.tcp.1 = 127.0.0.1:{layout.BUS}", "vm_memory_high_watermark.absolute = 1GB",
        "disk_free_limit.absolute = 50MB", ""]))
    with step("openstack", "rabbitmq"):
        # Erlang would start its name server by itself, for all addresses and for good.
        processes.spawn("epmd", [shutil.which("epmd"), "-address", "127.0.0.1", "-port", layout.BUS_NAMES])
        processes.spawn("rabbitmq", [PROGRAM], {
            "HOME": str(home), "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(layout.BUS_NAMES),
            "ERL_CRASH_DUMP": str(LOG / "rabbitmq.dump"), "RABBITMQ_NODENAME": "lab@localhost",
            "RABBITMQ_DIST_PORT": str(layout.BUS_NODE), "RABBITMQ_CONFIG_FILE": str(settings),
            "RABBITMQ_MNESIA_BASE": str(home / "data"), "RABBITMQ_LOG_BASE": str(LOG), "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(home / "pid"), "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2"})
        processes.wait_until("rabbitmq", _listens, 120)


def _listens():
    try:
        socket.create_connection(("127.0.0.1", layout.BUS), 1).close()
    except OSError:
        return False
    return True

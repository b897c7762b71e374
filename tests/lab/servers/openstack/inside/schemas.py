"""Makes the database of one service.

usage: python -m servers.openstack.inside.schemas SERVICE

On SQLite the migrations of Keystone, Placement, Glance and Nova run. Those of the others change constraints,
which SQLite cannot, so their tables are made from their models.
"""

import getpass
import sys

import sqlalchemy
from oslo_config import cfg

from . import settings


def keystone():
    """Tables, keys, and the first administrator."""
    from keystone.cmd import cli
    me = getpass.getuser()
    owner = ["--keystone-user", me, "--keystone-group", me]
    address = settings.KNOWN["auth_url"]
    urls = [word for kind in ("public", "internal", "admin") for word in (f"--bootstrap-{kind}-url", address)]
    for command in (
            ["db_sync"], ["fernet_setup", *owner], ["credential_setup", *owner],
            ["bootstrap", "--bootstrap-password", settings.PASSWORD, "--bootstrap-region-id", settings.KNOWN["region"],
             *urls]):
        cli.main(["keystone-manage", *settings.config("keystone", "keystone.conf"), *command])
        cfg.CONF.reset()
        cfg.CONF.unregister_opt(cli.command_opt)


def neutron():
    """Its models, and those of the plugins it knows."""
    from neutron.common import config
    from neutron.db.migration.models import head
    from oslo_db import options
    cfg.CONF.register_opts(options.database_opts, "database")
    config.register_common_config_options()
    config.init(settings.config("neutron", "neutron.conf", "ml2_conf.ini"))
    metadata = head.get_metadata()
    taken = set()
    for table in metadata.sorted_tables:
        for index in list(table.indexes):  # SQLite wants one name for one index in all tables
            if index.name in taken:
                table.indexes.discard(index)
            taken.add(index.name)
    metadata.create_all(_engine())


def octavia():
    """Its models, and the words of its lookup tables, which only the migrations fill."""
    from octavia.common import config
    from octavia.common import constants as c
    from octavia.db import base_models
    from octavia.db import models as m
    from sqlalchemy import orm
    config.init(settings.config("octavia", "octavia.conf"))
    base_models.BASE.metadata.create_all(_engine())
    words = {
        m.ProvisioningStatus: c.SUPPORTED_PROVISIONING_STATUSES, m.OperatingStatus: c.SUPPORTED_OPERATING_STATUSES,
        m.Algorithm: c.SUPPORTED_LB_ALGORITHMS, m.AmphoraRoles: c.SUPPORTED_AMPHORA_ROLES,
        m.ClientAuthenticationMode: c.SUPPORTED_CLIENT_AUTH_MODES,
        m.HealthMonitorType: c.SUPPORTED_HEALTH_MONITOR_TYPES,
        m.L7PolicyAction: c.SUPPORTED_L7POLICY_ACTIONS, m.L7RuleCompareType: c.SUPPORTED_L7RULE_COMPARE_TYPES,
        m.L7RuleType: c.SUPPORTED_L7RULE_TYPES, m.LBTopology: c.SUPPORTED_LB_TOPOLOGIES,
        m.Protocol: c.SUPPORTED_PROTOCOLS, m.SessionPersistenceType: c.SUPPORTED_SP_TYPES,
        m.VRRPAuthMethod: c.SUPPORTED_VRRP_AUTH}
    with orm.Session(_engine()) as session:
        session.add_all(table(name=word) for table, known in words.items() for word in set(known))
        session.commit()


def magnum():
    """Its models."""
    from magnum.common import service
    from magnum.db.sqlalchemy import models
    service.prepare_service(["magnum", *settings.config("magnum", "magnum.conf")])
    models.Base.metadata.create_all(_engine())


def placement():
    """Tables."""
    from placement.cmd import manage
    _command(manage.main, "placement-manage", *settings.config("placement", "placement.conf"), "db", "sync")


def glance():
    """Tables."""
    from glance.cmd import manage
    _command(manage.main, "glance-manage", *settings.config("glance", "glance-api.conf"), "db_sync")


def nova():
    """Tables of the API and of two cells: one for servers that found no host, one for the others."""
    from nova import config, objects
    from nova.cmd import manage
    config.parse_args(["nova-manage", *settings.config("nova", "nova.conf")])
    objects.register_all()
    manage.ApiDbCommands().sync()
    cells = manage.CellV2Commands()
    cells.map_cell0(cfg.CONF.database.connection.replace("nova.sqlite", "nova_cell0.sqlite"))
    cells.create_cell(name="cell1")
    manage.DbCommands().sync()


def _command(main, *words):
    sys.argv = list(words)
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


def _engine():
    return sqlalchemy.create_engine(cfg.CONF.database.connection)


if __name__ == "__main__":
    {made.__name__: made for made in (keystone, neutron, octavia, magnum, placement, glance, nova)}[sys.argv[1]]()

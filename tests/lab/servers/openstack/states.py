"""What no API can set on purpose: states that only a worker writes, and times. Written into the databases."""

import datetime
import sqlite3

from . import layout

_TABLES = {"loadbalancers": "load_balancer", "listeners": "listener", "pools": "pool", "members": "member"}


def readers_do_not_wait(service):
    """Has SQLite keep a log of what is written, so that who reads does not hold up who writes."""
    _run(service, "PRAGMA journal_mode = WAL")


def _run(service, statement, *values):
    with sqlite3.connect(f"{layout.VAR}/db/{service}.sqlite", timeout=60) as database:
        database.execute(statement, values)
    database.close()


def balancer(kind, made, provisioning="ACTIVE", operating="ONLINE"):
    """The states of something of Octavia, in whose table it is found by id."""
    _run("octavia", f"UPDATE {_TABLES[kind]} SET provisioning_status = ?, operating_status = ? WHERE id = ?",
         provisioning, operating, made)


def balancer_times(kind, made, created, updated):
    """When something of Octavia was made and last changed."""
    _run("octavia", f"UPDATE {_TABLES[kind]} SET created_at = ?, updated_at = ? WHERE id = ?",
         _time(created), updated and _time(updated), made)


def balancer_gone(made):
    """The row of a load balancer whose worker is done with it."""
    balancer("loadbalancers", made, "DELETED", "OFFLINE")


def network_times(table, made, created, updated):
    """When something of Neutron was made and last changed. `table` is the plural that Neutron's database uses."""
    _run("neutron", "UPDATE standardattributes SET created_at = ?, updated_at = ? WHERE id = "
         f"(SELECT standard_attr_id FROM {table} WHERE id = ?)", _time(created), _time(updated), made)


def magnum_times(table, made, created, updated):
    """When a row of Magnum was made and last changed."""
    _run("magnum", f"UPDATE {table} SET created_at = ?, updated_at = ? WHERE uuid = ?",
         _time(created), updated and _time(updated), made)


def server_times(made, created, updated):
    """When a server was made and last changed. One that found no host is in the cell of those."""
    for cell in ("nova", "nova_cell0"):
        _run(cell, "UPDATE instances SET created_at = ?, updated_at = ? WHERE uuid = ?",
             _time(created), _time(updated), made)


def credentials_gone():
    """Removes what deleted application credentials left. SQLite, whose cascade is off, gives their row numbers
    again, and Keystone would call the next one a duplicate."""
    _run("keystone", "DELETE FROM application_credential_role WHERE application_credential_id NOT IN "
         "(SELECT internal_id FROM application_credential)")


def ago(**past):
    """A time in the past, as the functions above take it."""
    return datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**past)


def read(text):
    """A time as a service writes it."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)


def _time(moment):
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.000000")

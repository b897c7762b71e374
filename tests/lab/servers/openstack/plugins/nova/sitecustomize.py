"""Lets Nova's programs share a database of SQLite. Python imports this one by its name when a program starts.

A transaction that reads first and writes then is refused at once ("database is locked") when another has
written meanwhile, and Nova does not try again. One that takes the lock when it begins just waits for it.
"""

import sqlalchemy
from sqlalchemy import engine, event


@event.listens_for(engine.Engine, "begin")
def _immediately(connection):
    """Comes before the listener of oslo.db, which begins only what has not begun (its engines.py)."""
    if "in_transaction" not in connection.info:
        connection.execute(sqlalchemy.text("BEGIN IMMEDIATE"))
        connection.info["in_transaction"] = True
